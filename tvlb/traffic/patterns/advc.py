"""Traffic to the next groups, to which one switch of a palmtree Dragonfly has all the links."""

from dataclasses import dataclass

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly, DragonflyPlus, Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.pattern import NamedPattern
from tvlb.traffic.patterns.adv import groups_of_nodes


@dataclass(frozen=True)
class ConsecutiveAdversarial(NamedPattern):
    """Adversarial: every packet draws one of the next H groups, then a node of it, uniformly.

    H is the number of global links of a switch (of a Dragonfly+, of a spine).

    References
    ----------
    ADVc of the paper on ACOR, JPDC'19.
    """

    name = "advc"
    example = "advc"
    place = 3
    is_adversarial = True

    @classmethod
    def suits(cls, topology: Topology) -> bool:
        """See `NamedPattern.suits`: networks with more groups than these."""
        return 0 < _global_links(topology) < topology.node_groups

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        groups, size = groups_of_nodes(topology, self)
        near = _global_links(topology)
        if not self.suits(topology):
            why = (
                f"its {groups} groups are no more than the {near} next ones, so that the sender's "
                "would be drawn"
                if near
                else "it is no Dragonfly or Dragonfly+"
            )
            raise InvalidInput(f"{self} is no pattern of {topology}: {why}")
        next_ones = (np.arange(groups)[:, None] + np.arange(1, near + 1)) % groups
        nodes = next_ones[:, :, None] * size + np.arange(size)
        return NodeTraffic.drawn_evenly(
            np.arange(topology.num_nodes) // size, nodes.reshape(groups, -1)
        )

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`: from every switch to all of these groups."""
        senders = topology.num_senders
        return senders * _global_links(topology) * senders / topology.node_groups


def _global_links(topology: Topology) -> int:
    """Of a switch that has any; 0 where the family says nothing of them."""
    match topology:
        case Dragonfly():
            return topology.global_ports
        case DragonflyPlus():
            return topology.h
        case _:
            return 0


PATTERN = ConsecutiveAdversarial
