"""What fixed splits guarantee after any single failure: one case for each orbit of what may fail.

Traffic is that of the nodes that are left. A split that is made for all cases gives every pair so
much on paths that may fail that those left in any case have its whole rate. The loads of all of
them together, failed or not, are no less than what is left brings once its rates are scaled to 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.guarantee.guarantee import check_network, throughput_of
from tvlb.guarantee.program import MARGIN, Goal, LinearProgram, Program, Protection
from tvlb.guarantee.symmetry import Orbits, network_orbits, orbits, orbits_keeping
from tvlb.guarantee.usage import ShapeUsage
from tvlb.paths import PathSet, parse_expression
from tvlb.processes import Progress, Reporter
from tvlb.table import SplitTable
from tvlb.topology import Failures, Topology, without
from tvlb.traffic import Assignments

_STAGE = "failures"
# Orbits of pairs times orbits of links of what is left. Measured: 616,284 of dfly(4,8,4,9,palmtree)
# without a local cable take 130 s.
MOST_ROUTED_AFRESH = 1_000_000


class FailureKind(StrEnum):
    """What may fail."""

    CABLES = "cables"
    SWITCHES = "switches"
    BOTH = "both"


@dataclass(frozen=True, eq=False)
class Case:
    """A cable or a switch that is down, and any other that a symmetry maps to it.

    Attributes
    ----------
    failures : the cable or switch.
    text : what it is called.
    alike : how many there are of it.
    ends : switches of a cable, or the switch.
    down : bool (links,).
    """

    failures: Failures
    text: str
    alike: int
    ends: tuple[int, ...]
    down: NDArray[np.bool_]


@dataclass(frozen=True)
class SingleFailure:
    """Throughput for any traffic after a failure, packets/cycle/node.

    Attributes
    ----------
    failures : what is down.
    text : what it is called.
    alike : number of cables or switches that symmetries make alike: the same holds for each.
    struck : of the split without its dead paths, what is left of every pair scaled.
    protected : of the split for all cases, in the same way.
    afresh : of the best split of what is left, as far as it was found. None where nodes are cut off
        from others, or too little symmetry is left.
    afresh_bound : no split of what is left guarantees more.
    struck_lost, protected_lost : pairs of switches that lose all their paths, int (pairs, 2); then
        the floor is 0.
    """

    failures: Failures
    text: str
    alike: int
    struck: float
    protected: float
    afresh: float | None
    afresh_bound: float | None
    struck_lost: tuple[tuple[int, int], ...]
    protected_lost: tuple[tuple[int, int], ...]


def failure_cases(
    topology: Topology, alike: Orbits, kind: FailureKind, *, keeps_parallel: bool = True
) -> list[Case]:
    """Return one cable of every orbit, then one switch.

    Of parallel cables the last, and all of its kind where paths are not the same by each of them.
    """
    cables = [] if kind is FailureKind.SWITCHES else [*_cables(topology, alike, keeps_parallel)]
    switches = [] if kind is FailureKind.CABLES else [*_switches(topology, alike)]
    return cables + switches


def _cables(topology: Topology, alike: Orbits, keeps_parallel: bool) -> Iterator[Case]:
    network = topology.network
    links = dict[tuple[int, int], list[int]]()
    for link, ends in enumerate(
        zip(network.link_source.tolist(), network.link_target.tolist(), strict=True)
    ):
        links.setdefault(ends, []).append(link)
    # Both links of every cable, and of the last that is parallel: a failure takes that.
    cables = np.array(
        [
            (*both, there[-1], links[high, low][-1])
            for (low, high), there in links.items()
            if low < high
            for both in zip(there[::-1], links[high, low][::-1], strict=True)
            if network.link_kind[both[0]] == network.link_kind[there[-1]]
        ]
    )
    orbit = alike.link[cables[:, 2:] if keeps_parallel else cables[:, :2]].min(axis=1)
    for first, count in _of_each(orbit):
        down = np.zeros(topology.num_links, dtype=np.bool_)
        down[cables[first, :2]] = True
        one, _, last, _ = cables[first]
        low, high = int(network.link_source[one]), int(network.link_target[one])
        kind = topology.kinds.names[network.link_kind[one]]
        text = f"{kind} cable {topology.called(low)} to {topology.called(high)}"
        if not keeps_parallel and (parallel := network.link_ordinal[last] + 1) > 1:
            text += f", {network.link_ordinal[one] + 1} of {parallel}"
        yield Case(Failures(links=((low, high),)), text, count, (low, high), down)


def _switches(topology: Topology, alike: Orbits) -> Iterator[Case]:
    network = topology.network
    linked = np.unique(network.link_source)
    orbit = alike.of_switches(topology)[linked]
    for first, count in _of_each(orbit):
        switch = int(linked[first])
        down = (network.link_source == switch) | (network.link_target == switch)
        text = f"switch {topology.called(switch)}"
        yield Case(Failures(switches=(switch,)), text, count, (switch,), down)


def _of_each(orbit: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the first place of each orbit, and how many places it has."""
    _, first, count = np.unique(orbit, return_index=True, return_counts=True)
    yield from zip(first.tolist(), count.tolist(), strict=True)


