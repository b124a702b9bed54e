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
    report(Progress("saturation", 0, 1))
    found = search_saturation(request.scenario, request.config, step=_SEARCH_GRID, stop=stop)
    report(Progress("saturation", 1, 1, f"{found.load:g}"))
    return found
