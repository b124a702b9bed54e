"""The linear program solved to a stated gap by regret matching plus, without an LP solver.

Reference: Tammelin, 2014, arXiv:1407.5042; the vertices are those of `tvlb.model.vertices`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tvlb import _native
from tvlb.errors import InvalidInput
from tvlb.model.highs import HighsSolver
from tvlb.model.instance import Instance, PathClasses, RateOrder
from tvlb.model.outcome import Outcome, Solution

__all__ = ["RegretSolver"]


@dataclass(frozen=True)
class RegretSolver:
    """Regret matching plus until the bounds are within `gap`; HiGHS where that takes too long.

    Attributes
    ----------
    gap : relative distance of the bounds, 1e-6 < gap < 1.
    max_iterations : passes over all flows before HiGHS takes over.

    Raises
    ------
    InvalidInput : a value is out of range.

    Notes
    -----
    Each flow mixes over its vertices and the links' prices answer; theta is the reciprocal of the
    game's value. The number of passes depends on the instance alone, so results do not depend on
    the machine's load.
    """

    gap: float = 1e-3
    max_iterations: int = 4000

    def __post_init__(self) -> None:
        if not 1e-6 < self.gap < 1.0:
            raise InvalidInput(f"gap {self.gap} is out of range: 1e-6 < gap < 1")
        if self.max_iterations < 0:
            raise InvalidInput(f"max_iterations {self.max_iterations} is out of range: at least 0")

    def __str__(self) -> str:
        return f"regret matching to {self.gap:g}"

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Yield the game's solution, then those of HiGHS, lazily."""
        yield _play(instance, self.gap, self.max_iterations)
        yield from HighsSolver().attempts(instance)


def _play(instance: Instance, gap: float, max_iterations: int) -> Solution:
    rate = instance.demand.rate
    minimal, detour, price, theta, up, iterations = _native.solve_game(
        rate,
        _classes(instance.minimal),
        _classes(instance.detour),
        instance.price_guess,
        cumulate=instance.order is RateOrder.SHORTER_FIRST,
        gap=gap,
        theta_cap=instance.theta_cap,
        max_iterations=max_iterations,
    )
    closed = up - theta <= gap * up
    return Solution(
        outcome=Outcome.OPTIMAL if closed else Outcome.LIMIT,
        reported=f"regret matching, {iterations} iterations",
        theta=theta,
        minimal=minimal * theta * rate[instance.minimal.flow],
        detour=detour * theta * rate[instance.detour.flow],
        price=price,
        rows=len(rate) + instance.num_links,
        columns=1 + len(instance.minimal) + len(instance.detour),
        nonzeros=len(instance.minimal.link) + len(instance.detour.link),
    )


def _classes(classes: PathClasses) -> _native.Classes:
    return _native.Classes(
        np.ascontiguousarray(classes.flow),
        np.ascontiguousarray(classes.weight),
        np.ascontiguousarray(classes.offset),
        np.ascontiguousarray(classes.link),
        np.ascontiguousarray(classes.share),
    )
