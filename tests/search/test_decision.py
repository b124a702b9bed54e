"""The decision rule: what the printed intervals show, and the answer `all`."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.search import Measured, parse_objective
from tvlb.search.decision import Decision, decide
from tvlb.statistics import Judgement, Pairing, Verdict, judgements

NAN = math.nan
GRID = 0.001


def _measured(name: str, saturation: list[float], latency: list[float] | None = None) -> Measured:
    return Measured(name, np.array(saturation), np.array(latency or [50.0] * len(saturation)))


BASE = _measured("all", [0.20, 0.22, 0.24, 0.26, 0.28])


def _shifted(name: str, gains: list[float], latency: list[float] | None = None) -> Measured:
    return _measured(name, (BASE.saturation + np.array(gains)).tolist(), latency)


def _judged(baseline: Measured, *candidates: Measured) -> tuple[Judgement, ...]:
    runs = len(baseline.saturation)
    names = [f"p{number % (runs // baseline.rounds)}" for number in range(runs)]
    share = np.full(runs, 1.0 / runs) if baseline.share is None else baseline.share
    pairing = Pairing(tuple(names), share, baseline.rounds, GRID)
    figures = [one.figures for one in (baseline, *candidates)]
    return judgements(figures, [baseline.expression], pairing)


def test_a_rival_that_stands_twice_is_compared_once() -> None:
    figures = [one.figures for one in (BASE, _shifted("<=4", [0.01, 0.02, 0.01, 0.02, 0.03]))]
    pairing = Pairing(tuple("abcde"), np.full(5, 0.2), 1, GRID)
    once = judgements(figures, ["all"], pairing)
    assert judgements(figures, ["all", "all"], pairing) == once
    assert len(once) == 1


def _verdict(candidate: Measured, baseline: Measured = BASE) -> Verdict:
    (found,) = _judged(baseline, candidate)
    return found.verdict


def _decided(objective: str, *candidates: Measured, baseline: Measured = BASE) -> Decision:
    judged = _judged(baseline, *candidates)
    return decide(parse_objective(objective), baseline, candidates, judged)


def _chosen(*candidates: Measured) -> str:
    return _decided("saturation", *candidates).expression


def test_a_verdict_is_what_the_printed_interval_says() -> None:
    # Changes 0.1 at each, but for rounding to the grid.
    level = _measured("a", (1.1 * BASE.saturation).tolist())
    (found,) = _judged(BASE, level)
    assert found.saturation.mean == pytest.approx(0.1)
    assert found.verdict is Verdict.HIGHER
    # 0.05 at each pattern but 0.5 at one: mean 0.14, standard error 0.09, and two intervals that
    # hold together, of saturation and latency, reach t(4, 0.9875) = 3.495 of these.
    uneven = _measured("a", (np.array([1.05, 1.05, 1.05, 1.05, 1.5]) * BASE.saturation).tolist())
    (found,) = _judged(BASE, uneven)
    assert found.saturation.mean == pytest.approx(0.14)
    assert found.saturation.half_width == pytest.approx(3.495406 * 0.09, rel=1e-6)
    # By two standard errors of the mean it would be higher; by what is printed it is not.
    assert 0.14 - 2 * 0.09 < 0 < 0.14 - 0.09
    assert found.verdict is Verdict.UNDECIDED
    assert _chosen(uneven) == "all"


def test_lower_saturation_is_never_offset_by_latency() -> None:
    lower = _measured("a", (0.9 * BASE.saturation).tolist(), [10.0] * 5)
    assert _verdict(lower) is Verdict.LOWER
    assert _chosen(lower) == "all"


def test_level_saturation_and_lower_latency_wins() -> None:
    level = _shifted("a", [0.0] * 5, [49.0, 48.8, 49.2, 49.0, 49.0])
    assert _verdict(level) is Verdict.FASTER
    assert _chosen(level) == "a"


def test_a_lower_latency_counts_where_saturation_is_undecided() -> None:
    undecided = _shifted("a", [-0.06, 0.0, 0.0, 0.0, 0.06], [40.0] * 5)
    assert _verdict(undecided) is Verdict.FASTER_AT_LEAST
    # The mean of the ratios is -1.7%: too large a loss to accept.
    assert _chosen(undecided) == "all"
    assert _chosen(_shifted("a", [-0.06, 0.01, 0.01, 0.01, 0.06], [40.0] * 5)) == "a"


def test_all_is_the_answer_without_a_better_candidate() -> None:
    decision = _decided("saturation", _shifted("a", [0.001] * 5), _shifted("b", [-0.05] * 5))
    assert (decision.expression, decision.replaces_all) == ("all", False)
    assert not decide(parse_objective("saturation"), BASE, [], ()).replaces_all


def test_highest_saturation_wins() -> None:
    assert _chosen(_shifted("a", [0.02] * 5), _shifted("b", [0.06] * 5)) == "b"


def test_among_equals_of_the_leader_the_lowest_latency_wins() -> None:
    # b leads by 0.002, less than 1%; a has the lower latency.
    fast, leader = (
        _shifted("a", [0.058] * 5, [40.0] * 5),
        _shifted("b", [0.06] * 5, [45.0] * 5),
    )
    assert _chosen(fast, leader) == "a"


@pytest.mark.parametrize("objective", ["saturation", "front"])
def test_saturation_and_a_front_decide_as_algorithm_1(objective: str) -> None:
    candidates = [_shifted("a", [0.02] * 5), _shifted("b", [0.06] * 5, [60.0] * 5)]
    assert _decided(objective, *candidates).expression == "b"


def test_by_latency_the_fastest_wins_that_does_not_lose_saturation() -> None:
    fastest = _shifted("loses", [-0.02] * 5, [30.0] * 5)
    fast, slower = _shifted("fast", [0.0] * 5, [40.0] * 5), _shifted("slow", [0.1] * 5, [45.0] * 5)
    assert _decided("latency@0.1", fastest, slower, fast).expression == "fast"
    assert _decided("saturation", fastest, slower, fast).expression == "slow"
    assert not _decided("latency@0.1", fastest).replaces_all
    # More throughput alone is not what was asked for.
    assert not _decided("latency@0.1", _shifted("a", [0.1] * 5)).replaces_all


def test_by_the_worst_pattern_the_least_gain_counts() -> None:
    # The least gains are 7.5% of 0.2 and 10% of 0.28; the means 0.053 and 0.03.
    uneven = _shifted("uneven", [0.015, 0.05, 0.05, 0.05, 0.1])
    even = _shifted("even", [0.03, 0.03, 0.03, 0.03, 0.028])
    assert _decided("worst-pattern", uneven, even).expression == "even"
    assert _decided("saturation", uneven, even).expression == "uneven"


def test_by_what_is_guaranteed_the_floor_counts_beside_saturation() -> None:
    # 0.24 * 0.5 = 0.12; means of 0.3, 0.27 and 0.25.
    sets = [_shifted(name, [gain] * 5) for name, gain in (("a", 0.06), ("b", 0.03), ("c", 0.01))]
    judged = _judged(BASE, *sets)

    def decided(a: float, b: float, c: float) -> str:
        floors = {"all": 0.5, "a": a, "b": b, "c": c}
        return decide(parse_objective("guaranteed"), BASE, sets, judged, floors).expression

    assert decided(0.5, 0.5, 0.5) == "a"
    assert decided(0.42, 0.48, 0.5) == "b"  # 0.126, 0.1296, 0.125
    assert decided(0.4, 0.445, 0.484) == "all"  # 0.12, 0.12015, 0.121: no more than 1%


def test_by_the_worst_pattern_the_runs_of_a_pattern_are_averaged() -> None:
    # Four rounds of two patterns. One set gains 10% and 30% in the runs of the first pattern, 20%
    # in the mean, and 20% on the second; the other always 12%.
    base = replace(_measured("all", [0.2] * 8), rounds=4)
    uneven = _measured("uneven", [0.22, 0.24, 0.26, 0.24] * 2)
    even = _measured("even", [0.224] * 8)
    assert _decided("worst-pattern", uneven, even, baseline=base).expression == "uneven"
    # Of eight patterns one with 10% is the worst.
    alone = replace(base, rounds=1)
    assert _decided("worst-pattern", uneven, even, baseline=alone).expression == "even"


# A flag that any run may have by chance decides nothing; those of many runs do.
def test_a_single_saturated_run_outranks_no_latency() -> None:
    runs = 8
    base = _measured("all", [0.98] * runs, [30.0] * runs)
    fast = _measured("fast", [0.98] * runs, [NAN] + [28.0] * (runs - 1))
    slow = _measured("slow", [0.98] * runs, [29.8] * runs)
    assert _decided("saturation", fast, slow, baseline=base).expression == "fast"
    assert _decided("latency@0.1", fast, slow, baseline=base).expression == "fast"
    late = _measured("late", [0.98] * runs, [NAN] * 5 + [28.0] * (runs - 5))
    assert _decided("saturation", late, slow, baseline=base).expression == "slow"
    assert _decided("latency@0.1", late, slow, baseline=base).expression == "slow"


def test_sustaining_the_load_of_a_latency_in_more_runs_comes_first() -> None:
    baseline = _measured("all", [0.2] * 8, [NAN] * 7 + [50])
    slow = _measured("slow", [0.2] * 8, [90.0] * 7 + [50.0])
    assert _decided("latency@0.2", slow, baseline=baseline).expression == "slow"
    nowhere, neither = (_measured(name, [0.2] * 8, [NAN] * 8) for name in ("all", "neither"))
    assert _decided("latency@0.2", slow, baseline=nowhere).expression == "slow"
    assert not _decided("latency@0.2", neither, baseline=nowhere).replaces_all


# A single run has no interval: its verdict is none, and a choice takes changes of more than 1%.
@pytest.mark.parametrize(
    ("saturation", "latency", "chosen"),
    [(0.203, 50.0, "a"), (0.201, 50.0, "all"), (0.194, 40.0, "all"), (0.2, 49.4, "a"),
     (0.2, 49.6, "all")],
)  # fmt: skip
def test_a_single_run_has_no_verdict(saturation: float, latency: float, chosen: str) -> None:
    baseline, one = _measured("all", [0.2], [50.0]), _measured("a", [saturation], [latency])
    assert _verdict(one, baseline) is Verdict.UNKNOWN
    assert _decided("saturation", one, baseline=baseline).expression == chosen


figures = st.lists(st.tuples(st.floats(0.05, 1.0), st.floats(20.0, 300.0)), min_size=2, max_size=6)


@given(figures, figures)
def test_what_is_chosen_is_better_by_what_is_printed(
    first: list[tuple[float, float]], second: list[tuple[float, float]]
) -> None:
    runs = min(len(first), len(second))
    base = _measured("all", [0.4] * runs, [60.0] * runs)
    candidates = [
        _measured(name, *(list(values) for values in zip(*rows[:runs], strict=True)))
        for name, rows in (("a", first), ("b", second))
    ]
    decision = _decided("saturation", *candidates, baseline=base)
    verdicts = {one.expression: one.verdict for one in _judged(base, *candidates)}
    if decision.replaces_all:
        assert verdicts[decision.expression].is_gain
    else:
        assert Verdict.HIGHER not in verdicts.values()
