"""Sets by length: all paths up to so many hops, and some of those one hop longer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.paths.compositions import compositions
from tvlb.paths.expression_set import LONGEST, ExpressionSet
from tvlb.paths.path_set import DrawRule, WeightedSet
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.shapes import shapes_of
from tvlb.statistics import check_seed
from tvlb.topology import Topology

_WHOLE = "([0-9]{1,3})"
_TEXT = rf"<= *{_WHOLE}( *\+ *({_WHOLE} *%|\( *{_WHOLE} *, *{_WHOLE} *\)))?"


@dataclass(frozen=True, repr=False)
class LengthSet(WeightedSet, ExpressionSet):
    """All VLB paths up to `max_hops`, and some of those one hop longer.

    Attributes
    ----------
    max_hops : from 2 to the longest VLB path of the network, which is the default.
    percent : 0..99, share of the (max_hops + 1)-hop paths, drawn per pair by the keyed order.
    composition : (m, n) with m + n = max_hops + 1: of the longer paths exactly those whose MIN
        parts have m and n hops. Excludes `percent`.
    seed : keys the order; 64 bits.
    """

    max_hops: int = LONGEST
    percent: int = 0
    composition: tuple[int, int] | None = None
    seed: int = 0

    name = "all"
    examples = ("all", "<=4", "<=4+60%", "<=4+(2,3)")
    place = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        longest = self.topology.max_hops
        if self.max_hops == LONGEST:
            object.__setattr__(self, "max_hops", longest)
        if not 2 <= self.max_hops <= longest:
            raise InvalidInput(f"<={self.max_hops}: path lengths are 2..{longest}")
        if self.percent and not 1 <= self.percent <= 99:
            raise InvalidInput(f"{self.percent}%: percentages are 1..99")
        if self.has_extra and self.max_hops == longest:
            raise InvalidInput(f"no VLB path is longer than {longest} hops")
        if self.composition is not None:
            self._check_composition(*self.composition)

    def _check_composition(self, first: int, second: int) -> None:
        most = self.topology.max_hops // 2
        within = min(first, second) >= 1 and max(first, second) <= most
        if first + second != self.max_hops + 1 or not within:
            raise InvalidInput(
                f"<={self.max_hops}+({first},{second}): the parts are 1..{most} hops each and must "
                f"add up to {self.max_hops + 1}"
            )

    @classmethod
    def parse(cls, text: str, topology: Topology, seed: int) -> Self | None:
        """See `ExpressionSet.parse`."""
        if text == cls.name:
            return cls(topology, seed=seed)
        if not text.startswith("<="):
            return None
        match = re.fullmatch(_TEXT, text)
        if match is None:
            raise InvalidInput(f"{text!r} is unknown")
        length, percent, first, second = (
            None if part is None else int(part) for part in match.group(1, 4, 5, 6)
        )
        assert length is not None
        if percent == 0:
            raise InvalidInput("0%: percentages are 1..99")
        composition = None if first is None or second is None else (first, second)
        return cls(topology, length, percent or 0, composition, seed)

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        lengths = f"<=L (L = 2..{topology.max_hops})"
        return cls.name, lengths, "<=L+F% (F = 1..99)", "<=L+(M,N) with M+N = L+1"

    @classmethod
    def regex(cls) -> str:
        """See `ExpressionSet.regex`."""
        return f"{cls.name}|{_TEXT}"

    def mean_hops(self) -> float:
        """See `PathSet.mean_hops`; from counts that all sets of a topology share."""
        all_counts = compositions(self.topology)
        hops = all_counts.hops
        counts = np.where(hops <= self.max_hops, all_counts.paths, 0)
        longer = hops == self.max_hops + 1
        if self.composition is not None:
            cell = all_counts.cell(*self.composition)
            counts[:, cell] = all_counts.paths[:, cell]
        elif self.percent:
            # Which of the longer paths are drawn does not matter here, only how many.
            drawn = (all_counts.paths[:, longer].sum(axis=1) * self.percent + 50) // 100
            counts[:, np.argmax(longer)] = drawn
        return all_counts.mean_hops(counts)

    @property
    def rule(self) -> ShapeRule:
        """See `WeightedSet.rule`."""
        shapes = shapes_of(self.topology)
        longest = self.max_hops + self.has_extra
        weight = tuple(
            float(
                hops <= self.max_hops or (hops == longest and self._has_longer(shapes.parts(code)))
            )
            for code, hops in enumerate(shapes.hops)
        )
        # Not every network has paths of every length: those of Dragonfly+ all have six hops.
        if not self.percent or longest not in shapes.hops:
            return ShapeRule(shapes, weight)
        return ShapeRule(shapes, weight, drawn_hops=longest, percent=self.percent, seed=self.seed)

    def _has_longer(self, halves: tuple[str, str]) -> bool:
        return self.composition is None or self.composition[0] == len(halves[0])

    @property
    def draw_rule(self) -> DrawRule | None:
        """See `PathSet.draw_rule`."""
        return kernels.AllRule() if self.is_all else super().draw_rule

    def expected_paths_by_halves(self) -> NDArray[np.float64]:
        """See `PathSet.expected_paths_by_halves`."""
        every = self.topology.expected_paths.vlb_paths_by_halves
        first, second = np.indices(every.shape) + 1
        hops = first + second
        kept = np.where(hops <= self.max_hops, 1.0, 0.0)
        if self.composition is not None:
            kept[(first == self.composition[0]) & (second == self.composition[1])] = 1.0
        kept[hops == self.max_hops + 1] += self.percent / 100
        return every * kept

    @property
    def has_extra(self) -> bool:
        """Whether the set holds a part of the paths longer than `max_hops`."""
        return self.percent != 0 or self.composition is not None

    @property
    def is_all(self) -> bool:
        """Whether this is the conventional set of all VLB paths."""
        return self.max_hops == self.topology.max_hops

    def __str__(self) -> str:
        if self.is_all:
            return self.name
        if self.composition is not None:
            return f"<={self.max_hops}+({self.composition[0]},{self.composition[1]})"
        return f"<={self.max_hops}" + (f"+{self.percent}%" if self.percent else "")


PATH_SET = LengthSet
