"""Valiant's detours that are cut short, on networks of diameter 2."""

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.rows import PathRows, Switches
from tvlb.topology import ShortestPathTopology, Topology, compiled

_DIAMETER = 2


def is_valiant(topology: Topology) -> bool:
    """Whether detours are drawn as in the literature on networks of diameter 2.

    Halves are then MIN paths of two links at most, named by their first.
    """
    return (
        isinstance(topology, ShortestPathTopology)
        and topology.path_names == "link ids"
        and len(topology.longest_min_path) == _DIAMETER
    )


@dataclass(frozen=True, repr=False)
class ShortcutSet(ExpressionSet, ABC):
    """An intermediate is drawn, and a MIN path to it; packets may turn at its second switch.

    Attributes
    ----------
    only_to_neighbours : whether they turn only where the target is next to that switch.

    Notes
    -----
    What passes the target early or the source twice is drawn again.
    """

    only_to_neighbours: ClassVar[bool]

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        return (cls.name,) if is_valiant(topology) else ()

    @property
    def draw_rule(self) -> kernels.ShortcutRule:
        """See `PathSet.draw_rule`."""
        return kernels.ShortcutRule(self.only_to_neighbours)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        twin = compiled(self.topology)
        assert isinstance(twin, kernels.ShortestPaths)
        columns = twin.shortcuts(self.draw_rule, sources, targets)
        return PathRows(self.topology, sources, targets, *columns)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; as if every draw gave another path."""
        return np.full(len(sources), self.topology.most_vlb_paths, dtype=np.int64)
