"""Running the simulations of Step 2: named sets x patterns x loads, in fixed order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tvlb.processes import Reporter, counter
from tvlb.processes.units import Units
from tvlb.search.options import SearchOptions
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
from tvlb.traffic import Pattern


@dataclass(frozen=True, eq=False)
class RunArrays:
    """Figures of one simulation each, arrays (named sets, patterns, loads).

    Attributes
    ----------
    latency : float64, mean latency, cycles.
    accepted : float64, packets/cycle/node.
    saturated : bool.
    """

    latency: NDArray[np.float64]
    accepted: NDArray[np.float64]
    saturated: NDArray[np.bool_]


def _first(guess: NDArray[np.float64] | None) -> float | None:
    return None if guess is None else float(guess[0])


def _moved(guess: NDArray[np.float64] | None, index: int, error: float) -> float:
    if guess is None:
        return 0.0
    difference = float(guess[index] - guess[0])
    # Guesses lie on a grid, so a difference of one error is not exactly that.
    return difference if abs(difference) > 1.001 * error else 0.0


def _within(guess: float) -> float:
    return min(max(guess, 0.0), 1.0)


class Runner:
    """Simulates named sets on the Step 2 patterns.

    Parameters
    ----------
    options : routing, router settings and the seed of all simulations, so that differences between
        named sets are paired; the windows are given per call.
    patterns : the patterns.
    units : compute the simulations; the figures do not depend on where.

    Attributes
    ----------
    work : of all simulations behind the figures returned so far.
    undecided : how many of these were too short to tell whether they are saturated.
    """

    def __init__(
        self,
        options: SearchOptions,
        patterns: Sequence[Pattern],
        units: Units,
        report: Reporter,
    ) -> None:
        self._options = options
        self.patterns = tuple(patterns)
        self._units = units
        self._report = report
        self.work = Work()
        self.undecided = 0

    def saturations(
        self,
        stage: str,
        named_sets: Sequence[NamedSet],
        windows: Windows,
        guesses: Sequence[NDArray[np.float64]] | None = None,
        guess_error: float = 0.0,
    ) -> list[NDArray[np.float64]]:
        """Saturation throughput per named set, float64 (patterns,), on the windows' grid.

        `guesses` are values of the same shape that the searches start from, and `guess_error`
        says how far off they may well be.

        Notes
        -----
        The first pattern of every named set is searched ahead of the others, which start from its
        answer, moved by the difference of the guesses where that is more than their error: the
        patterns are more alike than guess and answer.
        """
        config = windows.on(self._options.config)
        expected = [None] * len(named_sets) if guesses is None else guesses
        count = counter(self._report, stage, len(named_sets) * len(self.patterns))
        first, *others = self.patterns
        ahead = self._loads(
            [
                SaturationUnit(
                    self._recipe(one, first), config, windows.grid, _first(guess), guess_error
                )
                for one, guess in zip(named_sets, expected, strict=True)
            ],
            count,
        )
        following = self._loads(
            [
                SaturationUnit(
                    self._recipe(one, pattern),
                    config,
                    windows.grid,
                    _within(found + _moved(guess, index, guess_error)),
                )
                for one, guess, found in zip(named_sets, expected, ahead, strict=True)
                for index, pattern in enumerate(others, 1)
            ],
            count,
        )
        rest = np.array(following, dtype=np.float64).reshape(len(named_sets), len(others))
        return list(np.column_stack([ahead, rest]))

    def latencies(
        self, stage: str, named_sets: Sequence[NamedSet], windows: Windows, load: float
    ) -> list[NDArray[np.float64]]:
        """Mean latency per named set at one load, float64 (patterns,), cycles."""
        runs = self.runs(stage, named_sets, windows, [load])
        return list(runs.latency[..., 0])

    def runs(
        self,
        stage: str,
        named_sets: Sequence[NamedSet],
        windows: Windows,
        loads: Sequence[float],
        *,
        stop_when_saturated: bool = False,
    ) -> RunArrays:
        """Simulate every named set on every pattern at every load."""
        config = replace(windows.on(self._options.config), stop_when_saturated=stop_when_saturated)
        shape = (len(named_sets), len(self.patterns), len(loads))
        units = [
            RunUnit(self._recipe(named_set, pattern), config, load)
            for named_set in named_sets
            for pattern in self.patterns
            for load in loads
        ]
        runs = self._units.map(units, counter(self._report, stage, len(units)))
        self._count(runs)
        self.undecided += sum(run.saturated is None for run in runs)
        return RunArrays(
            np.array([run.latency for run in runs], dtype=np.float64).reshape(shape),
            np.array([run.accepted for run in runs], dtype=np.float64).reshape(shape),
            np.array([run.saturated is True for run in runs], dtype=bool).reshape(shape),
        )

    def _loads(self, units: Sequence[SaturationUnit], count: Callable[[], None]) -> list[float]:
        found = self._units.map(units, count)
        self._count(found)
        self.undecided += sum(one.undecided for one in found)
        return [one.load for one in found]

    def _count(self, found: Sequence[RunFigures] | Sequence[Saturation]) -> None:
        self.work = sum((one.work for one in found), self.work)

    def _recipe(self, named_set: NamedSet, pattern: Pattern) -> Recipe:
        return Recipe(named_set, self._options.routing, pattern, self._options.seed)
