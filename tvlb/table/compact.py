"""Tables too large to list: the rule, the seed and the removed paths, and any rows on demand."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tvlb.balance import BalancedSet, ReweightedSet, chunks
from tvlb.errors import InvalidInput
from tvlb.paths import (
    PathRows,
    PathSet,
    is_listable,
    keys_of_rows,
    members,
    pairs_from,
    parse_expression,
)
from tvlb.table.columns import Columns
from tvlb.table.header import (
    BalanceRecord,
    CompactRecord,
    Removed,
    TableHeader,
    WeightsRecord,
    content_id,
    no_removed,
    record_of,
)
from tvlb.table.table import Table, check_rebuildable
from tvlb.topology import Topology


@dataclass(frozen=True, eq=False)
class CompactTable:
    """A table without rows; `rows_from` generates those of any switch as the full form has them.

    Attributes
    ----------
    header : topology, expression, seed, version, counts, and the balancing that the rule includes.
    removed : int32 (paths, 5), the paths taken out besides, by balancing over all pairs; sorted.
    """

    header: TableHeader
    removed: Removed

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

    @cached_property
    def topology(self) -> Topology:
        """The network that the ids refer to."""
        return self.header.topology.build()

    @cached_property
    def id(self) -> str:
        """SHA-256 (hex) of the content; the same whichever file format it was read from."""
        return content_id(self.header, self.removed, self.columns.arrays())

    @property
    def columns(self) -> Columns:
        """The rows of its file: none."""
        return Columns.none()

    @property
    def base_set(self) -> PathSet:
        """The path set of the expression, before balancing."""
        return parse_expression(self.header.expression, self.topology, self.header.seed)

    def path_set(self, name: str) -> PathSet:
        """Return the paths as a set whose rows are generated on demand.

        Raises
        ------
        InvalidInput : the header describes no path set.
        """
        balance = self._record.balance
        if balance is None:
            return self.base_set
        return BalancedSet(self.base_set, balance.options(), balance.seed, self.removed, name)

    def rows_from(self, source: int) -> Iterator[PathRows]:
        """Generate the rows of one switch in table order, some destinations at a time.

        Raises
        ------
        InvalidInput : no such switch.
        """
        check_switch(self.topology, source)
        pairs = pairs_from(self.topology, source)
        yield from chunks(self.path_set(self.header.expression), *pairs)

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
        )

    @property
    def _record(self) -> CompactRecord:
        record = self.header.compact
        assert record is not None
        return record

    def __repr__(self) -> str:
        return f"<CompactTable {self.header.expression} on {self.topology}>"


AnyTable = Table | CompactTable
"""A table in the full or in the compact form; both have `header`, `removed` and `columns`."""


def stored_table(header: TableHeader, removed: Removed, columns: Columns) -> AnyTable:
    """Return the table that a file holds.

    Raises
    ------
    InvalidInput : a compact table with rows, with weights, or with removed paths but no balancing;
        settings of balancing by weights that are out of range.
    """
    if isinstance(header.weights, WeightsRecord):
        header.weights.options()
    if header.compact is None:
        return Table(header, removed, columns)
    if len(columns):
        raise InvalidInput(f"a compact table has no rows, but there are {len(columns):,}")
    if header.weights is not None:
        raise InvalidInput("a compact table has no weights but those of its expression")
    if header.compact.balance is None and len(removed):
        raise InvalidInput("a compact table without balancing has no removed paths")
    return CompactTable(header, removed)


def check_switch(topology: Topology, switch: int) -> None:
    """Raise InvalidInput if a topology has no such switch."""
    if not 0 <= switch < topology.num_switches:
        raise InvalidInput(f"{switch} is not a switch; allowed are 0..{topology.num_switches - 1}")


def count_by_hops(path_set: PathSet) -> dict[int, int]:
    """Count the paths of all pairs by hop count; hop counts that do not occur are left out."""
    total = np.zeros(path_set.topology.max_hops + 1, dtype=np.int64)
    for source in range(path_set.topology.num_switches):
        total += path_set.profile(*pairs_from(path_set.topology, source)).count.sum(axis=0)
    return {hops: int(count) for hops, count in enumerate(total.tolist()) if count}
