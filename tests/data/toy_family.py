"""A family of another package, as small as one can be: a ring of switches."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.calls import Whole
from tvlb.topology import (
    Family,
    LinkKinds,
    NetworkSizes,
    ShortestPathTopology,
    register,
)


@dataclass(frozen=True, repr=False)
class Toy(ShortestPathTopology):
    """A ring of switches with some compute nodes each."""

    switches: Annotated[int, Whole("N", 3, 10_000)]
    nodes: Annotated[int, Whole("P", 1, 64)] = 1

    name = "toy"
    kinds = LinkKinds(("ring",), (10,), ("Links of the ring.",))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology`."""
        one = np.arange(self.switches, dtype=np.int32)
        return (np.stack([one, (one + 1) % self.switches], axis=1),)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology`."""
        return np.full(self.switches, self.nodes, dtype=np.int32)


def sizes(switches: int, nodes: int = 1) -> NetworkSizes:
    """Return how large a ring is."""
    return NetworkSizes(switches, switches * nodes, {"ring": switches})


register(Family(Toy, sizes, example="toy(6,2)"))
