"""What a report says of its points, with figures by hand."""

from typing import Any

import pytest

from tests.report.made_points import point
from tvlb.report.finding import SweepFinding, finding
from tvlb.report.points import Point
from tvlb.search import options
from tvlb.statistics import LEVEL, MAX_PATTERNS

SIZES = ("2,4,2,9", "3,6,3,19", "4,8,4,33")
KEPT: dict[str, Any] = {
    "replaces_all": False,
    "saturation_gain": 0.0,
    "latency_change": 0.0,
}
BARE: dict[str, Any] = KEPT | {"best": None, "confirmed_candidates": 0}


def said(found: SweepFinding) -> str:
    figures = [f"{one.subject}: {one.verdict}. {one.figures}" for one in found.statements]
    return " ".join((found.lead, *figures, *found.conclusions, *found.cautions))


def test_nothing_is_said_of_nothing() -> None:
    assert said(finding([])) == "No point was computed, so nothing can be said."
    assert finding([point(0) | {"status": "failed"}]) == finding([])


def test_the_lead_counts_by_intervals() -> None:
    made = [
        point(0),
        # Both were chosen for an equal saturation and a lower latency; only one interval says so.
        point(1, gain=-0.001, half=0.004),
        point(2, gain=-0.029, half=0.05),
        point(3, gain=0.02, change=0.0, **KEPT),
        point(4, gain=-0.1, **KEPT),
        point(5, gain=None, change=None, **BARE),
    ]
    by = "All of this is by 95% intervals, and so is the choice."
    assert finding(made).lead == (
        "Of 6 computed points, a T-VLB table is chosen in 3: higher saturation throughput in 1; "
        "lower latency at level saturation throughput in 1; lower latency, saturation throughput "
        "undecided in 1. The conventional set is kept in 3; the best candidate there: undecided in "
        f"1; lower saturation throughput in 1; not measured, for want of candidates in 1. {by}"
    )
    assert finding(made[3:5]).lead == (
        "Of 2 computed points, a T-VLB table is chosen in none. The conventional set is kept in 2; "
        f"the best candidate there: undecided in 1; lower saturation throughput in 1. {by}"
    )


def test_lead_and_classes_say_the_same_of_the_same_points() -> None:
    """Chosen for a latency that is lower while the interval of saturation includes 0."""
    made = [point(n, gain=0.06, half=0.1, seed=n, simulated_patterns=2) for n in range(3)]
    found = finding(made)
    assert "a T-VLB table is chosen in 3: lower latency, saturation throughput undecided in 3." in (
        found.lead
    )
    (statement,) = found.statements
    assert statement.verdict == "lower latency, saturation throughput undecided"
    assert "Simulate more patterns: of 5 instead of 2 alike" in statement.figures


def test_the_set_that_was_chosen_counts_and_not_the_best() -> None:
    made = point(0, best="<=5") | {"tvlb_saturation_gain": 0.2}
    assert "+20.0%" in finding([made]).statements[0].figures
    chosen = point(1, gain=0.05, half=0.01, best="<=5", best_saturation_gain=0.9)
    assert chosen["tvlb"] == "short(2,3)"
    assert "+5.0%" in finding([chosen]).statements[0].figures


def test_the_most_patterns_are_those_of_the_option() -> None:
    assert options.MAX_PATTERNS == MAX_PATTERNS


def test_the_statement_of_a_class() -> None:
    # Gains of the sizes 4, 6 and 8%: mean 6%, deviation 2%, t(2) = 4.302653: +-4.97%.
    made = [
        point(n, size, 1.0, gain=0.04 + 0.02 * n, half=0.05, change=-0.03)
        for n, size in enumerate(SIZES)
    ]
    made[0] = point(0, SIZES[0], 1.0, gain=0.04, half=0.05, change=-0.03, **KEPT)
    (statement,) = finding(made).statements
    assert statement.subject == "ugal-l, 1 link per group pair, 3 sizes"
    assert statement.verdict == "higher saturation throughput"
    # Latencies agree: sqrt(3 * 0.01^2) / 3 = 0.58%.
    assert statement.figures == (
        "the T-VLB set changes saturation throughput by +6.0% (95% interval +1.0% to +11.0%, "
        "over 3 sizes) and latency by -3.0% (95% interval -3.6% to -2.4%, over 3 sizes); "
        "in saturation single points reach from +4.0% to +8.0%; the interval of saturation lies "
        "above 0 in 2 of 3 points, below 0 in 0, and includes 0 in 1; "
        "a T-VLB table was chosen in 2 of 3."
    )


def test_few_sizes_speak_of_themselves() -> None:
    (statement,) = finding([point(0, settings="tolerance 0.1")]).statements
    assert statement.subject == "ugal-l, tolerance 0.1, 2 links per group pair, 1 size"
    assert "+10.0% (95% interval +5.0% to +15.0%, these networks only)" in statement.figures


def test_zero_has_one_sign() -> None:
    (statement,) = finding([point(0, gain=-0.0002, half=0.0001)]).statements
    assert "+0.0% (95% interval +0.0% to +0.0%" in statement.figures


def test_points_without_a_candidate_are_named() -> None:
    found = finding([point(0), point(1, gain=None, change=None, **BARE)])
    assert "includes 0 in 0, and 1 without a candidate; a T-VLB table was chosen in 1 of 2" in said(
        found
    )
    assert "1 point without a candidate: the model puts every shorter set below" in said(found)
    (bare,) = finding([point(1, gain=None, change=None, **BARE)]).statements
    assert bare.figures == (
        "no candidate was compared in 1 point; a T-VLB table was chosen in 0 of 1."
    )


def converging(*points: Point) -> str:
    return finding(points).conclusions[0]


