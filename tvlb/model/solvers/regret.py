"""Regret matching plus: certified bounds to a chosen gap, without an LP solver.

In vertex form the model is a matrix game. Every flow mixes over its vertices, an opponent spreads
a price over the links, and 1 / theta is the value of the game.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tvlb.documents import decimal_number
from tvlb.errors import InvalidInput
from tvlb.model.certificate import TOLERANCE
from tvlb.model.instance import Instance, RateOrder
from tvlb.model.outcome import Outcome, Solution
from tvlb.model.solvers import LpSolver, SolverKind
from tvlb.model.solvers.highs import HighsSolver
from tvlb.native import kernels

_SMALLEST_GAP = 1e-5
_SCOUTING_ITERATIONS = 150
# The compiled solver works in single precision and may be off by this much.
_ROUNDING = TOLERANCE


@dataclass(frozen=True)
class RegretSolver(LpSolver):
    """Regret matching plus to a relative gap, then HiGHS where that was not reached.

    Attributes
    ----------
    gap : largest (theta_up - theta_low) / theta_up, 1e-5 <= gap < 1.
    max_iterations : after these HiGHS takes over. The clock plays no part, so results do not
        depend on the machine's speed.

    Raises
    ------
    InvalidInput : an attribute is out of range.

    References
    ----------
    Tammelin, Burch, Johanson, Bowling: Solving Heads-up Limit Texas Hold'em, IJCAI'15;
    Brown, Sandholm: Solving Imperfect-Information Games via Discounted Regret Minimization,
    AAAI'19.
    """

    separates = True

    gap: float = 1e-3
    max_iterations: int = 10_000

    def __post_init__(self) -> None:
        if not (math.isfinite(self.gap) and _SMALLEST_GAP <= self.gap < 1.0):
            raise InvalidInput(f"gap {self.gap} is out of range: {_SMALLEST_GAP} <= gap < 1")
        if self.max_iterations < 0:
            raise InvalidInput(f"max_iterations {self.max_iterations} is out of range: at least 0")

    def __str__(self) -> str:
        return f"rm+:{self.gap}"

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Yield the answer of regret matching, then those of HiGHS; see `LpSolver.attempts`.

        Notes
        -----
        Where links are left out, a short attempt comes first: it already shows which are crowded.
        """
        begun = instance.begun
        if instance.unlisted is not None:
            scouted = self._solve(instance, begun, _SCOUTING_ITERATIONS)
            yield scouted
            begun = scouted.state
        yield self._solve(instance, begun, self.max_iterations)
        yield from HighsSolver().attempts(instance)

    def _solve(
        self, instance: Instance, begun: kernels.RegretState | None, max_iterations: int
    ) -> Solution:
        target = self.gap - _ROUNDING
        minimal, detour, price, theta_low, theta_up, state = kernels.solve_by_regret(
            instance.demand.rate,
            instance.minimal.native,
            instance.detour.native,
            instance.order is RateOrder.SHORTER_FIRST,
            instance.start_price,
            instance.theta_cap,
            target,
            min(max_iterations, self.max_iterations),
            begun,
        )
        reached = theta_up - theta_low <= target * theta_up
        return Solution(
            outcome=Outcome.OPTIMAL if reached else Outcome.LIMIT,
            reported=f"regret matching: {state.iterations} iterations",
            theta=theta_low,
            minimal=minimal,
            detour=detour,
            price=price,
            rows=len(instance.demand.rate) + instance.num_links,
            columns=1 + len(instance.minimal) + len(instance.detour),
            nonzeros=len(instance.minimal.link) + len(instance.detour.link),
            state=state,
        )


def _create(text: str) -> RegretSolver:
    try:
        gap = decimal_number(text)
    except ValueError:
        raise InvalidInput(f"solver rm+:{text}: the gap is not a number") from None
    return RegretSolver(gap)


SOLVER = SolverKind(
    name="rm+",
    argument="GAP",
    purpose="for certified bounds with a relative gap of 1e-5 or more",
    create=_create,
    installed=lambda: ("rm+:0.001",),
    served=r"rm\+:(0\.[0-9]{1,6}|[1-9]e-[1-5])",
)
