"""Split tables: which share of its packets each pair of switches sends over paths of each class.

Who sends by a split draws a class by its rate, and a path of that class by draw weights. Classes
are the MIN paths of a pair by length, and its VLB paths by shape.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.paths import (
    ANY_SHAPE,
    LONGEST_EXPRESSION,
    PathRows,
    PathSet,
    Switches,
    SwitchSequences,
    min_rows,
    min_usage,
    pairs_from,
    parse_expression,
    sender_pairs,
    shapes_of,
    switch_sequences,
)
from tvlb.statistics import MAX_SEED
from tvlb.table.deadlock import Channel, VcSettings, check_routes
from tvlb.table.kinds import (
    Finding,
    Header,
    StoredTable,
    TableKind,
    TableReport,
    check_switch,
    findings_of,
)
from tvlb.table.networks import record_of
from tvlb.topology import Topology
from tvlb.traffic import Assignments

_ROUNDING = 1e-9
_MOST_CLASSES = 10_000
_PAIRS_PER_PART = 1_000
_COLUMNS = {
    "src_switch": np.dtype(np.int32),
    "dst_switch": np.dtype(np.int32),
    "paths": np.dtype(np.int16),
    "rate": np.dtype(np.float64),
}


class SplitHeader(Header):
    """What the header says besides the rates.

    Attributes
    ----------
    expression : path set of the VLB paths.
    seed : keys its random fractions.
    classes : that rows name by position: MIN paths by their hops, VLB paths by their shape or, of
        pairs without a choice, `?.?`.
    floor : throughput under any traffic, packets/cycle/node.
    hops_mean : mean links of a path, over all nodes of other switches alike.
    """

    expression: str = Field(max_length=LONGEST_EXPRESSION)
    seed: int = Field(ge=0, le=MAX_SEED)
    classes: tuple[str, ...] = Field(max_length=_MOST_CLASSES)
    floor: float = Field(ge=0.0, le=1.0)
    hops_mean: float = Field(ge=0.0)


@dataclass(frozen=True, eq=False)
class SplitTable(StoredTable):
    """A split as its file has it: the rates that are not 0, sorted by source, target and class.

    Attributes
    ----------
    src_switch, dst_switch : int32 (rows,), the pair of switches.
    paths : int16 (rows,), position of the class in the header.
    rate : float64 (rows,), share of the packets of the pair.
    """

    header: SplitHeader
    src_switch: NDArray[np.int32]
    dst_switch: NDArray[np.int32]
    paths: NDArray[np.int16]
    rate: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        path_set: PathSet,
        seed: int,
        classes: tuple[str, ...],
        split: NDArray[np.float64],
        *,
        floor: float,
        hops: float,
    ) -> Self:
        """Store a split, float64 (pairs, classes), of all pairs of switches with nodes."""
        topology = path_set.topology
        header = SplitHeader(
            version=VERSION,
            topology=record_of(topology),
            expression=str(path_set),
            seed=seed,
            classes=classes,
            floor=floor,
            hops_mean=hops,
        )
        pair, paths = np.nonzero(split)
        source, target = (ends[pair] for ends in sender_pairs(topology))
        return cls(header, source, target, paths.astype(np.int16), split[pair, paths])

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """See `StoredTable`."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name in _COLUMNS}

    def check(self) -> None:
        """See `StoredTable`: expression and classes are those of the network."""
        _ = self.base_set, self._places

    @cached_property
    def base_set(self) -> PathSet:
        """The path set of the expression."""
        return parse_expression(self.header.expression, self.topology, self.header.seed)

    def of_switch(self, switch: int) -> Iterator[Mapping[str, NDArray[Any]]]:
        """See `StoredTable`: the rates of a source."""
        check_switch(self.topology, switch)
        mine = self.src_switch == switch
        return iter([{name: values[mine] for name, values in self.arrays().items()}])

    def weighted_paths(self, name: str) -> "SplitPaths":
        """See `StoredTable`."""
        return SplitPaths(self, name)

    def link_usage(self) -> NDArray[np.float64]:
        """See `StoredTable`: flits of every link where each pair sends one."""
        return np.asarray(self.crossing.sum(axis=0), dtype=np.float64).ravel()

    def routes(self, sources: Switches, targets: Switches) -> tuple[PathRows, PathRows]:
        """Return the MIN and the VLB paths of given pairs that have a rate.

        Weights of a pair are the shares of its packets, those of both kinds together sum to 1.
        """
        minimal, detour = self._places
        pair = self.pair_at[sources, targets]
        known = pair >= 0
        rates = np.where(known[:, np.newaxis], self.rates[np.where(known, pair, 0)], 0.0)
        shortest = min_rows(self.topology, sources, targets)
        detours = self.base_set.rows(sources, targets)
        return (
            _weighted(shortest, minimal[shortest.hops], rates),
            _weighted(detours, detour[detours.shapes()], rates),
        )

    @property
    def crossing(self) -> "scipy.sparse.csr_array":
        """Share of the packets of each pair that cross each link, float64 (pairs, links)."""
        return self._followed[0]

    @property
    def carried(self) -> NDArray[np.float64]:
        """Share of the packets of each pair for which there are paths, float64 (pairs,)."""
        return self._followed[1]

    @cached_property
    def _followed(self) -> tuple["scipy.sparse.csr_array", NDArray[np.float64]]:
        return self.followed(np.zeros(self.topology.num_links, dtype=np.bool_))

    def followed(
        self, down: NDArray[np.bool_]
    ) -> tuple["scipy.sparse.csr_array", NDArray[np.float64]]:
        """Return `crossing` and `carried` of the paths that are left where links are down.

        Parameters
        ----------
        down : bool (links,).
        """
        links = self.topology.num_links
        crossing: list[scipy.sparse.csr_array] = []
        carried: list[NDArray[np.float64]] = []
        for mine in self.some_pairs():
            for rows in self.routes(*mine):
                left = rows.filtered(~next(rows.crossing([down]))) if down.any() else rows
                usage = left.usage_by(np.zeros(len(left), dtype=np.int64), 1)
                entries = usage.entry_value, (usage.entry_class, usage.entry_link)
                crossing.append(scipy.sparse.csr_array(entries, shape=(len(mine[0]), links)))
                carried.append(usage.weight[:, 0])
        both = [scipy.sparse.vstack(crossing[kind::2], format="csr") for kind in (0, 1)]
        return both[0] + both[1], np.concatenate(carried[::2]) + np.concatenate(carried[1::2])

    def some_pairs(self) -> Iterator[tuple[Switches, Switches]]:
        """Yield all pairs of switches with nodes, some at a time."""
        source, target = sender_pairs(self.topology)
        for at in range(0, len(source), _PAIRS_PER_PART):
            part = slice(at, at + _PAIRS_PER_PART)
            yield source[part], target[part]

    @cached_property
    def pair_at(self) -> NDArray[np.int64]:
        """Position of every pair, int64 (switches, switches); -1 of those without nodes."""
        source, target = sender_pairs(self.topology)
        found = np.full((self.topology.num_switches, self.topology.num_switches), -1)
        found[source, target] = np.arange(len(source))
        return found

    @cached_property
    def rates(self) -> NDArray[np.float64]:
        """Rates of all pairs, float64 (pairs, classes)."""
        pairs = int(self.pair_at.max(initial=-1)) + 1
        rates = np.zeros((pairs, len(self.header.classes)))
        rates[self.pair_at[self.src_switch, self.dst_switch], self.paths] = self.rate
        return rates

    @cached_property
    def _places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Class of MIN paths by hops and of VLB paths by shape code, int64; -1 without one.

        Raises
        ------
        InvalidInput : a class is none of the network, or is named twice.
        """
        shapes = shapes_of(self.topology)
        lengths = range(len(self.topology.longest_min_path) + 1)
        codes = {str(hops): (0, hops) for hops in lengths if hops}
        codes |= {shapes.name(code): (1, code) for code in range(len(shapes))}
        codes[ANY_SHAPE] = 1, len(shapes)
        found = np.full(len(lengths), -1), np.full(len(shapes) + 1, -1)
        for place, name in enumerate(self.header.classes):
            if name not in codes:
                raise InvalidInput(
                    f"table header, classes: {name!r} is none of {self.topology}: expected hops of "
                    "MIN paths or shapes of VLB paths"
                )
            kind, code = codes[name]
            if found[kind][code] >= 0:
                raise InvalidInput(f"table header, classes: {name!r} is named twice")
            found[kind][code] = place
        return found


@dataclass(frozen=True)
class SplitPaths:
    """See `tvlb.table.kinds.WeightedPaths`."""

    table: SplitTable
    text: str

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.table.topology

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """Return all paths of given pairs, those of MIN first; see `SplitTable.routes`.

        Raises
        ------
        InvalidInput : weights of a pair do not sum to 1.
        """
        minimal, detours = self.table.routes(sources, targets)
        place = np.arange(len(sources))
        # Of the pairs twice, each behind its MIN paths.
        both = minimal.joined(detours).pairs(np.stack([place, len(place) + place], axis=1).ravel())
        rows = replace(both, source=sources, target=targets, offset=both.offset[::2])
        share = np.bincount(rows.pair_of_row, rows.weight, len(place))
        for pair in np.flatnonzero(~(np.abs(share - 1.0) <= _ROUNDING))[:1]:
            raise InvalidInput(
                f"{self} has paths for {share[pair]:.9g} of the packets from switch "
                f"{sources[pair]} to switch {targets[pair]}; see tvlb verify"
            )
        return rows

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """Bound the number of paths of each given pair from above, int64 (pairs,)."""
        least = min_usage(self.topology, sources, targets).count.sum(axis=1)
        return self.table.base_set.most_paths(sources, targets) + least

    def sequences_from(self, source: int, *, by_cable: bool) -> SwitchSequences:
        """See `tvlb.table.kinds.WeightedPaths`."""
        both = self.table.routes(*pairs_from(self.topology, source))
        minimal, detours = (switch_sequences(rows, by_cable=by_cable) for rows in both)
        return minimal.joined(detours, by_cable=by_cable)

    def __str__(self) -> str:
        return self.text


def _weighted(rows: PathRows, place: NDArray[np.int64], rates: NDArray[np.float64]) -> PathRows:
    """Return the rows of classes with a rate, which the paths of a class share by their weights."""
    classes = rates.shape[1]
    cell = rows.pair_of_row * classes + np.maximum(place, 0)
    weight = np.where(place >= 0, rows.weight, 0.0)
    total = np.bincount(cell, weight, rates.size)
    shared = np.divide(rates.ravel(), total, out=np.zeros(rates.size), where=total > 0)
    found = weight * shared[cell]
    return rows.with_weights(found).filtered(found > 0)


@dataclass(frozen=True)
class SplitReport(TableReport):
    """What checks of a split table found.

    Attributes
    ----------
    is_proved : whether the floor was proved anew.
    vcs_needed, cycle : see `tvlb.table.deadlock.DeadlockCheck`; None and empty where the rates are
        damaged.
    """

    is_proved: bool = True
    vcs_needed: int | None = None
    cycle: tuple[Channel, ...] = ()

    @property
    def size(self) -> str:
        """See `TableReport.size`."""
        return f"{super().size}, {self.vcs_needed} VCs needed"

    def remarks(self) -> list[str]:
        """See `TableReport`."""
        return [] if self.is_proved else ["the floor was not proved anew: the network is too large"]


def _verify(table: SplitTable, settings: VcSettings) -> SplitReport:
    if settings.routing is not None:
        raise InvalidInput(f"routing {settings.routing} draws no paths by the rates of a split")
    findings, is_proved = check_rates(table), True
    if not findings:
        findings = _told_pairs(table, "there are no paths for all rates", table.carried)
    if not findings:
        floor = Assignments(table.topology).floor(table.crossing)
        findings, is_proved = _check_promises(table, floor), floor is not None
    vcs_needed, cycle = None, ()
    if not findings:
        paths = table.weighted_paths("the table")
        every = (paths.rows(*pairs) for pairs in table.some_pairs())
        checked = check_routes(table.topology, every, settings)
        vcs_needed, cycle = checked.vcs_needed, checked.cycle
        findings = [Finding(1, checked.problem)] if checked.problem else []
    told = TableReport.of(table, findings)
    return SplitReport(
        told.table_id,
        told.paths,
        told.problems,
        told.problem_count,
        is_proved,
        vcs_needed,
        cycle,
    )


def check_rates(table: SplitTable) -> list[Finding]:
    """Check rows, and that rates of every pair sum to 1; not that they are of paths there are."""
    if findings := _check_rows(table):
        return findings
    return _told_pairs(table, "rates do not sum to 1", table.rates.sum(axis=1))


def _check_rows(table: SplitTable) -> list[Finding]:
    """Check that rows are in order and name pairs and classes that there are."""
    topology, classes = table.topology, len(table.header.classes)
    source, target = table.src_switch.astype(np.int64), table.dst_switch.astype(np.int64)
    switches = topology.num_switches
    outside = (source < 0) | (source >= switches) | (target < 0) | (target >= switches)
    inside = [np.where(outside, 0, ends) for ends in (source, target)]
    unknown = (table.paths < 0) | (table.paths >= classes)
    key = (source * switches + target) * (classes + 1) + table.paths
    order = np.append(False, np.diff(key) <= 0)

    def told(what: str, wrong: NDArray[np.bool_]) -> list[Finding]:
        return findings_of(wrong, lambda count, row: f"{what} ({count} rows), first row {row}")

    return [
        *told("no pair of switches with nodes", outside | (table.pair_at[*inside] < 0)),
        *told(f"the class is not in 0..{classes - 1}", unknown),
        *told("the row is out of order or a second one", order),
        *told("the rate is not above 0", ~(table.rate > 0)),
    ]


def _told_pairs(table: SplitTable, what: str, share: NDArray[np.float64]) -> list[Finding]:
    source, target = sender_pairs(table.topology)
    return findings_of(
        ~(np.abs(share - 1.0) <= _ROUNDING),
        lambda count, pair: (
            f"{what} ({count} pairs), first {source[pair]} -> {target[pair]}: {share[pair]:.9g}"
        ),
    )


def _check_promises(table: SplitTable, floor: float | None) -> list[Finding]:
    """Check mean hops and the floor, if it was proved anew."""
    header, topology = table.header, table.topology
    source, target = sender_pairs(topology)
    nodes = topology.switch_nodes[source] * topology.switch_nodes[target]
    hops = float((table.crossing.sum(axis=1) * nodes).sum() / nodes.sum())
    found = list[Finding]()
    if abs(hops - header.hops_mean) > 1e-6 * hops:
        found.append(Finding(1, f"mean hops are {hops:.6f}, not {header.hops_mean:.6f} as told"))
    if floor is not None and floor < header.floor * (1.0 - _ROUNDING):
        found.append(Finding(1, f"the floor is {floor:.6f}, not {header.floor:.6f} as told"))
    return found


def _summary(table: SplitTable) -> dict[str, Any]:
    header = table.header
    mean = table.rates.mean(axis=0).tolist()
    return {
        "id": table.id,
        "topology": str(table.topology),
        "expression": header.expression,
        "seed": header.seed,
        "version": header.version,
        "floor": header.floor,
        "hops_mean": header.hops_mean,
        "switch_pairs": len(table.rates),
        "rates": dict(zip(header.classes, mean, strict=True)),
    }


def _most_rows(topology: Topology) -> int:
    classes = len(topology.longest_min_path) + len(topology.halves) ** 2 + 1
    return topology.num_switches**2 * classes


SPLIT = TableKind(
    name="split table",
    made=SplitTable,
    mark="split",
    header=SplitHeader,
    columns=_COLUMNS,
    most_rows=_most_rows,
    load=lambda header, _, columns: SplitTable(header, **columns),
    verify=_verify,
    summary=_summary,
    row="three integers and a rate",
    no_repair="a split is found anew for what failures leave, by tvlb static --without",
)
KINDS = (SPLIT,)
