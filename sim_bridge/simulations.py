"""Simulations on request: loads and seeds in parallel, or saturation searches."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from sim_bridge._core import StopFlag
from sim_bridge.routers.iq import (
    SaturationSearch,
    SimulationConfig,
    SimulationResult,
    Warmup,
    search_saturation,
)
from sim_bridge.scenario import SEEDS, RouterScenario
from tvlb.documents import Frame
from tvlb.errors import Cancelled, InvalidInput
from tvlb.languages import settings
from tvlb.processes import Progress, Reporter, available_cores, map_threads, silent
from tvlb.statistics import check_seed

_SEARCH_GRID = 0.01


@dataclass(frozen=True, eq=False)
class SimulationRequest:
    """What to simulate, checked when it is made.

    Attributes
    ----------
    scenario : topology, routing, pattern, first seed, and path set where the router draws paths.
    config : router settings and windows.
    seeds : number of consecutive seeds, 1..1000.
    loads : offered loads, in the unit of the router.
    saturation : whether the saturation load is searched.

    Raises
    ------
    InvalidInput : the number of seeds, or the last seed, is out of range, the settings do not fit
        the scenario, or a saturation load is searched under a pattern that is not stationary.
    """

    scenario: Any
    config: Any
    seeds: int = 1
    loads: Sequence[float] = ()
    saturation: bool = False

    def __post_init__(self) -> None:
        SEEDS.checked("seeds", self.seeds)
        check_seed(self.scenario.seed + self.seeds - 1)
        if self.saturation:
            self.scenario.pattern.check_stationary()
        object.__setattr__(self, "config", self.scenario.resolved(self.config))
        self.scenario.check_course(self.config)

    @cached_property
    def scenarios(self) -> tuple[RouterScenario[Any, Any], ...]:
        """One per seed, all of traffic that an engine found by the first."""
        first = self.scenario.settled()
        others = range(first.seed + 1, first.seed + self.seeds)
        return (first, *(first.with_seed(seed) for seed in others))


@dataclass(frozen=True, eq=False)
class Simulated(Frame):
    """What was simulated for a request.

    Attributes
    ----------
    request : what was asked for.
    results : one tuple per load; in it one result per seed.
    searches : for the saturation load, one per seed; empty without.
    seconds : elapsed time by stage.
    """

    request: SimulationRequest
    results: Sequence[tuple[Any, ...]]
    searches: Sequence[SaturationSearch]
    seconds: Mapping[str, float]

    @property
    def runs(self) -> tuple[Any, ...]:
        """All runs, those of searches included."""
        return (*chain(*self.results, *(search.evaluated for search in self.searches)),)

    def total(self, name: str) -> float:
        """Sum a figure over all runs."""
        return float(sum(getattr(run, name) for run in self.runs))

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each run."""
        return [record for run in self.runs for record in run.records()]

    def __repr__(self) -> str:
        return f"<Simulated {self.request.scenario.topology}, {len(self.runs)} runs>"


def simulate_request(
    request: SimulationRequest,
    *,
    workers: int = 1,
    threads: int | None = None,
    report: Reporter = silent,
) -> Simulated:
    """Simulate every load with every seed, and search the saturation load if asked to.

    Parameters
    ----------
    workers : runs side by side.
    threads : of each run, if its routers take several; None for as many as the runs that are left
        leave of the workers and cores, on a large network. The results do not depend on either.

    Raises
    ------
    InvalidInput, SimulationDeadlock : as `sim_bridge.simulate`.
    """
    start = time.perf_counter()
    how: Any = {"workers": workers, "threads": threads, "report": report}
    results = simulate_loads(request, request.loads, **how)
    seconds = {"simulate": time.perf_counter() - start}
    if not request.saturation:
        return Simulated(request, results, (), seconds)
    start = time.perf_counter()
    searches = find_saturation(request, **how)
    return Simulated(
        request, results, searches, seconds | {"saturation": time.perf_counter() - start}
    )


def parse_warmup(text: str) -> tuple[Warmup, int]:
    """Parse a warm-up: CYCLES, detect, or detect:CYCLES.

    Raises
    ------
    InvalidInput : it is none of these, or too many cycles.
    """
    kind, _, limit = text.rpartition(":")
    if text == Warmup.DETECT:
        return Warmup.DETECT, SimulationConfig().warmup_cycles
    if kind not in ("", Warmup.DETECT) or not (limit.isascii() and limit.isdigit()):
        raise InvalidInput(
            f"warm-up {text!r} is malformed: expected CYCLES, detect or detect:CYCLES"
        )
    cycles: int = settings(SimulationConfig)["warmup_cycles"].kind.checked("warmup", int(limit))
    return Warmup.DETECT if kind else Warmup.FIXED, cycles


