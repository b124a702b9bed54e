"""Uniform random traffic."""

from dataclasses import dataclass

import numpy as np

from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.pattern import NamedPattern

__all__ = ["PATTERN", "Uniform"]


@dataclass(frozen=True)
class Uniform(NamedPattern):
    """Uniform random (UR): every packet goes to a uniformly drawn node, the sender included."""

    name = "uniform"
    example = "uniform"
    place = 0

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        return NodeTraffic(np.ones(nodes), np.ones(nodes), np.full(nodes, -1, dtype=np.int32))

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`."""
        return topology.num_senders * (topology.num_senders - 1)


PATTERN = Uniform
