"""Dragonfly sizes to compare: ranges of p, a, h and g, constraints on them, and prices of networks.

Only sizes are made here; `tvlb.topology` makes networks of them.
"""

from tvlb.designs.constraint import NAMES, Constraint, parse_constraint
from tvlb.designs.prices import Bill, Hardware, PriceList, Rate, hardware_of
from tvlb.designs.ranges import MAX_VALUE, Range, parse_group_range, parse_range
from tvlb.designs.space import MAX_COMBINATIONS, MAX_EVALUATIONS, DesignSpace

__all__ = [
    "MAX_COMBINATIONS",
    "MAX_EVALUATIONS",
    "MAX_VALUE",
    "NAMES",
    "Bill",
    "Constraint",
    "DesignSpace",
    "Hardware",
    "PriceList",
    "Range",
    "Rate",
    "hardware_of",
    "parse_constraint",
    "parse_group_range",
    "parse_range",
]
