"""Path sets that say of every path by itself whether it belongs to them."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.path_set import PathSet
from tvlb.paths.rows import PathRows, Switches
from tvlb.paths.sets.length import LengthSet


@dataclass(frozen=True, repr=False)
class FilterSet(ExpressionSet):
    """All VLB paths that pass a test, equally likely.

    Met with other sets it leaves out those of their paths that do not pass.
    """

    @abstractmethod
    def passing(self, rows: PathRows) -> NDArray[np.bool_]:
        """Return which paths belong to the set, bool (rows,)."""

    @property
    def _everything(self) -> PathSet:
        return LengthSet(self.topology)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        rows = self._everything.rows(sources, targets)
        return rows.select(self.passing(rows))

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; as if all paths passed."""
        return self._everything.most_paths(sources, targets)
