"""Random permutations of groups and switches, the TYPE_2 patterns of the T-UGAL paper."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics import KeyedStream
from tvlb.topology import Dragonfly, Topology
from tvlb.traffic.pattern import DestinationPattern, OwnSeed


@dataclass(frozen=True)
class Type2(DestinationPattern):
    """Random permutation of groups without fixed points, then of the switches of every group.

    References
    ----------
    Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, section 3.3.1.
    """

    seed: OwnSeed = None

    name = "type2"
    example = "type2(seed=1)"
    place = 2
    family = Dragonfly
    is_adversarial = True

    @classmethod
    def type2(cls, topology: Topology, seed: int) -> "Type2":
        """See `DestinationPattern.type2`."""
        return cls(seed)

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        topology = self.of_family(topology, Dragonfly)
        own_seed = seed if self.seed is None else self.seed
        a = topology.switches_per_group
        partners = KeyedStream(own_seed, "type2-groups").derangement(topology.groups)
        target = np.array(
            [
                partner * a + index
                for group, partner in enumerate(partners)
                for index in KeyedStream(own_seed, "type2-switches", group).permutation(a)
            ]
        )
        return self.to_switches(topology, target)


PATTERN = Type2
