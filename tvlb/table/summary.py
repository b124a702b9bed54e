"""What a table holds, as plain data for printing and for JSON."""

from typing import Literal, TypedDict, overload

import numpy as np

from tvlb.paths import PathRows
from tvlb.table.compact import AnyTable, CompactTable
from tvlb.table.diversity import Diversity, Spread, diversity
from tvlb.table.table import Table

__all__ = [
    "CompactSummary",
    "TableSummary",
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
