"""Affine permutations of switches: spread evenly, random to a network, and known by two numbers."""

from dataclasses import dataclass
from math import gcd
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import Topology
from tvlb.traffic.pattern import DestinationPattern


@dataclass(frozen=True)
class Affine(DestinationPattern):
    """Node k of switch u sends to node k of switch (A u + B) mod N, of the N with nodes."""

    factor: Annotated[int, WholeArgument("A", 1)]
    offset: Annotated[int, WholeArgument("B", 0)]

    name = "affine"
    example = "affine(7,3)"
    place = 3

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        whole = topology if topology.origin is None else topology.origin.network
        senders = np.flatnonzero(whole.switch_nodes)
        size = len(senders)
        if gcd(self.factor, size) > 1:
            raise InvalidInput(
                f"{self}: A = {self.factor} has a divisor in common with the {size} switches of "
                f"{topology} with nodes, so that several would send to one"
            )
        target = np.arange(topology.num_switches)
        target[senders] = senders[(self.factor * np.arange(size) + self.offset) % size]
        return self.to_switches(topology, target)


PATTERN = Affine
