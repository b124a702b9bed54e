"""The HyperX: switches at the points of a lattice, all of a line joined to each other."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tvlb.languages import WholeArgument
from tvlb.native import kernels
from tvlb.topology.family import Family, register
from tvlb.topology.lattice import Ends, LatticeMetadata, SidedLattice, axis_kinds
from tvlb.topology.network import MAX_PORTS
from tvlb.topology.sizing import Numbers


@dataclass(frozen=True, repr=False)
class HyperX(SidedLattice):
    """Switches (x1, .., xn), those that differ in one coordinate joined; MIN is dimension order.

    Attributes
    ----------
    p : compute nodes per switch.
    s1, s2, s3, s4 : switches along each dimension, None beyond the last one.

    Raises
    ------
    InvalidInput : a side is missing before another, or a switch has more than 128 ports.

    Notes
    -----
    Switch (x1, x2, ..) has id x1 + s1 (x2 + s2 (..)). A MIN path corrects x1 first: one path per
    pair.

    References
    ----------
    Ahn, Binkert, Davis, McLaren, Schreiber, HyperX: Topology, Routing, and Packaging of Efficient
    Large-Scale Networks, SC'09.
    """

    p: Annotated[int, WholeArgument("P", 1, MAX_PORTS)]
    s1: Annotated[int, WholeArgument("S1", 2, MAX_PORTS)]
    s2: Annotated[int | None, WholeArgument("S2", 2, MAX_PORTS)] = None
    s3: Annotated[int | None, WholeArgument("S3", 2, MAX_PORTS)] = None
    s4: Annotated[int | None, WholeArgument("S4", 2, MAX_PORTS)] = None

    name = "hyperx"
    side_names = ("s1", "s2", "s3", "s4")
    kinds = axis_kinds(len(side_names))

    @staticmethod
    def line(side: int) -> Ends:
        """See `Lattice`: any two."""
        return np.triu_indices(side, 1)

    @staticmethod
    def degree(side: Numbers) -> Numbers:
        """See `Lattice`."""
        return side - 1

    @property
    def chosen(self) -> kernels.Chosen:
        """See `ShortestPathTopology`: links of the first dimension come first."""
        return kernels.Chosen.FIRST_LINK


register(
    Family(
        HyperX,
        HyperX.sizes_of,
        example="hyperx(4,8,8)",
        metadata=LatticeMetadata,
        sizing=HyperX.sizing(highest=MAX_PORTS),
    )
)
