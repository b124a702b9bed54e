"""The one rule by which a report calls a gain a gain: by 95% intervals alone.

Every sentence of the report that says what a T-VLB set has over conventional UGAL, of a point or of
a class of points, takes its words from here, and so do the decisions of a search.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from tvlb.statistics.estimates import t_quantile

LEAST_SIZES = 3
"""Sizes from which an interval is over sizes."""

LEVEL = 0.01
"""Gain of saturation throughput, either way, within which T-VLB counts as level with UGAL."""

MAX_PATTERNS = 5
"""Of the option `simulated_patterns`."""

# So near a tie, a half width may be printed either way.
_TIE = 1e-9


class Verdict(StrEnum):
    """What T-VLB sets have over the conventional set."""

    HIGHER = "higher saturation throughput"
    FASTER = "lower latency at level saturation throughput"
    FASTER_AT_LEAST = "lower latency, saturation throughput undecided"
    LEVEL = "level saturation throughput, no lower latency"
    UNDECIDED = "undecided"
    DIFFERS = "differs from point to point"
    SLOWER = "higher latency, no gain of saturation throughput shown"
    LOWER = "lower saturation throughput"
    UNKNOWN = "no interval, so no verdict"
    UNMEASURED = "not measured, for want of candidates"

    @property
    def is_gain(self) -> bool:
        """Whether a set with it is better."""
        return self in (Verdict.HIGHER, Verdict.FASTER, Verdict.FASTER_AT_LEAST)


UNDECIDED = (Verdict.UNDECIDED, Verdict.FASTER_AT_LEAST, Verdict.DIFFERS, Verdict.SLOWER)
"""Verdicts that leave open what happens to saturation throughput."""


@dataclass(frozen=True)
class ChangeInterval:
    """A change, or a mean of changes over sizes, with its 95% interval.

    Attributes
    ----------
    mean, low, high : shares of the conventional figure; the ends are None without an interval.
    sizes : sizes that the mean is over.
    """

    mean: float
    low: float | None
    high: float | None
    sizes: int = 1

    @property
    def half_width(self) -> float | None:
        """Half of the interval; None without one."""
        return None if self.high is None else self.high - self.mean

    @property
    def above(self) -> bool:
        """Whether the interval lies above 0, in the digits that are printed of it."""
        return self.low is not None and _excludes_zero(self.mean, self.low)

    @property
    def below(self) -> bool:
        """Whether the interval lies below 0, in the digits that are printed of it."""
        return self.high is not None and _excludes_zero(-self.mean, -self.high)

    @property
    def around(self) -> bool:
        """Whether there is an interval, and it includes 0."""
        return self.low is not None and not self.above and not self.below

    @property
    def level(self) -> bool:
        """Whether the interval lies within `LEVEL` of 0."""
        if self.low is None or self.high is None:
            return False
        return self.low >= -LEVEL and self.high <= LEVEL

    @property
    def over_sizes(self) -> bool:
        """Whether the interval says something of other sizes, too."""
        return self.sizes >= LEAST_SIZES

    def apart_from(self, other: "ChangeInterval") -> bool:
        """Whether both have intervals, and these do not overlap."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.low > other.high or self.high < other.low


def _excludes_zero(mean: float, low: float) -> bool:
    """Say whether an interval lies above 0, be its ends printed or its mean and half width."""
    return _printed(low) > 0.0 and _printed(mean) > _printed(mean - low + _TIE)


def _printed(share: float) -> float:
    """Return a share as it is printed, in percent with one digit."""
    return float(f"{100 * share:.1f}")


def verdict_of(saturation: ChangeInterval | None, latency: ChangeInterval | None) -> Verdict:
    """Say what follows from the intervals of both changes; saturation comes before latency.

    Notes
    -----
    A change counts where its interval, as printed, excludes 0. Where it includes 0, saturation
    throughputs are level if it lies within `LEVEL` of 0, and undecided if it reaches farther.
    """
    if saturation is None:
        return Verdict.UNMEASURED
    if saturation.low is None:
        return Verdict.UNKNOWN
    if not saturation.around:
        return Verdict.HIGHER if saturation.above else Verdict.LOWER
    if latency is not None and latency.above:
        return Verdict.SLOWER
    if latency is not None and latency.below:
        return Verdict.FASTER if saturation.level else Verdict.FASTER_AT_LEAST
    return Verdict.LEVEL if saturation.level else Verdict.UNDECIDED


def advice(patterns: int, searched: bool) -> str:
    """Say how an interval over so few patterns or runs becomes shorter."""
    if not searched and patterns < MAX_PATTERNS:
        shorter = _width(patterns) / _width(MAX_PATTERNS)
        return (
            f"Simulate more patterns: of {MAX_PATTERNS} instead of {patterns} alike an interval is "
            f"at least {shorter:.1f} times shorter (simulated_patterns)."
        )
    if not searched:
        return 'Judge on more patterns: method = "search" does so on ten that it never saw.'
    return f"Judge on more than {patterns} runs: name the patterns that matter in traffic."


def _width(count: int) -> float:
    """Half an interval over so many patterns, in standard deviations."""
    return float(t_quantile(count - 1)) / math.sqrt(count)
