"""Path sets that are given by their rows."""

from dataclasses import replace

from tvlb.paths.path_set import PathSet, pair_index
from tvlb.paths.rows import PathRows, Switches


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
        found = self.stored.pairs(pair_index(self.topology, sources, targets))
        same = sources == targets
        if not same.any():
            return found
        kept = found.select(~same[found.pair_of_row])
        return replace(kept, source=sources, target=targets)

    def __str__(self) -> str:
        return self._name
