"""T-VLB tables: the paths of every switch pair, listed or by a rule."""

from dataclasses import replace

from tvlb.paths import most_rows
from tvlb.table.checks import verify
from tvlb.table.header import REMOVED, TableHeader
from tvlb.table.kinds import TableKind
from tvlb.table.rows import COLUMN_TYPES
from tvlb.table.summary import summarise
from tvlb.table.table import CompactTable, Table, stored_table

COMPACT_REFUSED = (
    "the table is compact, and only listed paths can be struck out: list them with tvlb export "
    "--full, or search anew with tvlb table --without"
)

_LISTED = TableKind(
    name="T-VLB table",
    made=Table,
    # Its files are older than other kinds.
    mark="table",
    header=TableHeader,
    columns=COLUMN_TYPES,
    most_rows=most_rows,
    load=stored_table,
    verify=verify,
    summary=summarise,
    lists={"removed": REMOVED},
    row="six integers and a weight",
    no_repair=None,
)
_COMPACT = replace(
    _LISTED,
    name="compact T-VLB table",
    made=CompactTable,
    no_repair=COMPACT_REFUSED,
)
KINDS = (_LISTED, _COMPACT)