def protection(program: Program, path_set: PathSet, cases: Sequence[Case]) -> Protection:
    """Return what the split for all cases has to keep."""
    usage = program.usage
    assert isinstance(usage, ShapeUsage)
    found = [np.zeros((0, 1 + usage.weight.shape[1]))]
    number = program.orbits.pair[:, np.newaxis].astype(np.float64)
    for case, left in zip(cases, usage.left(path_set, [one.down for one in cases]), strict=True):
        there = _up(usage, case) & (left * usage.is_vertex).any(axis=1)
        found.append(np.unique(np.hstack([number, left])[there], axis=0))
    rows = np.unique(np.concatenate(found), axis=0)
    orbit, left = rows[:, 0].astype(np.int64), rows[:, 1:]
    needed = np.ones(len(rows), dtype=np.bool_)
    # Where another row of the orbit has no more left anywhere, it says all.
    for one in np.unique(orbit):
        mine = np.flatnonzero(orbit == one)
        fewer = (left[mine, np.newaxis] <= left[mine]).all(axis=2)
        needed[mine] = fewer.sum(axis=0) == 1
    return Protection(orbit[needed], left[needed])


def _up(usage: ShapeUsage, case: Case) -> NDArray[np.bool_]:
    """Whether both switches of a pair are up, bool (pairs,)."""
    down = case.failures.down_switches
    return ~(np.isin(usage.source, down) | np.isin(usage.target, down))


class Failing:
    """Judges splits on what single failures leave."""

    def __init__(self, usage: ShapeUsage, alike: Orbits, path_set: PathSet, seed: int) -> None:
        self._usage, self._alike, self._path_set, self._seed = usage, alike, path_set, seed
        self._assignments = Assignments(usage.topology)

    def after(
        self, cases: Sequence[Case], split: SplitTable, protected: SplitTable, report: Reporter
    ) -> Iterator[SingleFailure]:
        """Yield what is left of two splits in each case, and of one that is made for it."""
        for done, case in enumerate(cases):
            report(Progress(_STAGE, done, len(cases), case.text))
            links = orbits_keeping(self._usage, self._alike, case.ends).first_links
            struck, lost = self._struck(case, links, split)
            kept, no_paths = self._struck(case, links, protected)
            afresh = self._afresh(case)
            yield SingleFailure(
                case.failures, case.text, case.alike, struck, kept, *afresh, lost, no_paths
            )
        report(Progress(_STAGE, len(cases), len(cases)))

    def _struck(
        self, case: Case, links: NDArray[np.int64], split: SplitTable
    ) -> tuple[float, tuple[tuple[int, int], ...]]:
        """Return the floor of what is left of a split, by some links, and pairs that have none."""
        crossing, carried = split.followed(case.down)
        up = _up(self._usage, case)
        lost = up & (carried == 0.0)
        if lost.any():
            ends = (one[lost].tolist() for one in (self._usage.source, self._usage.target))
            return 0.0, tuple(zip(*ends, strict=True))
        scale = np.divide(1.0, carried, out=np.zeros(len(carried)), where=up)
        crossing.data *= np.repeat(scale, np.diff(crossing.indptr))
        load = self._assignments.most_load(crossing[:, links])
        return throughput_of(load * (1.0 + MARGIN)), ()

    def _afresh(self, case: Case) -> tuple[float, float] | tuple[None, None]:
        """Return the floor of the best split of what is left, and what no split exceeds."""
        try:
            left = _left(self._usage.topology, case)
            check_network(left)
            paths = parse_expression(str(self._path_set), left, self._seed)
            network = network_orbits(left)
            if network.pairs * len(network.first_links) > MOST_ROUTED_AFRESH:
                return None, None
            usage = ShapeUsage.of(paths)
        except InvalidInput:
            return None, None
        split, bound = LinearProgram(Program(usage, orbits(usage))).solve(Goal(full=1.0))
        floor = throughput_of(split.load * (1.0 + MARGIN))
        return floor, max(throughput_of(bound.least_load(split.hops)), floor)


def _left(topology: Topology, case: Case) -> Topology:
    """Return what is left of a network, which may have failures already.

    Switches without nodes that a failure cuts off from all nodes are no loss to anybody.
    """
    failures = case.failures
    switches = (*failures.switches, *_cut_off(topology, case))
    links, whole = failures.links, topology
    if topology.origin is not None:
        whole, before = topology.origin.network, topology.origin.failures
        links, switches = before.links + links, before.switches + switches
    return without(whole, Failures(links=links, switches=switches))


def _cut_off(topology: Topology, case: Case) -> list[int]:
    """Return the switches that are joined to none with nodes, down or up."""
    part = topology.network.parts(~case.down)
    return np.flatnonzero(~np.isin(part, part[topology.switch_nodes > 0])).tolist()
