"""Simple paths: those that visit no switch twice."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.filter_set import FilterSet
from tvlb.paths.rows import PathRows
from tvlb.paths.sequences import revisits


@dataclass(frozen=True, repr=False)
class SimpleSet(FilterSet):
    """All VLB paths that visit no switch twice."""

    name = "simple"
    examples = ("simple",)
    place = 4

    def passing(self, rows: PathRows) -> NDArray[np.bool_]:
        """See `FilterSet.passing`."""
        return ~revisits(rows)


PATH_SET = SimpleSet
