"""How a simulated set of a table's document differs from another, paired by pattern."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.statistics.judged import Estimator, by_pattern

Document = Mapping[str, Any]


def change_columns(one: Document, other: Document, of: Estimator) -> dict[str, float]:
    """Return the relative changes of saturation and latency with the ends of their intervals.

    Parameters
    ----------
    one, other : simulated sets of a document, under the same patterns.
    of : how figures of the document are averaged, see `tvlb.statistics.estimator`.

    Returns
    -------
    ``saturation_gain`` and ``latency_change``, each with ``_low`` and ``_high``, as shares of the
    mean of the other set; nan where there is no interval. A figure that a pattern lacks is left
    out: means over different patterns say nothing of a change. Of a set and itself all are 0.

    Raises
    ------
    InvalidInput : they were simulated under different patterns.
    """
    if [each["pattern"] for each in one["per_pattern"]] != [
        each["pattern"] for each in other["per_pattern"]
    ]:
        raise InvalidInput(
            f"{one['expression']} and {other['expression']} were simulated under different "
            "patterns; only equal ones can be paired"
        )
    columns: dict[str, float] = {}
    for figure, name in (("saturation", "saturation_gain"), ("latency", "latency_change")):
        values, others = by_pattern(one, figure), by_pattern(other, figure)
        if np.isnan(values - others).any():
            continue
        base, change = of(others).mean, of(values - others)
        # Each saturation is rounded to the grid of loads, so the error of the difference is
        # triangular, from minus one step to plus one.
        least = _grid(one, other) / math.sqrt(6.0) if figure == "saturation" else 0.0
        half = 0.0 if one is other else change.half_width(least)
        ends = change.mean, change.mean - half, change.mean + half
        columns |= _named(name, *((end / base if base > 0.0 else math.nan) for end in ends))
    return columns


def mean_interval(one: Document, figure: str, of: Estimator) -> tuple[float, float]:
    """Return the ends of the 95% interval of a set's mean saturation or latency; nan without."""
    found = of(by_pattern(one, figure))
    # Rounding to the grid of loads alone gives a uniform error.
    least = _grid(one, one) / math.sqrt(12.0) if figure == "saturation" else 0.0
    half = found.half_width(least)
    return found.mean - half, found.mean + half


def _named(name: str, mean: float, low: float, high: float) -> dict[str, float]:
    return {name: mean, f"{name}_low": low, f"{name}_high": high}


def _grid(one: Document, other: Document) -> float:
    return max(float(each["windows"]["grid"]) for each in (one, other))
