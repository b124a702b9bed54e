"""What the credit round trip allows."""

import numpy as np

from sim_bridge.routers.iq.config import SimulationConfig
from tvlb.topology import Topology

# A slot is free again 2 * latency + 4 cycles after its grant, or one more: the flit takes
# latency + 1 to the next switch, its credit latency + 3 back.
_SHORTEST, _LONGEST = 4, 5


def round_trip_warnings(topology: Topology, config: SimulationConfig) -> tuple[str, ...]:
    """Name the kinds of links on which one VC cannot carry a flit per cycle.

    A VC with fewer slots than its credit round trip has cycles sustains buffer / round trip
    flits/cycle.
    """
    kinds = topology.network.link_kind
    return tuple(
        _warning(config.buffer_flits, topology.kinds.names[kind], 2 * latency + _LONGEST)
        for kind, latency in enumerate(config.latencies(topology))
        if config.buffer_flits < 2 * latency + _SHORTEST and bool(np.any(kinds == kind))
    )


def _warning(buffer: int, kind: str, round_trip: int) -> str:
    return (
        f"a buffer of {buffer} flits is below the credit round trip of {kind} links, "
        f"{round_trip - 1} to {round_trip} cycles: one VC carries at most "
        f"{buffer / (round_trip - 1):.3f} flits/cycle"
    )
