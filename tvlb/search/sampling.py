"""Which patterns Step 1 uses, and when they are enough to choose candidates."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import NamesOrWhole
from tvlb.statistics import KeyedStream, t_quantile
from tvlb.topology import Topology
from tvlb.traffic import Pattern, type1_set, type2_set

# Patterns between two looks. It is fixed, so that the number of workers decides nothing.
BATCH = 4
# Half-width of the 95% confidence intervals that is precise enough, of the best mean.
PRECISION = 0.002
PATTERNS = NamesOrWhole(("auto", "all"), 1, 10**9, "patterns")
# Means of equal values may differ in the last bits.
_ROUNDING = 1e-12


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


def choose_patterns(topology: Topology, choice: str, seed: int) -> PatternOrder:
    """Return the patterns to probe.

    Parameters
    ----------
    choice : "all", "auto" (as many as the choice of candidates needs) or a number N of patterns.

    Raises
    ------
    InvalidInput : the choice is none of these, or N is not in 1..(g-1)*a+20.
    """
    everything = (*type1_set(topology), *type2_set(topology))
    order = tuple(KeyedStream(seed, "probe-patterns").permutation(len(everything)))
    if choice in ("all", "auto"):
        return PatternOrder(everything, order, len(everything), choice == "auto")
    if not (choice.isascii() and choice.isdecimal()) or not 1 <= int(choice[:9]) <= len(everything):
        raise PATTERNS.refused("patterns", choice, len(everything))
    return PatternOrder(everything, order, int(choice), adaptive=False)


@dataclass(frozen=True, eq=False)
class Assessment:
    """What a sample of patterns says about every path set.

    Attributes
    ----------
    reference : the data point of the best mean; the others are compared with it.
    undecided : bool (sets,), sets that may be on either side of the candidate cut, or better than
        the reference, and are not known to `PRECISION` of the best mean.
    half_width : the largest half-width of a 95% confidence interval that leaves open on which side
        of the cut a set is, as a share of the best mean; 0 if there is none.
    """

    reference: int
    undecided: NDArray[np.bool_]
    half_width: float


@dataclass(frozen=True)
class Sample:
    """The patterns behind a probe curve.

    Attributes
    ----------
    patterns : the patterns used, as text.
    available : how many there are.
    half_width : see `Assessment`; nan if a single one of several patterns was used.
    stopped : why no more patterns were used.
    """

    patterns: tuple[str, ...]
    available: int
    half_width: float
    stopped: str


def assess(
    low: NDArray[np.float64],
    up: NDArray[np.float64],
    data_points: int,
    tolerance: float,
    total: int,
) -> Assessment:
    """Judge a random sample of the patterns.

    Parameters
    ----------
    low, up : float64 (sets, patterns), bounds on theta, in the order of the sample; nan from where
        on a set was left out. The reference is in all of them.
    data_points : the first sets, whose best mean sets the cut.
    tolerance : candidates reach (1 - tolerance) times the best mean.
    total : patterns that the sample was drawn from without replacement.

    Notes
    -----
    Student's t on differences pattern by pattern, with the correction for a finite population.
    Looking again after every batch makes the true confidence a little lower.
    """
    whole = np.flatnonzero(~np.isnan(low[:data_points]).any(axis=1))
    means = low[whole].mean(axis=1)
    reference = int(whole[np.argmax(means > means.max() - _ROUNDING)])
    best = float(low[reference].mean())
    lead, lead_width = _interval(low - low[reference], total)
    margin, margin_width = _interval(up - (1.0 - tolerance) * low[reference], total)
    maybe_better = (lead + lead_width > 0.0) & (np.arange(len(low)) < data_points)
    either_side = np.abs(margin) <= margin_width
    # One pattern of several says nothing of the spread.
    unknown = np.isnan(margin_width)
    coarse = PRECISION * best
    undecided = (
        unknown | (maybe_better & (lead_width > coarse)) | (either_side & (margin_width > coarse))
    )
    undecided[reference] = bool(unknown[reference])
    open_widths = margin_width[either_side | unknown]
    return Assessment(reference, undecided, float(open_widths.max(initial=0.0) / best))


def _interval(
    values: NDArray[np.float64], total: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of each row and half its confidence interval, float64 (rows,), nan left out."""
    count = (~np.isnan(values)).sum(axis=1)
    known = np.where(np.isnan(values), 0.0, values)
    mean = known.sum(axis=1) / count
    away = np.where(np.isnan(values), 0.0, values - mean[:, np.newaxis])
    squares = (away * away).sum(axis=1)
    width = np.full(len(values), math.nan)
    several = count > 1
    n = count[several]
    width[several] = t_quantile(n - 1) * np.sqrt(squares[several] / (n - 1) / n * (1.0 - n / total))
    width[count == total] = 0.0
    return mean, width
