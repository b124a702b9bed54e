"""The empty set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.rows import PathRows, Switches


@dataclass(frozen=True, repr=False)
class EmptySet(ExpressionSet):
    """No VLB path at all: MIN only."""

    name = "none"
    examples = ("none",)
    place = 1
    may_meet = False

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        nothing = np.zeros(0, dtype=np.int32)
        offset = np.zeros(len(sources) + 1, dtype=np.int64)
        hops, weight = np.zeros(0, dtype=np.int8), np.zeros(0)
        return PathRows(
            self.topology, sources, targets, offset, nothing, nothing, nothing, hops, weight
        )

    @property
    def draw_rule(self) -> kernels.EmptyRule:
        """See `PathSet.draw_rule`."""
        return kernels.EmptyRule()

    def expected_paths_by_halves(self) -> NDArray[np.float64]:
        """See `PathSet.expected_paths_by_halves`."""
        return np.zeros_like(super().expected_paths_by_halves())


PATH_SET = EmptySet
