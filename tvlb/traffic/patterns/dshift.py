"""Shifts along the dimensions of a HyperX."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import HyperX, Topology
from tvlb.traffic.pattern import DestinationPattern

_MOST_DIMENSIONS = 4


@dataclass(frozen=True)
class DimensionShift(DestinationPattern):
    """Adversarial: switch (x1, .., xn) sends to (x1+N, .., xn+N), or only one coordinate moves.

    References
    ----------
    VC management of low-diameter networks, section V (XY-7-shift is dshift(7)).
    """

    shift: Annotated[int, WholeArgument("N")]
    dimension: Annotated[int | None, WholeArgument("DIMENSION", 1, _MOST_DIMENSIONS)] = None

    name = "dshift"
    example = "dshift(2)"
    place = 3
    family = HyperX
    is_adversarial = True

    @classmethod
    def type1(cls, topology: Topology) -> Sequence["DimensionShift"]:
        """Return every shift along all dimensions, then those along each alone."""
        assert isinstance(topology, HyperX)
        sides = topology.sides
        together = [cls(shift) for shift in range(1, max(sides))]
        if len(sides) == 1:
            return together
        alone = [
            cls(shift, dimension)
            for dimension, side in enumerate(sides, 1)
            for shift in range(1, side)
        ]
        return together + alone

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        topology = self.of_family(topology, HyperX)
        sides = np.array(topology.sides)
        if self.dimension is not None and self.dimension > len(sides):
            raise InvalidInput(f"{self}: {topology} has dimensions 1..{len(sides)}")
        longest = sides.max() if self.dimension is None else sides[self.dimension - 1]
        if not 0 <= self.shift < longest:
            raise InvalidInput(
                f"{self}: shift {self.shift} is out of range; allowed are 0..{longest - 1}"
            )
        moves = np.ones(len(sides), dtype=np.int64)
        if self.dimension is not None:
            moves = (np.arange(len(sides)) == self.dimension - 1).astype(np.int64)
        target = (topology.positions() + self.shift * moves) % sides
        return self.to_switches(topology, topology.switches_at(target))


PATTERN = DimensionShift
