"""T-VLB tables: the paths that the adaptive routing may draw, for every ordered switch pair.

A `Table` lists them; a `CompactTable` has the rule, the seed and the removed paths, and any rows
on demand, of tables too large to list.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import BalancedSet, ReweightedSet, WeightOptions, chunks
from tvlb.documents import Frame, arrow_table
from tvlb.errors import InvalidInput
from tvlb.paths import (
    PUBLISHED_RULE,
    PathRows,
    PathSet,
    RowSet,
    UgalRule,
    all_pairs,
    check_rows,
    is_listable,
    keys_of_rows,
    members,
    pairs_from,
    parse_expression,
)
from tvlb.statistics import MAX_SEED
from tvlb.table.header import (
    REMOVED,
    BalanceRecord,
    CompactRecord,
    Removed,
    TableHeader,
    TableWeights,
    UgalRecord,
    WeightsRecord,
    no_removed,
)
from tvlb.table.kinds import StoredTable, check_switch
from tvlb.table.networks import record_of
from tvlb.table.rows import Columns, first_invalid_row
from tvlb.topology import Failures, Topology, links_left, without


@dataclass(frozen=True, eq=False)
class _RuleTable(StoredTable):
    """What both forms have.

    Attributes
    ----------
    header : topology, expression, seed, version and counts.
    removed : int32 (paths, 5), the paths that the expression gives and balancing took out, sorted.
    """

    header: TableHeader
    removed: Removed

    def lists(self) -> Mapping[str, Removed]:
        """See `StoredTable.lists`."""
        return {"removed": self.removed}

    @property
    def called(self) -> str:
        """See `StoredTable.called`: the expression, and how it was balanced."""
        header = self.header
        if isinstance(header.weights, WeightsRecord):
            return f"{header.expression}, by weights"
        is_balanced = len(self.removed) or (header.compact and header.compact.balance)
        return f"{header.expression}, by removal" if is_balanced else header.expression

    @cached_property
    def rule_topology(self) -> Topology:
        """The network of the expression; of a table that was struck, one with fewer failures.

        Raises
        ------
        InvalidInput : the table was struck, but its network has no failures, or lacks some that
            the other one has.
        """
        struck, topology = self.header.struck, self.topology
        if struck is None:
            return topology
        if topology.origin is None:
            raise InvalidInput(f"no paths are struck out on {topology}, which has no failures")
        ruled = topology.origin.network
        if struck.without != Failures():
            ruled = without(ruled, struck.without)
        links_left(ruled, topology)
        return ruled

    @property
    def base_set(self) -> PathSet:
        """The path set of the expression, before removals, on the network of the rule."""
        return parse_expression(self.header.expression, self.rule_topology, self.header.seed)

    @property
    def ugal(self) -> UgalRule | None:
        """The rule of UGAL that it was made for; None for the published one.

        Raises
        ------
        InvalidInput : a value of it is out of range.
        """
        rule = self.header.ugal and self.header.ugal.rule()
        # Files may write the published one out.
        return None if rule == PUBLISHED_RULE else rule

    def made_for(self, rule: UgalRule | None) -> Self:
        """Return the same table with the rule of UGAL that it is for."""
        ugal = None if rule in (None, PUBLISHED_RULE) else UgalRecord.of(rule)
        return replace(self, header=self.header.model_copy(update={"ugal": ugal}))

    def check(self) -> None:
        """See `StoredTable.check`."""
        _ = self.base_set, self.ugal


@dataclass(frozen=True, eq=False)
class Table(_RuleTable, Frame):
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
    def rows(self) -> PathRows:
        """The rows grouped by switch pair.

        Raises
        ------
        InvalidInput : the switch pairs of the rows are out of range or out of order.
        """
        return self.columns.to_rows(self.topology)

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """See `StoredTable.arrays`."""
        return self.columns.arrays()

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
        return RowSet(rows, name).made_for(self.ugal or PUBLISHED_RULE)

    def of_switch(self, switch: int) -> Iterator[Mapping[str, NDArray[Any]]]:
        """See `StoredTable.of_switch`: those of a source.

        Raises
        ------
        InvalidInput : no such switch, or a row of the table is no path or out of order.
        """
        check_switch(self.topology, switch)
        if (invalid := first_invalid_row(self.rows)) is not None:
            raise InvalidInput(f"{invalid}; see tvlb verify")
        mine = self.columns.src_switch == switch
        return iter([{name: values[mine] for name, values in self.arrays().items()}])

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
    paths = np.stack([*columns.arrays().values()][: len(REMOVED.numbers)], axis=1)
    return paths[np.lexsort(paths.T[::-1])]


@dataclass(frozen=True, eq=False)
class CompactTable(_RuleTable):
    """A table without rows; `of_switch` generates those of any switch as the full form has them.

    Attributes
    ----------
    header : topology, expression, seed, version, counts, and the balancing that the rule includes.
    removed : int32 (paths, 5), the paths taken out besides, by balancing over all pairs; sorted.
    """

    @classmethod
    def from_set(
        cls,
        path_set: PathSet,
        *,
        seed: int = 0,
        version: str,
        mean_vlb_hops: float | None = None,
        sampled_pairs: int | None = None,
    ) -> "CompactTable":
        """Make the compact table of a path set that follows from a rule.

        Parameters
        ----------
        path_set : an expression's set, or a `BalancedSet` of one.
        seed : the seed of the expression.
        version : of the tvlb that makes the table.
        mean_vlb_hops : of a drawn path, where known; None to compute it, or nan for no path.
        sampled_pairs : number of pairs that `mean_vlb_hops` is of; None for all.

        Raises
        ------
        InvalidInput : the set cannot be rebuilt from its expression and `seed`, or is balanced by
            weights.
        """
        if isinstance(path_set, ReweightedSet):
            raise InvalidInput(
                f"{path_set} balanced by weights has no compact table: the weights of a pair "
                "follow from the paths of all pairs; write the full form"
            )
        base = path_set.base if isinstance(path_set, BalancedSet) else path_set
        check_rebuildable(base, seed)
        balance, removed = None, no_removed()
        if isinstance(path_set, BalancedSet):
            balance = BalanceRecord.of(path_set.options, path_set.seed)
            removed = path_set.removed[np.lexsort(path_set.removed.T[::-1])]
        mean = path_set.mean_hops() if mean_vlb_hops is None else mean_vlb_hops
        header = TableHeader(
            version=version,
            topology=record_of(base.topology),
            expression=str(base),
            seed=seed,
            paths_by_hops=count_by_hops(base),
            mean_vlb_hops=None if np.isnan(mean) else mean,
            compact=CompactRecord(balance=balance, sampled_pairs=sampled_pairs),
        )
        return cls(header, removed)

    @property
    def columns(self) -> Columns:
        """The rows of its file: none."""
        return Columns.none()

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """See `StoredTable.arrays`."""
        return self.columns.arrays()

    def check(self) -> None:
        """See `StoredTable.check`."""
        assert self.path_set(self.header.expression) is not None

    def path_set(self, name: str) -> PathSet:
        """Return the paths as a set whose rows are generated on demand.

        Raises
        ------
        InvalidInput : the header describes no path set.
        """
        balance = self.record.balance
        if balance is None:
            return self.base_set.made_for(self.ugal or PUBLISHED_RULE)
        paths = BalancedSet(self.base_set, balance.options(), balance.seed, self.removed, name)
        return paths.made_for(self.ugal or PUBLISHED_RULE)

    def of_switch(self, switch: int) -> Iterator[Mapping[str, NDArray[Any]]]:
        """See `StoredTable.of_switch`: generate those of a source, in the order of the full form.

        Raises
        ------
        InvalidInput : no such switch.
        """
        check_switch(self.topology, switch)
        parts = chunks(self.path_set(self.header.expression), *pairs_from(self.topology, switch))
        return (Columns.from_rows(rows).arrays() for rows in parts)

    def expanded(self) -> Table:
        """Return the full form.

        Raises
        ------
        InvalidInput : it has too many rows; any switch can be had with `rows_from`.
        """
        base = self.base_set
        if not is_listable(base):
            raise InvalidInput(
                f"the table of {base} on {self.topology} has too many paths for the full form; "
                "export one switch at a time"
            )
        kept = self.path_set(str(base)).all_rows()
        stays, _ = members(keys_of_rows(base.all_rows()), keys_of_rows(kept))
        return Table.from_rows(
            base,
            kept,
            None if stays.all() else ~stays,
            seed=self.header.seed,
            version=self.header.version,
        ).made_for(self.ugal)

    @property
    def record(self) -> CompactRecord:
        """What its header says instead of rows."""
        record = self.header.compact
        assert record is not None
        return record

    def __repr__(self) -> str:
        return f"<CompactTable {self.header.expression} on {self.topology}>"


AnyTable = Table | CompactTable
"""A table in the full or in the compact form; both have `header`, `removed` and `columns`."""


def stored_table(
    header: TableHeader, lists: Mapping[str, Removed], columns: Mapping[str, NDArray[Any]]
) -> AnyTable:
    """Return the table that a file holds.

    Raises
    ------
    InvalidInput : a compact table with rows, with weights, or with removed paths but no balancing;
        settings of balancing by weights that are out of range.
    """
    removed, rows = lists["removed"], Columns(**columns)
    if isinstance(header.weights, WeightsRecord):
        header.weights.options()
    if header.compact is None:
        return Table(header, removed, rows)
    if len(rows):
        raise InvalidInput(f"a compact table has no rows, but there are {len(rows):,}")
    if header.weights is not None:
        raise InvalidInput("a compact table has no weights but those of its expression")
    if header.struck is not None:
        raise InvalidInput("no paths can be struck out of a compact table")
    if header.compact.balance is None and len(removed):
        raise InvalidInput("a compact table without balancing has no removed paths")
    return CompactTable(header, removed)


def count_by_hops(path_set: PathSet) -> dict[int, int]:
    """Count the paths of all pairs by hop count; hop counts that do not occur are left out."""
    total = np.zeros(path_set.topology.max_hops + 1, dtype=np.int64)
    for source in range(path_set.topology.num_switches):
        total += path_set.profile(*pairs_from(path_set.topology, source)).count.sum(axis=0)
    return {hops: int(count) for hops, count in enumerate(total.tolist()) if count}
