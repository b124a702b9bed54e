"""Sizes of networks to compare: ranges of their parameters, constraints on them, and prices.

Only sizes are made here; `tvlb.topology` says what they follow from and makes networks of them.
"""

from tvlb.designs.constraint import Constraint, parse_constraint
from tvlb.designs.prices import Bill, Hardware, PriceList, Rate, hardware_of
from tvlb.designs.quantities import quantity_names
from tvlb.designs.ranges import Range, parse_range
from tvlb.designs.space import MAX_COMBINATIONS, MAX_EVALUATIONS, DesignSpace

__all__ = [
    "MAX_COMBINATIONS",
    "MAX_EVALUATIONS",
    "Bill",
    "Constraint",
    "DesignSpace",
    "Hardware",
    "PriceList",
    "Range",
    "Rate",
    "hardware_of",
    "parse_constraint",
    "parse_range",
    "quantity_names",
]
