"""How often a path set draws paths of each shape."""

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.compositions import count_shapes
from tvlb.paths.path_set import PathSet
from tvlb.paths.rows import Switches, representative_pairs
from tvlb.paths.sets.shape import ShapeSet
from tvlb.paths.shapes import shapes_of

_MOST_LISTED = 4_000_000


def shape_shares(path_set: PathSet) -> NDArray[np.float64] | None:
    """Return which share of the drawn paths has each shape, float64 (shapes,) by code.

    None for a set without paths, and for one that is not by shape and too large to be listed.

    Notes
    -----
    Of the pairs with a choice from the representatives of the network, each counting alike.
    """
    source, target = representative_pairs(path_set.topology)
    if isinstance(path_set, ShapeSet):
        drawn = _counted(path_set, source, target)
    elif path_set.most_paths(source, target).sum() <= _MOST_LISTED:
        rows = path_set.rows(source, target)
        shapes = len(shapes_of(path_set.topology))
        drawn = np.bincount(rows.shapes(), weights=rows.weight, minlength=shapes)
    else:
        return None
    return drawn / drawn.sum() if drawn.sum() > 0 else None


def _counted(path_set: ShapeSet, source: Switches, target: Switches) -> NDArray[np.float64]:
    """Count the paths of every pair by shape; nothing is listed."""
    shapes = len(shapes_of(path_set.topology))
    count = count_shapes(path_set.topology, source, target)
    weight = count * np.array(path_set.weights)
    missing = weight.sum(axis=1) == 0
    for code in reversed(path_set.rule.nearest):
        # The nearest shape that a pair has is written last.
        some = missing & (count[:, code] > 0)
        weight[some] = np.arange(shapes) == code
    total = weight.sum(axis=1, keepdims=True)
    return np.divide(weight, total, out=np.zeros_like(weight), where=total > 0).sum(axis=0)
