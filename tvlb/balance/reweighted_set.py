"""A path set with other draw weights, as a factor for every link."""

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.paths import PathRows, PathSet, Switches
from tvlb.topology import compiled

__all__ = ["ReweightedSet", "weighed"]


class ReweightedSet(PathSet):
    """The paths of a set, each with a draw weight that depends on the links it takes.

    Parameters
    ----------
    base : the set before.
    factors : float64 (links,), above 0. The weight of a path is multiplied by the factors of its
        links; the weights of a pair are scaled to sum to 1. Pairs inside a group keep theirs.
    floor : no product counts less than this share of the largest of the pair, so that every path
        keeps at least this share of its weight; above 0, at most 1.

    Notes
    -----
    It prints as `base` does. Only the factors are held, and the rows of any pairs are those that
    listing all pairs gives them, to the last bit; so it travels between processes.
    """

    def __init__(self, base: PathSet, factors: NDArray[np.float64], floor: float) -> None:
        self.topology = base.topology
        self.base = base
        self.factors = factors
        self.floor = floor

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        return weighed(self.base.rows(sources, targets), self.factors, self.floor)

    def all_rows(self) -> PathRows:
        """See `PathSet.all_rows`."""
        return weighed(self.base.all_rows(), self.factors, self.floor)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`."""
        return self.base.most_paths(sources, targets)

    def nearest_pairs(self) -> int:
        """See `PathSet.nearest_pairs`."""
        return self.base.nearest_pairs()

    def __str__(self) -> str:
        return str(self.base)


def weighed(rows: PathRows, factors: NDArray[np.float64], floor: float) -> PathRows:
    """Give paths of any pairs the weights of a `ReweightedSet`."""
    weight = _native.reweighted(compiled(rows.topology), rows.native, factors, floor)
    return rows.with_weights(weight)
