"""The torus, or k-ary n-cube: a lattice of switches, every line of them a ring."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tvlb.languages import WholeArgument
from tvlb.topology.family import Family, register
from tvlb.topology.lattice import Ends, LatticeMetadata, SidedLattice, axis_kinds
from tvlb.topology.network import MAX_PORTS, MAX_SWITCHES
from tvlb.topology.sizing import Numbers

_PAIR = 2  # switches that one cable joins, where a ring would have two


@dataclass(frozen=True, repr=False)
class Torus(SidedLattice):
    """Switches (x1, .., xn), those joined that are next to each other on a ring along a dimension.

    Attributes
    ----------
    p : compute nodes per switch.
    k1, k2, k3, k4, k5, k6 : switches along each dimension, None beyond the last one.

    Raises
    ------
    InvalidInput : a side is missing before another, or a switch has more than 128 ports.

    Notes
    -----
    Switch (x1, x2, ..) has id x1 + k1 (x2 + k2 (..)). Two switches of a side of 2 have one cable.
    All shortest paths are MIN. Six dimensions are those of Tofu, the most that a machine has had.

    References
    ----------
    Dally, Performance Analysis of k-ary n-cube Interconnection Networks, IEEE TC 39(6), 1990.
    """

    p: Annotated[int, WholeArgument("P", 1, MAX_PORTS)]
    k1: Annotated[int, WholeArgument("K1", 2, MAX_SWITCHES)]
    k2: Annotated[int | None, WholeArgument("K2", 2, MAX_SWITCHES)] = None
    k3: Annotated[int | None, WholeArgument("K3", 2, MAX_SWITCHES)] = None
    k4: Annotated[int | None, WholeArgument("K4", 2, MAX_SWITCHES)] = None
    k5: Annotated[int | None, WholeArgument("K5", 2, MAX_SWITCHES)] = None
    k6: Annotated[int | None, WholeArgument("K6", 2, MAX_SWITCHES)] = None

    name = "torus"
    side_names = ("k1", "k2", "k3", "k4", "k5", "k6")
    kinds = axis_kinds(len(side_names))

    @staticmethod
    def line(side: int) -> Ends:
        """See `Lattice`: every one and the next."""
        place = np.arange(side if side > _PAIR else 1)
        return place, (place + 1) % side

    @staticmethod
    def degree(side: Numbers) -> Numbers:
        """See `Lattice`."""
        return np.minimum(side - 1, 2)


register(
    Family(
        Torus,
        Torus.sizes_of,
        example="torus(4,8,8)",
        metadata=LatticeMetadata,
        sizing=Torus.sizing(highest=MAX_SWITCHES),
    )
)
