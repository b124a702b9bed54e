"""What the points of a sweep say, in words and by number of links per group pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from tvlb.report.points import Point
from tvlb.statistics import half_width

__all__ = ["Estimate", "Finding", "LinkClass", "finding"]


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% Student-t interval.

    Attributes
    ----------
    mean, low, high : shares; the ends are None where there is no interval.
    over : the values that the interval is over, in words; empty without an interval.
    count : how many these are.
    """

    mean: float
    low: float | None
    high: float | None
    over: str
    count: int


@dataclass(frozen=True)
class LinkClass:
    """The computed points with one number of links per group pair.

    Attributes
    ----------
    links_per_pair : that number.
    points, topologies, seeds : how many there are, different ones.
    replaced : points in which a T-VLB table was chosen.
    gain, latency, best : change of saturation throughput and of latency with what was chosen, and
        of saturation throughput with the best candidate; None if no point has the figure.
    """

    links_per_pair: float
    points: int
    topologies: int
    seeds: int
    replaced: int
    gain: Estimate | None
    latency: Estimate | None
    best: Estimate | None


@dataclass(frozen=True)
class Finding:
    """What a sweep says.

    Attributes
    ----------
    sentences : what follows, most important first.
    cautions : what the figures do not say.
    classes : the figures, fewest links first.
    """

    sentences: tuple[str, ...]
    cautions: tuple[str, ...]
    classes: tuple[LinkClass, ...]


def finding(points: Sequence[Point]) -> Finding:
    """Say what points show; failed ones do not count.

    Notes
    -----
    Points of one topology are averaged before the interval over the topologies is formed, so that
    repeated seeds and routings do not pass for more topologies.
    """
    computed = [one for one in points if one["status"] == "succeeded"]
    if not computed:
        return Finding(("No point was computed, so nothing can be said.",), (), ())
    by_links = sorted(computed, key=lambda one: (one["links_per_pair"], one["point"]))
    classes = tuple(
        _class(links, list(members))
        for links, members in groupby(by_links, key=lambda one: one["links_per_pair"])
    )
    replaced = sum(one.replaced for one in classes)
    first = (
        f"A T-VLB table replaces the conventional set in {replaced} of {len(computed)} computed "
        f"{_plural(len(computed), 'point')}."
    )
    sentences = (first, *_overall(computed), _dependence(classes, len(computed)))
    return Finding(sentences, _cautions(computed), classes)


def _class(links: float, members: Sequence[Point]) -> LinkClass:
    return LinkClass(
        links_per_pair=links,
        points=len(members),
        topologies=len({one["topology"] for one in members}),
        seeds=len({one["seed"] for one in members}),
        replaced=sum(1 for one in members if one["replaces_all"]),
        gain=_estimate(members, "saturation_gain"),
        latency=_estimate(members, "latency_change"),
        best=_estimate(members, "best_saturation_gain"),
    )


def _estimate(members: Sequence[Point], figure: str) -> Estimate | None:
    known = [one for one in members if one[figure] is not None]
    if not known:
        return None
    if len(known) == 1:
        return _of_one(known[0], figure)
    by_topology: dict[str, list[float]] = {}
    for one in known:
        by_topology.setdefault(one["topology"], []).append(one[figure])
    if len(by_topology) == 1:
        return _over([one[figure] for one in known], "points of one topology")
    return _over([float(np.mean(values)) for values in by_topology.values()], "topologies")


def _of_one(point: Point, figure: str) -> Estimate:
    low, high = point[f"{figure}_low"], point[f"{figure}_high"]
    if low is None or high is None:
        return Estimate(point[figure], None, None, "", 1)
    over = "patterns of one point"
    return Estimate(point[figure], low, high, over, point["simulated_patterns"])


def _over(values: Sequence[float], what: str) -> Estimate:
    count = len(values)
    mean = float(np.mean(values))
    half = half_width(values)
    return Estimate(mean, mean - half, mean + half, what, count)


