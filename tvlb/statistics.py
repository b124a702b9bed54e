"""Statistics of a few values, such as one per pattern."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["CONFIDENCE", "half_width", "standard_error"]

CONFIDENCE = 0.95
"""Of all intervals."""


def standard_error(values: NDArray[np.float64] | Sequence[float]) -> float:
    """Return the standard error of the mean; nan for fewer than two values."""
    if len(values) < 2:
        return math.nan
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def half_width(
    values: NDArray[np.float64] | Sequence[float], least_deviation: float = 0.0
) -> float:
    """Return half the Student-t interval of the mean; nan for fewer than two values.

    Parameters
    ----------
    least_deviation : what the standard deviation is taken to be at least, such as that of rounding.
    """
    count = len(values)
    if count < 2:
        return math.nan
    quantile = float(special.stdtrit(count - 1, (1.0 + CONFIDENCE) / 2.0))
    deviation = max(float(np.std(values, ddof=1)), least_deviation)
    return quantile * deviation / math.sqrt(count)
