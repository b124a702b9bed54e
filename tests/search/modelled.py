"""Simulations by a formula, for tests of what is made of them."""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from threading import Event
from typing import Any, TypeVar, cast

import numpy as np

from tests.search.here import Inline
from tvlb.balance import ReweightedSet
from tvlb.paths import PathSet, ShapeSet
from tvlb.processes import Unit, UnitCache, Units
from tvlb.search import Work
from tvlb.search.shape_space import ShapeSpace
from tvlb.search.simulation_units import RunFigures, RunUnit, Saturation, SaturationUnit
from tvlb.topology import Dragonfly

_Answer = TypeVar("_Answer")

FLIT_HOPS = 1000
"""Of every run."""

RunModel = Callable[[RunUnit], RunFigures]


def run_with(
    latency: float,
    throughput: float,
    *,
    saturated: bool = False,
    work: Work | None = None,
) -> RunFigures:
    """Return a run of a throughput of which the worst served tell the same; see `Figures.gains`."""
    return RunFigures(
        latency=latency,
        accepted=throughput,
        least_served=throughput**2,
        saturated=saturated,
        work=work or Work(flit_hops=FLIT_HOPS),
    )


class Modelled(Units):
    """Answers simulations by formulas, and computes all other units in this process.

    Attributes
    ----------
    simulated : the simulations so far.
    """

    def __init__(self, run: RunModel, saturation: Callable[[SaturationUnit], float]) -> None:
        super().__init__(UnitCache(Inline()), Event())
        self._run = run
        self._saturation = saturation
        self.simulated: list[RunUnit | SaturationUnit] = []

    def map(
        self,
        units: Sequence[Unit[_Answer]],
        on_done: Callable[[], None] = lambda: None,
        on_parts: Callable[[int, int, Sequence[str]], None] | None = None,
    ) -> list[_Answer]:
        """See `Units.map`; no part is told."""
        answers: list[Any] = []
        for unit in cast("Sequence[Unit[Any]]", units):
            match unit:
                case RunUnit():
                    self.simulated.append(unit)
                    answers.append(self._run(unit))
                case SaturationUnit():
                    self.simulated.append(unit)
                    work = Work(flit_hops=FLIT_HOPS)
                    answers.append(Saturation(self._saturation(unit), work))
                case _:
                    answers += super().map([unit])
            on_done()
        return answers


def lucky(*parts: object) -> float:
    """Return a number in -1..1 that depends on nothing but the parts."""
    digest = hashlib.sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**31 - 1.0


@cache
def _space(topology: Dragonfly) -> ShapeSpace:
    return ShapeSpace(topology)


@dataclass
class Landscape:
    """Sets by shape are the better the nearer their shares are to a goal; others are mediocre.

    Attributes
    ----------
    goal : log2 of the shares of the first shapes, the others are to carry nothing.
    latency_goal : where latency is least; None if at the goal.
    noise : how much a run differs from what the set is worth, by pattern, seed and windows.
    bonus : what sets that are balanced by weights are worth more.
    units : simulate on it.
    """

    goal: tuple[float, ...] = (0.0, -1.0, -2.0, -8.0, -3.0)
    latency_goal: tuple[float, ...] | None = None
    noise: float = 0.0
    bonus: float = 0.0
    units: Modelled = field(init=False)

    def __post_init__(self) -> None:
        self.units = Modelled(self.run, self.saturation)

    def worth(self, path_set: PathSet, goal: tuple[float, ...] | None = None) -> float:
        """Return 0 at a goal, by default that of the landscape, and less everywhere else."""
        wanted_point = np.full(16, -8.0)
        wanted_point[: len(goal or self.goal)] = goal or self.goal
        if isinstance(path_set, ReweightedSet):
            return self.bonus + self.worth(path_set.base, goal)
        if not isinstance(path_set, ShapeSet):
            return -1.0
        point = _space(path_set.topology).point(path_set.weights)
        share, wanted = (np.exp2(np.maximum(one, -8.0)) for one in (point, wanted_point))
        return -float(np.abs(share / share.sum() - wanted / wanted.sum()).sum())

    def run(self, unit: RunUnit) -> RunFigures:
        """Saturate at 0.3 at the goal, with a latency of 50 cycles."""
        recipe, named_set = unit.recipe, unit.recipe.named_set
        worth = self.worth(named_set.path_set)
        windows = (unit.config.warmup_cycles, unit.config.measured_cycles)
        luck = self.noise * lucky(
            named_set.name, str(recipe.pattern), recipe.seed, windows, unit.load
        )
        saturation = 0.3 * math.exp(worth + luck)
        return run_with(
            latency=50.0 * math.exp(luck - self.worth(named_set.path_set, self.latency_goal) / 2),
            throughput=min(unit.load, saturation),
            saturated=unit.load > saturation,
            work=Work(flit_hops=FLIT_HOPS, cycles=sum(windows)),
        )

    def saturation(self, unit: SaturationUnit) -> float:
        """Return the same on the grid."""
        exact = 0.3 * math.exp(self.worth(unit.recipe.named_set.path_set))
        return math.floor(exact / unit.grid) * unit.grid
