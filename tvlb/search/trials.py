"""Short simulations that tell path sets apart: equal patterns, loads and seeds for all of them.

Of every pattern two loads are simulated: a low one for the latency, and one beyond saturation for
the throughput, which tells sets apart in one run where a search for the saturation load takes five;
where rules of UGAL are sought, what challenges the best set is judged by such searches. What the
network accepts beyond saturation is not all: a set saturates with the first nodes that starve,
however much the others send, so the nodes that get least into the network have a say.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim_bridge import SimulationConfig
from tvlb.processes.units import Unit, Units
from tvlb.search.objective import REFERENCE_LOAD, Objective
from tvlb.search.simulation_units import (
    NamedSet,
    Recipe,
    RunFigures,
    RunUnit,
    Saturation,
    SaturationUnit,
)
from tvlb.search.windows import Windows
from tvlb.search.work import Work
from tvlb.search.workload import Workload
from tvlb.traffic import Pattern

# What the worst served send changes about twice as much as the saturation load.
_LEAST_COUNTS = 0.5
_LEAST_SERVED = 0.003
_LEAST_LOAD = 0.02
# Of a saturation load: more than this is lost by no chance.
_MOST_STEP = 0.5
_LATE = 0.6
# More than this a rule has to sustain for that to be no chance.
_GAINS = 1.05


@dataclass(frozen=True)
class Look:
    """Where sets are looked at, and how.

    Attributes
    ----------
    late : latencies at so many times the saturation of the reference, of a pattern that saturates
        late: where the detours matter.
    most_low : others at no more than this, packets/cycle/node,
    share_of_least : and at no more than this share of the least saturation.
    reach : throughput at so many times what is sustained.
    greater_counts : how much of the greater gain of `Figures.gains` counts, 0..1; of the lesser the
        rest.
    """

    late: float
    most_low: float
    share_of_least: float
    reach: float
    greater_counts: float


USUAL_LOOK = Look(
    late=0.55, most_low=REFERENCE_LOAD, share_of_least=0.5, reach=1.25, greater_counts=0.0
)
LOOK_WITH_RULES = Look(
    late=0.7, most_low=1.5 * REFERENCE_LOAD, share_of_least=0.75, reach=1.15, greater_counts=0.5
)
"""Latencies between both loads where they are judged, since rules trade one for the other; nearer
to saturation, since far beyond it rules differ much less than in what they sustain."""


@dataclass(frozen=True)
class Loads:
    """What is simulated of one pattern, packets/cycle/node.

    Attributes
    ----------
    low : where latency is measured.
    saturation : of a reference set, roughly.
    beyond : where throughput is measured.
    """

    low: float
    saturation: float
    beyond: float


@dataclass(frozen=True, eq=False)
class Figures:
    """What was measured of one path set, float64 (patterns,) each.

    Attributes
    ----------
    latency : mean latency at the low load, cycles.
    accepted : throughput beyond saturation, or at the saturation load, packets/cycle/node.
    least_served : beyond saturation, see `RunFigures`; nan beside a saturation load.
    """

    latency: NDArray[np.float64]
    accepted: NDArray[np.float64]
    least_served: NDArray[np.float64]

    def joined(self, other: "Figures") -> "Figures":
        """Return the figures of more patterns."""
        return Figures(
            np.concatenate([self.latency, other.latency]),
            np.concatenate([self.accepted, other.accepted]),
            np.concatenate([self.least_served, other.least_served]),
        )

    def gains(
        self, reference: "Figures", look: Look
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Logarithms of throughput and latency over those of a reference, float64 (patterns,).

        Throughput gains in what is accepted, and half of that in what the worst served send: the
        lesser gain counts, and of the greater as much as the look says.
        """
        patterns = len(self.latency)
        with np.errstate(divide="ignore", invalid="ignore"):
            accepted = np.log(self.accepted / reference.accepted[:patterns])
            least = np.log(
                np.maximum(self.least_served, _LEAST_SERVED)
                / np.maximum(reference.least_served[:patterns], _LEAST_SERVED)
            )
            latency = np.log(self.latency / reference.latency[:patterns])
        both = accepted, _LEAST_COUNTS * least
        lesser, greater = np.minimum(*both), np.maximum(*both)
        part = look.greater_counts
        # Of infinite gains no part is one.
        mixed = lesser if part == 0 else (1 - part) * lesser + part * greater
        throughput = np.where(np.isnan(least), accepted, mixed)
        # Over nothing that the reference accepts there is no gain that is known.
        return np.where(np.isposinf(accepted), np.nan, throughput), latency


