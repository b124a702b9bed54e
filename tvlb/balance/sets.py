"""Balanced path sets: less what a mask or a rule leaves out, or with other draw weights."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.options import BalanceOptions
from tvlb.balance.per_pair import balance_pairs
from tvlb.native import kernels
from tvlb.paths import (
    PathRows,
    PathSet,
    Switches,
    all_pairs,
    keys_of_paths,
    keys_of_rows,
    members,
    pair_index,
)
from tvlb.topology import compiled

_BYTE = 8


class _BalancedForm(PathSet):
    """What a path set becomes; it prints as the set before."""

    def __init__(self, base: PathSet) -> None:
        self.topology = base.topology
        self.base = base

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; of the set before balancing."""
        return self.base.most_paths(sources, targets)

    def __str__(self) -> str:
        return str(self.base)


class KeptSet(_BalancedForm):
    """A path set less the paths that a mask leaves out.

    Parameters
    ----------
    base : the set before.
    keep : bool (paths,) over its rows, `PathSet.all_rows`.

    Notes
    -----
    It prints as `base` does. A bit per path is held, and listed is only what is asked for, so it
    travels between processes. The first question counts the paths of every pair.
    """

    def __init__(self, base: PathSet, keep: NDArray[np.bool_]) -> None:
        super().__init__(base)
        self._paths = len(keep)
        self._bits = np.packbits(keep)

    @property
    def keep(self) -> NDArray[np.bool_]:
        """The mask, bool (paths,)."""
        return np.unpackbits(self._bits, count=self._paths).astype(bool)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        given = self.base.rows(sources, targets)
        first = self._offset[pair_index(self.topology, sources, targets)]
        position = np.arange(len(given), dtype=np.int64)
        position += np.repeat(first - given.offset[:-1], np.diff(given.offset))
        bits = self._bits[position // _BYTE] >> (_BYTE - 1 - position % _BYTE).astype(np.uint8)
        return given.select((bits & 1).astype(bool))

    def all_rows(self) -> PathRows:
        """See `PathSet.all_rows`."""
        return self.base.all_rows().select(self.keep)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be counted again."""
        return {name: value for name, value in vars(self).items() if name != "_offset"}

    @cached_property
    def _offset(self) -> NDArray[np.int64]:
        """Where the rows of each pair begin among all rows, int64 (pairs+1,)."""
        counts = self.base.profile(*all_pairs(self.topology)).count.sum(axis=1)
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if offset[-1] != self._paths:
            raise ValueError(f"the mask has {self._paths} paths, {self.base} has {offset[-1]}")
        return offset


class BalancedSet(_BalancedForm):
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
        super().__init__(base)
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

    def __str__(self) -> str:
        return self._name


class ReweightedSet(_BalancedForm):
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
        super().__init__(base)
        self.factors = factors
        self.floor = floor

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        return weighed(self.base.rows(sources, targets), self.factors, self.floor)

    def all_rows(self) -> PathRows:
        """See `PathSet.all_rows`."""
        return weighed(self.base.all_rows(), self.factors, self.floor)

    def nearest_pairs(self) -> int:
        """See `PathSet.nearest_pairs`."""
        return self.base.nearest_pairs()


def weighed(rows: PathRows, factors: NDArray[np.float64], floor: float) -> PathRows:
    """Give paths of any pairs the weights of a `ReweightedSet`."""
    weight = kernels.reweighted(compiled(rows.topology), rows.native, factors, floor)
    return rows.with_weights(weight)
