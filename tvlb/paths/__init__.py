"""MIN and VLB paths: path sets with draw weights, and their rows as arrays.

The throughput model, balancing, the simulator and the tables all read `PathSet` and `PathRows`.
"""

from tvlb.paths.compositions import mean_paths_by_shape
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.filter_set import FilterSet
from tvlb.paths.limits import (
    MAX_ROWS,
    check_listable,
    check_pairs,
    check_rows,
    check_searched,
    count_paths,
    is_listable,
    most_rows,
)
from tvlb.paths.meet_set import MeetSet
from tvlb.paths.members import keys_of_paths, keys_of_rows, members
from tvlb.paths.parse import (
    as_path_set,
    data_points,
    expression_examples,
    expression_regex,
    expression_sets,
    parse_expression,
    strategic_choices,
)
from tvlb.paths.path_set import (
    PathSet,
    WeightedSet,
    all_pairs,
    pair_index,
    pairs_from,
    sender_pairs,
)
from tvlb.paths.row_set import RowSet
from tvlb.paths.rows import ABSENT, ClassUsage, PathRows, Switches, min_rows, min_usage
from tvlb.paths.sequences import (
    SwitchSequences,
    minimal,
    repeats,
    revisits,
    simple_rows,
    switch_sequences,
)
from tvlb.paths.sets.length import LengthSet
from tvlb.paths.sets.none import EmptySet
from tvlb.paths.sets.shape import ShapeSet
from tvlb.paths.sets.short import ShortSet
from tvlb.paths.sets.simple import SimpleSet
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.shape_shares import shape_shares
from tvlb.paths.shapes import ANY_SHAPE, LONGEST_EXPRESSION, Shapes, shapes_of
from tvlb.paths.ugal_rule import PUBLISHED_RULE, RULE_SETTINGS, Queue, QueueFactor, UgalRule
from tvlb.paths.usage import Pairs, SetUsage

__all__ = [
    "ABSENT",
    "ANY_SHAPE",
    "LONGEST_EXPRESSION",
    "MAX_ROWS",
    "PUBLISHED_RULE",
    "RULE_SETTINGS",
    "ClassUsage",
    "EmptySet",
    "ExpressionSet",
    "FilterSet",
    "LengthSet",
    "MeetSet",
    "Pairs",
    "PathRows",
    "PathSet",
    "Queue",
    "QueueFactor",
    "RowSet",
    "SetUsage",
    "ShapeRule",
    "ShapeSet",
    "Shapes",
    "ShortSet",
    "SimpleSet",
    "SwitchSequences",
    "Switches",
    "UgalRule",
    "WeightedSet",
    "all_pairs",
    "as_path_set",
    "check_listable",
    "check_pairs",
    "check_rows",
    "check_searched",
    "count_paths",
    "data_points",
    "expression_examples",
    "expression_regex",
    "expression_sets",
    "is_listable",
    "keys_of_paths",
    "keys_of_rows",
    "mean_paths_by_shape",
    "members",
    "min_rows",
    "min_usage",
    "minimal",
    "most_rows",
    "pair_index",
    "pairs_from",
    "parse_expression",
    "repeats",
    "revisits",
    "sender_pairs",
    "shape_shares",
    "shapes_of",
    "simple_rows",
    "strategic_choices",
    "switch_sequences",
]
