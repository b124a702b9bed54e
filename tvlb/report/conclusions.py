"""What follows from classes of points: one link per group pair, and the trend with more."""

from collections.abc import Sequence
from itertools import groupby

from tvlb.report.classes import PointClass
from tvlb.report.words import change, links, who
from tvlb.statistics import LEVEL, ChangeInterval


def convergence(classes: Sequence[PointClass]) -> str | None:
    """Test whether T-VLB converges with UGAL at one link per group pair; None without such points.

    Notes
    -----
    Outcomes: an interval above 0 speaks against it; one within `LEVEL` of 0, or below 0, is
    consistent with it; any other leaves it open.
    """
    single = [one for one in classes if one.links_per_pair == 1]
    if not single:
        return None
    told = " ".join(_tested(one, classes) for one in single)
    return (
        "One link per group pair: the paper (Rahman et al., SC'19) expects that T-VLB converges "
        "with conventional UGAL there. Here that is a hypothesis, tested by the interval of the "
        f"saturation gain of the T-VLB sets. {told}"
    )


def _tested(one: PointClass, classes: Sequence[PointClass]) -> str:
    gain = one.saturation
    if gain is None:
        return (
            f"With {who(one)} no point has a candidate, as the model puts every shorter set "
            "below the cut. That is consistent with convergence, but no measurement."
        )
    parts = [f"With {who(one)} it is {change(gain)}. {_outcome(gain)}"]
    if one.latency is not None and (one.latency.above or one.latency.below):
        parts.append(f"Latency changes by {change(one.latency)}.")
    others = [other for other in classes if who(other) == who(one) and other.saturation is not None]
    largest = max(others, key=_mean)
    if largest is not one and largest.saturation is not None:
        parts.append(
            f"For comparison, the largest gain of a class is {change(largest.saturation)}, with "
            f"{links(largest.links_per_pair)}."
        )
    return " ".join(parts)


def _outcome(gain: ChangeInterval) -> str:
    if gain.low is None or gain.high is None:
        return "Without an interval this is undecided."
    if gain.above:
        but = ", though it gains less than 1%" if gain.high <= LEVEL else ""
        return (
            "The interval lies above 0: T-VLB does not converge with conventional UGAL in these "
            f"simulations{but}."
        )
    if gain.below:
        return (
            "The interval lies below 0: no shorter set is as good as conventional UGAL, which is "
            "consistent with convergence."
        )
    if gain.level:
        return "The interval lies within 1% of 0: consistent with convergence."
    return "The interval includes 0 and reaches beyond 1%: undecided."


def _mean(one: PointClass) -> float:
    assert one.saturation is not None
    return one.saturation.mean


def trends(classes: Sequence[PointClass]) -> tuple[str, ...]:
    """Compare the fewest with the most links per group pair, by routing and settings.

    Networks without groups of switches have none to compare.

    Notes
    -----
    A trend is claimed only where both gains were measured and their intervals do not overlap.
    """
    grouped = [one for one in classes if one.links_per_pair]
    return tuple(_trend(list(members)) for _, members in groupby(grouped, key=who))


def _trend(members: Sequence[PointClass]) -> str:
    if len(members) == 1:
        return (
            f"{who(members[0])}: all computed points have {links(members[0].links_per_pair)}, so "
            "nothing can be said about how the gain depends on it."
        )
    measured = [
        one for one in members if one.saturation is not None and one.saturation.low is not None
    ]
    if len(measured) < 2:
        return (
            f"{who(members[0])}: the gain has an interval for fewer than two numbers of links per "
            "group pair, so nothing can be said about how it depends on them."
        )
    return _compared(measured[0], measured[-1])


def _compared(fewest: PointClass, most: PointClass) -> str:
    few, many = fewest.saturation, most.saturation
    assert few is not None
    assert many is not None
    figures = (
        f"{who(fewest)}, fewest against most links: the T-VLB set changes saturation "
        f"throughput by {change(few)} with {links(fewest.links_per_pair)} and by {change(many)} "
        f"with {links(most.links_per_pair)}."
    )
    if not few.apart_from(many):
        return f"{figures} The intervals overlap: no trend is shown."
    says = "larger" if many.mean > few.mean else "smaller"
    of = "the" if few.over_sizes and many.over_sizes else "between these networks the"
    return (
        f"{figures} The intervals do not overlap: {of} gain is {says} with more links. The "
        "networks may differ in other ways, too."
    )
