"""Classes of points: their means, intervals and verdicts, by hand."""

import math

import pytest

from tests.report.made_points import point
from tvlb.report.classes import PointClass, classes_of
from tvlb.report.points import Point
from tvlb.statistics import ChangeInterval


def only(*points: Point) -> PointClass:
    (one,) = classes_of(points)
    return one


def saturation(*points: Point) -> ChangeInterval:
    found = only(*points).saturation
    assert found is not None
    return found


def ends(estimate: ChangeInterval) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_one_size_has_the_interval_of_its_patterns() -> None:
    found = saturation(point(0, gain=0.1, half=0.05))
    assert (found.mean, found.sizes, found.over_sizes) == (0.1, 1, False)
    assert ends(found) == pytest.approx((0.05, 0.15))


def test_wirings_and_seeds_of_a_size_are_averaged_and_so_are_their_half_widths() -> None:
    found = saturation(
        point(0, gain=0.10, half=0.02),
        point(1, gain=0.20, half=0.04, topology="dfly(2,4,2,5,palmtree)"),
        point(2, gain=0.30, half=0.09, seed=1),
    )
    assert (found.mean, found.sizes) == (pytest.approx(0.2), 1)
    assert ends(found) == pytest.approx((0.15, 0.25))


def test_two_sizes_have_the_mean_half_width_of_theirs() -> None:
    found = saturation(
        point(0, "2,4,2,5", gain=0.10, half=0.02),
        point(1, "2,4,2,5", gain=0.20, half=0.04, seed=1),
        point(2, "3,6,3,10", gain=0.35, half=0.07),
    )
    # Sizes: 0.15 +- 0.03 and 0.35 +- 0.07.
    assert (found.mean, found.sizes, found.over_sizes) == (pytest.approx(0.25), 2, False)
    assert ends(found) == pytest.approx((0.20, 0.30))


def test_three_sizes_have_an_interval_over_sizes() -> None:
    found = saturation(
        point(0, "2,4,2,5", gain=0.05),
        point(1, "2,4,2,5", gain=0.15, seed=1),
        point(2, "3,6,3,10", gain=0.20),
        point(3, "4,8,4,17", gain=0.30),
    )
    # Sizes 0.1, 0.2 and 0.3: mean 0.2, deviation 0.1, t(2) = 4.302653.
    assert (found.mean, found.sizes, found.over_sizes) == (pytest.approx(0.2), 3, True)
    half = 4.302653 * 0.1 / math.sqrt(3)
    assert ends(found) == pytest.approx((0.2 - half, 0.2 + half), rel=1e-6)


def test_sizes_that_happen_to_agree_are_known_no_better_than_each_of_them() -> None:
    sizes = ("2,4,2,5", "3,6,3,10", "4,8,4,17")
    found = saturation(*(point(n, size, gain=0.1, half=0.03) for n, size in enumerate(sizes)))
    # sqrt(3 * 0.03^2) / 3
    half = 0.03 / math.sqrt(3)
    assert ends(found) == pytest.approx((0.1 - half, 0.1 + half))


def test_routings_settings_and_links_never_mix() -> None:
    found = classes_of(
        [
            point(0, gain=0.1),
            point(1, gain=0.2, routing="par"),
            point(2, gain=0.3, settings="tolerance 0.1"),
            point(3, gain=0.4, links=1.0),
            point(4, gain=0.5, routing="par", seed=1),
        ]
    )
    assert [
        (one.routing, one.settings, one.links_per_pair, one.saturation and one.saturation.mean)
        for one in found
    ] == [
        ("par", "", 2.0, pytest.approx(0.35)),
        ("ugal-l", "", 1.0, 0.4),
        ("ugal-l", "", 2.0, 0.1),
        ("ugal-l", "tolerance 0.1", 2.0, 0.3),
    ]


def test_points_are_counted_by_their_own_intervals() -> None:
    one = only(
        point(0, gain=0.10, half=0.05),
        point(1, gain=0.10, half=0.09, seed=1),
        point(2, gain=0.10, half=0.11, seed=2, replaces_all=False),
        point(3, gain=-0.2, half=0.05, seed=3, replaces_all=False),
        point(4, gain=None, change=None, best=None, seed=4, replaces_all=False),
        point(5, gain=0.1, half=None, seed=5),
    )
    assert (one.above, one.around, one.below, one.unmeasured) == (2, 1, 1, 1)
    assert (one.lowest, one.highest) == (-0.2, 0.1)
    assert (one.points, one.sizes, one.seeds, one.chosen) == (6, 1, 6, 3)
    assert one.saturation is not None
    # The point without an interval takes that of its size along.
    assert one.saturation.mean == pytest.approx(0.04)
    assert one.saturation.low is None


def test_a_kept_set_counts_with_what_its_best_candidate_measured() -> None:
    kept = point(0, gain=0.018, half=0.028, replaces_all=False, saturation_gain=0.0)
    assert kept["tvlb"] == "short(2,3)"
    assert saturation(kept).mean == 0.018


def test_the_verdict_of_one_point_is_that_of_its_class() -> None:
    for gain, change in ((0.1, -0.05), (0.04, -0.05), (-0.1, -0.05), (0.04, 0.0), (None, None)):
        made = point(0, gain=gain, change=change)
        assert only(made).verdict == made["verdict"]


def test_points_that_differ_are_no_verdict_of_their_class() -> None:
    """One gains, one does not, and the mean of both is open: no word for both."""
    made = [point(0, gain=0.2), point(1, gain=-0.1, seed=1), point(2, gain=-0.01, seed=2)]
    assert [one["verdict"] for one in made] == [
        "higher saturation throughput",
        "lower saturation throughput",
        "lower latency, saturation throughput undecided",
    ]
    assert only(*made).verdict == "differs from point to point"
    # All are open one by one, and so is their mean.
    assert only(*(point(n, gain=0.02, seed=n) for n in range(3))).verdict == (
        "lower latency, saturation throughput undecided"
    )


def test_what_is_undecided_comes_with_advice() -> None:
    # Half widths t(1)/sqrt(2) = 8.985 and t(4)/sqrt(5) = 1.2417 deviations.
    few = point(0, gain=0.06, half=0.77, simulated_patterns=2)
    assert only(few).advice == (
        "Simulate more patterns: of 5 instead of 2 alike an interval is at least 7.2 times shorter "
        "(simulated_patterns)."
    )
    assert only(point(0, gain=0.06, half=0.77)).advice.startswith("Judge on more patterns: method")
    searched = point(0, gain=0.06, half=0.77, simulated_patterns=8, found="shape(g.?)")
    assert only(searched).advice.startswith("Judge on more than 8 runs")
    assert only(few | {"simulated_patterns": 3}, point(1, gain=2.0, half=0.1, seed=1)).advice == ""
    assert only(point(0)).advice == ""


def test_nothing_has_no_classes() -> None:
    assert classes_of([]) == ()
