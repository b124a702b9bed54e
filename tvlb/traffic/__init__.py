"""Traffic patterns and what they demand: per node for the simulator, per switch for the model.

One parser, `parse_pattern`, serves the command line, files and Python alike.
"""

from tvlb.traffic.demand import (
    Demand,
    DestinationTable,
    NodeTraffic,
    check_flows,
    switch_demand,
)
from tvlb.traffic.matrix import MatrixPattern
from tvlb.traffic.parse import parse_named_pattern, parse_pattern
from tvlb.traffic.patterns import (
    DestinationPattern,
    Mixed,
    Pattern,
    Permutation,
    Shift,
    TimeMixed,
    Type2,
    Uniform,
    type1_set,
    type2_set,
)

__all__ = [
    "Demand",
    "DestinationPattern",
    "DestinationTable",
    "MatrixPattern",
    "Mixed",
    "NodeTraffic",
    "Pattern",
    "Permutation",
    "Shift",
    "TimeMixed",
    "Type2",
    "Uniform",
    "check_flows",
    "parse_named_pattern",
    "parse_pattern",
    "switch_demand",
    "type1_set",
    "type2_set",
]
