"""The measured gains of points that are alike: same routing, settings and links per group pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

import numpy as np

from tvlb.report.points import Point, size_name
from tvlb.statistics import estimate

__all__ = ["LEAST_SIZES", "Estimate", "PointClass", "Verdict", "classes_of"]

LEAST_SIZES = 3
"""Sizes from which an interval is over sizes."""

_SATURATION = "best_saturation_gain"
_LATENCY = "best_latency_change"


class Verdict(StrEnum):
    """What the best candidates of a class of points have over the conventional set."""

    SATURATION = "pays in saturation"
    LATENCY = "pays in latency only"
    NOTHING = "no gain that these simulations can tell from 0"
    LOSES = "loses"
    UNKNOWN = "no interval, so no verdict"
    UNMEASURED = "not measured, for want of candidates"


@dataclass(frozen=True)
class Estimate:
    """A mean over sizes with its 95% interval.

    Attributes
    ----------
    mean, low, high : shares of the conventional figure; the ends are None without an interval.
    sizes : sizes that the mean is over.
    """

    mean: float
    low: float | None
    high: float | None
    sizes: int

    @property
    def above(self) -> bool:
        """Whether the interval lies above 0."""
        return self.low is not None and self.low > 0.0

    @property
    def below(self) -> bool:
        """Whether the interval lies below 0."""
        return self.high is not None and self.high < 0.0

    @property
    def over_sizes(self) -> bool:
        """Whether the interval says something of other sizes, too."""
        return self.sizes >= LEAST_SIZES

    def apart_from(self, other: "Estimate") -> bool:
        """Whether both have intervals, and these do not overlap."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return False
        return self.low > other.high or self.high < other.low


@dataclass(frozen=True)
class PointClass:
    """The computed points of one routing, one number of links per group pair, and one setting.

    Attributes
    ----------
    routing, links_per_pair, settings : what they have in common, see `tvlb.report.points`; no
        links per pair where networks have no groups.
    points, sizes, seeds : how many there are, different ones.
    chosen : points in which a T-VLB table was chosen.
    unmeasured : points without a measured gain, for want of candidates.
    above, below, around : points whose own interval of the saturation gain lies above 0, lies
        below 0, or includes it.
    lowest, highest : the saturation gains of the points reach from one to the other; None if no
        point has one.
    saturation, latency : relative change with the best candidate, chosen or not; None if no point
        has it.
    """

    routing: str
    links_per_pair: float
    settings: str
    points: int
    sizes: int
    seeds: int
    chosen: int
    unmeasured: int
    above: int
    below: int
    around: int
    lowest: float | None
    highest: float | None
    saturation: Estimate | None
    latency: Estimate | None

    @property
    def verdict(self) -> Verdict:
        """What follows from the intervals; saturation comes before latency."""
        saturation, latency = self.saturation, self.latency
        if saturation is None:
            return Verdict.UNMEASURED
        if saturation.low is None:
            return Verdict.UNKNOWN
        if saturation.above:
            return Verdict.SATURATION
        if saturation.below or (latency is not None and latency.above):
            return Verdict.LOSES
        return Verdict.LATENCY if latency is not None and latency.below else Verdict.NOTHING


def classes_of(computed: Sequence[Point]) -> tuple[PointClass, ...]:
    """Return the classes of computed points: by routing, settings, and fewest links first.

    Notes
    -----
    Points of one size (same p, a, h, g: wirings and seeds) are averaged first, and so are the half
    widths of their intervals: they share patterns, so that nothing smaller is sure. With at least
    `LEAST_SIZES` sizes the interval of their mean is Student's t over the sizes, but no narrower
    than the intervals of the sizes allow. With fewer it has the mean half width of the sizes, and
    speaks of these alone.
    """
    ordered = sorted(computed, key=lambda one: (*_common(one), one["point"]))
    return tuple(_class(list(members)) for _, members in groupby(ordered, key=_common))


def _common(point: Point) -> tuple[str, str, float]:
    return point["routing"], point["settings"], point["links_per_pair"] or 0.0


def _class(members: Sequence[Point]) -> PointClass:
    first = members[0]
    own = [_own(one, _SATURATION) for one in members if one[_SATURATION] is not None]
    with_interval = [one for one in own if one.low is not None]
    above, below = (sum(getattr(one, side) for one in own) for side in ("above", "below"))
    return PointClass(
        routing=first["routing"],
        links_per_pair=first["links_per_pair"] or 0.0,
        settings=first["settings"],
        points=len(members),
        sizes=len({size_name(one) for one in members}),
        seeds=len({one["seed"] for one in members}),
        chosen=sum(1 for one in members if one["replaces_all"]),
        unmeasured=len(members) - len(own),
        above=above,
        below=below,
        around=len(with_interval) - above - below,
        lowest=min((one.mean for one in own), default=None),
        highest=max((one.mean for one in own), default=None),
        saturation=_estimate(members, _SATURATION),
        latency=_estimate(members, _LATENCY),
    )


def _own(point: Point, figure: str) -> Estimate:
    return Estimate(point[figure], point[f"{figure}_low"], point[f"{figure}_high"], 1)


def _estimate(members: Sequence[Point], figure: str) -> Estimate | None:
    by_size: dict[str, list[Estimate]] = {}
    for one in members:
        if one[figure] is not None:
            by_size.setdefault(size_name(one), []).append(_own(one, figure))
    if not by_size:
        return None
    means = [float(np.mean([one.mean for one in same])) for same in by_size.values()]
    halves = [float(np.mean([_half(one) for one in same])) for same in by_size.values()]
    if len(means) >= LEAST_SIZES:
        # Without intervals of their own, the sizes still have one over them.
        half = float(np.fmax(estimate(means).half_width(), math.hypot(*halves) / len(halves)))
    else:
        half = float(np.mean(halves))
    mean = float(np.mean(means))
    if math.isnan(half):
        return Estimate(mean, None, None, len(means))
    return Estimate(mean, mean - half, mean + half, len(means))


def _half(one: Estimate) -> float:
    return math.nan if one.low is None or one.high is None else (one.high - one.low) / 2.0
