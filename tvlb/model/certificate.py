"""Check of a solution that trusts no solver: everything is recomputed from the instance.

The rates give a lower bound on the optimum after repair and scaling, the link prices an upper
bound by weak duality, and the two must meet.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import SolverFailed
from tvlb.model.instance import Instance, PathClasses, RateOrder, summed
from tvlb.model.outcome import Outcome, Solution

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Certificate:
    """Bounds on the optimum that follow from a solution, whoever found it.

    Attributes
    ----------
    theta_low : throughput of a feasible routing made from the solution's rates.
    theta_up : upper bound from the solution's link prices.
    primal_residual : largest violation of a demand, capacity, monotonicity or sign condition by
        the solution as returned, flits/cycle; inf if a value is not finite.
    """

    theta_low: float
    theta_up: float
    primal_residual: float

    @property
    def relative_gap(self) -> float:
        """(theta_up - theta_low) / theta_up."""
        return (self.theta_up - self.theta_low) / self.theta_up


def certify(instance: Instance, solution: Solution) -> Certificate:
    """Recompute residual and bounds of a solution.

    Notes
    -----
    Monotonicity is measured as min(n, n') * (r' - r): rates per unit of weight are compared, and
    the smaller class turns the difference into flits/cycle.
    """
    values = (solution.minimal, solution.detour, solution.price, np.array([solution.theta]))
    if not all(np.isfinite(value).all() for value in values):
        return Certificate(0.0, instance.theta_cap, float("inf"))
    return Certificate(
        theta_low=_lower_bound(instance, solution),
        theta_up=_upper_bound(instance, np.maximum(solution.price, 0.0)),
        primal_residual=_residual(instance, solution),
    )


def require_proof(
    solution: Solution, certificate: Certificate, bound: float, gap: float = TOLERANCE
) -> None:
    """Accept a solution that is proven optimal.

    Parameters
    ----------
    bound : upper bound on theta that holds for every path set, packets/cycle/node.
    gap : largest relative gap between the certified bounds.

    Raises
    ------
    SolverFailed : the solver did not finish, or the certificate does not support its answer.
    """
    reasons = (
        (solution.outcome is not Outcome.OPTIMAL, f"the solver ended with {solution.reported!r}"),
        (
            not certificate.primal_residual <= TOLERANCE,
            f"constraints are violated by {certificate.primal_residual:.3g} flits/cycle",
        ),
        (
            not abs(certificate.relative_gap) <= gap,
            f"optimality is not proven: {certificate.theta_low:.9f} <= theta <= "
            f"{certificate.theta_up:.9f} (were link prices returned?)",
        ),
        (
            not max(certificate.theta_low, solution.theta) <= bound + TOLERANCE,
            f"theta {solution.theta:.9f} is above the capacity bound {bound:.9f}",
        ),
    )
    for failed, reason in reasons:
        if failed:
            raise SolverFailed(f"throughput model: {reason}")


def _shipped(
    instance: Instance, minimal: NDArray[np.float64], detour: NDArray[np.float64]
) -> NDArray[np.float64]:
    flows = len(instance.demand.rate)
    on_minimal = summed(instance.minimal.flow, minimal, flows)
    return on_minimal + summed(instance.detour.flow, detour, flows)


def _residual(instance: Instance, solution: Solution) -> float:
    shipped = _shipped(instance, solution.minimal, solution.detour)
    missing = instance.demand.rate * solution.theta - shipped
    excess = instance.loads(solution.minimal, solution.detour) - 1.0
    violations = (
        missing,
        excess,
        _rise(instance, solution.detour),
        -solution.minimal,
        -solution.detour,
        np.array([-solution.theta, solution.theta - instance.theta_cap]),
    )
    return max(float(values.max(initial=0.0)) for values in violations)


def _rise(instance: Instance, shipped: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each VLB class exceeds the next shorter one, where that is forbidden."""
    if instance.order is RateOrder.FREE:
        return np.zeros(0)
    classes = instance.detour
    longer = np.flatnonzero(classes.has_shorter)
    rate = shipped / classes.weight
    smaller = np.minimum(classes.weight[longer], classes.weight[longer - 1])
    return smaller * (rate[longer] - rate[longer - 1])


def _lower_bound(instance: Instance, solution: Solution) -> float:
    """Throughput after dropping negative and rising rates and scaling to the link capacity."""
    minimal = np.maximum(solution.minimal, 0.0)
    detour = _without_rises(instance, np.maximum(solution.detour, 0.0))
    shipped = _shipped(instance, minimal, detour)
    largest_load = float(instance.loads(minimal, detour).max(initial=0.0))
    scale = max(1.0, largest_load)
    worst = float((shipped / instance.demand.rate).min(initial=np.inf))
    return min(instance.theta_cap, worst / scale)


def _without_rises(instance: Instance, shipped: NDArray[np.float64]) -> NDArray[np.float64]:
    classes = instance.detour
    if instance.order is RateOrder.FREE:
        return shipped
    rate = _by_length(instance, classes, shipped / classes.weight, np.inf)
    falling = np.minimum.accumulate(rate, axis=1)
    return falling[classes.flow, classes.hops] * classes.weight


def _upper_bound(instance: Instance, price: NDArray[np.float64]) -> float:
    """Weak duality: the capacity is worth sum(price), and theta = 1 costs at least this much."""
    cheapest = np.minimum(_cheapest_minimal(instance, price), _cheapest_detour(instance, price))
    cost = float(instance.demand.rate @ cheapest)
    worth = float(price.sum())
    if cost * instance.theta_cap <= worth:
        return instance.theta_cap
    return worth / cost


def _cheapest_minimal(instance: Instance, price: NDArray[np.float64]) -> NDArray[np.float64]:
    costs = _by_length(instance, instance.minimal, instance.minimal.costs(price), np.inf)
    return costs.min(axis=1)


def _cheapest_detour(instance: Instance, price: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cheapest vertex per flow: a class, or uniform over all classes up to some length."""
    classes = instance.detour
    costs = classes.costs(price)
    if instance.order is RateOrder.FREE:
        return _by_length(instance, classes, costs, np.inf).min(axis=1)
    weight = _by_length(instance, classes, classes.weight, 0.0).cumsum(axis=1)
    paid = _by_length(instance, classes, costs * classes.weight, 0.0).cumsum(axis=1)
    mean = np.full_like(paid, np.inf)
    np.divide(paid, weight, out=mean, where=weight > 0)
    return mean.min(axis=1)


def _by_length(
    instance: Instance, classes: PathClasses, values: NDArray[np.float64], absent: float
) -> NDArray[np.float64]:
    """Spread class values to float64 (flows, hop counts)."""
    longest = int(classes.hops.max(initial=0))
    return classes.by_length(values, len(instance.demand.rate), longest, absent)
