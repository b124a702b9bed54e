"""Tables, saved and checked: of kinds that files tell, T-VLB tables above all.

A T-VLB table has the chosen paths of every switch pair with their draw weights. A `Table` is
written to and read from files of several formats, verified, summarised, and used as a path set;
`parse_path_set` takes expressions and saved tables.
"""

from tvlb.native.virtual_channels import VcScheme
from tvlb.table.checks import VerifyReport, verify
from tvlb.table.deadlock import (
    Channel,
    DeadlockCheck,
    RoutesBeside,
    VcSettings,
    check_deadlock,
)
from tvlb.table.exports import (
    ForeignOptions,
    ForeignSettings,
    export_foreign,
    exported_paths,
    foreign_formats,
    foreign_suffix,
    is_archive,
)
from tvlb.table.files import (
    TABLE_SUFFIXES,
    check_network,
    check_writable,
    damage_of,
    format_of,
    forwarding_of,
    is_table_file,
    loaded_path_set,
    parse_path_set,
    path_set_of,
    read_any_stream,
    read_any_table,
    read_stream,
    read_table,
    split_of,
    write_stream,
    write_switch,
    write_table,
)
from tvlb.table.formats import Format, by_suffix, table_formats, written_formats
from tvlb.table.forwarding_table import ForwardingTable, TablePaths
from tvlb.table.header import TableHeader, TableWeights
from tvlb.table.kinds import (
    Header,
    StoredTable,
    TableKind,
    TableReport,
    WeightedPaths,
    table_kinds,
)
from tvlb.table.kinds.forwarding import FORWARDING
from tvlb.table.kinds.split import SPLIT, SplitPaths, SplitTable
from tvlb.table.kinds.vlb import COMPACT_REFUSED
from tvlb.table.lfts import Dump, audited_file, is_dump, read_dump, read_dumped_table
from tvlb.table.networks import NamedRecord, record_of
from tvlb.table.route_files import (
    FileAudit,
    RouteFormat,
    Routes,
    SourceRoutes,
    audit_of,
    route_formats,
)
from tvlb.table.rows import COLUMN_TYPES, Columns
from tvlb.table.strike import RowChanges, StruckOut, passing_rows, strike_out
from tvlb.table.summary import (
    Diversity,
    LinkShares,
    PairPaths,
    PathItem,
    Spread,
    link_shares,
    pair_paths,
    pair_summary,
    summarise,
)
from tvlb.table.table import AnyTable, CompactTable, Table

__all__ = [
    "COLUMN_TYPES",
    "COMPACT_REFUSED",
    "FORWARDING",
    "SPLIT",
    "TABLE_SUFFIXES",
    "AnyTable",
    "Channel",
    "Columns",
    "CompactTable",
    "DeadlockCheck",
    "Diversity",
    "Dump",
    "FileAudit",
    "ForeignOptions",
    "ForeignSettings",
    "Format",
    "ForwardingTable",
    "Header",
    "LinkShares",
    "NamedRecord",
    "PairPaths",
    "PathItem",
    "RouteFormat",
    "Routes",
    "RoutesBeside",
    "RowChanges",
    "SourceRoutes",
    "SplitPaths",
    "SplitTable",
    "Spread",
    "StoredTable",
    "StruckOut",
    "Table",
    "TableHeader",
    "TableKind",
    "TablePaths",
    "TableReport",
    "TableWeights",
    "VcScheme",
    "VcSettings",
    "VerifyReport",
    "WeightedPaths",
    "audit_of",
    "audited_file",
    "by_suffix",
    "check_deadlock",
    "check_network",
    "check_writable",
    "damage_of",
    "export_foreign",
    "exported_paths",
    "foreign_formats",
    "foreign_suffix",
    "format_of",
    "forwarding_of",
    "is_archive",
    "is_dump",
    "is_table_file",
    "link_shares",
    "loaded_path_set",
    "pair_paths",
    "pair_summary",
    "parse_path_set",
    "passing_rows",
    "path_set_of",
    "read_any_stream",
    "read_any_table",
    "read_dump",
    "read_dumped_table",
    "read_stream",
    "read_table",
    "record_of",
    "route_formats",
    "split_of",
    "strike_out",
    "summarise",
    "table_formats",
    "table_kinds",
    "verify",
    "write_stream",
    "write_switch",
    "write_table",
    "written_formats",
]
