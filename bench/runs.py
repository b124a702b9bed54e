"""Simulations on threads; their results do not depend on how many there are."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sim_bridge import SimulationResult

Run = Callable[[], SimulationResult]

_Result = TypeVar("_Result")


def run_all(runs: Sequence[Callable[[], _Result]], workers: int) -> list[_Result]:
    """Run all of them, so many at a time; the results are in the same order."""
    with ThreadPoolExecutor(workers) as threads:
        futures = [threads.submit(run) for run in runs]
        return [future.result() for future in futures]
