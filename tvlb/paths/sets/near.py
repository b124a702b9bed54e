"""Paths of up to three hops, and the shortest others where a pair has none."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.rows import PathRows, Switches
from tvlb.paths.sets.length import LengthSet
from tvlb.paths.shortcut_set import is_valiant
from tvlb.topology import Topology

_HOPS = 3


@dataclass(frozen=True, repr=False)
class NearSet(ExpressionSet):
    """`<=3`; a pair without any such path has all paths, which then are of four hops."""

    name = "near"
    examples = ("near",)
    place = 8

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        return (cls.name,) if is_valiant(topology) else ()

    @property
    def _short(self) -> LengthSet:
        return LengthSet(self.topology, _HOPS)

    @property
    def _every(self) -> LengthSet:
        return LengthSet(self.topology)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        rows = self._short.rows(sources, targets)
        lacking = np.flatnonzero((np.diff(rows.offset) == 0) & (sources != targets))
        if len(lacking) == 0:
            return rows
        return rows.replaced(lacking, self._every.rows(sources[lacking], targets[lacking]))

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`."""
        short = self._short.most_paths(sources, targets)
        lacking = np.flatnonzero(short == 0)
        short[lacking] = self._every.most_paths(sources[lacking], targets[lacking])
        return short


PATH_SET = NearSet