@pytest.mark.parametrize(
    ("gain", "half", "outcome"),
    [
        (0.06, 0.02, "lies above 0: T-VLB does not converge with conventional UGAL"),
        (0.006, 0.003, "in these simulations, though it gains less than 1%."),
        (0.002, 0.005, "lies within 1% of 0: consistent with convergence."),
        (-0.006, 0.003, "lies below 0: no shorter set is as good as conventional UGAL"),
        (0.018, 0.028, "includes 0 and reaches beyond 1%: undecided."),
        (-0.004, 0.008, "includes 0 and reaches beyond 1%: undecided."),
        (0.06, None, "Without an interval this is undecided."),
    ],
)
def test_convergence_at_one_link_is_tested(gain: float, half: float | None, outcome: str) -> None:
    text = converging(point(0, links=1.0, gain=gain, half=half))
    assert "expects that T-VLB converges with conventional UGAL there" in text
    assert f"With ugal-l it is {100 * gain:+.1f}% (" in text
    assert outcome in text
    assert "For comparison" not in text


def test_convergence_is_compared_with_the_largest_gain_of_the_same_routing() -> None:
    text = converging(
        point(0, links=1.0, gain=0.01),
        point(1, links=4.0, gain=0.4),
        point(2, links=8.0, gain=0.3),
        point(3, links=8.0, gain=0.9, routing="par"),
    )
    assert text.endswith(
        "Latency changes by -5.0% (95% interval -6.0% to -4.0%, these networks only). For "
        "comparison, the largest gain of a class is +40.0% (95% interval +35.0% to +45.0%, these "
        "networks only), with 4 links per group pair."
    )


def test_convergence_without_a_candidate_is_no_measurement() -> None:
    text = converging(point(0, links=1.0, gain=None, change=None, **BARE))
    assert "consistent with convergence, but no measurement" in text


def test_convergence_is_not_spoken_of_without_such_points() -> None:
    assert "converge" not in said(finding([point(0, links=1.5), point(1, links=2.0)]))


def trend(*points: Point) -> str:
    return finding(points).conclusions[-1]


def test_a_trend_needs_intervals_that_do_not_overlap() -> None:
    few = point(0, links=2.0, gain=0.05, half=0.04)
    larger = trend(few, point(1, links=4.0, gain=0.2, half=0.1))
    assert larger == (
        "ugal-l, fewest against most links: the T-VLB set changes saturation throughput by "
        "+5.0% (95% interval +1.0% to +9.0%, these networks only) with 2 links per group pair and "
        "by +20.0% (95% interval +10.0% to +30.0%, these networks only) with 4 links per group "
        "pair. The intervals do not overlap: between these networks the gain is larger with more "
        "links. The networks may differ in other ways, too."
    )
    smaller = trend(few, point(1, links=4.0, gain=-0.2, half=0.1))
    assert "the gain is smaller with more links" in smaller
    overlapping = trend(few, point(1, links=4.0, gain=0.2, half=0.12))
    assert "The intervals overlap: no trend is shown." in overlapping


def test_kept_against_chosen_is_no_trend_by_construction() -> None:
    """The set was kept at 1.8%, not at 1.9%; nothing was measured that differs."""
    text = trend(
        point(0, links=1.0, gain=0.018, half=0.028, **KEPT),
        point(1, links=4.0, gain=0.019, half=0.005),
    )
    assert "+1.8% (95% interval -1.0% to +4.6%" in text
    assert "The intervals overlap: no trend is shown." in text


def test_trends_are_by_routing_and_over_sizes_where_there_are_enough() -> None:
    made = [
        point(n, size, links, gain=gain + 0.001 * n, half=0.001, routing=routing)
        for routing, gains in (("par", (0.1, 0.1)), ("ugal-l", (0.1, 0.3)))
        for links, gain in zip((2.0, 8.0), gains, strict=True)
        for n, size in enumerate(SIZES)
    ]
    par, ugal = finding(made).conclusions
    assert par.startswith("par, fewest against most links")
    assert par.endswith("no trend is shown.")
    assert "do not overlap: the gain is larger with more links." in ugal


def test_where_there_is_nothing_to_compare_it_is_said() -> None:
    assert trend(point(0)) == ("One point says nothing about how the gain depends on the network.")
    assert "all computed points have 2 links per group pair" in trend(point(0), point(1, seed=1))
    lacking = trend(point(0), point(1, links=4.0, half=None))
    assert "an interval for fewer than two numbers of links" in lacking


def test_cautions_name_patterns_seeds_and_the_choice() -> None:
    made = [point(n, simulated_patterns=2 + n % 4, seed=n % 3) for n in range(30)]
    cautions = " ".join(finding(made).cautions)
    assert (
        "a mean over 2 to 5 simulated traffic patterns, paired with conventional UGAL pattern"
        in (cautions)
    )
    assert "its interval is over these patterns" in cautions
    assert "The sweep has 3 seeds. All patterns are adversarial" in cautions
    assert "(up to 2 a point) are picked from all that were screened" in cautions
    # One in 20 of 30.
    assert "about 1.5 of 30 miss the true value by chance" in cautions
    assert "averaged first. From 3 sizes on, the interval is over the sizes" in cautions
    assert "narrower than the grid of loads" in cautions
    # One that is confirmed was picked from many that were not.
    alone = " ".join(finding([point(0, confirmed_candidates=1)]).cautions)
    assert "flatters" in alone
    assert "by chance" not in alone


def test_the_thresholds_are_those_of_the_search() -> None:
    cautions = " ".join(finding([point(0)]).cautions)
    level = f"{100 * LEVEL:g}%"
    assert f"its gain is more than {level} or its latency lower" in cautions
    assert f"its mean loss is no more than {level}." in cautions
