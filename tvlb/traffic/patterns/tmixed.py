"""Uniform traffic of every node for a part of its packets, a fixed pattern for the others."""

from dataclasses import dataclass

from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.mix import Mix


@dataclass(frozen=True)
class TimeMixed(Mix):
    """TMIXED: each packet is UR with probability U percent, else follows a fixed pattern."""

    name = "tmixed"
    example = "tmixed(50,50,shift(1,0))"
    place = 5

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        destination = self.adversarial.destinations(topology, seed)
        return NodeTraffic.towards(destination, self.uniform_percent / 100)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`."""
        return topology.num_senders * (topology.num_senders - 1)


PATTERN = TimeMixed
