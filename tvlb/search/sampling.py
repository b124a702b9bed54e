"""Which patterns Step 1 uses, and when they are enough to choose candidates."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tvlb.errors import InvalidInput
from tvlb.randomness import KeyedStream
from tvlb.topology import Dragonfly
from tvlb.traffic import Pattern, type1_set, type2_set

__all__ = ["BATCH", "PRECISION", "PatternOrder", "Precision", "Sample", "assess", "choose_patterns"]

# Patterns between two looks. It is fixed, so that the number of workers decides nothing.
BATCH = 8
# Half-width of the 95% confidence intervals that is precise enough, of the best mean.
PRECISION = 0.002
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class PatternOrder:
    """TYPE_1_SET and TYPE_2_SET in a seeded random order.

    Attributes
    ----------
    everything : all patterns, shifts first.
    order : positions in `everything`; the first N are the sample of size N.
    most : how many may be used.
    adaptive : whether fewer are used where they are enough.
    """

    everything: tuple[Pattern, ...]
    order: tuple[int, ...]
    most: int
    adaptive: bool

    def first(self, count: int) -> list[Pattern]:
        """Return a sample, in the order of `everything`."""
        return [self.everything[index] for index in sorted(self.order[:count])]


def choose_patterns(topology: Dragonfly, choice: str, seed: int) -> PatternOrder:
    """Return the patterns to probe.

    Parameters
    ----------
    choice : "all", "auto" (as many as the choice of candidates needs) or a number N of patterns.

    Raises
    ------
    InvalidInput : the choice is none of these, or N is not in 1..(g-1)*a+20.
    """
    everything = (*type1_set(topology), *type2_set())
    order = tuple(KeyedStream(seed, "probe-patterns").permutation(len(everything)))
    if choice in ("all", "auto"):
        return PatternOrder(everything, order, len(everything), choice == "auto")
    if not choice.isdecimal() or not 1 <= int(choice[:9]) <= len(everything):
        raise InvalidInput(
            f"patterns {choice!r} is out of range: auto, all or a number 1..{len(everything)}"
        )
    return PatternOrder(everything, order, int(choice), adaptive=False)


@dataclass(frozen=True)
class Precision:
    """How well the differences that matter for the choice of candidates are known.

    Attributes
    ----------
    half_width : the largest half-width of a 95% confidence interval among them, as a share of the
        best mean; 0 if every pattern was used, nan for a single one of several.
    possible : path sets that may reach the candidate cut.
    """

    half_width: float
    possible: int

    @property
    def enough(self) -> bool:
        """Whether more patterns would change little."""
        return self.half_width <= PRECISION


@dataclass(frozen=True)
class Sample:
    """The patterns behind a probe curve.

    Attributes
    ----------
    patterns : the patterns used, as text.
    available : how many there are.
    precision : how well the differences between possible candidates and the best are known.
    stopped : why no more patterns were used.
    """

    patterns: tuple[str, ...]
    available: int
    precision: Precision
    stopped: str


def assess(
    low: NDArray[np.float64],
    up: NDArray[np.float64],
    data_points: int,
    tolerance: float,
    total: int,
) -> Precision:
    """Judge a random sample of the patterns.

    Parameters
    ----------
    low, up : float64 (sets, patterns), bounds on theta; the same patterns for every set.
    data_points : the first sets, whose best mean sets the cut.
    tolerance : candidates reach (1 - tolerance) times the best mean.
    total : patterns that the sample was drawn from without replacement.

    Notes
    -----
    Student's t on the differences from the best data point, pattern by pattern, with the
    correction for a finite population. A set matters unless its own difference says that it is
    below the cut. Looking again after every batch makes the true confidence a little lower.
    """
    patterns = low.shape[1]
    means = low.mean(axis=1)
    best = int(np.argmax(means[:data_points]))
    behind = low[best] - low
    width = _half_widths(behind, total)
    reachable = (low[best] - up).mean(axis=1) - width <= tolerance * means[best]
    # With one pattern nothing is known of the spread.
    matters = reachable | np.isnan(width)
    if patterns == total:
        return Precision(0.0, int(matters.sum()))
    return Precision(float(width[matters].max() / means[best]), int(matters.sum()))


def _half_widths(values: NDArray[np.float64], total: int) -> NDArray[np.float64]:
    """Half the confidence interval of each row's mean, float64 (rows,)."""
    count = values.shape[1]
    if count == total:
        return np.zeros(len(values))
    if count < 2:
        return np.full(len(values), math.nan)
    quantile = float(stats.t.ppf((1.0 + _CONFIDENCE) / 2.0, count - 1))
    error = values.std(axis=1, ddof=1) / math.sqrt(count)
    return quantile * error * math.sqrt(1.0 - count / total)
