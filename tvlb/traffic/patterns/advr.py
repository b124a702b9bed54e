"""Shifts of groups in which every packet draws its node."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tvlb.languages import WholeArgument
from tvlb.topology import Topology
from tvlb.traffic.demand import DestinationTable, NodeTraffic
from tvlb.traffic.pattern import NamedPattern
from tvlb.traffic.patterns.adv import LARGEST_SHIFT, groups_of_nodes


@dataclass(frozen=True)
class RandomAdversarial(NamedPattern):
    """Adversarial: every packet goes to a node drawn uniformly from the group N groups further on.

    References
    ----------
    ADV+N with random nodes, VC management of low-diameter networks, section V.
    """

    shift: Annotated[int, WholeArgument("N", -LARGEST_SHIFT, LARGEST_SHIFT)]

    name = "advr"
    example = "advr(2)"
    place = 3
    is_adversarial = True

    @classmethod
    def suits(cls, topology: Topology) -> bool:
        """See `NamedPattern.suits`: networks with groups."""
        return topology.node_groups > 1

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        groups, size = groups_of_nodes(topology, self, self.shift)
        nodes = topology.num_nodes
        group = np.arange(nodes) // size
        table = DestinationTable(
            row_of_node=((group + self.shift) % groups).astype(np.int32),
            offset=np.arange(groups + 1, dtype=np.int64) * size,
            target=np.arange(nodes, dtype=np.int32),
            probability=np.full(nodes, 1 / size),
            target_is_switch=False,
        )
        return NodeTraffic.drawn_from(table)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`: from every switch to all of a group."""
        senders = topology.num_senders
        return senders * senders / topology.node_groups


PATTERN = RandomAdversarial
