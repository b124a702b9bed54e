"""What a table holds, as plain data for printing and for JSON."""

from typing import Literal, TypedDict, overload

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, Switches, min_rows
from tvlb.table.compact import AnyTable, CompactTable, check_switch
from tvlb.table.diversity import Diversity, Spread, diversity
from tvlb.table.table import Table
from tvlb.topology import Topology

__all__ = [
    "CompactSummary",
    "PairPath",
    "PairSummary",
    "TableSummary",
    "pair_paths",
    "pair_summary",
    "summarise",
]


class SpreadData(TypedDict):
    """Smallest and mean value over the inter-group pairs."""

    min: int
    mean: float


class DiversityData(TypedDict):
    """Choice per inter-group pair."""

    pairs: int
    paths: SpreadData
    first_links: SpreadData
    intermediates: SpreadData


class WeightData(TypedDict):
    """Draw weights: extremes (None without paths), and the largest |sum - 1| of a pair."""

    min: float | None
    max: float | None
    largest_sum_error: float


WeightSource = Literal["expression", "balancing", "listed"]


class TableSummary(TypedDict):
    """A table in a few numbers; `weights_from` says what the draw weights follow from, if any."""

    id: str
    topology: str
    expression: str
    seed: int
    version: str
    switch_pairs: int
    pairs_without_paths: int
    paths: int
    removed_by_balance: int
    weights_from: WeightSource
    paths_by_hops: dict[int, int]
    mean_vlb_hops: float | None
    weights: WeightData
    diversity: DiversityData


class CompactSummary(TypedDict):
    """A compact table in a few numbers; `paths` are those of the expression, before balancing."""

    id: str
    form: str
    topology: str
    expression: str
    seed: int
    version: str
    switch_pairs: int
    paths: int
    paths_by_hops: dict[int, int]
    balance: dict[str, float] | None
    removed_besides: int
    mean_vlb_hops: float | None
    sampled_pairs: int | None


class PairPath(TypedDict):
    """One path of a pair, with the switches and links it visits in travel order."""

    intermediate: int
    first_link: int
    second_link: int
    hops: int
    weight: float
    switches: list[int]
    links: list[int]
    kinds: list[str]


class LinkWeight(TypedDict):
    """A directed link of a switch pair's VLB paths, and how often a drawn path takes it."""

    link: int
    src: int
    dst: int
    weight: float


class PairSummary(TypedDict):
    """What the routing may choose between two switches.

    `paths` may be the first ones only: `total` counts all VLB paths, and `links` and `mean_hops`
    (None without paths) are of all.
    """

    src: int
    dst: int
    min_paths: list[PairPath]
    paths: list[PairPath]
    total: int
    mean_hops: float | None
    links: list[LinkWeight]


@overload
def summarise(table: Table) -> TableSummary: ...
@overload
def summarise(table: CompactTable) -> CompactSummary: ...
def summarise(table: AnyTable) -> TableSummary | CompactSummary:
    """Describe a table in a few numbers.

    Raises
    ------
    InvalidInput : the rows cannot be told apart by switch pair.
    """
    if isinstance(table, CompactTable):
        return _compact(table)
    rows, header = table.rows, table.header
    counts = np.diff(rows.offset)
    return TableSummary(
        id=table.id,
        topology=str(table.topology),
        expression=header.expression,
        seed=header.seed,
        version=header.version,
        switch_pairs=len(counts),
        pairs_without_paths=int(np.count_nonzero(counts == 0)),
        paths=len(rows),
        removed_by_balance=len(table.removed),
        weights_from=_weight_source(table),
        paths_by_hops=header.paths_by_hops,
        mean_vlb_hops=header.mean_vlb_hops,
        weights=_weights(rows),
        diversity=diversity_data(diversity(rows)),
    )


def _weight_source(table: Table) -> WeightSource:
    match table.header.weights:
        case None:
            return "expression"
        case "listed":
            return "listed"
        case _:
            return "balancing"


