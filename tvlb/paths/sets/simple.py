"""Simple paths: those that visit no switch twice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.filter_set import FilterSet
from tvlb.paths.path_set import DrawRule
from tvlb.paths.rows import PathRows
from tvlb.paths.sequences import revisits
from tvlb.topology import compiled


@dataclass(frozen=True, repr=False)
class SimpleSet(FilterSet):
    """All VLB paths that visit no switch twice."""

    name = "simple"
    examples = ("simple",)
    place = 4

    def passing(self, rows: PathRows) -> NDArray[np.bool_]:
        """See `FilterSet.passing`."""
        return ~revisits(rows)

    @property
    def draw_rule(self) -> DrawRule | None:
        """See `PathSet.draw_rule`: that of `all`, where no path of that visits a switch twice."""
        return kernels.AllRule() if compiled(self.topology).are_simple else None


PATH_SET = SimpleSet
