"""Running simulations: one, or many on threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

from sim_bridge._core import StopFlag
from sim_bridge.config import SimulationConfig
from sim_bridge.result import SimulationResult
from sim_bridge.scenario import Scenario
from tvlb.errors import Cancelled, InvalidInput
from tvlb.paths import PathSet
from tvlb.topology import Dragonfly
from tvlb.traffic import Pattern

__all__ = ["SimulationJob", "simulate", "simulate_many"]


def simulate(
    topology: Dragonfly,
    *,
    routing: str,
    path_set: PathSet,
    pattern: Pattern,
    load: float,
    config: SimulationConfig | None = None,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> SimulationResult:
    """Simulate one load flit by flit.

    Parameters
    ----------
    routing : min, vlb, ugal-l, ugal-g or par.
    path_set : VLB paths to draw from; `min` ignores it.
    load : packets/cycle and node (times the node's rate in the pattern), 0..1.
    config : router and windows; None for the defaults.
    seed : 0..2^63-1; equal arguments give equal results.
    stop : set from another thread to end the run with `stopped` = "cancelled"; its
        `cycles_done` tells the progress.

    Raises
    ------
    InvalidInput : an argument is out of range or they do not fit together.
    SimulationDeadlock : full input buffers wait for each other in a circle.

    Notes
    -----
    Time grows with the flits that move, not with the network; the Python lock is released.
    """
    scenario = Scenario(topology, routing, path_set, pattern, seed)
    return scenario.run(load, config, stop)


@dataclass(frozen=True, eq=False)
class SimulationJob:
    """One run of `simulate_many`; jobs that share a `Scenario` share its prepared path set."""

    scenario: Scenario
    load: float
    config: SimulationConfig = field(default_factory=SimulationConfig)


def simulate_many(
    jobs: Sequence[SimulationJob],
    workers: int = 1,
    stop: StopFlag | None = None,
    on_done: Callable[[int, SimulationResult], None] | None = None,
) -> list[SimulationResult]:
    """Run jobs on threads; results are in job order and do not depend on `workers`.

    Parameters
    ----------
    workers : threads, at least 1.
    stop : set from another thread to end all runs.
    on_done : called in the calling thread with (job index, result) as jobs finish.

    Raises
    ------
    Cancelled : `stop` was set before every job had finished.
    InvalidInput, SimulationDeadlock : as `simulate`; the first failure ends the other runs.
    """
    if workers < 1:
        raise InvalidInput(f"workers = {workers}: expected at least 1")
    flag = StopFlag() if stop is None else stop
    with ThreadPoolExecutor(max_workers=workers) as executor:
        futures = [executor.submit(_run_job, job, flag) for job in jobs]
        try:
            return _collect(futures, on_done)
        except BaseException:
            for future in futures:
                future.cancel()
            flag.set()
            raise


def _run_job(job: SimulationJob, stop: StopFlag) -> SimulationResult:
    if stop.is_set():
        raise Cancelled("the simulations were cancelled")
    result = job.scenario.run(job.load, job.config, stop)
    if result.stopped == "cancelled":
        raise Cancelled("the simulations were cancelled")
    return result


def _collect(
    futures: list[Future[SimulationResult]],
    on_done: Callable[[int, SimulationResult], None] | None,
) -> list[SimulationResult]:
    index = {future: position for position, future in enumerate(futures)}
    for future in as_completed(futures):
        result = future.result()
        if on_done is not None:
            on_done(index[future], result)
    return [future.result() for future in futures]
