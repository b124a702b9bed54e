"""Shifts of groups in which every node keeps its place."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import DragonflyPlus, Topology
from tvlb.traffic.pattern import DestinationPattern, NamedPattern


def groups_of_nodes(topology: Topology, pattern: object, shift: int = 0) -> tuple[int, int]:
    """Return the groups of a network and the nodes of each; refuse shifts that it does not have."""
    groups = topology.node_groups
    if groups < 2:
        raise InvalidInput(
            f"{pattern} is no pattern of {topology}: it has no groups of equally many nodes"
        )
    if not 0 <= shift < groups:
        raise InvalidInput(
            f"{pattern}: group shift {shift} is out of range; allowed are 0..{groups - 1}"
        )
    return groups, topology.num_nodes // groups


@dataclass(frozen=True)
class GroupShift(NamedPattern):
    """All that a group sends goes to the one N groups further on."""

    shift: Annotated[int, WholeArgument("N")]

    place = 3
    is_adversarial = True

    @classmethod
    def suits(cls, topology: Topology) -> bool:
        """See `NamedPattern.suits`: networks with groups."""
        return topology.node_groups > 1


@dataclass(frozen=True)
class Adversarial(GroupShift, DestinationPattern):
    """Adversarial: every node sends to the one in its place, N groups further on.

    References
    ----------
    ADV+N of the Dragonfly literature.
    """

    name = "adv"
    example = "adv(2)"

    @classmethod
    def type1(cls, topology: Topology) -> list["Adversarial"]:
        """Return all shifts on a Dragonfly+; Dragonflies have those of `shift`, which are more."""
        if not isinstance(topology, DragonflyPlus):
            return []
        return [cls(shift) for shift in range(1, topology.node_groups)]

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        _, size = groups_of_nodes(topology, self, self.shift)
        node = np.arange(topology.num_nodes)
        return ((node + self.shift * size) % topology.num_nodes).astype(np.int32)


PATTERN = Adversarial
