"""Objectives and budgets: texts, and scores with their derivation."""

import math
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.search import (
    BUDGETS,
    Aim,
    Objective,
    Searched,
    budget_text,
    flit_hop_budget,
    parse_objective,
)
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 5)
SATURATION = Objective(Aim.SATURATION)
OBJECTIVES = [parse_objective(text) for text in ("saturation", "latency@0.1", "worst-pattern")]
AIMS = st.sampled_from(OBJECTIVES)

logs = st.floats(-1.0, 1.0)
figures = st.lists(st.tuples(st.floats(0.1, 1.0), logs, logs), min_size=1, max_size=6)


def score(objective: Objective, rows: list[tuple[float, float, float]], weight: float) -> float:
    share, throughput, latency = np.array(rows, dtype=np.float64).T
    return objective.score(share / share.sum(), throughput, latency, weight)


@pytest.mark.parametrize(
    ("text", "aim", "load"),
    [
        ("saturation", Aim.SATURATION, None),
        (" front ", Aim.FRONT, None),
        ("worst-pattern", Aim.WORST_PATTERN, None),
        ("guaranteed", Aim.GUARANTEED, None),
        ("latency@0.2", Aim.LATENCY, 0.2),
        ("latency@1", Aim.LATENCY, 1.0),
        ("latency@0.001", Aim.LATENCY, 0.001),
        ("latency@.5", Aim.LATENCY, 0.5),
    ],
)
def test_objectives_are_parsed(text: str, aim: Aim, load: float | None) -> None:
    assert parse_objective(text) == Objective(aim, load)


@pytest.mark.parametrize(
    "text",
    [
        *("", "latency", "latency@", "latency@.", "latency@0.1.2", "latency@1e-1", "latency@nan"),
        *("latency@0", "latency@1.1", "latency@-0.1", "Saturation", "front,saturation"),
        "latency@\N{ARABIC-INDIC DIGIT ONE}",
    ],
)
def test_what_is_no_objective_is_refused_with_what_is_expected(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected saturation, latency@LOAD, worst-pattern, gu"):
        parse_objective(text)


@given(st.integers(10**6, 10**9))
def test_objectives_print_as_they_are_parsed(load: int) -> None:
    # Up to nine decimals, more than a short format would show.
    objective = Objective(Aim.LATENCY, load / 10**9)
    assert parse_objective(str(objective)) == objective


def test_a_score_by_hand() -> None:
    # ln 1.1 more throughput and ln 1.03 more latency count 0.75 and 0.25; the loss of ln 1.03 =
    # 0.0296 in latency is 0.0096 more than is tolerated.
    rows = [(1.0, math.log(1.1), math.log(1.03)), (3.0, math.log(1.2), 0.0)]
    gains = [0.75 * math.log(1.1) - 0.25 * math.log(1.03), 0.75 * math.log(1.2)]
    loss = math.log(1.03) - 0.02
    mean = 0.25 * gains[0] + 0.75 * gains[1]
    assert score(SATURATION, rows, 0.25) == pytest.approx(mean - loss)
    worst = Objective(Aim.WORST_PATTERN)
    assert score(worst, rows, 0.25) == pytest.approx(gains[0] + 0.1 * mean - loss)


def test_a_loss_counts_whatever_the_share_of_its_pattern() -> None:
    gain = math.log(1.05)
    assert score(SATURATION, [(1000.0, gain, 0.0), (1.0, -0.2, 0.0)], 0.25) < 0
    assert score(SATURATION, [(1000.0, gain, 0.0), (1.0, -0.01, 0.0)], 0.25) > 0


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_what_has_no_figure_on_some_pattern_is_worse_than_anything(
    objective: Objective, bad: float
) -> None:
    assert score(objective, [(1.0, bad, 0.0), (1.0, 0.5, 0.0)], 0.25) == -math.inf
    assert score(objective, [(1.0, 0.5, 0.0), (1.0, 0.5, bad)], 0.25) == -math.inf


@given(AIMS, st.floats(0.0, 1.0), st.integers(1, 6))
def test_the_reference_has_score_0(objective: Objective, weight: float, patterns: int) -> None:
    assert score(objective, [(1.0, 0.0, 0.0)] * patterns, weight) == 0.0


@given(AIMS, figures, st.floats(0.0, 1.0), st.integers(0, 5), st.floats(0.0, 0.5))
def test_more_throughput_and_less_latency_are_never_worse(
    objective: Objective,
    rows: list[tuple[float, float, float]],
    weight: float,
    place: int,
    more: float,
) -> None:
    before = score(objective, rows, weight)
    share, throughput, latency = rows[place % len(rows)]
    for better in ((share, throughput + more, latency), (share, throughput, latency - more)):
        changed = [*rows]
        changed[place % len(rows)] = better
        assert score(objective, changed, weight) >= before - 1e-12


@given(AIMS, figures, st.floats(0.0, 1.0), st.randoms(use_true_random=False))
def test_the_order_of_the_patterns_does_not_matter(
    objective: Objective, rows: list[tuple[float, float, float]], weight: float, random: Random
) -> None:
    shuffled = [*rows]
    random.shuffle(shuffled)
    assert score(objective, shuffled, weight) == pytest.approx(score(objective, rows, weight))


def test_latency_weighs_most_where_it_is_asked_for() -> None:
    weights = {
        text: parse_objective(text).latency_weights
        for text in ("saturation", "worst-pattern", "latency@0.1", "front")
    }
    assert weights["saturation"] == weights["worst-pattern"] == (0.25,)
    assert weights["latency@0.1"] == (0.9,)
    assert weights["front"] == (0.1, 0.4, 0.8)


# 40 compute nodes.
@pytest.mark.parametrize(
    ("text", "flit_hops"),
    [
        ("small", 12_000_000),
        ("default", 40_000_000),
        ("large", 400_000_000),
        ("0", 0),
        (" 1_000_000 ", 1_000_000),
        ("1e15", 10**15),
        ("2.5e+3", 2500),
    ],
)
def test_budgets_are_flit_hops_by_name_or_number(text: str, flit_hops: int) -> None:
    assert flit_hop_budget(text, TOPOLOGY, Searched.PATHS) == flit_hops


@pytest.mark.parametrize(
    "text",
    [
        *("", "huge", "-1", "1.5", "nan", "inf", "1e16", "1e99", "0x10", "sm_all", "_1", "1 000"),
        "\N{FULLWIDTH DIGIT ONE}",
    ],
)
def test_what_is_no_budget_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected small, default, large or a number"):
        flit_hop_budget(text, TOPOLOGY, Searched.PATHS)


@given(st.integers(0, 10**15))
def test_budgets_print_as_they_are_parsed(flit_hops: int) -> None:
    for searched in Searched:
        written = budget_text(str(flit_hops), TOPOLOGY, searched)
        assert flit_hop_budget(written, TOPOLOGY, searched) == flit_hops


@pytest.mark.parametrize(("name", "searched"), [*product(BUDGETS, Searched)])
def test_budgets_that_have_a_name_print_by_it(name: str, searched: Searched) -> None:
    flit_hops = flit_hop_budget(name, TOPOLOGY, searched)
    assert flit_hops == BUDGETS[name] * TOPOLOGY.num_nodes * (0.75 if searched == "both" else 1)
    assert budget_text(str(flit_hops), TOPOLOGY, searched) == name
