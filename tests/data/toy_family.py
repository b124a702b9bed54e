"""A family of another package, as small as one can be: a ring of switches."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import WholeArgument
from tvlb.topology import (
    Family,
    LinkKinds,
    NetworkSizes,
    ShortestPathTopology,
    SizeColumn,
    SizeParameter,
    Sizing,
    register,
)


@dataclass(frozen=True, repr=False)
class Toy(ShortestPathTopology):
    """A ring of switches with some compute nodes each."""

    n: Annotated[int, WholeArgument("N", 3, 10_000)]
    p: Annotated[int, WholeArgument("P", 1, 64)] = 1

    name = "toy"
    kinds = LinkKinds(("ring",), (10,), ("Links of the ring.",))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology`."""
        one = np.arange(self.n, dtype=np.int32)
        return (np.stack([one, (one + 1) % self.n], axis=1),)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology`."""
        return np.full(self.n, self.p, dtype=np.int32)


def sizes(n: int, p: int = 1) -> NetworkSizes:
    """Return how large a ring is."""
    return NetworkSizes(n, n * p, {"ring": n})


PARAMETERS = (
    SizeParameter("n", "Switches.", "3..9", low=3, high=10_000),
    SizeParameter("p", "Compute nodes per switch.", "1..4", high=64, usual=lambda of: of["n"] ** 0),
)
SIZING = Sizing(
    parameters=PARAMETERS,
    rule="n >= 3",
    are_networks=lambda of: of["n"] >= 3,
    nodes=lambda of: of["n"] * of["p"],
    switches=((lambda of: of["p"] + 2, lambda of: of["n"]),),
    cables={"ring": lambda of: of["n"]},
    columns=(
        *(one.column for one in PARAMETERS),
        SizeColumn("radix", "integer", "ports", "Ports of a switch, p+2."),
        SizeColumn("ring_cables", "integer", "cables", "Cables of the ring."),
    ),
)
register(Family(Toy, sizes, example="toy(6,2)", sizing=SIZING))
