"""Pairs of switches that a link joins: what MIN paths carry worst and detours help most."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.topology import SlimFly, Topology
from tvlb.traffic.pattern import DestinationPattern


@dataclass(frozen=True)
class Pair(DestinationPattern):
    """Adversarial: switches (0, x, y) and (1, x, y - x*x), neighbours, exchange packets."""

    name = "pair"
    example = "pair"
    place = 3
    family = SlimFly
    is_adversarial = True

    @classmethod
    def type1(cls, topology: Topology) -> list["Pair"]:
        """See `DestinationPattern.type1`: the only one."""
        return [cls()]

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        topology = self.of_family(topology, SlimFly)
        q, field = topology.q, topology.field
        column, row = np.indices((q, q))
        partner = q * q + column * q + field.minus[row, field.times[column, column]]
        target = np.empty(2 * q * q, dtype=np.int64)
        target[: q * q] = partner.ravel()
        target[partner.ravel()] = np.arange(q * q)
        return self.to_switches(topology, target)


PATTERN = Pair
