"""Regret matching: its bounds contain the optimum of HiGHS, and its limits hold."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.model import (
    Instance,
    Outcome,
    PatternModel,
    RateOrder,
    RegretSolver,
    build_instance,
    certify,
    parse_solver,
    throughput,
)
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Shift, parse_pattern, switch_demand

# Links per group pair: 4, 2, 1, 2 (not all ports used), 3 with palmtree wiring, 1, 4.
TOPOLOGIES = (
    Dragonfly(2, 4, 2, 3),
    Dragonfly(2, 4, 2, 5),
    Dragonfly(2, 4, 2, 9),
    Dragonfly(2, 4, 2, 4),
    Dragonfly(3, 6, 3, 7, "palmtree"),
    Dragonfly(1, 2, 1, 3),
    Dragonfly(4, 8, 4, 9),
)
SETS = (
    "none",
    "<=2",
    "<=3",
    "<=3+40%",
    "<=4",
    "<=4+(2,3)",
    "<=4+70%",
    "<=5+20%",
    "all",
    "short(2,3)",
    "short(<=4)",
    "short(all)",
)
GAPS = (1e-2, 1e-3, 1e-4)
SMALL = Dragonfly(2, 4, 2, 5)
# HiGHS is exact to this much.
EXACT = 1e-6


def _pattern(random: Random, topology: Dragonfly) -> str:
    shift = f"shift({random.randrange(1, topology.groups)},{random.randrange(2)})"
    dense = ("permutation", "uniform", f"mixed(25,75,{shift})")
    sparse = (shift, shift, f"type2(seed={random.randrange(9)})", "shift(0,1)")
    return random.choice(sparse + (dense if topology.num_switches <= 16 else ()))


def _instance(expression: str = "<=3", order: RateOrder = RateOrder.SHORTER_FIRST) -> Instance:
    demand = switch_demand(SMALL, Shift(1, 0).resolve(SMALL, 0))
    return build_instance(SMALL, parse_expression(expression, SMALL), demand, order)


@pytest.mark.parametrize("seed", range(70))
def test_the_optimum_lies_within_the_bounds_and_the_gap_is_kept(seed: int) -> None:
    random = Random(seed)
    topology, expression = random.choice(TOPOLOGIES), random.choice(SETS)
    pattern = parse_pattern(_pattern(random, topology))
    path_set = parse_expression(expression, topology, seed)
    monotone, gap = seed % 4 != 3, random.choice(GAPS)
    exact, bounded = (
        throughput(topology, path_set, pattern, monotone=monotone, solver=solver, seed=seed)
        for solver in ("highs", f"rm+:{gap}")
    )
    assert bounded.theta == bounded.theta_low
    assert bounded.theta_low - EXACT <= exact.theta <= bounded.theta_up + EXACT
    assert bounded.relative_gap <= gap
    assert bounded.theta_up <= bounded.bound + EXACT


@pytest.mark.parametrize("seed", range(70))
def test_regret_matching_reaches_the_gap_without_help(seed: int) -> None:
    random = Random(seed)
    topology, expression = random.choice(TOPOLOGIES), random.choice(SETS)
    model = PatternModel(topology, parse_pattern(_pattern(random, topology)), seed=seed)
    instance = model.instance(parse_expression(expression, topology, seed))
    solution = next(RegretSolver(1e-3).attempts(instance))
    certificate = certify(instance, solution)
    assert solution.outcome is Outcome.OPTIMAL
    assert certificate.relative_gap <= 1e-3
    assert certificate.primal_residual <= EXACT
    assert certificate.theta_low == pytest.approx(solution.theta, rel=EXACT)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_weights_and_demands(data: st.DataObject) -> None:
    instance = _instance("<=4", data.draw(st.sampled_from(RateOrder)))
    positive = st.floats(1e-3, 1.0)

    def drawn(size: int) -> np.ndarray:
        return np.array(data.draw(st.lists(positive, min_size=size, max_size=size)))

    rate = drawn(len(instance.demand.rate))
    changed = replace(
        instance,
        demand=replace(instance.demand, rate=rate),
        detour=replace(instance.detour, weight=drawn(len(instance.detour))),
    )
    found = certify(changed, next(RegretSolver(1e-2).attempts(changed)))
    exact = certify(changed, next(parse_solver("highs").attempts(changed)))
    assert found.theta_low - EXACT <= exact.theta_up
    assert exact.theta_low <= found.theta_up + EXACT
    assert found.relative_gap <= 1e-2


def test_equal_input_gives_equal_bits() -> None:
    first, second = (next(RegretSolver(1e-4).attempts(_instance())) for _ in range(2))
    assert first.reported == second.reported
    for name in ("minimal", "detour", "price"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


def test_highs_takes_over_at_the_iteration_limit() -> None:
    solver = RegretSolver(1e-4, max_iterations=10)
    stopped, exact = list(solver.attempts(_instance()))[:2]
    assert stopped.outcome is Outcome.LIMIT
    assert stopped.reported == "regret matching: 10 iterations"
    assert exact.reported == "primal simplex: kOptimal"
    path_set = parse_expression("<=3", SMALL)
    result = throughput(SMALL, path_set, Shift(1, 0), solver=solver)
    assert result.relative_gap <= EXACT
    assert result.theta == pytest.approx(throughput(SMALL, path_set, Shift(1, 0)).theta, abs=EXACT)


def test_bounds_of_an_unfinished_run_hold() -> None:
    exact = throughput(SMALL, parse_expression("<=3", SMALL), Shift(1, 0)).theta
    instance = _instance()
    for limit in (0, 25, 50, 100):
        solution = next(RegretSolver(1e-5, limit).attempts(instance))
        certificate = certify(instance, solution)
        assert certificate.theta_low - EXACT <= exact <= certificate.theta_up + EXACT


def test_one_share_for_all_flows_may_be_optimal_at_once() -> None:
    # With one link per group pair "MIN share, rest uniform over all VLB paths" meets the bound
    # (a*h + 1) / (2*p*a) = 9/16.
    topology = Dragonfly(2, 4, 2, 9)
    model = PatternModel(topology, Shift(1, 0))
    solution = next(RegretSolver(1e-5).attempts(model.instance(parse_expression("all", topology))))
    assert solution.reported == "regret matching: 0 iterations"
    assert solution.theta == pytest.approx(9 / 16, abs=EXACT)


@pytest.mark.parametrize("gap", [0.0, 9e-6, 1.0, -1.0, float("nan"), float("inf")])
def test_bad_gaps(gap: float) -> None:
    with pytest.raises(InvalidInput, match="gap"):
        RegretSolver(gap)
    with pytest.raises(InvalidInput, match="gap"):
        parse_solver(f"rm+:{gap}")


def test_a_gap_must_be_a_number_and_the_limit_not_negative() -> None:
    for text in ("rm+:", "rm+:small"):
        with pytest.raises(InvalidInput, match="gap"):
            parse_solver(text)
    with pytest.raises(InvalidInput, match="max_iterations"):
        RegretSolver(max_iterations=-1)
