"""The entries of a forwarding table on its network."""

import atexit
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.measures import LinkLoads, NativeRoutes
from tvlb.native import kernels
from tvlb.topology import Topology

Ports = NDArray[np.uint8]
"""Ports by destination node and switch, uint8 (nodes, switches)."""

NO_PORT = 255
MOST_LINKS = NO_PORT
"""Of the links that leave a switch, as many as ports have numbers."""


MOST_ENTRIES = 500_000_000
"""Of a table: a byte each, and another one where it is stored."""


def check_entries(topology: Topology) -> None:
    """Raise InvalidInput if the table of a network would have more than `MOST_ENTRIES` entries."""
    entries = topology.num_nodes * topology.num_switches
    if entries > MOST_ENTRIES:
        raise InvalidInput(
            f"a forwarding table of {topology} has {entries:,} entries, one for every node and "
            f"switch; at most {MOST_ENTRIES:,} are made"
        )


@dataclass(frozen=True, eq=False)
class Forwarding:
    """By which link every switch sends the packets for every node.

    Attributes
    ----------
    topology : the network.
    ports : uint8 (nodes, switches): position of the link among those that leave the switch, sorted
        by target switch, then link id; `NO_PORT` where there is none, as at the node's own switch.
    layers : uint8 (nodes, switches): layer of virtual channels of the packets for a node that
        start at a switch, all the way.

    Raises
    ------
    InvalidInput : an array has another shape, or a switch more than 255 links.
    """

    topology: Topology
    ports: Ports
    layers: NDArray[np.uint8]

    def __post_init__(self) -> None:
        graph_of(self.topology)
        shape = (self.topology.num_nodes, self.topology.num_switches)
        for name, given in (("ports", self.ports), ("layers", self.layers)):
            if given.shape != shape:
                raise InvalidInput(f"{name} have the shape {given.shape}, not (nodes, switches)")

    @classmethod
    def of(cls, topology: Topology, ports: Ports) -> "Forwarding":
        """Return the forwarding of ports in a single layer."""
        return cls(topology, ports, np.zeros(ports.shape, dtype=np.uint8))

    @property
    def num_layers(self) -> int:
        """Layers that are in use."""
        return 1 + int(self.layers.max(initial=0))

    @cached_property
    def loads(self) -> LinkLoads:
        """Routes over every link; O(nodes x switches), and entries may be wrong."""
        nodes = self.topology.switch_nodes
        found = kernels.forwarding_loads(graph_of(self.topology), self.ports)
        return LinkLoads(**found, own_pairs=int((nodes * (nodes - 1)).sum()))

    @property
    def native(self) -> NativeRoutes:
        """See `tvlb.forwarding.Routes`."""
        if lost := self.loads.lost_pairs:
            raise InvalidInput(f"packets of {lost:,} pairs of nodes do not arrive; see tvlb verify")
        return kernels.PortRoutes(graph_of(self.topology), self.ports)

    def links(self) -> NDArray[np.int32]:
        """Return the link ids of the entries, int32 (nodes, switches), -1 where there is none."""
        by_port = np.pad(graph_of(self.topology).links(), ((0, 0), (0, 1)), constant_values=-1)
        return by_port[np.arange(self.topology.num_switches), self.ports]


@lru_cache(maxsize=4)
def graph_of(topology: Topology) -> kernels.ForwardingGraph:
    """Return the links of a network in the order of ports.

    Raises
    ------
    InvalidInput : a switch has more than 255 links.
    """
    try:
        return kernels.ForwardingGraph(topology.network.compile())
    except ValueError as error:
        raise InvalidInput(f"{topology}: {error}") from error


# A thread that never ends may hold this module, and with it what is kept here.
atexit.register(graph_of.cache_clear)
