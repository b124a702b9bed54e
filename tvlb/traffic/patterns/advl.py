"""Traffic to the next switch of the group, over the one link that joins them."""

from dataclasses import dataclass

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.pattern import NamedPattern
from tvlb.traffic.patterns.adv import groups_of_nodes


@dataclass(frozen=True)
class LocalAdversarial(NamedPattern):
    """Adversarial: every packet goes to a uniformly drawn node of the next switch of its group.

    Behind the last switch of a group comes its first; switches without nodes are left out.

    References
    ----------
    ADVl of the paper on ACOR, JPDC'19.
    """

    name = "advl"
    example = "advl"
    place = 3
    is_adversarial = True

    @classmethod
    def suits(cls, topology: Topology) -> bool:
        """See `NamedPattern.suits`: networks with groups of several switches."""
        return 1 < topology.node_groups < topology.num_senders

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        groups, _ = groups_of_nodes(topology, self)
        senders = np.flatnonzero(topology.switch_nodes)
        size = len(senders) // groups
        if size < 2:
            raise InvalidInput(
                f"{self} is no pattern of {topology}: its groups have one switch with nodes each"
            )
        next_ones = np.roll(senders.reshape(groups, size), -1, axis=1)
        return NodeTraffic.drawn_evenly(
            np.searchsorted(senders, topology.network.node_switch),
            next_ones.reshape(-1, 1),
            target_is_switch=True,
        )

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; every switch with nodes sends to one."""
        return topology.num_senders


PATTERN = LocalAdversarial
