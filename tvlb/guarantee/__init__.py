"""What paths guarantee: the throughput that some split sustains under every admissible traffic.

`worst` finds a fixed split with a proven floor, and traffic for which no split does better than
a ceiling.
"""

from tvlb.guarantee.adversary import most_tried
from tvlb.guarantee.guarantee import (
    MOST_STARTS,
    STARTS,
    Guarantee,
    SplitShare,
    check_network,
    check_starts,
    worst,
)
from tvlb.guarantee.split import MOST_CELLS, most_split_work
from tvlb.guarantee.symmetry import Orbits, network_orbits

__all__ = [
    "MOST_CELLS",
    "MOST_STARTS",
    "STARTS",
    "Guarantee",
    "Orbits",
    "SplitShare",
    "check_network",
    "check_starts",
    "most_split_work",
    "most_tried",
    "network_orbits",
    "worst",
]
