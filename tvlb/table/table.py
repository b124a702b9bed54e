"""A T-VLB table: the paths that the adaptive routing may draw, for every ordered switch pair."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import WeightOptions
from tvlb.documents import Frame, arrow_table
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, PathSet, RowSet, all_pairs, check_rows, parse_expression
from tvlb.statistics import MAX_SEED
from tvlb.table.columns import Columns
from tvlb.table.header import (
    Removed,
    TableHeader,
    TableWeights,
    WeightsRecord,
    content_id,
    no_removed,
    record_of,
)
from tvlb.table.structure import first_invalid_row
from tvlb.topology import Topology


@dataclass(frozen=True, eq=False)
class Table(Frame):
    """The rows of all ordered pairs with the header that says where they come from.

    Attributes
    ----------
    header : topology, expression, seed, version and counts.
    removed : int32 (paths, 5), the paths (src, dst, intermediate, first link, second link) that
        the expression gives and balancing took out, sorted.
    columns : the rows, sorted by (src, dst, intermediate, first link, second link).

    Notes
    -----
    A table read from a file holds what the file says; `tvlb.table.verify` tells whether that is
    right. `rows` and `path_set` refuse rows that no route could follow.
    """

    header: TableHeader
    removed: Removed
    columns: Columns

    @classmethod
    def from_rows(
        cls,
        base_set: PathSet,
        rows: PathRows,
        removed: PathRows | NDArray[np.bool_] | None = None,
        *,
        weights: TableWeights | None = None,
        seed: int = 0,
        version: str,
    ) -> "Table":
        """Make the table of a path set, or of what balancing left of it.

        Parameters
        ----------
        base_set : the set before removals; `str` of it is the table's expression.
        rows : the paths that stay, every ordered pair in order as from `PathSet.all_rows`.
        removed : the paths that were taken out, as rows, or as a mask over
            ``base_set.all_rows()``; None if none were.
        weights : the settings with which `balance_weights` gave the rows their draw weights;
            "listed" if the weights follow from no rule; None for those of the expression,
            renormalised after removals.
        seed : the seed of `base_set`.
        version : of the tvlb that makes the table.

        Raises
        ------
        InvalidInput : there are too many rows, they do not list every pair, or `base_set` cannot
            be rebuilt from its expression and `seed`.
        """
        topology = base_set.topology
        check_rebuildable(base_set, seed)
        _check_every_pair(topology, rows)
        check_rows(len(rows), "the table")
        header = TableHeader(
            version=version,
            topology=record_of(topology),
            expression=str(base_set),
            seed=seed,
            paths_by_hops=paths_by_hops(rows.hops),
            mean_vlb_hops=mean_vlb_hops(rows),
            weights=WeightsRecord.of(weights) if isinstance(weights, WeightOptions) else weights,
        )
        table = cls(header, _removed_paths(base_set, removed), Columns.from_rows(rows))
        vars(table).update(topology=topology, rows=rows)
        return table

    @cached_property
    def topology(self) -> Topology:
        """The network that the ids refer to."""
        return self.header.topology.build()

    @cached_property
    def rows(self) -> PathRows:
        """The rows grouped by switch pair.

        Raises
        ------
        InvalidInput : the switch pairs of the rows are out of range or out of order.
        """
        return self.columns.to_rows(self.topology)

    @cached_property
    def id(self) -> str:
        """SHA-256 (hex) of the content; the same whichever file format it was read from."""
        return content_id(self.header, self.removed, self.columns.arrays())

    @property
    def base_set(self) -> PathSet:
        """The path set of the expression, before removals."""
        return parse_expression(self.header.expression, self.topology, self.header.seed)

    @property
    def weights(self) -> TableWeights | None:
        """Where the draw weights come from; None for the expression.

        Raises
        ------
        InvalidInput : a setting of balancing is out of range.
        """
        weights = self.header.weights
        return weights.options() if isinstance(weights, WeightsRecord) else weights

    def path_set(self, name: str) -> RowSet:
        """Return the rows as a path set that prints as `name`.

        Raises
        ------
        InvalidInput : a row is not a path of the topology.
        """
        rows = self.rows
        if (invalid := first_invalid_row(rows)) is not None:
            raise InvalidInput(f"{name}: {invalid}; see tvlb verify")
        return RowSet(rows, name)

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each path, which takes much more memory than `to_arrow`."""
        return self.to_arrow().to_pylist()

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table`, its columns as in files."""
        return arrow_table(self.columns.arrays())

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<Table {self.header.expression} on {self.topology}, {len(self)} paths>"


def paths_by_hops(hops: NDArray[np.int8]) -> dict[int, int]:
    """Count rows by hop count; hop counts that do not occur are left out."""
    values, counts = np.unique(hops, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def mean_vlb_hops(rows: PathRows) -> float | None:
    """Mean hops of a drawn path over the inter-group pairs that have one; None if none has."""
    with np.errstate(over="ignore", invalid="ignore"):  # a damaged table has any weights
        hops = rows.mean_hops_by_pair()
    drawn = rows.topology.has_choice(rows.source, rows.target) & (np.diff(rows.offset) > 0)
    return float(hops[drawn].mean()) if drawn.any() else None


def check_rebuildable(base_set: PathSet, seed: int) -> None:
    """Raise InvalidInput unless the set follows from its expression and the seed."""
    if not 0 <= seed <= MAX_SEED:
        raise InvalidInput(f"seed {seed} is out of range; seeds are 0..2^63-1")
    rebuilt = parse_expression(str(base_set), base_set.topology, seed)
    if type(base_set) is type(rebuilt) and base_set != rebuilt:
        raise InvalidInput(f"{base_set} with another seed cannot be recorded with seed {seed}")


def _check_every_pair(topology: Topology, rows: PathRows) -> None:
    if rows.topology != topology:
        raise InvalidInput(f"rows of {rows.topology} cannot make a table of {topology}")
    source, target = all_pairs(topology)
    if not (np.array_equal(rows.source, source) and np.array_equal(rows.target, target)):
        raise InvalidInput("a table needs the rows of every ordered switch pair, in order")


def _removed_paths(base_set: PathSet, removed: PathRows | NDArray[np.bool_] | None) -> Removed:
    if removed is None:
        return no_removed()
    columns = (
        Columns.from_rows(removed)
        if isinstance(removed, PathRows)
        else Columns.from_rows(base_set.all_rows().select(removed))
    )
    paths = np.stack(
        [
            columns.src_switch,
            columns.dst_switch,
            columns.intermediate,
            columns.first_link,
            columns.second_link,
        ],
        axis=1,
    )
    return paths[np.lexsort(paths.T[::-1])]
