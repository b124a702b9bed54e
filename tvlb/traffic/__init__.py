"""Traffic patterns and what they demand: per node for the simulator, per switch for the model.

One parser, `parse_pattern`, serves the command line, files and Python alike. A pattern is a module
of `tvlb.traffic.patterns`.
"""

from tvlb.traffic.adversaries import default_pattern, type1_set, type2_pattern, type2_set
from tvlb.traffic.assignment import Assigned, Assignments
from tvlb.traffic.demand import (
    Demand,
    DestinationTable,
    NodeTraffic,
    check_flows,
    switch_demand,
    switch_pairs,
)
from tvlb.traffic.matrix import MatrixPattern, is_matrix
from tvlb.traffic.parse import (
    as_pattern,
    named_patterns,
    parse_asked_pattern,
    parse_named_pattern,
    parse_pattern,
    pattern_regex,
)
from tvlb.traffic.pattern import (
    DestinationPattern,
    LoadStep,
    NamedPattern,
    Pattern,
    idle_warnings,
    signature_of,
)
from tvlb.traffic.patterns.mixed import Mixed
from tvlb.traffic.patterns.node_shift import NodeShift
from tvlb.traffic.patterns.permutation import Permutation
from tvlb.traffic.patterns.shift import Shift
from tvlb.traffic.patterns.switch_permutation import SwitchPermutation, to_neighbours
from tvlb.traffic.patterns.tmixed import TimeMixed
from tvlb.traffic.patterns.type2 import Type2
from tvlb.traffic.patterns.uniform import Uniform

__all__ = [
    "Assigned",
    "Assignments",
    "Demand",
    "DestinationPattern",
    "DestinationTable",
    "LoadStep",
    "MatrixPattern",
    "Mixed",
    "NamedPattern",
    "NodeShift",
    "NodeTraffic",
    "Pattern",
    "Permutation",
    "Shift",
    "SwitchPermutation",
    "TimeMixed",
    "Type2",
    "Uniform",
    "as_pattern",
    "check_flows",
    "default_pattern",
    "idle_warnings",
    "is_matrix",
    "named_patterns",
    "parse_asked_pattern",
    "parse_named_pattern",
    "parse_pattern",
    "pattern_regex",
    "signature_of",
    "switch_demand",
    "switch_pairs",
    "to_neighbours",
    "type1_set",
    "type2_pattern",
    "type2_set",
]
