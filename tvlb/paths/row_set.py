"""Path sets that are given by their rows."""

import numpy as np

from tvlb.paths.path_set import PathSet
from tvlb.paths.rows import PathRows, Switches

__all__ = ["RowSet"]


class RowSet(PathSet):
    """A path set given by its rows: a balanced set or a saved table.

    Parameters
    ----------
    stored : rows of every ordered pair of different switches, as from `PathSet.all_rows`.
    name : what `str` returns: the expression the rows came from, or the path of the table file.
    """

    def __init__(self, stored: PathRows, name: str) -> None:
        self.topology = stored.topology
        self.stored = stored
        self._name = name

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`; a switch paired with itself has no rows."""
        switches = self.topology.num_switches
        same = sources == targets
        index = sources.astype(np.int64) * (switches - 1) + targets - (targets > sources)
        found = self.stored.pairs(np.where(same, 0, index))
        if not same.any():
            return found
        kept = found.select(~same[found.pair_of_row])
        return PathRows(
            self.topology,
            sources,
            targets,
            kept.offset,
            kept.intermediate,
            kept.first_link,
            kept.second_link,
            kept.hops,
            kept.weight,
        )

    def __str__(self) -> str:
        return self._name