def _threads(request: SimulationRequest, left: int, workers: int, threads: int | None) -> int:
    """Return how many threads the next of the runs that are left is to have."""
    spare = min(workers, available_cores()) // max(1, left)
    return max(1, min(spare, request.scenario.most_threads)) if threads is None else threads


class _Meter:
    """Cycles done of all that are planned; the drain and early ends are not known beforehand."""

    def __init__(self, config: Any, runs: int, flag: StopFlag) -> None:
        self._planned = config.warmup_cycles + config.measured_cycles
        self._runs = runs
        self._flag = flag
        self._corrections: list[int] = []

    def finish(self, result: Any) -> None:
        """Count a finished run for what was planned; may be called from any thread."""
        self._corrections.append(self._planned - result.cycles)

    @property
    def left(self) -> int:
        """Runs that have not ended."""
        return self._runs - len(self._corrections)

    def progress(self) -> Progress:
        """Return the present state in cycles."""
        total = self._planned * self._runs
        done = min(self._flag.cycles_done + sum(self._corrections), total)
        finished = len(self._corrections)
        # The last cycles of the plan are done when the last packet has been delivered.
        if finished < self._runs:
            done = min(done, total - 1)
        return Progress("simulate", done, total, f"cycles, {finished} of {self._runs} runs")


def simulate_loads(
    request: SimulationRequest,
    loads: Sequence[float],
    *,
    workers: int = 1,
    threads: int | None = None,
    report: Reporter = silent,
    stop: StopFlag | None = None,
) -> list[tuple[Any, ...]]:
    """Simulate every load with every seed, in parallel; see `simulate_request`.

    Returns
    -------
    One tuple per load, in the order of `loads`; in it one result per seed.

    Raises
    ------
    InvalidInput, SimulationDeadlock : as `sim_bridge.simulate`.
    Cancelled : `stop` was set.
    """
    request.scenario.check_threads(threads)
    if not loads:
        return []
    for scenario in request.scenarios:
        scenario.check(loads)
    flag = stop or StopFlag()
    jobs = [(scenario, load) for load in loads for scenario in request.scenarios]
    meter = _Meter(request.config, len(jobs), flag)

    def run(job: tuple[RouterScenario[Any, Any], float]) -> Any:
        scenario, load = job
        more: dict[str, Any] = {}
        if scenario.takes_threads:
            more["threads"] = _threads(request, meter.left, workers, threads)
        result = scenario.run(load, request.config, flag, **more)
        if result.stopped == "cancelled":
            raise Cancelled("the simulations were cancelled")
        meter.finish(result)
        return result

    def show() -> None:
        report(meter.progress())

    show()
    results = map_threads(run, jobs, workers, flag, show, show)
    seeds = request.seeds
    return [tuple(results[i : i + seeds]) for i in range(0, len(results), seeds)]


def find_saturation(
    request: SimulationRequest,
    *,
    workers: int = 1,
    threads: int | None = None,
    report: Reporter = silent,
    stop: StopFlag | None = None,
) -> list[SaturationSearch]:
    """Find the saturation load of every seed on a grid of 0.01; see `simulate_request`.

    Raises
    ------
    InvalidInput, SimulationDeadlock, Cancelled : as `sim_bridge.search_saturation`.
    """
    request.scenario.check_threads(threads)
    for scenario in request.scenarios:
        scenario.check([_SEARCH_GRID])
    flag = stop or StopFlag()
    total = len(request.scenarios)
    finished = 0
    verdict = ""

    def note(result: SimulationResult) -> None:
        nonlocal verdict
        verdict = f", load {result.load:g} {'saturated' if result.saturated else 'sustained'}"

    def share() -> int:
        return _threads(request, total - finished, workers, threads)

    def search(scenario: Any) -> SaturationSearch:
        return search_saturation(
            scenario, request.config, step=_SEARCH_GRID, stop=flag, on_run=note, threads=share
        )

    def show() -> None:
        cycles = f"{flag.cycles_done:,} cycles"
        report(Progress("saturation", finished, total, cycles + verdict))

    def count() -> None:
        nonlocal finished
        finished += 1
        show()

    show()
    return map_threads(search, request.scenarios, workers, flag, count, show)
