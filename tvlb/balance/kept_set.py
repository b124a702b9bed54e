"""A balanced path set as a mask over the paths of the set before."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import PathRows, PathSet, Switches, all_pairs

__all__ = ["KeptSet"]

_BYTE = 8


class KeptSet(PathSet):
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
        self.topology = base.topology
        self.base = base
        self._paths = len(keep)
        self._bits = np.packbits(keep)

    @property
    def keep(self) -> NDArray[np.bool_]:
        """The mask, bool (paths,)."""
        return np.unpackbits(self._bits, count=self._paths).astype(bool)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        given = self.base.rows(sources, targets)
        first = self._offset[self._pair(sources, targets)]
        position = np.arange(len(given), dtype=np.int64)
        position += np.repeat(first - given.offset[:-1], np.diff(given.offset))
        bits = self._bits[position // _BYTE] >> (_BYTE - 1 - position % _BYTE).astype(np.uint8)
        return given.select((bits & 1).astype(bool))

    def all_rows(self) -> PathRows:
        """See `PathSet.all_rows`."""
        return self.base.all_rows().select(self.keep)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; of the set before balancing."""
        return self.base.most_paths(sources, targets)

    def __str__(self) -> str:
        return str(self.base)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be counted again."""
        return {name: value for name, value in vars(self).items() if name != "_offset"}

    def _pair(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """Position of each pair among all pairs; of a switch with itself, any."""
        switches = self.topology.num_switches
        index = sources.astype(np.int64) * (switches - 1) + targets - (targets > sources)
        return np.where(sources == targets, 0, index)

    @cached_property
    def _offset(self) -> NDArray[np.int64]:
        """Where the rows of each pair begin among all rows, int64 (pairs+1,)."""
        counts = self.base.profile(*all_pairs(self.topology)).count.sum(axis=1)
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if offset[-1] != self._paths:
            raise ValueError(f"the mask has {self._paths} paths, {self.base} has {offset[-1]}")
        return offset
