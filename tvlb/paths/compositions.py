"""How long the two MIN halves of VLB paths are, over all pairs of switches with a choice."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.rows import Switches, representative_pairs
from tvlb.paths.shapes import shapes_of
from tvlb.topology import Topology, path_kernel

_SOURCES_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Compositions:
    """Counts per pair by hops of the first and second half; equal pairs are counted together.

    Attributes
    ----------
    longest : hops of the longest MIN half; a cell is longest * (first - 1) + (second - 1).
    paths : int64 (kinds, cells), VLB paths by cell.
    vias : int64 (kinds, cells), intermediate switches by the lengths of the shortest halves.
    pairs : int64 (kinds,), pairs of each kind.
    """

    longest: int
    paths: NDArray[np.int64]
    vias: NDArray[np.int64]
    pairs: NDArray[np.int64]

    @property
    def halves(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hops of both halves by cell."""
        first, second = np.divmod(np.arange(self.longest**2), self.longest)
        return first + 1, second + 1

    @property
    def hops(self) -> NDArray[np.int64]:
        """Hops of a path by cell."""
        return np.add(*self.halves)

    def cell(self, first: int, second: int) -> int:
        """Cell of halves of so many hops."""
        return self.longest * (first - 1) + (second - 1)

    def mean_hops(self, counts: NDArray[np.int64]) -> float:
        """Mean hops of a path drawn by `counts`, as `paths`, over the pairs that have one.

        NaN if no pair has one.
        """
        total = counts.sum(axis=1)
        some = total > 0
        if not some.any():
            return float("nan")
        means = (counts[some] @ self.hops) / total[some]
        return float(np.average(means, weights=self.pairs[some]))


@lru_cache(maxsize=8)
def compositions(topology: Topology) -> Compositions:
    """Count over all ordered pairs of switches with a choice.

    Notes
    -----
    On a Dragonfly O(pairs * (groups * links per group pair^2 + switches)); nothing is listed.
    """
    longest = topology.max_hops // 2
    kernel = path_kernel(topology)
    found: dict[bytes, int] = {}
    switches = np.arange(topology.num_switches, dtype=np.int32)
    for first in range(0, len(switches), _SOURCES_AT_ONCE):
        sources, targets = np.meshgrid(
            switches[first : first + _SOURCES_AT_ONCE], switches, indexing="ij"
        )
        chosen = topology.has_choice(sources, targets)
        cells = kernel.compositions(sources[chosen], targets[chosen])
        kinds, pairs = np.unique(cells.reshape(-1, 2 * longest**2), axis=0, return_counts=True)
        for kind, count in zip(kinds, pairs.tolist(), strict=True):
            key = kind.tobytes()
            found[key] = found.get(key, 0) + count
    keys = sorted(found)
    table = np.frombuffer(b"".join(keys), dtype=np.int64).reshape(-1, 2, longest**2)
    return Compositions(
        longest=longest,
        paths=table[:, 0].copy(),
        vias=table[:, 1].copy(),
        pairs=np.array([found[key] for key in keys], dtype=np.int64),
    )


def mean_paths_by_shape(topology: Topology) -> NDArray[np.float64]:
    """Mean number of paths of every shape, float64 (shapes,) by code, of pairs with a choice.

    Notes
    -----
    Of the pairs from the representatives of the network.
    """
    source, target = representative_pairs(topology)
    return count_shapes(topology, source, target).sum(axis=0) / len(source)


def count_shapes(topology: Topology, source: Switches, target: Switches) -> NDArray[np.int64]:
    """Count the paths of every pair by shape, int64 (pairs, shapes); nothing is listed.

    Pairs without a choice have none.
    """
    counts = path_kernel(topology).count_shapes(source, target)
    return counts.reshape(len(source), len(shapes_of(topology)))


def count_of_rule(
    topology: Topology,
    rule: kernels.ShapeRule | kernels.ShortRule,
    source: Switches,
    target: Switches,
) -> NDArray[np.int64]:
    """Count the paths that a rule gives every pair, int64 (pairs,); nothing is listed."""
    count, _, _ = path_kernel(topology).profile(rule, source, target)
    return count.reshape(len(source), topology.max_hops + 1).sum(axis=1)
