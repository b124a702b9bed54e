"""Shifts of groups in which every packet draws its node."""

from dataclasses import dataclass

import numpy as np

from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.patterns.adv import GroupShift, groups_of_nodes


@dataclass(frozen=True)
class RandomAdversarial(GroupShift):
    """Adversarial: every packet goes to a node drawn uniformly from the group N groups further on.

    References
    ----------
    ADV+N with random nodes, VC management of low-diameter networks, section V.
    """

    name = "advr"
    example = "advr(2)"

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        groups, size = groups_of_nodes(topology, self, self.shift)
        node = np.arange(groups * size)
        group = (node // size + self.shift) % groups
        return NodeTraffic.drawn_evenly(group, node.reshape(groups, size))

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`: from every switch to all of a group."""
        senders = topology.num_senders
        return senders * senders / topology.node_groups


PATTERN = RandomAdversarial