class Trials:
    """Simulates path sets in one sort of windows, and counts what that takes.

    Parameters
    ----------
    windows : of every run.
    loads : of every pattern of the workload.
    look : how throughput is told from the runs.
    seed : of all simulations, so that sets are compared in pairs.
    grid : of saturation loads, which are searched for in place of a run beyond them; None without.
        Where traffic is looked at where the reference saturates, that run is all there is to tell.
    """

    def __init__(
        self,
        routing: str,
        config: SimulationConfig,
        workload: Workload,
        windows: Windows,
        loads: Sequence[Loads],
        look: Look,
        seed: int,
        units: Units,
        grid: float | None = None,
    ) -> None:
        self._routing = routing
        self._config = replace(windows.on(config), stop_when_saturated=False)
        self.workload = workload
        self.look = look
        self._loads = loads
        self._seed = seed
        self._units = units
        self._grid = grid
        # What all nodes send at load 1, packets/cycle/node, by pattern.
        self._offered: dict[int, float] = {}
        # What was sustained of what is accepted beyond it, by pattern and whether by another rule.
        self._sustained: dict[tuple[int, bool], float] = {}
        self.work = Work()
        self.undecided = 0

    def measure(
        self,
        named_sets: Sequence[NamedSet],
        first: int = 0,
        last: int | None = None,
        *,
        known: Figures | None = None,
    ) -> list[Figures]:
        """Simulate every set on the patterns `first` to `last` of the workload.

        Searches for saturation loads begin at what is accepted by figures of all patterns that are
        `known`, less what the last set lost of that; the first one by the published rule where the
        reference saturates. Others begin at what a likely rule sustains.
        """
        chosen = range(len(self.workload.patterns))[first:last]
        # Of what runs side by side the last is the shorter run.
        units: list[Unit[RunFigures | Saturation]] = [
            unit
            for named_set in named_sets
            for index in chosen
            for unit in (self._beyond(named_set, index, known), self._low(named_set, index))
        ]
        runs = self._units.map(units)
        self.work = sum((run.work for run in runs), self.work)
        self.undecided += sum(run.undecided for run in runs if isinstance(run, Saturation))
        per_set = 2 * len(chosen)
        starts = (per_set * position for position in range(len(named_sets)))
        found = [self._figures(runs[start : start + per_set], chosen) for start in starts]
        for named_set, figures in zip(named_sets, found, strict=True):
            self._note_sustained(named_set, figures, chosen, known)
        return found

    def score(
        self, objective: Objective, latency_weight: float, found: Figures, reference: Figures
    ) -> float:
        """Score figures of the first patterns against those of the reference."""
        patterns = range(len(found.latency))
        share = self.workload.share[: len(patterns)]
        throughput, latency = found.gains(reference, self.look)
        resolution = np.array([self._resolution(index, reference) for index in patterns])
        return objective.score(share / share.sum(), throughput, latency, latency_weight, resolution)

    def _resolution(self, index: int, reference: Figures) -> float:
        """Return the loss of throughput, a logarithm, of one step of the grid; 0 without."""
        if (grid := self._grid_of(index)) is None:
            return 0.0
        step = grid * self._offered[index] / float(reference.accepted[index])
        return -math.log1p(-min(step, _MOST_STEP))

    def _grid_of(self, index: int) -> float | None:
        """Return the grid on which the saturation load of a pattern is searched for, if it is."""
        loads = self._loads[index]
        return self._grid if loads.beyond > loads.saturation else None

    def _low(self, named_set: NamedSet, index: int) -> RunUnit:
        return RunUnit(self._recipe(named_set, index), self._config, self._loads[index].low)

    def _recipe(self, named_set: NamedSet, index: int) -> Recipe:
        return Recipe(named_set, self._routing, self.workload.patterns[index], self._seed)

    def _beyond(
        self, named_set: NamedSet, index: int, known: Figures | None
    ) -> RunUnit | SaturationUnit:
        recipe, loads = self._recipe(named_set, index), self._loads[index]
        if (grid := self._grid_of(index)) is not None:
            if index not in self._offered:
                topology = named_set.path_set.topology
                rate = recipe.pattern.resolve(topology, self._seed).rate
                self._offered[index] = float(rate.mean())
            likely = min(self._likely(named_set, index, known), 1.0)
            return SaturationUnit(recipe, self._config, grid, likely)
        # What is on its way when the window ends tells nothing of what was accepted in it.
        beyond = replace(self._config, drain_limit_cycles=0)
        return RunUnit(recipe, beyond, loads.beyond)

    def _likely(self, named_set: NamedSet, index: int, known: Figures | None) -> float:
        """Return the load at which a set may saturate."""
        if known is None or index >= len(known.accepted):
            return self._loads[index].beyond / self.look.reach
        is_ruled = named_set.ugal is not None
        sustained = self._sustained.get((index, is_ruled))
        if sustained is None and not is_ruled:
            return self._loads[index].saturation
        return float(known.accepted[index]) / self._offered[index] * (sustained or 1.0)

    def _note_sustained(
        self, named_set: NamedSet, found: Figures, patterns: Sequence[int], known: Figures | None
    ) -> None:
        accepted = np.zeros(0) if known is None else known.accepted
        for index, one in zip(patterns, found.accepted, strict=True):
            searched = index < len(accepted) and self._grid_of(index) is not None
            if searched and accepted[index] > 0:
                ratio = float(one / accepted[index])
                self._sustained[index, named_set.ugal is not None] = ratio

    def _figures(self, runs: Sequence[RunFigures | Saturation], patterns: Sequence[int]) -> Figures:
        """Return the figures of runs beyond saturation and at the low load in turn."""
        low = [one.latency for one in runs[1::2] if isinstance(one, RunFigures)]
        pairs = zip(runs[::2], patterns, strict=True)
        beyond = [self._throughput(one, index) for one, index in pairs]
        accepted = [one for one, _ in beyond]
        least = [one for _, one in beyond]
        return Figures(*(np.array(one, dtype=np.float64) for one in (low, accepted, least)))

    def _throughput(self, found: RunFigures | Saturation, index: int) -> tuple[float, float]:
        """Return what is accepted, and the part of the worst served."""
        if isinstance(found, RunFigures):
            return found.accepted, found.least_served
        # Of what sustains no load of the grid half a step.
        least = (self._grid_of(index) or 0.0) / 2
        return max(found.load, least) * self._offered[index], math.nan


