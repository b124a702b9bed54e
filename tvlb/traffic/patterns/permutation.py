"""Random permutations of the nodes."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics import KeyedStream
from tvlb.topology import Topology
from tvlb.traffic.pattern import DestinationPattern, OwnSeed


@dataclass(frozen=True)
class Permutation(DestinationPattern):
    """A uniform random permutation of the nodes, fixed points allowed."""

    seed: OwnSeed = None

    name = "permutation"
    example = "permutation(seed=3)"
    place = 3

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        stream = KeyedStream(own_seed, "permutation")
        return np.array(stream.permutation(topology.num_nodes), dtype=np.int32)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; a pair of switches has a Poisson number of sending nodes."""
        switches = topology.num_senders
        some = 1.0 - math.exp(-topology.num_nodes / switches**2)
        return switches * (switches - 1) * some


PATTERN = Permutation
