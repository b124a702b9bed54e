"""How often a path set draws paths of each shape."""

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.paths.path_set import PathSet, ShapeSet
from tvlb.paths.rows import Switches, representative_pairs
from tvlb.paths.shape_rule import SHAPES, ShapeRule
from tvlb.topology import Topology, compiled

__all__ = ["shape_shares"]

_MOST_LISTED = 4_000_000


def shape_shares(path_set: PathSet) -> NDArray[np.float64] | None:
    """Return which share of the drawn paths has each shape, float64 (16,) by code.

    None for a set without paths, and for one that is not by shape and too large to be listed.

    Notes
    -----
    Of the pairs from the switches of the first group to other groups, each counting alike.
    """
    source, target = representative_pairs(path_set.topology)
    if isinstance(path_set, ShapeSet):
        drawn = _counted(path_set, source, target)
    elif path_set.most_paths(source, target).sum() <= _MOST_LISTED:
        rows = path_set.rows(source, target)
        shapes = _native.path_shapes(compiled(path_set.topology), rows.native)
        drawn = np.bincount(shapes, weights=rows.weight, minlength=SHAPES).astype(np.float64)
    else:
        return None
    return drawn / drawn.sum() if drawn.sum() > 0 else None


def _counted(path_set: ShapeSet, source: Switches, target: Switches) -> NDArray[np.float64]:
    """Count the paths of every pair by shape; nothing is listed."""
    count = np.stack(
        [_count_of(path_set.topology, code, source, target) for code in range(SHAPES)], axis=1
    )
    weight = count * np.array(path_set.weights)
    missing = weight.sum(axis=1) == 0
    for code in reversed(path_set.rule.nearest):
        # The nearest shape that a pair has is written last.
        some = missing & (count[:, code] > 0)
        weight[some] = np.arange(SHAPES) == code
    total = weight.sum(axis=1, keepdims=True)
    return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0).sum(axis=0)


def _count_of(
    topology: Topology, code: int, source: Switches, target: Switches
) -> NDArray[np.int64]:
    rule = ShapeRule(tuple(float(code == other) for other in range(SHAPES)))
    count, _, _ = _native.profile_vlb(compiled(topology), rule.native, source, target)
    return count.reshape(len(source), -1).sum(axis=1)
