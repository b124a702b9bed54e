"""What the points of a sweep say, in words and by class of points."""

from collections.abc import Sequence
from dataclasses import dataclass

from tvlb.report.classes import PointClass, classes_of
from tvlb.report.conclusions import convergence, trends
from tvlb.report.points import Point
from tvlb.report.words import change, ends, links, number_of, span, who
from tvlb.statistics import LEAST_SIZES, LEVEL, Verdict


@dataclass(frozen=True)
class Statement:
    """What the points of a class say.

    Attributes
    ----------
    subject : the class.
    verdict : what follows from its intervals.
    figures : in a sentence.
    """

    subject: str
    verdict: Verdict
    figures: str


@dataclass(frozen=True)
class SweepFinding:
    """What a sweep says.

    Attributes
    ----------
    lead : how many points chose what, and why.
    statements : a sentence for each class.
    conclusions : what follows from several classes.
    cautions : what the figures do not say.
    classes : the figures, in the order of the statements.
    """

    lead: str
    statements: tuple[Statement, ...]
    conclusions: tuple[str, ...]
    cautions: tuple[str, ...]
    classes: tuple[PointClass, ...]


def finding(points: Sequence[Point]) -> SweepFinding:
    """Say what points show; failed ones do not count.

    Notes
    -----
    All gains are those of the T-VLB set of a point, as measured: the chosen one or, where the
    conventional set was kept, the best candidate. What conventional UGAL gains over itself is 0 by
    definition, and no measurement. All words are by `tvlb.statistics.verdict`.
    """
    computed = [one for one in points if one["status"] == "succeeded"]
    if not computed:
        return SweepFinding("No point was computed, so nothing can be said.", (), (), (), ())
    classes = classes_of(computed)
    tested = convergence(classes)
    conclusions = (() if tested is None else (tested,)) + (
        trends(classes)
        if len(computed) > 1
        else ("One point says nothing about how the gain depends on the network.",)
    )
    statements = tuple(_statement(one) for one in classes)
    return SweepFinding(
        _lead(computed), statements, conclusions, _cautions(computed, classes), classes
    )


def _lead(computed: Sequence[Point]) -> str:
    chosen = [one for one in computed if one["replaces_all"]]
    kept = [one for one in computed if not one["replaces_all"]]
    told = [
        f"Of {number_of(len(computed), 'computed point')}, a T-VLB table is chosen in "
        f"{f'{len(chosen)}: {_counts(chosen)}' if chosen else 'none'}."
    ]
    if kept:
        told.append(
            f"The conventional set is kept in {len(kept)}; the best candidate there: "
            f"{_counts(kept)}."
        )
    return " ".join((*told, "All of this is by 95% intervals, and so is the choice."))


def _counts(points: Sequence[Point]) -> str:
    """Tell how many points have which verdict."""
    found = [one["verdict"] for one in points]
    return "; ".join(
        f"{verdict} in {found.count(verdict)}" for verdict in Verdict if verdict in found
    )


def _statement(one: PointClass) -> Statement:
    subject = f"{who(one)}, {links(one.links_per_pair)}, {number_of(one.sizes, 'size')}"
    return Statement(subject, one.verdict, _figures(one))


def _figures(one: PointClass) -> str:
    chosen = f"a T-VLB table was chosen in {one.chosen} of {one.points}"
    if one.saturation is None:
        return f"no candidate was compared in {number_of(one.points, 'point')}; {chosen}."
    latency = "" if one.latency is None else f" and latency by {change(one.latency)}"
    advice = f" {one.advice}" if one.advice else ""
    without = f", and {one.unmeasured} without a candidate" if one.unmeasured else ""
    return (
        f"the T-VLB set changes saturation throughput by {change(one.saturation)}{latency}; "
        f"{_reach(one)}the interval of saturation lies above 0 in {one.above} of "
        f"{number_of(one.points, 'point')}, below 0 in {one.below}, and includes 0 in "
        f"{one.around}{without}; {chosen}.{advice}"
    )


