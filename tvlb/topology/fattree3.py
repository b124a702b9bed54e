"""The fat tree of three levels that is made of one sort of switches, of 2m ports each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology.family import Family, NetworkSizes, register
from tvlb.topology.network import MAX_PORTS
from tvlb.topology.sizing import Numbers, SizeParameter
from tvlb.topology.tree import (
    Tree,
    TreeMetadata,
    joined,
    level_kinds,
    tree_sizes,
    tree_sizing,
)

_FEWEST_MIDDLES = 2


@dataclass(frozen=True, repr=False)
class FatTree3(Tree):
    """2m pods of m leaves and m middles, each leaf joined to each middle; m*m tops join the pods.

    Attributes
    ----------
    m : compute nodes of a leaf, half of the ports of a switch.

    Notes
    -----
    Ids: all leaves by pod, all middles by pod, tops. Middle u of every pod has cables to the tops
    u*m .. u*m + m - 1. All shortest paths are MIN.

    References
    ----------
    Al-Fares, Loukissas, Vahdat, A Scalable, Commodity Data Center Network Architecture, SIGCOMM'08,
    section 3, for k = 2m.
    """

    m: Annotated[int, WholeArgument("M", 1, MAX_PORTS // 2)]

    name = "fattree3"
    kinds = level_kinds(3)

    @property
    def nodes_per_leaf(self) -> int:
        """See `Tree`."""
        return self.m

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """See `Tree`."""
        return _level_sizes(self.m)

    @property
    def leaf_group(self) -> int:
        """See `Tree`."""
        return self.m

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        m, (leaves, middles, _) = self.m, self.level_sizes
        pod, one, other = np.indices((2 * m, m, m))
        middle = leaves + pod * m
        inside = joined(pod * m + one, middle + other)
        return inside, joined(middle + one, leaves + middles + one * m + other)

    def check_searchable(self) -> None:
        """See `Topology`."""
        if self.m < _FEWEST_MIDDLES:
            raise InvalidInput(f"{self} has no VLB paths: they need a second leaf in a pod")


def _level_sizes(m: int) -> tuple[int, int, int]:
    return 2 * m * m, 2 * m * m, m * m


def fattree3_sizes(m: int) -> NetworkSizes:
    """Return how large a fat tree of three levels is; see `FatTree3`."""
    return tree_sizes(f"fattree3({m})", m, _level_sizes(m), (2 * m**3, 2 * m**3), 2 * m)


def _half_cables(of: Mapping[str, Numbers]) -> Numbers:
    return 2 * of["m"] ** 3


SIZING = tree_sizing(
    (SizeParameter("m", "Compute nodes of a leaf, half the ports.", "4..12", high=MAX_PORTS // 2),),
    rule=f"m >= {_FEWEST_MIDDLES}",
    are_networks=lambda of: of["m"] >= _FEWEST_MIDDLES,
    nodes=_half_cables,
    switches=((lambda of: 2 * of["m"], lambda of: 5 * of["m"] ** 2),),
    cables=(_half_cables, _half_cables),
)
register(
    Family(FatTree3, fattree3_sizes, example="fattree3(4)", metadata=TreeMetadata, sizing=SIZING)
)
