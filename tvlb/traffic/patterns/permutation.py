"""Random permutations of the nodes."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Choice
from tvlb.statistics import KeyedStream
from tvlb.topology import Topology
from tvlb.traffic.pattern import DestinationPattern, OwnSeed

_FEWEST_NODES = 2


@dataclass(frozen=True, kw_only=True)
class Permutation(DestinationPattern):
    """A uniform random permutation of the nodes; `derangement`: of those without fixed points."""

    derangement: Annotated[str | None, Choice("derangement", ("derangement",))] = None
    seed: OwnSeed = None

    name = "permutation"
    example = "permutation(seed=3)"
    place = 3

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        stream, nodes = KeyedStream(own_seed, "permutation"), topology.num_nodes
        if self.derangement is None:
            return np.array(stream.permutation(nodes), dtype=np.int32)
        if nodes < _FEWEST_NODES:
            raise InvalidInput(f"{self}: {topology} has no other nodes")
        return np.array(stream.derangement(nodes), dtype=np.int32)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; a pair of switches has a Poisson number of sending nodes."""
        switches = topology.num_senders
        some = 1.0 - math.exp(-topology.num_nodes / switches**2)
        return switches * (switches - 1) * some


PATTERN = Permutation
