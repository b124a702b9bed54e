"""The two forms in which a table is stored."""

from tvlb.errors import InvalidInput
from tvlb.table.columns import Columns
from tvlb.table.compact import CompactTable
from tvlb.table.header import Removed, TableHeader, WeightsRecord
from tvlb.table.table import Table

__all__ = ["AnyTable", "stored_table"]

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
