"""MIN and VLB paths: path sets with draw weights, and their rows as arrays.

The throughput model, balancing, the simulator and the tables all read `PathSet` and `PathRows`.
"""

from tvlb.paths.limits import (
    MAX_ROWS,
    check_listable,
    check_pairs,
    check_rows,
    count_paths,
    is_listable,
)
from tvlb.paths.members import PathKeys, keys_of_paths, keys_of_rows, members
from tvlb.paths.parse import PATH_SET_GRAMMAR, parse_expression, strategic_choices, table1_points
from tvlb.paths.path_set import (
    EmptySet,
    LengthSet,
    PathSet,
    RowSet,
    ShortSet,
    all_pairs,
)
from tvlb.paths.rows import ABSENT, MAX_HOPS, ClassUsage, PathRows, Switches, min_rows, wiring
from tvlb.paths.usage import HopProfile, Pairs, SetUsage

__all__ = [
    "ABSENT",
    "MAX_HOPS",
    "MAX_ROWS",
    "PATH_SET_GRAMMAR",
    "ClassUsage",
    "EmptySet",
    "HopProfile",
    "LengthSet",
    "Pairs",
    "PathKeys",
    "PathRows",
    "PathSet",
    "RowSet",
    "SetUsage",
    "ShortSet",
    "Switches",
    "all_pairs",
    "check_listable",
    "check_pairs",
    "check_rows",
    "count_paths",
    "is_listable",
    "keys_of_paths",
    "keys_of_rows",
    "members",
    "min_rows",
    "parse_expression",
    "strategic_choices",
    "table1_points",
    "wiring",
]
