"""Running a simulation."""

from sim_bridge._core import StopFlag
from sim_bridge.config import SimulationConfig
from sim_bridge.result import SimulationResult
from sim_bridge.scenario import Scenario
from tvlb.paths import PathSet, as_path_set
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern, as_pattern

__all__ = ["simulate"]


def simulate(
    topology: Topology | str,
    *,
    load: float,
    routing: str = "ugal-l",
    path_set: PathSet | str = "all",
    pattern: Pattern | str = "uniform",
    config: SimulationConfig | None = None,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> SimulationResult:
    """Simulate one load flit by flit.

    Parameters
    ----------
    topology, path_set, pattern : also as the texts that commands take.
    routing : `Routing` or its text.
    path_set : VLB paths to draw from; ignored by a routing that draws none.
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

    Examples
    --------
    >>> quick = SimulationConfig(warmup_cycles=500, measured_cycles=500)
    >>> simulate("2,4,2,5", routing="min", load=0.1, config=quick)
    <SimulationResult min, uniform, load 0.1: latency 35.2 cycles, accepted 0.1037>
    """
    network = as_topology(topology)
    paths = as_path_set(path_set, network, seed)
    scenario = Scenario(network, routing, paths, as_pattern(pattern), seed)
    return scenario.run(load, config, stop)
