"""Uniform traffic of some nodes, a fixed pattern of the others."""

from dataclasses import dataclass

import numpy as np

from tvlb.statistics import KeyedStream
from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.mix import Mix
from tvlb.traffic.pattern import OwnSeed


@dataclass(frozen=True)
class Mixed(Mix):
    """MIXED: U percent of the nodes, drawn once, send UR and the others a fixed pattern."""

    seed: OwnSeed = None

    name = "mixed"
    example = "mixed(75,25,shift(1,0))"
    place = 4

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        order = KeyedStream(seed if self.seed is None else self.seed, "mixed").permutation(nodes)
        count = (nodes * self.uniform_percent + 50) // 100
        uniform = np.zeros(nodes)
        uniform[order[:count]] = 1.0
        return NodeTraffic.towards(self.adversarial.destinations(topology, seed), uniform)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; a switch with a node that sends UR sends everywhere."""
        switches = topology.num_senders
        fixed = (1.0 - self.uniform_percent / 100) ** (topology.num_nodes / switches)
        return fixed * switches + (1.0 - fixed) * switches * (switches - 1)


PATTERN = Mixed