def _reach(one: PointClass) -> str:
    """Tell how far points are apart, which an interval of their mean does not."""
    if one.lowest is None or one.highest is None or one.points - one.unmeasured < 2:
        return ""
    return f"in saturation single points reach from {ends(one.lowest, one.highest)}; "


def _cautions(computed: Sequence[Point], classes: Sequence[PointClass]) -> tuple[str, ...]:
    searched = [one for one in computed if one["found"] is not None]
    others = [one for one in computed if one["found"] is None]
    told = [
        *([_patterns(others)] if others else []),
        *([_held_out(searched)] if searched else []),
    ]
    most = max((one["confirmed_candidates"] or 0 for one in others), default=0)
    if most:
        told.append(_choice(most))
    if searched:
        told.append(_choice_of_judged(max(one["confirmed_candidates"] or 0 for one in searched)))
    if len(computed) > 1:
        told.append(_many(len(computed)))
    if any(one.saturation is not None for one in classes):
        told.append(_intervals())
    if missing := sum(one.unmeasured for one in classes):
        told.append(
            f"{number_of(missing, 'point')} without a candidate: the model puts every shorter set "
            "below the cut, so nothing was measured. They are in no mean."
        )
    return tuple(told)


def _patterns(computed: Sequence[Point]) -> str:
    return (
        f"{_mean_over(computed, 'simulated traffic patterns', 'pattern')} All patterns are "
        "adversarial: under other traffic the gain may differ."
    )


def _held_out(searched: Sequence[Point]) -> str:
    return (
        f"{_mean_over(searched, 'runs of held-out traffic', 'run')} A search never saw these runs: "
        "where traffic was named, they are of that traffic with other seeds, several of each "
        "pattern if these are few; elsewhere of other patterns, both adversarial and benign. Under "
        "other traffic the gain may differ."
    )


def _mean_over(points: Sequence[Point], cases: str, case: str) -> str:
    count = span([one["simulated_patterns"] for one in points])
    seeds = len({one["seed"] for one in points})
    return (
        f"The gain of a point is a mean over {count} {cases}, paired with conventional UGAL "
        f"{case} by {case}; its interval is over these {case}s. The sweep has "
        f"{number_of(seeds, 'seed')}."
    )


def _choice_of_judged(most: int) -> str:
    return (
        f"The best candidate of a search is the best of all sets that were judged (up to {most} a "
        "point: what was found, the published set, the choice of Algorithm 1), by the figures that "
        "its gain is taken from. Intervals of gains hold for all these sets together, which "
        "corrects for that choice."
    )


def _choice(most: int) -> str:
    return (
        f"Confirmed candidates (up to {most} a point) are picked from all that were screened, and "
        "the best of them is taken, under the same patterns that its gain is taken from. That "
        "flatters it: intervals hold for all confirmed candidates together, but do not correct for "
        "the screening. A candidate is chosen if its intervals show a higher saturation throughput "
        f"and its gain is more than {100 * LEVEL:g}% or its latency lower, or if they show a "
        f"lower latency and its mean loss is no more than {100 * LEVEL:g}%. The chosen set may be "
        "another than the best: hardly below it, and of lower latency."
    )


def _many(points: int) -> str:
    return (
        f"{points} points are looked at together: if each interval is right in 95 of 100 cases, "
        f"about {points / 20:.2g} of {points} miss the true value by chance."
    )


def _intervals() -> str:
    return (
        "Points of one size (equal p,a,h,g: wirings, seeds) are averaged first. From "
        f"{LEAST_SIZES} sizes on, the interval is over the sizes, as if they were drawn at random "
        "from networks of their kind. With fewer it is the mean of the points' own intervals, and "
        "about these networks only. No interval of saturation throughput is narrower than the grid "
        "of loads that it is searched on allows."
    )
