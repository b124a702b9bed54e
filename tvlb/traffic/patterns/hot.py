"""Traffic of which a part goes to a few switches."""

from dataclasses import dataclass

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.topology import Topology
from tvlb.traffic.demand import DestinationTable, NodeTraffic
from tvlb.traffic.pattern import NamedPattern

_HOT_SHARE = 0.25  # of packets
_HOT_SWITCHES = 0.125  # of those with nodes, the first ones
_FEWEST_NODES = 2


@dataclass(frozen=True)
class HotSpots(NamedPattern):
    """A quarter of the packets go to the first eighth of the switches, the others to any of them.

    In both cases to a uniformly drawn node of a switch that has any; a packet for its own sender is
    drawn anew. Where the eighth is no whole number, the last of its switches gets a part.

    References
    ----------
    HOT of the paper on ACOR, JPDC'19.
    """

    name = "hot"
    example = "hot"
    place = 3

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        if topology.num_nodes < _FEWEST_NODES:
            raise InvalidInput(f"{self}: {topology} has no other nodes")
        senders = np.flatnonzero(topology.switch_nodes)
        hot = _HOT_SWITCHES * len(senders)
        ends = np.minimum(np.arange(len(senders) + 1) / hot, 1.0)
        table = DestinationTable(
            row_of_node=np.zeros(topology.num_nodes, dtype=np.int32),
            offset=np.array([0, len(senders)], dtype=np.int64),
            target=senders.astype(np.int32),
            probability=_HOT_SHARE * np.diff(ends) + (1 - _HOT_SHARE) / len(senders),
            target_is_switch=True,
            to_others=True,
        )
        return NodeTraffic.drawn_from(table)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`."""
        return topology.num_senders * (topology.num_senders - 1)


PATTERN = HotSpots
