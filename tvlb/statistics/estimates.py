"""Statistics of a few values, such as one per pattern."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

CONFIDENCE = 0.95
"""Of all intervals."""

Values = NDArray[np.float64] | Sequence[float]


def t_quantile(degrees: int | NDArray[np.signedinteger], intervals: int = 1) -> NDArray[np.float64]:
    """Return Student's t: half a two-sided interval of `CONFIDENCE` in standard errors.

    Parameters
    ----------
    degrees : of freedom, at least 1; a number or an array, whose shape the result has.
    intervals : how many such intervals are to hold together (Bonferroni).

    Examples
    --------
    >>> round(float(t_quantile(1)), 3), round(float(t_quantile(9, intervals=3)), 3)
    (12.706, 2.933)
    """
    level = 1.0 - (1.0 - CONFIDENCE) / (2 * intervals)
    return np.asarray(scipy.special.stdtrit(np.asarray(degrees), level), dtype=np.float64)


@dataclass(frozen=True)
class MeanEstimate:
    """A weighted mean and how certain it is.

    Attributes
    ----------
    mean : nan without values.
    error : its standard error; nan where no degree of freedom tells of the spread.
    degrees : degrees of freedom of that error.
    effective : of how many equally weighted values a mean is as certain (Kish).
    """

    mean: float
    error: float
    degrees: int
    effective: float

    def half_width(self, least_deviation: float = 0.0, intervals: int = 1) -> float:
        """Return half the Student-t interval; nan where the error is.

        Parameters
        ----------
        least_deviation : what the standard deviation of a value is taken to be at least, such as
            that of rounding.
        intervals : of how many such intervals all are to hold together (Bonferroni).
        """
        if math.isnan(self.error):
            return math.nan
        error = max(self.error, least_deviation / math.sqrt(self.effective))
        return float(t_quantile(self.degrees, intervals)) * error


def estimate(
    values: Values,
    weight: Values | None = None,
    case: NDArray[np.intp] | Sequence[str] | None = None,
) -> MeanEstimate:
    """Estimate a mean, leaving out values that are nan.

    Parameters
    ----------
    weight : of each value, above 0; scaled to sum to 1. None for equal weights.
    case : of which case each value is a run, such as the name of its pattern. Then these very
        cases are asked about, so only the runs of a case vary, all alike; with one run of each
        the spread of the cases stands in. None where the values are of cases that stand for
        others, and vary alike whatever their weight.

    Examples
    --------
    >>> found = estimate([1.0, 3.0, 11.0, 13.0], case=["a", "a", "b", "b"])
    >>> found.mean, round(found.error, 3), found.degrees
    (7.0, 0.707, 2)
    """
    every = np.asarray(values, dtype=np.float64)
    known = np.isfinite(every)
    some = every[known]
    if len(some) == 0:
        return MeanEstimate(math.nan, math.nan, 0, 0.0)
    share = np.ones(len(some)) if weight is None else np.asarray(weight, dtype=np.float64)[known]
    share = share / share.sum()
    mean, squares = float(share @ some), float(share @ share)
    degrees, spread = _within(some, np.asarray(case)[known]) if case is not None else (0, math.nan)
    if not degrees and len(some) > 1:
        degrees = len(some) - 1
        spread = float(share @ (some - mean) ** 2) / (1.0 - squares)
    return MeanEstimate(mean, math.sqrt(squares * spread), degrees, 1.0 / squares)


def _within(values: NDArray[np.float64], case: NDArray[np.generic]) -> tuple[int, float]:
    """Degrees of freedom and variance about the means of the cases."""
    _, place = np.unique(case, return_inverse=True)
    runs = np.bincount(place)
    degrees = len(values) - len(runs)
    residual = values - (np.bincount(place, values) / runs)[place]
    return degrees, float(residual @ residual) / degrees if degrees else math.nan


def standard_error(values: Values) -> float:
    """Return the standard error of the mean; nan for fewer than two values."""
    return estimate(values).error
