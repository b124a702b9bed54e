"""Statistics of a few values, such as one per pattern."""

import math
from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

__all__ = ["CONFIDENCE", "half_width", "standard_error", "weighted_standard_error"]

CONFIDENCE = 0.95
"""Of all intervals."""


def standard_error(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the standard error of the mean; nan for fewer than two values."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def weighted_standard_error(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the standard error of a weighted mean, nan for fewer than two values.

    The weights sum to 1, and the values vary alike whatever their weight; with equal weights it is
    `standard_error`.
    """
    if len(values) < 2:
        return math.nan
    squares = float(weight @ weight)
    variance = float(weight @ (values - weight @ values) ** 2) / (1.0 - squares)
    return math.sqrt(squares * variance)


def half_width(
    values: NDArray[np.float64] | Sequence[float],
    least_deviation: float = 0.0,
    weight: NDArray[np.float64] | None = None,
) -> float:
    """Return half the Student-t interval of the mean; nan for fewer than two values.

    Parameters
    ----------
    least_deviation : what the standard deviation is taken to be at least, such as that of rounding.
    weight : of the mean, sums to 1; None for the plain mean. See `weighted_standard_error`.
    """
    count = len(values)
    if count < 2:
        return math.nan
    quantile = float(scipy.special.stdtrit(count - 1, (1.0 + CONFIDENCE) / 2.0))
    if weight is None:
        weight = np.full(count, 1.0 / count)
    error = weighted_standard_error(np.asarray(values, dtype=np.float64), weight)
    return quantile * max(error, least_deviation * math.sqrt(float(weight @ weight)))
