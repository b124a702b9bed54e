"""Means with 95% intervals, for the scripts of this folder."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats


@dataclass(frozen=True)
class Estimate:
    """A mean and the half width of its 95% interval (Student's t; nan for a single value)."""

    mean: float
    half: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """Return the estimate from independent values."""
        mean = statistics.fmean(values)
        if len(values) < 2:
            return cls(mean, math.nan)
        quantile = float(stats.t.ppf(0.975, len(values) - 1))
        return cls(mean, quantile * statistics.stdev(values) / math.sqrt(len(values)))

    @classmethod
    def of_difference(cls, first: Sequence[float], second: Sequence[float]) -> "Estimate":
        """Return the estimate of first - second, paired by position."""
        return cls.of([x - y for x, y in zip(first, second, strict=True)])

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval is above 0; a single value counts by itself."""
        return self.mean - self._half > 0

    @property
    def below_zero(self) -> bool:
        """Whether the whole interval is below 0; a single value counts by itself."""
        return self.mean + self._half < 0

    @property
    def _half(self) -> float:
        return 0.0 if math.isnan(self.half) else self.half

    def __format__(self, spec: str) -> str:
        """Format the mean by `spec` and the half width with the same decimals."""
        decimals = spec.lstrip("+").lstrip("0123456789")
        return f"{self.mean:{spec}} +- {self.half:{decimals}}"
