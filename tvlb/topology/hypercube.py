"""The hypercube, or binary n-cube: switches whose numbers differ in one bit are joined."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tvlb.languages import WholeArgument
from tvlb.topology.family import Family, NetworkSizes, register
from tvlb.topology.lattice import (
    AXES,
    Ends,
    Lattice,
    LatticeMetadata,
    axis_kinds,
    lattice_sizing,
    size_of_p,
)
from tvlb.topology.network import MAX_PORTS
from tvlb.topology.sizing import Formula, Numbers, SizeParameter

_FEWEST_SEARCHED = 2  # dimensions of the least hypercube with VLB paths


@dataclass(frozen=True, repr=False)
class Hypercube(Lattice):
    """2^n switches, those joined whose numbers differ in one bit; bit i is dimension i.

    Attributes
    ----------
    p : compute nodes per switch.
    n : dimensions, up to 8: each is a kind of links, and a network has no more of them.

    Raises
    ------
    InvalidInput : a switch has more than 128 ports.

    Notes
    -----
    All shortest paths are MIN.

    References
    ----------
    Seitz, The Cosmic Cube, CACM 28(1), 1985.
    """

    p: Annotated[int, WholeArgument("P", 1, MAX_PORTS)]
    n: Annotated[int, WholeArgument("N", 1, len(AXES))]

    name = "hypercube"
    kinds = axis_kinds(len(AXES))

    @property
    def sides(self) -> tuple[int, ...]:
        """See `Lattice`."""
        return (2,) * self.n

    @staticmethod
    def line(side: int) -> Ends:
        """See `Lattice`: the two."""
        assert side == 2
        return np.array([0]), np.array([1])

    @staticmethod
    def degree(side: Numbers) -> Numbers:
        """See `Lattice`."""
        return side - 1


def hypercube_sizes(p: int, n: int) -> NetworkSizes:
    """Return how large a hypercube is; see `Hypercube`."""
    return Hypercube.sized((2,) * n, p, n)


def _switches(of: Mapping[str, Numbers]) -> Numbers:
    return 2 ** of["n"]


def _radix(of: Mapping[str, Numbers]) -> Numbers:
    return of["p"] + of["n"]


def _cables(axis: int) -> Formula:
    return lambda of: np.where(of["n"] > axis, _switches(of) / 2, 0.0)


SIZING = lattice_sizing(
    (size_of_p(), SizeParameter("n", "Dimensions.", "4..6", high=len(AXES))),
    rule=f"n >= {_FEWEST_SEARCHED} and at most {MAX_PORTS} ports per switch",
    are_networks=lambda of: (of["n"] >= _FEWEST_SEARCHED) & (_radix(of) <= MAX_PORTS),
    switches=_switches,
    radix=_radix,
    cables={name: _cables(axis) for axis, name in enumerate(AXES)},
)
register(
    Family(
        Hypercube,
        hypercube_sizes,
        example="hypercube(4,4)",
        metadata=LatticeMetadata,
        sizing=SIZING,
    )
)
