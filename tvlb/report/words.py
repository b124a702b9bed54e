"""Figures of a finding in words."""

from collections.abc import Sequence

from tvlb.report.classes import PointClass
from tvlb.statistics import ChangeInterval, change_text


def percent(share: float) -> str:
    """Return a share in percent, signed."""
    return change_text(share, None)


def amount(value: float) -> str:
    """Return an amount of money or power, or a large number."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def change(estimate: ChangeInterval) -> str:
    """Return a change in percent with its interval, and what that speaks of."""
    mean = percent(estimate.mean)
    if estimate.low is None or estimate.high is None:
        return f"{mean} (no interval)"
    of = f"over {estimate.sizes} sizes" if estimate.over_sizes else "these networks only"
    return f"{mean} (95% interval {ends(estimate.low, estimate.high)}, {of})"


def ends(low: float, high: float) -> str:
    """Return the ends of an interval of changes."""
    return f"{percent(low)} to {percent(high)}"


def who(one: PointClass) -> str:
    """Return what a class has in common but for its links."""
    return f"{one.routing}, {one.settings}" if one.settings else one.routing


def links(number: float) -> str:
    """Return a number of links per group pair with its noun."""
    if number == 0:
        return "no groups"
    return f"{number:g} {'link' if number == 1 else 'links'} per group pair"


def number_of(count: int, noun: str) -> str:
    """Return a count with its noun, whose plural takes an s."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def span(values: Sequence[int]) -> str:
    """Return the smallest and the largest value; just one if they are equal."""
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"
