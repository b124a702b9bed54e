"""The measured gains of points that are alike: same routing, settings and links per group pair."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from tvlb.report.points import Point, interval_of
from tvlb.statistics import (
    LEAST_SIZES,
    UNDECIDED,
    ChangeInterval,
    Verdict,
    advice,
    estimate,
    verdict_of,
)

_SATURATION = "tvlb_saturation_gain"
_LATENCY = "tvlb_latency_change"


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
    saturation, latency : relative change with the T-VLB sets; None if no point has it.
    verdict : what follows from these, see `verdict_of`; where they decide nothing while intervals
        of points do, the points differ.
    advice : how to decide what is undecided; empty where nothing is.
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
    saturation: ChangeInterval | None
    latency: ChangeInterval | None
    verdict: Verdict
    advice: str


def classes_of(computed: Sequence[Point]) -> tuple[PointClass, ...]:
    """Return the classes of computed points: by routing, settings, and fewest links first.

    Notes
    -----
    Points of one size (wirings and seeds) are averaged first, and so are the half
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
    own = [found for one in members if (found := interval_of(one, _SATURATION)) is not None]
    above, below, around = (
        sum(getattr(one, side) for one in own) for side in ("above", "below", "around")
    )
    saturation, latency = _estimate(members, _SATURATION), _estimate(members, _LATENCY)
    verdict = verdict_of(saturation, latency)
    if above + below and saturation is not None and saturation.around:
        verdict = Verdict.DIFFERS
    few = min(
        (one for one in members if one["verdict"] in UNDECIDED),
        key=lambda one: one["simulated_patterns"],
        default=None,
    )
    return PointClass(
        routing=first["routing"],
        links_per_pair=first["links_per_pair"] or 0.0,
        settings=first["settings"],
        points=len(members),
        sizes=len({one["size"] for one in members}),
        seeds=len({one["seed"] for one in members}),
        chosen=sum(1 for one in members if one["replaces_all"]),
        unmeasured=len(members) - len(own),
        above=above,
        below=below,
        around=around,
        lowest=min((one.mean for one in own), default=None),
        highest=max((one.mean for one in own), default=None),
        saturation=saturation,
        latency=latency,
        verdict=verdict,
        advice=""
        if few is None or verdict not in UNDECIDED
        else advice(few["simulated_patterns"], few["found"] is not None),
    )


def _estimate(members: Sequence[Point], figure: str) -> ChangeInterval | None:
    by_size: dict[str, list[ChangeInterval]] = {}
    for one in members:
        if (own := interval_of(one, figure)) is not None:
            by_size.setdefault(one["size"], []).append(own)
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
        return ChangeInterval(mean, None, None, len(means))
    return ChangeInterval(mean, mean - half, mean + half, len(means))


def _half(one: ChangeInterval) -> float:
    return math.nan if one.low is None or one.high is None else (one.high - one.low) / 2.0
