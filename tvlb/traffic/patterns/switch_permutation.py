"""Random permutations of the switches with nodes, without fixed points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics import KeyedStream
from tvlb.topology import DragonflyPlus, HyperX, SlimFly, Topology
from tvlb.traffic.pattern import DestinationPattern, OwnSeed


@dataclass(frozen=True)
class SwitchPermutation(DestinationPattern):
    """Node k of every switch sends to node k of another: a random permutation of the switches."""

    seed: OwnSeed = None

    name = "switch-permutation"
    example = "switch-permutation(seed=1)"
    place = 3

    @classmethod
    def type2(cls, topology: Topology, seed: int) -> "SwitchPermutation | None":
        """See `DestinationPattern.type2`."""
        is_adversary = isinstance(topology, DragonflyPlus | HyperX | SlimFly)
        return cls(seed) if is_adversary else None

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        senders = np.flatnonzero(topology.switch_nodes)
        order = KeyedStream(own_seed, "switch-permutation").derangement(len(senders))
        target = np.arange(topology.num_switches)
        target[senders] = senders[np.array(order)]
        return self.to_switches(topology, target)


PATTERN = SwitchPermutation
