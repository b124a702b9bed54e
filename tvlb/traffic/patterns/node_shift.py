"""Shifts of the nodes: the rounds of an all-to-all exchange in order."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import WholeArgument
from tvlb.topology import Topology
from tvlb.traffic.pattern import DestinationPattern


@dataclass(frozen=True)
class NodeShift(DestinationPattern):
    """Node i sends to node (i + K) mod N of all N, as in round K of an all-to-all exchange."""

    shift: Annotated[int, WholeArgument("K", 0)]

    name = "node-shift"
    example = "node-shift(5)"
    place = 3

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        nodes = topology.num_nodes
        return ((np.arange(nodes) + self.shift) % nodes).astype(np.int32)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; nodes of a switch send to those of one or two."""
        several = self.shift % max(1, topology.num_nodes // topology.num_senders)
        return topology.num_senders * (2 if several else 1)


PATTERN = NodeShift
