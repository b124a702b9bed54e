"""What paths guarantee: the throughput that some split sustains under every admissible traffic.

`worst` finds a fixed split with a proven floor, and traffic for which no split does better than
a ceiling; `static` the best fixed split there is, and what shorter ones guarantee.
"""

from tvlb.guarantee.adversary import most_tried
from tvlb.guarantee.failures import (
    MOST_ROUTED_AFRESH,
    FailureKind,
    SingleFailure,
    failure_cases,
)
from tvlb.guarantee.frontier import (
    FRONTIER_POINTS,
    FrontierPoint,
    StaticSplit,
    check_static,
    static,
)
from tvlb.guarantee.guarantee import (
    MOST_STARTS,
    PATTERN_STARTS,
    STARTS,
    Guarantee,
    SplitShare,
    check_floor,
    check_network,
    check_starts,
    check_worst_traffic,
    floor,
    worst,
    worst_traffic,
)
from tvlb.guarantee.program import MOST_CELLS
from tvlb.guarantee.split import most_split_work
from tvlb.guarantee.symmetry import Orbits, network_orbits

__all__ = [
    "FRONTIER_POINTS",
    "MOST_CELLS",
    "MOST_ROUTED_AFRESH",
    "MOST_STARTS",
    "PATTERN_STARTS",
    "STARTS",
    "FailureKind",
    "FrontierPoint",
    "Guarantee",
    "Orbits",
    "SingleFailure",
    "SplitShare",
    "StaticSplit",
    "check_floor",
    "check_network",
    "check_starts",
    "check_static",
    "check_worst_traffic",
    "failure_cases",
    "floor",
    "most_split_work",
    "most_tried",
    "network_orbits",
    "static",
    "worst",
    "worst_traffic",
]
