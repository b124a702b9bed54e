"""A pattern of another package."""

from dataclasses import dataclass

import numpy as np

from tvlb.topology import Topology
from tvlb.traffic import NamedPattern, NodeTraffic


@dataclass(frozen=True)
class Mirror(NamedPattern):
    """Node k of n sends to node n - 1 - k."""

    name, example, place = "mirror", "mirror", 9

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        nodes = topology.num_nodes
        last_first = np.arange(nodes - 1, -1, -1, dtype=np.int32)
        return NodeTraffic(np.ones(nodes), np.zeros(nodes), last_first)

    def count_flows(self, topology: Topology) -> float:
        return topology.num_senders


PATTERN = Mirror
LATE = "acor-switch(3l,hi=800)"
