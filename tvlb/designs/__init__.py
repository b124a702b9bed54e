"""Dragonfly sizes to compare: ranges of p, a, h and g, and constraints that the sizes satisfy.

Only sizes are made here; `tvlb.topology` makes networks of them.
"""

from tvlb.designs.constraint import NAMES, Constraint, parse_constraint
from tvlb.designs.ranges import MAX_VALUE, Range, parse_group_range, parse_range
from tvlb.designs.space import MAX_COMBINATIONS, MAX_EVALUATIONS, DesignSpace

__all__ = [
    "MAX_COMBINATIONS",
    "MAX_EVALUATIONS",
    "MAX_VALUE",
    "NAMES",
    "Constraint",
    "DesignSpace",
    "Range",
    "parse_constraint",
    "parse_group_range",
    "parse_range",
]
