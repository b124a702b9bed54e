"""Simulations on request: several loads in parallel, or a saturation search."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge import (
    SaturationSearch,
    Scenario,
    SimulationConfig,
    SimulationJob,
    SimulationResult,
    StopFlag,
    search_saturation,
    simulate_many,
)
from tvlb.search.parallel import map_threads
from tvlb.search.progress import Progress, Reporter, silent

__all__ = ["SimulationRequest", "find_saturation", "simulate_loads"]

_SEARCH_GRID = 0.01


@dataclass(frozen=True, eq=False)
class SimulationRequest:
    """What to simulate, checked when it is made.

    Attributes
    ----------
    scenario : topology, routing, path set, pattern and seed.
    config : router settings and windows.
    """

    scenario: Scenario
    config: SimulationConfig


def simulate_loads(
    request: SimulationRequest,
    loads: Sequence[float],
    *,
    workers: int = 1,
    report: Reporter = silent,
    stop: StopFlag | None = None,
) -> list[SimulationResult]:
    """Simulate several loads in parallel; results are in the order of `loads`.

    Raises
    ------
    InvalidInput, SimulationDeadlock, Cancelled : as `sim_bridge.simulate_many`.
    """
    finished = 0

    def count(index: int, result: SimulationResult) -> None:
        nonlocal finished
        finished += 1
        report(Progress("simulate", finished, len(loads), f"load {result.load:g}"))

    if not loads:
        return []
    report(Progress("simulate", 0, len(loads)))
    jobs = [SimulationJob(request.scenario, load, request.config) for load in loads]
    return simulate_many(jobs, workers, stop, count)


def find_saturation(
    request: SimulationRequest, *, report: Reporter = silent, stop: StopFlag | None = None
) -> SaturationSearch:
    """Find the saturation load on a grid of 0.01 by bisection.

    Raises
    ------
    InvalidInput, SimulationDeadlock, Cancelled : as `sim_bridge.search_saturation`.
    """
    flag = stop or StopFlag()

    def search(scenario: Scenario) -> SaturationSearch:
        return search_saturation(scenario, request.config, step=_SEARCH_GRID, stop=flag)

    report(Progress("saturation", 0, 1))
    # On a thread, so that an interrupt reaches the caller while the core runs.
    found = map_threads(search, [request.scenario], 1, flag, lambda: None)[0]
    report(Progress("saturation", 1, 1, f"{found.load:g}"))
    return found
