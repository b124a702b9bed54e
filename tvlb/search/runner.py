"""Running the simulations of Step 2: entrants x patterns x loads, in parallel, in fixed order."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim_bridge import Scenario, SimulationConfig, SimulationResult, StopFlag, search_saturation
from tvlb.errors import Cancelled, InvalidInput
from tvlb.parallel import map_threads
from tvlb.paths import PathSet
from tvlb.progress import Progress, Reporter
from tvlb.search.checkpoint import Stages
from tvlb.search.codecs import figures_codec
from tvlb.search.figures import Figures, Runs
from tvlb.search.work import Tally, Work
from tvlb.topology import Dragonfly
from tvlb.traffic import Type2

__all__ = ["MAX_PATTERNS", "PAPER", "SCREENING", "Entrant", "Runner", "Windows", "parse_windows"]

MAX_PATTERNS = 5
# Windows are those of `SimulationConfig`, grids those of `search_saturation`.
_MOST_CYCLES = 100_000_000
_FINEST_GRID = 1e-4
_COARSEST_GRID = 0.1
_WINDOWS = re.compile(r"([0-9]{1,9}),([0-9]{1,9}),([0-9.e-]{1,20})", re.ASCII)

_Values = Mapping[str, NDArray[np.float64]]


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

    def __post_init__(self) -> None:
        if not 0 <= self.warmup <= _MOST_CYCLES:
            raise InvalidInput(f"warm-up {self.warmup} is out of range: 0..{_MOST_CYCLES} cycles")
        if not 1 <= self.measured <= _MOST_CYCLES:
            raise InvalidInput(
                f"measured window {self.measured} is out of range: 1..{_MOST_CYCLES} cycles"
            )
        if not _FINEST_GRID <= self.grid <= _COARSEST_GRID:
            raise InvalidInput(
                f"grid {self.grid} is out of range: {_FINEST_GRID}..{_COARSEST_GRID}"
            )

    def __str__(self) -> str:
        return f"{self.warmup},{self.measured},{self.grid:g}"


def parse_windows(text: str) -> Windows:
    """Parse simulated windows: WARMUP,CYCLES,GRID.

    Raises
    ------
    InvalidInput : it is not that, or a value is out of range.
    """
    match = _WINDOWS.fullmatch("".join(text.split()))
    try:
        warmup, measured, grid = match.groups() if match else ("", "", "")
        return Windows(int(warmup), int(measured), float(grid))
    except ValueError:
        raise InvalidInput(f"windows {text!r} are malformed: expected WARMUP,CYCLES,GRID") from None


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
    error: float = 0.0


def _nothing() -> None:
    pass


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
    """Simulates entrants on the Step 2 patterns.

    Parameters
    ----------
    patterns : type2(seed=0), type2(seed=1), ..., so many of them.
    config : router settings; the windows are given per call.
    seed : of all simulations, so that differences between entrants are paired.
    workers : threads; the figures do not depend on it.
    stages : where the figures of finished stages are.

    Attributes
    ----------
    work : of all simulations behind the figures returned so far.
    """

    def __init__(
        self,
        topology: Dragonfly,
        routing: str,
        config: SimulationConfig,
        *,
        patterns: int,
        seed: int,
        workers: int,
        report: Reporter,
        stop: StopFlag,
        stages: Stages,
    ) -> None:
        self._topology = topology
        self._routing = routing
        self._config = config
        self.patterns = tuple(Type2(number) for number in range(patterns))
        self._seed = seed
        self._workers = workers
        self._report = report
        self._stop = stop
        self._stages = stages
        self.work = Work()
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

        Notes
        -----
        The first pattern of every entrant is searched ahead of the others, which start from its
        answer, moved by the difference of the guesses where that is more than their error: the
        patterns are more alike than guess and answer.
        """
        shape = (len(entrants), len(self.patterns))
        search = partial(self._search, stage, entrants, windows, guesses, guess_error)
        return list(self._values(stage, shape, search)["saturation"])

    def latencies(
        self, stage: str, entrants: Sequence[Entrant], windows: Windows, load: float
    ) -> list[NDArray[np.float64]]:
        """Mean latency per entrant at one load, float64 (patterns,), cycles."""
        runs = self.runs(stage, entrants, windows, [load])
        return list(runs.latency[..., 0])

    def runs(
        self,
        stage: str,
        entrants: Sequence[Entrant],
        windows: Windows,
        loads: Sequence[float],
        *,
        stop_when_saturated: bool = False,
    ) -> Runs:
        """Simulate every entrant on every pattern at every load."""
        config = replace(self._in(windows), stop_when_saturated=stop_when_saturated)
        shape = (len(entrants), len(self.patterns), len(loads))
        simulate = partial(self._simulate, stage, entrants, config, loads)
        values = self._values(stage, shape, simulate)
        return Runs(values["latency"], values["accepted"], values["saturated"].astype(bool))

    def _values(
        self, stage: str, shape: tuple[int, ...], simulate: Callable[[Tally], _Values]
    ) -> _Values:
        """Return the figures of a stage, arrays of this shape, and count its work."""

        def compute() -> Figures:
            tally = Tally()
            values = simulate(tally)
            shaped = {name: array.reshape(shape) for name, array in values.items()}
            return Figures(shaped, tally.total())

        found = self._stages.run(stage, figures_codec(shape), compute)
        self.work += found.work
        return found.values

    def _search(
        self,
        stage: str,
        entrants: Sequence[Entrant],
        windows: Windows,
        guesses: Sequence[NDArray[np.float64]] | None,
        guess_error: float,
        tally: Tally,
    ) -> _Values:
        config = self._in(windows)
        self._prepare(stage, entrants)

        def search(job: _Job) -> float:
            found = search_saturation(
                job.scenario,
                config,
                step=windows.grid,
                guess=job.value,
                guess_error=job.error,
                stop=self._stop,
                on_run=tally.add,
            )
            return found.load

        expected = [None] * len(entrants) if guesses is None else guesses
        count = self._counter(stage, len(entrants) * len(self.patterns))
        jobs = [
            _Job(self._scenario(one, self.patterns[0]), _first(guess), guess_error)
            for one, guess in zip(entrants, expected, strict=True)
        ]
        ahead = map_threads(search, jobs, self._workers, self._stop, count)
        jobs = [
            _Job(self._scenario(one, pattern), _within(found + _moved(guess, index, guess_error)))
            for one, guess, found in zip(entrants, expected, ahead, strict=True)
            for index, pattern in enumerate(self.patterns[1:], 1)
        ]
        others = map_threads(search, jobs, self._workers, self._stop, count)
        rest = np.array(others, dtype=np.float64).reshape(len(entrants), len(self.patterns) - 1)
        return {"saturation": np.column_stack([ahead, rest])}

    def _simulate(
        self,
        stage: str,
        entrants: Sequence[Entrant],
        config: SimulationConfig,
        loads: Sequence[float],
        tally: Tally,
    ) -> _Values:
        self._prepare(stage, entrants)
        jobs = [
            (self._scenario(entrant, pattern), load)
            for entrant in entrants
            for pattern in self.patterns
            for load in loads
        ]

        def run(job: tuple[Scenario, float]) -> SimulationResult:
            scenario, load = job
            result = scenario.run(load, config, self._stop)
            if result.stopped == "cancelled":
                raise Cancelled("the simulations were cancelled")
            tally.add(result)
            return result

        count = self._counter(stage, len(jobs))
        results = map_threads(run, jobs, self._workers, self._stop, count)
        return {
            "latency": np.array([result.latency_mean for result in results]),
            "accepted": np.array([result.accepted for result in results]),
            "saturated": np.array([float(result.saturated) for result in results]),
        }

    def _in(self, windows: Windows) -> SimulationConfig:
        return replace(self._config, warmup_cycles=windows.warmup, measured_cycles=windows.measured)

    def _scenario(self, entrant: Entrant, pattern: Type2) -> Scenario:
        return self._prepared[entrant.expression, pattern]

    def _prepare(self, stage: str, entrants: Sequence[Entrant]) -> None:
        """Build the scenarios that are missing; listing the paths of large networks takes long."""
        missing = [
            (entrant, pattern)
            for entrant in entrants
            for pattern in self.patterns
            if (entrant.expression, pattern) not in self._prepared
        ]

        def build(pair: tuple[Entrant, Type2]) -> Scenario:
            entrant, pattern = pair
            scenario = Scenario(
                self._topology, self._routing, entrant.path_set, pattern, self._seed
            )
            scenario.check([0.0])
            return scenario

        count = self._counter(f"{stage} paths", len(missing)) if missing else _nothing
        built = map_threads(build, missing, self._workers, self._stop, count)
        for (entrant, pattern), scenario in zip(missing, built, strict=True):
            self._prepared[entrant.expression, pattern] = scenario

    def _counter(self, stage: str, total: int) -> Callable[[], None]:
        """Return what is to be called after every job of a stage."""
        finished = 0

        def count() -> None:
            nonlocal finished
            finished += 1
            self._report(Progress(stage, finished, total))

        self._report(Progress(stage, 0, total))
        return count
