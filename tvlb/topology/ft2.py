"""The fat tree of two levels: every leaf joined to every spine."""

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

_FEWEST_SPINES = 2  # of which a path takes one there and another back
_FEWEST_LEAVES = 3


@dataclass(frozen=True, repr=False)
class FatTree2(Tree):
    """Leaves with compute nodes, each joined to each spine by as many cables.

    Attributes
    ----------
    hosts : compute nodes per leaf.
    leaves, spines : their numbers.
    parallel : cables of a leaf and a spine.

    Raises
    ------
    InvalidInput : a switch has more than 128 ports.

    Notes
    -----
    Leaves have the first ids, spines those after them. A MIN path turns at any spine.

    References
    ----------
    Leiserson, Fat-Trees: Universal Networks for Hardware-Efficient Supercomputing, IEEE TC 34(10),
    1985.
    """

    hosts: Annotated[int, WholeArgument("HOSTS", 1, MAX_PORTS)]
    leaves: Annotated[int, WholeArgument("LEAVES", 2, MAX_PORTS)]
    spines: Annotated[int, WholeArgument("SPINES", 1, MAX_PORTS)]
    parallel: Annotated[int, WholeArgument("CABLES", 1, MAX_PORTS)]

    name = "ft2"
    kinds = level_kinds(2)

    @property
    def nodes_per_leaf(self) -> int:
        """See `Tree`."""
        return self.hosts

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """See `Tree`."""
        return self.leaves, self.spines

    @property
    def leaf_group(self) -> int:
        """See `Tree`."""
        return self.leaves

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        leaf, spine, _ = np.indices((self.leaves, self.spines, self.parallel))
        return (joined(leaf, self.leaves + spine),)

    def check_searchable(self) -> None:
        """See `Topology`."""
        if self.spines < _FEWEST_SPINES or self.leaves < _FEWEST_LEAVES:
            raise InvalidInput(f"{self} has no VLB paths: they need a third leaf, a second spine")


def ft2_sizes(hosts: int, leaves: int, spines: int, parallel: int) -> NetworkSizes:
    """Return how large a fat tree of two levels is; see `FatTree2`."""
    text = f"ft2({hosts},{leaves},{spines},{parallel})"
    radix = max(hosts + parallel * spines, parallel * leaves)
    return tree_sizes(text, hosts, (leaves, spines), (leaves * spines * parallel,), radix)


def _are_networks(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    return (of["spines"] >= _FEWEST_SPINES) & (of["leaves"] >= _FEWEST_LEAVES)


SIZING = tree_sizing(
    (
        SizeParameter("hosts", "Compute nodes per leaf.", "8..24 step 4", high=MAX_PORTS),
        SizeParameter("leaves", "Leaves.", "8..24 step 4", low=2, high=MAX_PORTS),
        SizeParameter("spines", "Spines.", "4..12", high=MAX_PORTS),
        SizeParameter("parallel", "Cables of a leaf and a spine.", "1..4", high=MAX_PORTS),
    ),
    rule=f"{_FEWEST_LEAVES} leaves, {_FEWEST_SPINES} spines",
    are_networks=_are_networks,
    nodes=lambda of: of["hosts"] * of["leaves"],
    switches=(
        (lambda of: of["hosts"] + of["spines"] * of["parallel"], lambda of: of["leaves"]),
        (lambda of: of["leaves"] * of["parallel"], lambda of: of["spines"]),
    ),
    cables=(lambda of: of["leaves"] * of["spines"] * of["parallel"],),
)
register(
    Family(FatTree2, ft2_sizes, example="ft2(12,24,12,1)", metadata=TreeMetadata, sizing=SIZING)
)
