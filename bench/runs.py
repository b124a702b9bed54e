"""Simulations on threads; their results do not depend on how many there are."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sim_bridge import Scenario, SimulationResult
from tvlb.paths import parse_expression
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

Run = Callable[[], SimulationResult]

_Result = TypeVar("_Result")


def scenario_of(
    network: str, routing: str, pattern: str, path_set: str | None, seed: int
) -> Scenario:
    """Return what texts say, with the conventional path set for None."""
    topology = parse_topology(network)
    paths = parse_expression(path_set or topology.conventional_set, topology)
    return Scenario(topology, routing, paths, parse_pattern(pattern), seed)


def run_all(runs: Sequence[Callable[[], _Result]], workers: int) -> list[_Result]:
    """Run all of them, so many at a time; the results are in the same order."""
    with ThreadPoolExecutor(workers) as threads:
        futures = [threads.submit(run) for run in runs]
        return [future.result() for future in futures]
