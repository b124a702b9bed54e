"""The best fixed split of a network, and what a split of fewer mean hops guarantees.

Every pair of an orbit has a rate of its own for its MIN paths of each length and its VLB paths of
each shape, so throughput and mean hops are the two ends of one linear program.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.guarantee.failures import (
    Failing,
    FailureKind,
    SingleFailure,
    failure_cases,
    protection,
)
from tvlb.guarantee.guarantee import check_network, throughput_of
from tvlb.guarantee.program import (
    MARGIN,
    Bound,
    Goal,
    Judged,
    LinearProgram,
    Program,
    Protection,
)
from tvlb.guarantee.symmetry import Orbits, keeps_parallel, network_orbits, orbits
from tvlb.guarantee.usage import ShapeUsage
from tvlb.model import require_same_topology
from tvlb.paths import PathSet, as_path_set, min_usage, sender_pairs
from tvlb.processes import Progress, Reporter, silent
from tvlb.statistics import check_seed
from tvlb.table import SplitTable
from tvlb.topology import Topology, as_topology

FRONTIER_POINTS = 9
# Orbits of pairs times orbits of links. Measured: dfly(4,8,4,9,palmtree), 245, takes 0.3 s a point;
# dfly(4,8,4,33,palmtree), 46,288, 30 to 90 s, and dfly(2,4,2,9) without symmetry, 226,800, 40 s.
MOST_SIZE = 50_000

_STAGE = "split"
# Of equally good splits that of the fewest hops is taken, at a loss of this load for a hop.
_PER_HOP = 1e-5
# So much more is sought than is asked for, that rounding leaves enough.
_SURE = 1.0 - 2.0 * MARGIN


@dataclass(frozen=True)
class FrontierPoint:
    """What a fixed split of some length guarantees.

    Attributes
    ----------
    hops : mean links of its paths, over all nodes of other switches alike.
    floor : it sustains that whatever the traffic is, packets/cycle/node.
    floor_bound : no fixed split of no more mean hops guarantees more.
    """

    hops: float
    floor: float
    floor_bound: float

    @property
    def gap(self) -> float:
        """By how much the best split of so many hops may be better, 1 - floor / floor_bound."""
        return 1.0 - self.floor / self.floor_bound


@dataclass(frozen=True, eq=False)
class StaticSplit:
    """A fixed split, and the frontier of throughput for any traffic against mean hops.

    Attributes
    ----------
    path_set : the VLB paths beside all MIN paths.
    seed : of its random fractions.
    usage : the pairs and classes that `split` is of.
    split : float64 (pairs, classes), rate of each class of each pair; those of a pair sum to 1.
    chosen : what the split guarantees.
    frontier : what splits guarantee from the fewest hops to the highest throughput.
    orbits : what symmetries of network and paths make alike.
    seconds : wall time by stage.
    failures : what is guaranteed after each single failure that was asked for.
    protected : what the split for all of these guarantees on the whole network; None without any.
    """

    path_set: PathSet
    seed: int
    usage: ShapeUsage
    split: NDArray[np.float64]
    chosen: FrontierPoint
    frontier: tuple[FrontierPoint, ...]
    orbits: Orbits
    seconds: Mapping[str, float]
    failures: tuple[SingleFailure, ...] = ()
    protected: FrontierPoint | None = None

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.path_set.topology

    @cached_property
    def table(self) -> SplitTable:
        """The split as a table, for files and simulations."""
        return SplitTable.of(
            self.path_set,
            self.seed,
            self.usage.names,
            self.split,
            floor=self.chosen.floor,
            hops=self.chosen.hops,
        )

    def __repr__(self) -> str:
        return (
            f"<StaticSplit over {self.path_set} on {self.topology}: {self.chosen.floor:.4f} for "
            f"any traffic at {self.chosen.hops:.2f} hops>"
        )


def static(
    topology: Topology | str,
    path_set: PathSet | str = "all",
    *,
    hops: float | None = None,
    throughput: float | None = None,
    failures: str | None = None,
    protected: bool = False,
    seed: int = 0,
    report: Reporter = silent,
) -> StaticSplit:
    """Find the best fixed split, and the frontier of guaranteed throughput against mean hops.

    Parameters
    ----------
    topology, path_set : also as the texts that commands take.
    hops : most mean hops that the split may have; None for any.
    throughput : that the split guarantees with as few hops as that takes, packets/cycle/node; None
        for as much as a split of `hops` does.
    failures : tell what is guaranteed after each single failure of `cables`, `switches` or `both`.
    protected : whether the split is the one for all of these, of which every pair keeps its whole
        rate on the paths that are left in any case.
    seed : of random fractions in the text of a path set.
    report : called with `Progress` events.

    Raises
    ------
    InvalidInput : `hops`, `throughput` or `seed` is out of range, path set and topology do not fit,
        no two switches have nodes, a pair that has them has no path, or there is too little
        symmetry.
    SolverFailed : HiGHS has no answer.

    Examples
    --------
    >>> static("hyperx(2,3,3)")
    <StaticSplit over all on hyperx(2,3,3): 0.7500 for any traffic at 2.44 hops>

    Notes
    -----
    Floors are proved by assignments alone, bounds by prices, whoever found them; see
    docs/guarantees.md.

    References
    ----------
    Towles, Dally, Boyd: Throughput-Centric Routing Algorithm Design, SPAA'03.
    """
    check_seed(seed)
    network = as_topology(topology)
    check_static(network, hops, throughput, failures, protected=protected)
    paths = as_path_set(path_set, network, seed)
    require_same_topology(network, paths)
    began = time.perf_counter()
    usage = ShapeUsage.of(paths, report)
    alike = orbits(usage)
    _check_size(network, alike)
    built = time.perf_counter()
    search = Frontier(Program(usage, alike), report)
    split, every = search.chosen(hops, throughput), search.splits()
    settled = time.perf_counter()
    found = StaticSplit(
        path_set=paths,
        seed=seed,
        usage=usage,
        split=split.share[alike.pair],
        chosen=search.point(split),
        frontier=tuple(map(search.point, every)),
        orbits=alike,
        seconds={"build": built - began, "split": settled - built},
    )
    if failures is None:
        return found
    cases = failure_cases(
        network, alike, FailureKind(failures), keeps_parallel=keeps_parallel(paths)
    )
    kept = search.protected(protection(search.program, paths, cases))
    for_all = replace(
        found, split=kept.share[alike.pair], chosen=(point := search.point(kept)), protected=point
    )
    failing = Failing(usage, alike, paths, seed)
    return replace(
        for_all if protected else found,
        failures=tuple(failing.after(cases, found.table, for_all.table, report)),
        protected=point,
        seconds={**found.seconds, "failures": time.perf_counter() - settled},
    )


def check_static(
    topology: Topology,
    hops: float | None,
    throughput: float | None,
    failures: str | None = None,
    *,
    protected: bool = False,
) -> None:
    """Raise InvalidInput unless the split of a network can be asked for.

    Its symmetries are found, which takes some time.
    """
    check_network(topology)
    if failures is None and protected:
        raise InvalidInput("protected: from which failures is not said")
    if failures is not None and failures not in [*FailureKind]:
        raise InvalidInput(f"failures {failures!r}: choose one of {', '.join(FailureKind)}")
    if protected and not hops is throughput is None:
        raise InvalidInput("protected: a split for all failures has no limit of hops or throughput")
    for name, value in (("hops", hops), ("throughput", throughput)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
            raise InvalidInput(f"{name} {value!r} is not a number")
    if hops is not None and throughput is not None:
        raise InvalidInput(f"hops {hops:g} and throughput {throughput:g}: give one of them")
    if throughput is not None and not 0.0 < throughput <= 1.0:
        raise InvalidInput(f"throughput {throughput:g} is out of range: above 0, up to 1")
    if hops is not None and not hops >= (least := fewest_hops(topology)) * _SURE:
        raise InvalidInput(
            f"hops {hops:g} is out of range: shortest paths of {topology} have {least:.4f} on "
            "average"
        )
    _check_size(topology, network_orbits(topology))


def _check_size(topology: Topology, alike: Orbits) -> None:
    links = len(alike.first_links)
    if alike.pairs * links > MOST_SIZE:
        raise InvalidInput(
            f"{topology} has too little symmetry for a proved split: {alike.pairs:,} orbits of "
            f"pairs times {links:,} of links; the limit is {MOST_SIZE:,} (tvlb worst bounds it)"
        )


def fewest_hops(topology: Topology) -> float:
    """Return the mean hops of shortest paths, all nodes of other switches alike."""
    source, target = sender_pairs(topology)
    nodes = topology.switch_nodes[source] * topology.switch_nodes[target]
    there = min_usage(topology, source, target).weight > 0
    return float((there.argmax(axis=1) * nodes).sum() / nodes.sum())


class Frontier:
    """Finds splits, and keeps what was proved of all."""

    def __init__(self, program: Program, report: Reporter = silent) -> None:
        self.program, self._report = program, report
        self._linear = LinearProgram(program)
        self._bounds: list[Bound] = []
        self._best = self._sought(Goal(hops=_PER_HOP, full=1.0))

    def chosen(self, hops: float | None, throughput: float | None) -> Judged:
        """Return the best split, that of so many hops, or the shortest of some throughput.

        Raises
        ------
        InvalidInput : no split guarantees that much.
        """
        if throughput is None:
            return self._best if hops is None else self._within(hops)
        most = self.point(self._best).floor
        if throughput > most:
            raise InvalidInput(
                f"throughput {throughput:g} is out of range: the best fixed split of "
                f"{self.program.usage.topology} guarantees {most:.6f}"
            )
        load = max(_SURE / throughput, self._best.load)
        found = self._sought(Goal(load=_PER_HOP, hops=1.0, most_load=load))
        # Next to the best the program may have rounded its load.
        return found if self.point(found).floor >= throughput else self._best

    def splits(self) -> list[Judged]:
        """Return splits from the fewest hops to the highest throughput."""
        program = self.program
        least = program.least(program.hops)
        if self._best.hops <= least / _SURE:
            return [self._best]
        step = (self._best.hops - least) / (FRONTIER_POINTS - 1)
        between = [least + step * one for one in range(FRONTIER_POINTS - 1)]
        return [*map(self._within, between), self._best]

    def protected(self, kept: Protection) -> Judged:
        """Return the best of those splits of which what fails leaves every pair its whole rate."""
        split, bound = LinearProgram(self.program, kept).solve(Goal(hops=_PER_HOP, full=1.0))
        self._bounds.append(bound)
        return split

    def point(self, split: Judged) -> FrontierPoint:
        """Return what is proved of a split, and of all that are no longer."""
        least = max(one.least_load(split.hops) for one in self._bounds)
        floor = throughput_of(split.load * (1.0 + MARGIN))
        return FrontierPoint(split.hops, floor, max(throughput_of(least), floor))

    def _within(self, hops: float) -> Judged:
        if hops >= self._best.hops:
            return self._best
        return self._sought(Goal(hops=_PER_HOP, full=1.0, most_hops=hops))

    def _sought(self, goal: Goal) -> Judged:
        split, bound = self._linear.solve(goal)
        self._bounds.append(bound)
        done = len(self._bounds)
        note = f"{throughput_of(split.load):.4f} at {split.hops:.2f} hops"
        self._report(Progress(_STAGE, done, FRONTIER_POINTS + 1, note))
        return split
