"""How long the two MIN halves of VLB paths are, over all pairs of switches in different groups."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.paths.rows import representative_pairs
from tvlb.paths.shape_rule import SHAPES, ShapeRule
from tvlb.topology import Topology, compiled

__all__ = ["TOTAL_HOPS", "Compositions", "compositions", "mean_paths_by_shape"]

# Hops of a path by cell: halves of 1..3 and 1..3 hops.
TOTAL_HOPS: NDArray[np.int64] = np.add.outer(np.arange(1, 4), np.arange(1, 4)).ravel()
_CELLS = len(TOTAL_HOPS)
_SOURCES_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Compositions:
    """Counts per pair by hops of the first and second half; equal pairs are counted together.

    Attributes
    ----------
    paths : int64 (kinds, 9), VLB paths by cell 3 * (first - 1) + (second - 1).
    vias : int64 (kinds, 9), intermediate switches by the lengths of the shortest halves.
    pairs : int64 (kinds,), pairs of each kind.
    """

    paths: NDArray[np.int64]
    vias: NDArray[np.int64]
    pairs: NDArray[np.int64]

    def mean_hops(self, counts: NDArray[np.int64]) -> float:
        """Mean hops of a path drawn by `counts`, int64 (kinds, 9), over the pairs that have one.

        NaN if no pair has one.
        """
        total = counts.sum(axis=1)
        some = total > 0
        if not some.any():
            return float("nan")
        means = (counts[some] @ TOTAL_HOPS) / total[some]
        return float(np.average(means, weights=self.pairs[some]))


@lru_cache(maxsize=8)
def compositions(topology: Topology) -> Compositions:
    """Count over all ordered pairs of switches in different groups.

    Notes
    -----
    O(pairs * (groups * links per group pair^2 + switches)); nothing is listed.
    """
    found: dict[bytes, int] = {}
    switches = np.arange(topology.num_switches, dtype=np.int32)
    for first in range(0, len(switches), _SOURCES_AT_ONCE):
        sources, targets = np.meshgrid(
            switches[first : first + _SOURCES_AT_ONCE], switches, indexing="ij"
        )
        chosen = topology.has_choice(sources, targets)
        cells = _native.pair_compositions(compiled(topology), sources[chosen], targets[chosen])
        kinds, pairs = np.unique(cells.reshape(-1, 2 * _CELLS), axis=0, return_counts=True)
        for kind, count in zip(kinds, pairs.tolist(), strict=True):
            key = kind.tobytes()
            found[key] = found.get(key, 0) + count
    keys = sorted(found)
    table = np.frombuffer(b"".join(keys), dtype=np.int64).reshape(-1, 2, _CELLS)
    return Compositions(
        paths=table[:, 0].copy(),
        vias=table[:, 1].copy(),
        pairs=np.array([found[key] for key in keys], dtype=np.int64),
    )


def mean_paths_by_shape(topology: Topology) -> NDArray[np.float64]:
    """Mean number of paths of every shape, float64 (16,) by code, between different groups.

    Notes
    -----
    Of the pairs from the representatives of the network.
    """
    source, target = representative_pairs(topology)
    found = np.zeros(SHAPES)
    for code in range(SHAPES):
        rule = ShapeRule(tuple(float(code == other) for other in range(SHAPES)))
        count, _, _ = _native.profile_vlb(compiled(topology), rule.native, source, target)
        found[code] = count.sum() / len(source)
    return found
