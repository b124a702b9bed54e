"""The decision rule: paired gains, standard errors, and the answer `all`."""

import numpy as np
import pytest

from tvlb.search import Measured, Verdict, compare, decide


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


def test_equal_saturation_and_lower_latency_wins() -> None:
    # Changes -1, -1.2, -0.8, -1, -1: mean -1, variance 0.08/4 = 0.02, error sqrt(0.02/5) = 0.0632.
    found = compare(_shifted("a", [0.0] * 5, [49.0, 48.8, 49.2, 49.0, 49.0]), BASE)
    assert found.latency_sem == pytest.approx(0.0632456, abs=1e-6)
    assert found.verdict is Verdict.LOWER_LATENCY


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
