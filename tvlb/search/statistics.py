"""Statistics of a few values, one per pattern."""

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["standard_error"]


def standard_error(values: NDArray[np.float64]) -> float:
    """Return the standard error of the mean; nan for fewer than two values."""
    if len(values) < 2:
        return math.nan
    return float(values.std(ddof=1) / math.sqrt(len(values)))
