"""T-VLB tables: the chosen paths of every switch pair with their draw weights, saved and checked.

A `Table` is written to and read from files of several formats, verified, summarised, and used as a
path set; `parse_path_set` takes expressions and saved tables.
"""

from tvlb.native.virtual_channels import VcScheme
from tvlb.table.columns import COLUMN_TYPES, Columns
from tvlb.table.compact import AnyTable, CompactTable
from tvlb.table.deadlock import Channel, DeadlockCheck, VcSettings, check_deadlock
from tvlb.table.diversity import Diversity, Spread
from tvlb.table.files import (
    check_writable,
    format_of,
    read_stream,
    read_table,
    switch_columns,
    write_stream,
    write_switch,
    write_table,
)
from tvlb.table.formats import Format, by_suffix, table_formats
from tvlb.table.header import FORMAT_VERSION, TableHeader, TableWeights
from tvlb.table.link_shares import LinkShares, link_shares
from tvlb.table.pairs import PairPaths, PathItem, pair_paths, pair_summary
from tvlb.table.parse import TABLE_SUFFIXES, is_table_file, loaded_path_set, parse_path_set
from tvlb.table.route_files import RouteFormat, route_formats
from tvlb.table.routes import Routes, SourceRoutes
from tvlb.table.strike import StruckOut, strike_out
from tvlb.table.summary import summarise
from tvlb.table.table import Table
from tvlb.table.verify import VerifyReport, verify

__all__ = [
    "COLUMN_TYPES",
    "FORMAT_VERSION",
    "TABLE_SUFFIXES",
    "AnyTable",
    "Channel",
    "Columns",
    "CompactTable",
    "DeadlockCheck",
    "Diversity",
    "Format",
    "LinkShares",
    "PairPaths",
    "PathItem",
    "RouteFormat",
    "Routes",
    "SourceRoutes",
    "Spread",
    "StruckOut",
    "Table",
    "TableHeader",
    "TableWeights",
    "VcScheme",
    "VcSettings",
    "VerifyReport",
    "by_suffix",
    "check_deadlock",
    "check_writable",
    "format_of",
    "is_table_file",
    "link_shares",
    "loaded_path_set",
    "pair_paths",
    "pair_summary",
    "parse_path_set",
    "read_stream",
    "read_table",
    "route_formats",
    "strike_out",
    "summarise",
    "switch_columns",
    "table_formats",
    "verify",
    "write_stream",
    "write_switch",
    "write_table",
]
