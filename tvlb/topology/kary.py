"""The k-ary n-tree: n levels of k^(n-1) switches each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import WholeArgument
from tvlb.topology.family import Family, NetworkSizes, register
from tvlb.topology.network import MAX_PORTS
from tvlb.topology.sizing import Formula, Numbers, SizeParameter
from tvlb.topology.tree import (
    MOST_LEVELS,
    Tree,
    TreeMetadata,
    joined,
    level_kinds,
    tree_sizes,
    tree_sizing,
)

_FEWEST_LEAVES = 3  # of which pairs have VLB paths


@dataclass(frozen=True, repr=False)
class KaryTree(Tree):
    """Switches of level i joined to those of level i+1 that differ in base-k digit i at most.

    Attributes
    ----------
    k : compute nodes of a leaf, and cables of a switch to either level next to it.
    n : levels of switches.

    Notes
    -----
    Switch s of level i has id i k^(n-1) + s; level 0 are the leaves. All shortest paths are MIN.

    References
    ----------
    Petrini, Vanneschi, k-ary n-trees: High Performance Networks for Massively Parallel
    Architectures, IPPS'97.
    """

    k: Annotated[int, WholeArgument("K", 2, MAX_PORTS // 2)]
    n: Annotated[int, WholeArgument("N", 2, MOST_LEVELS)]

    name = "kary"
    kinds = level_kinds(MOST_LEVELS)

    def __post_init__(self) -> None:
        # The dataclass is frozen.
        object.__setattr__(self, "kinds", level_kinds(self.n))
        self._build()

    @property
    def nodes_per_leaf(self) -> int:
        """See `Tree`."""
        return self.k

    @property
    def level_sizes(self) -> tuple[int, ...]:
        """See `Tree`."""
        return (self.k ** (self.n - 1),) * self.n

    @property
    def leaf_group(self) -> int:
        """See `Tree`."""
        return self.k

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        size = self.level_sizes[0]
        switch, value = np.indices((size, self.k))
        found: list[NDArray[np.int32]] = []
        for level in range(self.n - 1):
            place = self.k**level
            digit = switch // place % self.k
            above = switch + (value - digit) * place
            found.append(joined(level * size + switch, (level + 1) * size + above))
        return tuple(found)


def kary_sizes(k: int, n: int) -> NetworkSizes:
    """Return how large a k-ary n-tree is; see `KaryTree`."""
    size = k ** (n - 1)
    return tree_sizes(f"kary({k},{n})", k, (size,) * n, (size * k,) * (n - 1), 2 * k)


def _leaves(of: Mapping[str, Numbers]) -> Numbers:
    return of["k"] ** (of["n"] - 1)


def _cables(level: int) -> Formula:
    return lambda of: np.where(of["n"] - 1 > level, _leaves(of) * of["k"], 0.0)


SIZING = tree_sizing(
    (
        SizeParameter("k", "Compute nodes of a leaf.", "4..8", low=2, high=MAX_PORTS // 2),
        SizeParameter("n", "Levels of switches.", "2..3", low=2, high=MOST_LEVELS),
    ),
    rule=f"{_FEWEST_LEAVES} leaves",
    are_networks=lambda of: _leaves(of) >= _FEWEST_LEAVES,
    nodes=lambda of: of["k"] ** of["n"],
    switches=(
        (lambda of: 2 * of["k"], lambda of: _leaves(of) * (of["n"] - 1)),
        (lambda of: of["k"], _leaves),
    ),
    cables=tuple(_cables(level) for level in range(MOST_LEVELS - 1)),
)
register(Family(KaryTree, kary_sizes, example="kary(4,3)", metadata=TreeMetadata, sizing=SIZING))
