"""Running the simulations of Step 2: entrants x patterns x loads, in parallel, in fixed order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sim_bridge import Scenario, SimulationConfig, SimulationResult, StopFlag, search_saturation
from tvlb.paths import PathSet
from tvlb.search.parallel import map_threads
from tvlb.search.progress import Progress, Reporter
from tvlb.topology import Dragonfly
from tvlb.traffic import Type2

__all__ = ["PAPER", "PATTERNS", "SCREENING", "Entrant", "Runner", "Windows"]

PATTERNS = tuple(Type2(seed) for seed in range(5))

_Outcome = TypeVar("_Outcome")


@dataclass(frozen=True)
class Windows:
    """How closely to look.

    Attributes
    ----------
    warmup, measured : simulated windows, cycles.
    grid : resolution of saturation searches, packets/cycle/node.
    """

    warmup: int
    measured: int
    grid: float


SCREENING = Windows(3_000, 3_000, 0.01)
PAPER = Windows(30_000, 10_000, 0.002)


@dataclass(frozen=True, eq=False)
class Entrant:
    """A path set that is simulated under a name."""

    expression: str
    path_set: PathSet


@dataclass(frozen=True, eq=False)
class _Job:
    scenario: Scenario
    value: float | None


class Runner:
    """Simulates entrants on the five Step 2 patterns.

    Parameters
    ----------
    config : router settings; the windows are given per call.
    seed : of all simulations, so that differences between entrants are paired.
    workers : threads; the figures do not depend on it.
    """

    def __init__(
        self,
        topology: Dragonfly,
        routing: str,
        config: SimulationConfig,
        *,
        seed: int,
        workers: int,
        report: Reporter,
        stop: StopFlag,
    ) -> None:
        self._topology = topology
        self._routing = routing
        self._config = config
        self._seed = seed
        self._workers = workers
        self._report = report
        self._stop = stop
        self._prepared: dict[tuple[str, Type2], Scenario] = {}

    def saturations(
        self,
        stage: str,
        entrants: Sequence[Entrant],
        windows: Windows,
        guesses: Sequence[NDArray[np.float64]] | None = None,
        guess_error: float = 0.0,
    ) -> list[NDArray[np.float64]]:
        """Saturation throughput per entrant, float64 (patterns,), on the windows' grid.

        `guesses` are values of the same shape that the searches start from, and `guess_error`
        says how far off they may well be.
        """
        config = self._in(windows)
        jobs = [
            _Job(scenario, None if guesses is None else float(guesses[entrant][pattern]))
            for entrant, pattern, scenario in self._scenarios(entrants)
        ]

        def search(job: _Job) -> float:
            found = search_saturation(
                job.scenario,
                config,
                step=windows.grid,
                guess=job.value,
                guess_error=guess_error,
                stop=self._stop,
            )
            return found.load

        return self._by_entrant(self._map(stage, search, jobs))

    def latencies(
        self, stage: str, entrants: Sequence[Entrant], windows: Windows, load: float
    ) -> list[NDArray[np.float64]]:
        """Mean latency per entrant at one load, float64 (patterns,), cycles."""
        results = self.results(stage, entrants, windows, [load])
        return self._by_entrant([result.latency_mean for result in results])

    def results(
        self,
        stage: str,
        entrants: Sequence[Entrant],
        windows: Windows,
        loads: Sequence[float],
        *,
        stop_when_saturated: bool = False,
    ) -> list[SimulationResult]:
        """Every entrant on every pattern at every load, in that nesting order."""
        config = replace(self._in(windows), stop_when_saturated=stop_when_saturated)
        jobs = [
            _Job(scenario, load) for _, _, scenario in self._scenarios(entrants) for load in loads
        ]

        def run(job: _Job) -> SimulationResult:
            assert job.value is not None
            return job.scenario.run(job.value, config, self._stop)

        return self._map(stage, run, jobs)

    def _in(self, windows: Windows) -> SimulationConfig:
        return replace(self._config, warmup_cycles=windows.warmup, measured_cycles=windows.measured)

    def _scenarios(self, entrants: Sequence[Entrant]) -> list[tuple[int, int, Scenario]]:
        return [
            (position, index, self._scenario(entrant, pattern))
            for position, entrant in enumerate(entrants)
            for index, pattern in enumerate(PATTERNS)
        ]

    def _scenario(self, entrant: Entrant, pattern: Type2) -> Scenario:
        key = (entrant.expression, pattern)
        if key not in self._prepared:
            self._prepared[key] = Scenario(
                self._topology, self._routing, entrant.path_set, pattern, self._seed
            )
        return self._prepared[key]

    def _map(
        self, stage: str, task: Callable[[_Job], _Outcome], jobs: Sequence[_Job]
    ) -> list[_Outcome]:
        finished = 0

        def count() -> None:
            nonlocal finished
            finished += 1
            self._report(Progress(stage, finished, len(jobs)))

        self._report(Progress(stage, 0, len(jobs)))
        return map_threads(task, jobs, self._workers, self._stop, count)

    @staticmethod
    def _by_entrant(values: Sequence[float]) -> list[NDArray[np.float64]]:
        return list(np.array(values, dtype=np.float64).reshape(-1, len(PATTERNS)))
