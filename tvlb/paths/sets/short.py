"""Sets of shortest halves: an intermediate switch is drawn first, then the shortest way by it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Call, WholeArgument
from tvlb.native import kernels
from tvlb.paths.compositions import compositions
from tvlb.paths.expression_set import LONGEST, ExpressionSet
from tvlb.paths.rows import PathRows, Switches
from tvlb.paths.usage import HopProfile, Pairs, SetUsage, ShortUsage
from tvlb.topology import Topology, path_kernel

_HOPS = WholeArgument("HOPS", 0, 99)


@dataclass(frozen=True, repr=False)
class ShortSet(ExpressionSet):
    """Shortest halves: intermediates within the limits equally likely, then shortest MIN halves.

    Attributes
    ----------
    max_first, max_second : limits of the shortest MIN distance source-intermediate and
        intermediate-destination, hops; by default the longest that the network has.
    max_total : limit of their sum, the same.
    """

    max_first: int = LONGEST
    max_second: int = LONGEST
    max_total: int = LONGEST

    name = "short"
    examples = ("short(2,3)", "short(<=4)", "short(all)")
    place = 2

    def __post_init__(self) -> None:
        total = self.topology.max_hops
        half = total // 2
        for name, longest in (("max_first", half), ("max_second", half), ("max_total", total)):
            if getattr(self, name) == LONGEST:
                object.__setattr__(self, name, longest)
        if not (1 <= self.max_first <= half and 1 <= self.max_second <= half):
            raise InvalidInput(
                f"short({self.max_first},{self.max_second}): each half is 1..{half} hops"
            )
        if not 2 <= self.max_total <= total:
            raise InvalidInput(f"short(<={self.max_total}): path lengths are 2..{total}")
        if self.max_total != total and self._limits_halves:
            raise InvalidInput("a short set limits either its halves or their sum, not both")

    @classmethod
    def of_call(cls, call: Call, topology: Topology) -> Self | None:
        """See `ExpressionSet.of_call`."""
        match call:
            case Call(_, ("all",), ()):
                return cls(topology)
            case Call(_, (total,), ()) if total.startswith("<="):
                return cls(topology, max_total=_HOPS.parse(total.removeprefix("<=").strip()))
            case Call(_, (first, second), ()):
                return cls(topology, _HOPS.parse(first), _HOPS.parse(second))
            case _:
                return None

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        return f"{cls.name}(M,N)", f"{cls.name}(<=L)", f"{cls.name}(all)"

    @classmethod
    def regex(cls) -> str:
        """See `ExpressionSet.regex`."""
        hops = _HOPS.regex
        return rf"{cls.name} *\( *(all|<= *{hops}|{hops} *, *{hops}) *\)"

    @property
    def _limits_halves(self) -> bool:
        return min(self.max_first, self.max_second) < self.topology.max_hops // 2

    def mean_hops(self) -> float:
        """See `PathSet.mean_hops`; from counts that all sets of a topology share."""
        all_counts = compositions(self.topology)
        first, second = all_counts.halves
        within = (
            (first <= self.max_first)
            & (second <= self.max_second)
            & (all_counts.hops <= self.max_total)
        )
        return all_counts.mean_hops(np.where(within, all_counts.vias, 0))

    @property
    def rule(self) -> kernels.ShortRule:
        """The limits in the form that the compiled kernels read."""
        return kernels.ShortRule(self.max_first, self.max_second, self.max_total)

    @property
    def draw_rule(self) -> kernels.ShortRule:
        """See `PathSet.draw_rule`."""
        return self.rule

    def expected_paths_by_halves(self) -> NDArray[np.float64]:
        """See `PathSet.expected_paths_by_halves`."""
        expected = self.topology.expected_paths
        shortest = _shortest(expected.min_paths_by_hops)
        counts = expected.intermediates * np.outer(shortest, shortest)
        first, second = np.indices(counts.shape) + 1
        within = (first <= self.max_first) & (second <= self.max_second)
        return counts * (within & (first + second <= self.max_total))

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        columns = path_kernel(self.topology).enumerate(self.rule, sources, targets)
        return PathRows(self.topology, sources, targets, *columns)

    def profile(self, sources: Switches, targets: Switches) -> HopProfile:
        """See `PathSet.profile`; counted from the structure, no path is listed."""
        count, weight, _ = path_kernel(self.topology).profile(self.rule, sources, targets)
        return HopProfile.of(self.topology, count, weight)

    def usage(self, pairs: Pairs) -> SetUsage:
        """See `PathSet.usage`; no path is listed."""
        if not self.topology.has_usage_kernel:
            return super().usage(pairs)
        return ShortUsage(pairs, self.rule, self.profile(pairs.source, pairs.target))

    def __str__(self) -> str:
        if self._limits_halves:
            return f"{self.name}({self.max_first},{self.max_second})"
        is_all = self.max_total == self.topology.max_hops
        return f"{self.name}({'all' if is_all else f'<={self.max_total}'})"


def _shortest(expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shortest MIN paths by hops: a longer one counts if there is no shorter."""
    some = 1.0 - np.exp(-expected)
    none_shorter = np.cumprod(np.concatenate([[1.0], 1.0 - some[:-1]]))
    return none_shorter * expected


PATH_SET = ShortSet
