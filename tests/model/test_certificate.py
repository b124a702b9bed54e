"""The check outside the solver: what it accepts, what it rejects, and the fallbacks."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tvlb.errors import SolverFailed
from tvlb.model import (
    Instance,
    Outcome,
    PathClasses,
    RateOrder,
    Solution,
    build_instance,
    certify,
    parse_solver,
    require_proof,
    throughput,
)
from tvlb.model.solvers.highs import DEFAULT_METHODS, HighsMethod, HighsSolver
from tvlb.model.vertices import to_class_flow, to_vertex_flow, to_vertices
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Demand, Shift, switch_demand

SOLVERS = ("highs", "pulp:HiGHS", "pulp:PULP_CBC_CMD")
TOPOLOGY = Dragonfly(2, 4, 2, 5)
LIMITED = HighsMethod(
    "one iteration",
    (("solver", "simplex"), ("presolve", "off"), ("simplex_iteration_limit", 1)),
)


def _instance(order: RateOrder = RateOrder.SHORTER_FIRST) -> Instance:
    demand = switch_demand(TOPOLOGY, Shift(1, 0).resolve(TOPOLOGY, 0))
    return build_instance(TOPOLOGY, parse_expression("<=3", TOPOLOGY), demand, order)


def _solved(instance: Instance, solver: str = "highs") -> Solution:
    return next(parse_solver(solver).attempts(instance))


def _hand_made(order: RateOrder) -> Instance:
    """Four links; flow 0 wants 4 flits/cycle and flow 1 wants 1.

    Both have MIN on link 0. Flow 0 has one 2-hop path, on link 0 as well, and three 3-hop paths,
    on the links 1, 2 and 3.
    """
    flows = np.array([0, 1], dtype=np.int32)
    return Instance(
        demand=Demand(flows, flows + 2, np.array([4.0, 1.0]), 1.0, 1.0),
        minimal=PathClasses(
            flow=np.array([0, 1]),
            hops=np.array([1, 1]),
            weight=np.ones(2),
            offset=np.array([0, 1, 2]),
            link=np.zeros(2, dtype=np.int32),
            share=np.ones(2),
        ),
        detour=PathClasses(
            flow=np.array([0, 0]),
            hops=np.array([2, 3]),
            weight=np.array([0.25, 0.75]),
            offset=np.array([0, 1, 4]),
            link=np.arange(4, dtype=np.int32),
            share=np.array([1.0, 1 / 3, 1 / 3, 1 / 3]),
        ),
        order=order,
        start_price=np.zeros(4),
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        # x3 = 3 fills the links 1..3; link 0 is split into m for flow 0 and theta for flow 1:
        # 4 theta = 3 + m and theta = 1 - m, so theta = 0.8.
        (RateOrder.FREE, 0.8),
        # r(2) >= r(3) makes flow 0 put a on link 0 for every 3a beyond: 4 theta = 4a and
        # theta = 1 - a, so theta = 0.5 (MIN instead is worse: it brings nothing on links 1..3).
        (RateOrder.SHORTER_FIRST, 0.5),
    ],
)
def test_monotonicity_by_hand(solver: str, order: RateOrder, expected: float) -> None:
    instance = _hand_made(order)
    solution = _solved(instance, solver)
    certificate = certify(instance, solution)
    require_proof(solution, certificate, bound=1.0)
    assert certificate.theta_low == pytest.approx(expected, abs=1e-7)
    assert certificate.theta_up == pytest.approx(expected, abs=1e-7)


def test_vertices_of_the_hand_made_instance() -> None:
    # "Up to 3 hops, uniformly" puts a quarter of its flow on every link.
    vertices = to_vertices(_hand_made(RateOrder.SHORTER_FIRST).detour, 4)
    assert vertices.weight.tolist() == [0.25, 1.0]
    assert vertices.link.tolist() == [0, 0, 1, 2, 3]
    assert vertices.share == pytest.approx([1.0, 0.25, 0.25, 0.25, 0.25])


def test_vertex_flows_and_class_flows_are_inverse() -> None:
    instance = _instance()
    vertex_flow = np.random.default_rng(0).random(len(instance.detour))
    class_flow = to_class_flow(instance.detour, vertex_flow)
    assert to_vertex_flow(instance.detour, class_flow) == pytest.approx(vertex_flow)
    vertices = to_vertices(instance.detour, instance.num_links)
    assert vertices.loads(vertex_flow, instance.num_links) == pytest.approx(
        instance.detour.loads(class_flow, instance.num_links)
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("order", RateOrder)
def test_solver_answers_pass(solver: str, order: RateOrder) -> None:
    instance = _instance(order)
    solution = _solved(instance, solver)
    require_proof(solution, certify(instance, solution), bound=1.0)


def _too_high(solution: Solution) -> Solution:
    return replace(solution, theta=solution.theta + 1e-3)


def _overloaded(solution: Solution) -> Solution:
    return replace(
        solution, theta=1.01 * solution.theta, minimal=1.01 * solution.minimal,
        detour=1.01 * solution.detour,
    )  # fmt: skip


def _suboptimal(solution: Solution) -> Solution:
    return replace(
        solution, theta=0.99 * solution.theta, minimal=0.99 * solution.minimal,
        detour=0.99 * solution.detour,
    )  # fmt: skip


def _negative(solution: Solution) -> Solution:
    minimal = solution.minimal.copy()
    minimal[0] = -0.1
    return replace(solution, minimal=minimal)


def _longest_only(solution: Solution) -> Solution:
    """Move the flow of the shortest class to the next one, against the order of rates."""
    detour = solution.detour.copy()
    detour[1] += detour[0] + 0.01
    detour[0] = 0.0
    return replace(solution, detour=detour)


def _without_prices(solution: Solution) -> Solution:
    return replace(solution, price=np.zeros_like(solution.price))


def _wrong_prices(solution: Solution) -> Solution:
    return replace(solution, price=np.ones_like(solution.price))


def _not_a_number(solution: Solution) -> Solution:
    return replace(solution, detour=np.full_like(solution.detour, np.nan))


def _stopped_early(solution: Solution) -> Solution:
    return replace(solution, outcome=Outcome.LIMIT)


def _unknown(solution: Solution) -> Solution:
    return replace(solution, outcome=Outcome.UNKNOWN)


@pytest.mark.parametrize(
    ("tamper", "reason"),
    [
        (_too_high, "violated"),
        (_overloaded, "violated"),
        (_suboptimal, "not proven"),
        (_negative, "violated"),
        (_longest_only, "violated"),
        (_without_prices, "not proven"),
        (_wrong_prices, "not proven"),
        (_not_a_number, "violated"),
        (_stopped_early, "the solver ended"),
        (_unknown, "the solver ended"),
    ],
)
def test_tampered_answers_are_rejected(tamper: Callable[[Solution], Solution], reason: str) -> None:
    instance = _instance()
    solution = tamper(_solved(instance))
    with pytest.raises(SolverFailed, match=reason):
        require_proof(solution, certify(instance, solution), bound=1.0)


@pytest.mark.parametrize("tamper", [_too_high, _overloaded, _negative, _longest_only])
def test_lower_bound_never_exceeds_the_optimum(tamper: Callable[[Solution], Solution]) -> None:
    instance = _instance()
    solution = _solved(instance)
    optimum = certify(instance, solution).theta_up
    assert certify(instance, tamper(solution)).theta_low <= optimum + 1e-9


def test_any_prices_give_an_upper_bound() -> None:
    instance = _instance()
    solution = _solved(instance)
    optimum = certify(instance, solution).theta_low
    random = np.random.default_rng(1)
    for _ in range(50):
        price = random.normal(size=instance.num_links)
        assert certify(instance, replace(solution, price=price)).theta_up >= optimum - 1e-9


def test_theta_above_the_bound_is_rejected() -> None:
    instance = _instance()
    solution = _solved(instance)
    with pytest.raises(SolverFailed, match="above the capacity bound"):
        require_proof(solution, certify(instance, solution), bound=0.9 * solution.theta)


def test_unfinished_solve_fails() -> None:
    path_set = parse_expression("<=3", TOPOLOGY)
    with pytest.raises(SolverFailed, match=r"one iteration: kIterationLimit"):
        throughput(TOPOLOGY, path_set, Shift(1, 0), solver=HighsSolver((LIMITED,)))


@pytest.mark.parametrize("method", DEFAULT_METHODS, ids=lambda method: method.name)
def test_every_method_serves_as_fallback(method: HighsMethod) -> None:
    path_set = parse_expression("<=3", TOPOLOGY)
    expected = throughput(TOPOLOGY, path_set, Shift(1, 0)).theta
    result = throughput(TOPOLOGY, path_set, Shift(1, 0), solver=HighsSolver((LIMITED, method)))
    assert result.theta == pytest.approx(expected, abs=1e-6)


def test_rejected_options_fail() -> None:
    solver = HighsSolver((HighsMethod("misspelt", (("solver", "simples"),)),))
    with pytest.raises(SolverFailed, match="rejected option solver=simples"):
        throughput(TOPOLOGY, parse_expression("<=3", TOPOLOGY), Shift(1, 0), solver=solver)