def find_loads(
    patterns: Sequence[Pattern],
    low: float | None,
    look: Look,
    unit_of: Callable[[Pattern], SaturationUnit],
    units: Units,
    ruled_of: Callable[[Pattern], SaturationUnit] | None = None,
    most_of: Callable[[Pattern], float] = lambda _: 1.0,
) -> tuple[list[Loads], Work]:
    """Choose the loads of every pattern by the saturation of a reference set.

    Parameters
    ----------
    low : where latency is measured, None for what the look says.
    look : where to look.
    unit_of : the search for the saturation load of the reference on a pattern.
    ruled_of : the same by a rule that is likely to be good, where rules are searched.
    most_of : a bound on what any set sustains, packets/cycle/node.
    """
    both = [unit_of] if ruled_of is None else [unit_of, ruled_of]
    found = units.map([of(pattern) for of in both for pattern in patterns])
    loads = [max(one.load, _LEAST_LOAD) for one in found]
    saturation, ruled = loads[: len(patterns)], loads[len(patterns) :]
    beyond = (
        [_beyond(look, *one) for one in zip(saturation, ruled, map(most_of, patterns), strict=True)]
        if ruled
        else [min(1.0, look.reach * one) for one in saturation]
    )
    least = min(look.most_low, look.share_of_least * min(saturation))
    lows = [look.late * one if one > _LATE else least for one in saturation]
    return [
        Loads(one if low is None else low, *others)
        for one, *others in zip(lows, saturation, beyond, strict=True)
    ], sum((one.work for one in found), Work())


def _beyond(look: Look, saturation: float, ruled: float, most: float) -> float:
    """Return where sets of any rule are told apart.

    By one rule the best sets sustain up to a fifth more than the reference. Where they cannot, an
    overload tells how they collapse and not what they sustain; so it does of traffic that MIN
    carries, which no rule gains by and some lose by.
    """
    if saturation > _LATE and ruled < _GAINS * saturation:
        return saturation
    return min(1.0, max(look.reach * saturation, min(look.reach * ruled, most)))
