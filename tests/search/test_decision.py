"""The decision rule: paired gains, standard errors, and the answer `all`."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.search import Measured, Verdict, compare, decide, parse_objective
from tvlb.search.decision import Decision, decide_by


def _measured(name: str, saturation: list[float], latency: list[float] | None = None) -> Measured:
    return Measured(name, np.array(saturation), np.array(latency or [50.0] * len(saturation)))


BASE = _measured("all", [0.20, 0.22, 0.24, 0.26, 0.28])


def _shifted(name: str, gains: list[float], latency: list[float] | None = None) -> Measured:
    return _measured(name, (BASE.saturation + np.array(gains)).tolist(), latency)


def test_constant_gain_has_no_error_although_patterns_differ() -> None:
    # The patterns spread over 0.08, the paired gain is 0.02 on each: standard error 0.
    found = compare(_shifted("a", [0.02] * 5), BASE)
    assert found.saturation_gain == pytest.approx(0.02)
    assert found.saturation_sem == pytest.approx(0.0, abs=1e-12)
    assert found.verdict is Verdict.HIGHER_SATURATION


def test_gain_below_the_smallest_that_counts_is_no_gain() -> None:
    assert compare(_shifted("a", [0.004] * 5), BASE).verdict is Verdict.NO_GAIN


def test_gain_within_two_standard_errors_is_no_gain() -> None:
    # Mean 0.02; deviations -0.06, 0, 0, 0, 0.06: variance 0.0072/4 = 0.0018, standard error
    # sqrt(0.0018/5) = 0.018974, twice that is 0.0379 > 0.02.
    found = compare(_shifted("a", [-0.04, 0.02, 0.02, 0.02, 0.08]), BASE)
    assert found.saturation_sem == pytest.approx(0.0189737, abs=1e-6)
    assert found.verdict is Verdict.NO_GAIN


def test_lower_saturation_is_never_offset_by_latency() -> None:
    found = compare(_shifted("a", [-0.01] * 5, [10.0] * 5), BASE)
    assert found.verdict is Verdict.LOWER_SATURATION


def test_level_saturation_and_lower_latency_wins() -> None:
    # Changes -1, -1.2, -0.8, -1, -1: mean -1, variance 0.08/4 = 0.02, error sqrt(0.02/5) = 0.0632.
    found = compare(_shifted("a", [0.0] * 5, [49.0, 48.8, 49.2, 49.0, 49.0]), BASE)
    assert found.latency_sem == pytest.approx(0.0632456, abs=1e-6)
    assert found.verdict is Verdict.LOWER_LATENCY


def test_a_lower_latency_counts_where_saturation_is_undecided() -> None:
    # Mean 0, error 0.018974 as above: the 95% interval reaches +-0.0527, far beyond 1%.
    found = compare(_shifted("a", [-0.06, 0.0, 0.0, 0.0, 0.06], [40.0] * 5), BASE)
    assert found.verdict is Verdict.LOWER_LATENCY_AT_LEAST
    # Of the same 0.001 everywhere, 0.5% of a mean of 0.2 or more, nothing is in doubt.
    assert compare(_shifted("a", [0.001] * 5, [40.0] * 5), BASE).verdict is Verdict.LOWER_LATENCY


def test_uncertain_loss_of_saturation_is_not_equality() -> None:
    # Mean -0.02 with deviations +-0.06: within two standard errors, yet far from equal.
    found = compare(_shifted("a", [-0.08, -0.02, -0.02, -0.02, 0.04], [40.0] * 5), BASE)
    assert found.verdict is Verdict.NO_GAIN


def test_all_is_the_answer_without_a_better_candidate() -> None:
    decision = decide(BASE, [_shifted("a", [0.001] * 5), _shifted("b", [-0.05] * 5)])
    assert decision.expression == "all"
    assert not decision.replaces_all
    assert "no candidate gains" in decision.reason
    assert [one.expression for one in decision.comparisons] == ["a", "b"]


def test_all_is_the_answer_without_candidates() -> None:
    decision = decide(BASE, [])
    assert (decision.expression, decision.replaces_all) == ("all", False)
    assert "no candidate was simulated" in decision.reason


def test_highest_saturation_wins() -> None:
    decision = decide(BASE, [_shifted("a", [0.02] * 5), _shifted("b", [0.06] * 5)])
    assert decision.expression == "b"
    assert "higher saturation" in decision.reason


def test_among_equals_of_the_leader_the_lowest_latency_wins() -> None:
    # b leads by 0.002, which does not count; a has the lower latency.
    decision = decide(
        BASE, [_shifted("a", [0.058] * 5, [40.0] * 5), _shifted("b", [0.06] * 5, [45.0] * 5)]
    )
    assert decision.expression == "a"


NAN = math.nan


def _decided(objective: str, *candidates: Measured, baseline: Measured = BASE) -> Decision:
    return decide_by(parse_objective(objective), baseline, candidates)


@pytest.mark.parametrize("objective", ["saturation", "front"])
def test_saturation_and_a_front_decide_as_algorithm_1(objective: str) -> None:
    candidates = [_shifted("a", [0.02] * 5), _shifted("b", [0.06] * 5, [60.0] * 5)]
    expected = decide(BASE, candidates)
    found = _decided(objective, *candidates)
    assert (found.expression, found.reason) == (expected.expression, expected.reason)
    assert found.expression == "b"


def test_by_latency_the_fastest_wins_that_does_not_lose_saturation() -> None:
    fastest = _shifted("loses", [-0.02] * 5, [30.0] * 5)
    fast, slower = _shifted("fast", [0.0] * 5, [40.0] * 5), _shifted("slow", [0.1] * 5, [45.0] * 5)
    assert _decided("latency@0.1", fastest, slower, fast).expression == "fast"
    assert _decided("saturation", fastest, slower, fast).expression == "slow"
    assert not _decided("latency@0.1", fastest).replaces_all
    # More throughput alone is not what was asked for.
    assert not _decided("latency@0.1", _shifted("a", [0.1] * 5)).replaces_all


def test_by_the_worst_pattern_the_least_gain_counts() -> None:
    # Means 0.05 and 0.03; the least gains are 1% of 0.2 and 10% of 0.28.
    uneven = _shifted("uneven", [0.002, 0.05, 0.05, 0.05, 0.1])
    even = _shifted("even", [0.03, 0.03, 0.03, 0.03, 0.028])
    assert _decided("worst-pattern", uneven, even).expression == "even"
    assert _decided("saturation", uneven, even).expression == "uneven"


def test_by_the_worst_pattern_the_runs_of_a_pattern_are_averaged() -> None:
    # Two rounds of two patterns. One set gains 1% and 39% in the runs of the first pattern, 20% in
    # the mean, and 20% on the second; the other always 12%.
    base = replace(_measured("all", [0.2] * 4), rounds=2)
    uneven = _measured("uneven", [0.202, 0.24, 0.278, 0.24])
    even = _measured("even", [0.224] * 4)
    assert _decided("worst-pattern", uneven, even, baseline=base).expression == "uneven"
    # Of four patterns the one with 1% is the worst.
    alone = replace(base, rounds=1)
    assert _decided("worst-pattern", uneven, even, baseline=alone).expression == "even"


def test_the_latency_of_saturated_patterns_is_left_out() -> None:
    # The first pattern is saturated for both; the others differ by 2, 2.4, 1.6 and 2: error 0.1633.
    baseline = _measured("all", [0.2] * 5, [NAN, 50, 50, 50, 50])
    found = compare(_measured("a", [0.2] * 5, [NAN, 48, 47.6, 48.4, 48]), baseline)
    assert found.latency_change == pytest.approx(-2.0)
    assert found.latency_sem == pytest.approx(0.163299, abs=1e-6)
    assert found.verdict is Verdict.LOWER_LATENCY


def test_without_a_latency_in_common_nothing_is_said_of_it() -> None:
    baseline = _measured("all", [0.2, 0.2], [NAN, 50])
    found = compare(_measured("a", [0.2, 0.2], [50, NAN]), baseline)
    assert math.isnan(found.latency_change)
    assert found.verdict is Verdict.NO_GAIN


def test_a_set_that_saturates_where_the_baseline_does_not_has_no_better_latency() -> None:
    fast = _shifted("fast", [0.0] * 5, [NAN, 30, 30, 30, 30])
    assert not _decided("latency@0.2", fast).replaces_all


def test_sustaining_the_load_of_a_latency_under_more_patterns_comes_first() -> None:
    baseline = _measured("all", [0.2] * 3, [NAN, NAN, 50])
    slow = _measured("slow", [0.2] * 3, [90, 90, 50])
    fast = _measured("fast", [0.2] * 3, [NAN, 40, 40])
    assert _decided("latency@0.2", fast, slow, baseline=baseline).expression == "slow"
    nowhere = _measured("all", [0.2] * 3, [NAN] * 3)
    assert _decided("latency@0.2", fast, baseline=nowhere).expression == "fast"
    assert not _decided("latency@0.2", nowhere, baseline=nowhere).replaces_all


def test_among_equals_a_set_that_saturates_early_is_not_the_fastest() -> None:
    better = _shifted("a", [0.06] * 5, [NAN, 10, 10, 10, 10])
    steady = _shifted("b", [0.06] * 5, [40.0] * 5)
    assert _decided("saturation", better, steady).expression == "b"


# The error of a single pattern is unknown: more than 0.005 and more than 1% count.
@pytest.mark.parametrize(
    ("saturation", "latency", "verdict"),
    [
        (0.206, 50.0, Verdict.HIGHER_SATURATION),
        (0.204, 50.0, Verdict.NO_GAIN),
        (0.194, 40.0, Verdict.LOWER_SATURATION),
        (0.2, 49.4, Verdict.LOWER_LATENCY_AT_LEAST),
        (0.2, 49.6, Verdict.NO_GAIN),
    ],
)
def test_a_single_pattern_decides(saturation: float, latency: float, verdict: Verdict) -> None:
    baseline = _measured("all", [0.2], [50.0])
    assert compare(_measured("a", [saturation], [latency]), baseline).verdict is verdict


def test_patterns_count_by_their_shares() -> None:
    share = np.array([0.8, 0.1, 0.1])
    baseline = Measured("all", np.array([0.2, 0.3, 0.3]), np.full(3, 50.0), share)
    # 0.8 * 0.03 - 0.2 * 0.02 = 0.02, where the plain mean is -0.0033.
    candidate = Measured("a", np.array([0.23, 0.28, 0.28]), np.full(3, 50.0), share)
    found = compare(candidate, baseline)
    assert found.saturation_gain == pytest.approx(0.02)
    assert candidate.saturation_mean == pytest.approx(0.24)
    # Variance 0.8 * 0.01^2 + 0.2 * 0.04^2 = 0.0004 over 1 - 0.66, times 0.66.
    assert found.saturation_sem == pytest.approx(math.sqrt(0.66 * 0.0004 / 0.34))


figures = st.lists(st.tuples(st.floats(0.05, 1.0), st.floats(20.0, 300.0)), min_size=1, max_size=6)


@given(figures, st.floats(0.1, 10.0))
def test_equal_shares_are_as_good_as_none(rows: list[tuple[float, float]], scale: float) -> None:
    saturation, latency = np.array(rows).T
    found = [
        compare(
            Measured("a", saturation, latency, share),
            Measured("all", np.full(len(rows), 0.3), np.full(len(rows), 60.0), share),
        )
        for share in (None, np.full(len(rows), scale))
    ]
    values = [
        (one.saturation_gain, one.saturation_sem, one.latency_change, one.latency_sem)
        for one in found
    ]
    assert values[0] == pytest.approx(values[1], nan_ok=True, abs=1e-9)
