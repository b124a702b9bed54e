"""A balanced path set that is not listed: what a pair loses is found when the pair is asked for."""

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.options import BalanceOptions
from tvlb.balance.per_pair import balance_pairs
from tvlb.paths import PathRows, PathSet, Switches, keys_of_paths, keys_of_rows, members

__all__ = ["BalancedSet"]


class BalancedSet(PathSet):
    """A path set less what the per-pair step of balancing removes, and less some further paths.

    Parameters
    ----------
    base : the set before balancing.
    options, seed : of the per-pair step.
    removed : int32 (paths, 5), (source, target, intermediate, first link, second link) of the
        paths that were removed besides, by the step over all pairs.
    name : what `str` returns; None for the expression of `base`.

    Notes
    -----
    The rows of a pair are those that `balance` leaves it, to the last bit, whichever pairs are
    asked for together. Cost: as balancing these pairs, every time.
    """

    def __init__(
        self,
        base: PathSet,
        options: BalanceOptions,
        seed: int,
        removed: NDArray[np.int32] | None = None,
        name: str | None = None,
    ) -> None:
        self.topology = base.topology
        self.base = base
        self.options = options
        self.seed = seed
        self.removed = np.zeros((0, 5), dtype=np.int32) if removed is None else removed
        self._name = str(base) if name is None else name

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        given = self.base.rows(sources, targets)
        keep = balance_pairs(given, self.options, seed=self.seed).keep
        removed = self.removed[np.isin(self.removed[:, 0], sources)]
        if len(removed):
            keys = keys_of_paths(removed, self.topology.num_switches)
            gone, _ = members(keys_of_rows(given), keys)
            keep &= ~gone
        return given.select(keep)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; of the set before balancing."""
        return self.base.most_paths(sources, targets)

    def __str__(self) -> str:
        return self._name