def _compact(table: CompactTable) -> CompactSummary:
    header, switches = table.header, table.topology.num_switches
    record = header.compact
    assert record is not None
    return CompactSummary(
        id=table.id,
        form="compact",
        topology=str(table.topology),
        expression=header.expression,
        seed=header.seed,
        version=header.version,
        switch_pairs=switches * (switches - 1),
        paths=sum(header.paths_by_hops.values()),
        paths_by_hops=header.paths_by_hops,
        balance=None if record.balance is None else record.balance.model_dump(),
        removed_besides=len(table.removed),
        mean_vlb_hops=header.mean_vlb_hops,
        sampled_pairs=record.sampled_pairs,
    )


def pair_paths(table: AnyTable, source: int, target: int) -> list[PairPath]:
    """List the paths of one switch pair, in table order.

    Raises
    ------
    InvalidInput : not two different switches of the topology, or the table's rows are invalid.
    """
    rows = _pair_rows(table, source, target)
    return _paths(rows, len(rows))


def pair_summary(
    table: AnyTable, source: int, target: int, limit: int | None = None
) -> PairSummary:
    """Describe what the routing may choose between two switches.

    Parameters
    ----------
    limit : most VLB paths to list, in table order; None for all.

    Raises
    ------
    InvalidInput : not two different switches of the topology, or the table's rows are invalid.
    """
    rows = _pair_rows(table, source, target)
    least = min_rows(table.topology, *_ends(source, target))
    usage = rows.total_usage()
    network = table.topology.network
    return PairSummary(
        src=source,
        dst=target,
        min_paths=_paths(least, len(least)),
        paths=_paths(rows, len(rows) if limit is None else min(limit, len(rows))),
        total=len(rows),
        mean_hops=float(rows.weight @ rows.hops) if len(rows) else None,
        links=[
            LinkWeight(
                link=link,
                src=int(network.link_source[link]),
                dst=int(network.link_target[link]),
                weight=float(usage[link]),
            )
            for link in np.flatnonzero(usage).tolist()
        ],
    )


def _pair_rows(table: AnyTable, source: int, target: int) -> PathRows:
    _check_ends(table.topology, source, target)
    return table.path_set(f"table {table.id[:12]}").rows(*_ends(source, target))


def _check_ends(topology: Topology, source: int, target: int) -> None:
    for switch in (source, target):
        check_switch(topology, switch)
    if source == target:
        raise InvalidInput(f"switch {source} has no paths to itself")


def _ends(source: int, target: int) -> tuple[Switches, Switches]:
    return np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)


def _paths(rows: PathRows, count: int) -> list[PairPath]:
    return [_path(rows, row, links) for row, links in enumerate(rows.links()[:count])]


def diversity_data(found: Diversity) -> DiversityData:
    """Return diversity as plain data."""
    return DiversityData(
        pairs=found.pairs,
        paths=_spread(found.paths),
        first_links=_spread(found.first_links),
        intermediates=_spread(found.intermediates),
    )


def _spread(spread: Spread) -> SpreadData:
    return SpreadData(min=spread.minimum, mean=spread.mean)


def _weights(rows: PathRows) -> WeightData:
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    listed = sums[np.diff(rows.offset) > 0]
    return WeightData(
        min=float(rows.weight.min()) if len(rows) else None,
        max=float(rows.weight.max()) if len(rows) else None,
        largest_sum_error=float(np.abs(listed - 1).max(initial=0.0)),
    )


def _path(rows: PathRows, row: int, links: np.ndarray[tuple[int], np.dtype[np.int32]]) -> PairPath:
    network = rows.topology.network
    taken = links[links >= 0]
    return PairPath(
        intermediate=int(rows.intermediate[row]),
        first_link=int(rows.first_link[row]),
        second_link=int(rows.second_link[row]),
        hops=int(rows.hops[row]),
        weight=float(rows.weight[row]),
        switches=[int(rows.source[0]), *network.link_target[taken].tolist()],
        links=taken.tolist(),
        kinds=[rows.topology.kinds.names[kind] for kind in network.link_kind[taken].tolist()],
    )
