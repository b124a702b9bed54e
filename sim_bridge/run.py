"""Running a simulation."""

from sim_bridge._core import StopFlag
from sim_bridge.config import SimulationConfig
from sim_bridge.result import SimulationResult
from sim_bridge.scenario import Scenario
from tvlb.paths import PathSet
from tvlb.topology import Topology
from tvlb.traffic import Pattern

__all__ = ["simulate"]


def simulate(
    topology: Topology,
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
    """
    scenario = Scenario(topology, routing, path_set, pattern, seed)
    return scenario.run(load, config, stop)