def _overall(computed: Sequence[Point]) -> tuple[str, ...]:
    replacing = [one for one in computed if one["replaces_all"]]
    gain, latency = (
        _estimate(replacing, figure) for figure in ("saturation_gain", "latency_change")
    )
    if gain is None:
        return ()
    text = f"Where it does, saturation throughput changes by {_words(gain)}"
    return (f"{text}." if latency is None else f"{text}, latency by {_words(latency)}.",)


def _dependence(classes: Sequence[LinkClass], computed: int) -> str:
    if computed == 1:
        return "One point says nothing about how the gain depends on the topology."
    if len(classes) == 1:
        return (
            "All computed points have the same number of links per group pair, so nothing can be "
            "said about how the gain depends on it."
        )
    usable = [one for one in classes if one.gain is not None and one.gain.over == "topologies"]
    if len(usable) < 2:
        return (
            "Too few topologies share a number of links per group pair to say how the gain depends "
            "on it: two numbers with at least two topologies each are needed."
        )
    return _comparison(usable[0], usable[-1])


def _comparison(fewest: LinkClass, most: LinkClass) -> str:
    few, many = fewest.gain, most.gain
    assert few is not None
    assert many is not None
    figures = (
        f"with {_links(most.links_per_pair)} the mean gain is {_gain(most, many)}, with "
        f"{_links(fewest.links_per_pair)} it is {_gain(fewest, few)}"
    )
    if not _above(many, few) and not _above(few, many):
        return f"By links per group pair: {figures}. These overlap: no trend is shown."
    says = "larger" if _above(many, few) else "smaller"
    return (
        f"By links per group pair: {figures}. These do not overlap: in this sweep the gain is "
        f"{says} with more links. Its topologies may differ in other sizes too."
    )


def _gain(one: LinkClass, estimate: Estimate) -> str:
    return _words(estimate) if one.replaced else "0 (the conventional set was always kept)"


def _above(one: Estimate, other: Estimate) -> bool:
    return one.low is not None and other.high is not None and one.low > other.high


def _cautions(computed: Sequence[Point]) -> tuple[str, ...]:
    patterns = _range(one["simulated_patterns"] for one in computed)
    seeds = len({one["seed"] for one in computed})
    told = [
        f"The gain of a point is a mean over {patterns} simulated traffic patterns, paired with "
        f"conventional UGAL pattern by pattern; there {_are(seeds, 'seed')} behind the points. The "
        "patterns are adversarial: under other traffic the gain may differ.",
        "Saturation throughput is searched on a grid of loads. Where patterns differ by less than "
        "its steps, an interval is too narrow, or has no width at all.",
    ]
    most = max(one["confirmed_candidates"] or 0 for one in computed)
    if most > 1:
        told.append(
            f"The best of up to {most} candidates is chosen on the same patterns that its gain is "
            "taken from, which flatters it; the intervals do not correct for that."
        )
    if not all(one["replaces_all"] for one in computed):
        told.append(
            "Where the conventional set was kept, the gain is 0 by definition and not by "
            "measurement; the column of the best candidate tells what was measured."
        )
    return tuple(told)


def _words(estimate: Estimate) -> str:
    mean = f"{100 * estimate.mean:+.1f} %"
    if estimate.low is None or estimate.high is None:
        return f"{mean} (no interval)"
    return (
        f"{mean} (95% interval {100 * estimate.low:+.1f} to {100 * estimate.high:+.1f} %, over "
        f"{estimate.count} {estimate.over})"
    )


def _links(number: float) -> str:
    return f"{number:g} {_plural(number, 'link')}"


def _plural(number: float, word: str) -> str:
    return word if number == 1 else f"{word}s"


def _are(number: int, word: str) -> str:
    return f"{'is' if number == 1 else 'are'} {number} {_plural(number, word)}"


def _range(values: Iterable[int]) -> str:
    found = sorted(set(values))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
