"""All sizes of given ranges that satisfy given constraints."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.designs.constraint import Constraint
from tvlb.designs.prices import PriceList
from tvlb.designs.quantities import Sizes
from tvlb.designs.ranges import Range
from tvlb.errors import InvalidInput

__all__ = ["MAX_COMBINATIONS", "MAX_EVALUATIONS", "DesignSpace"]

MAX_COMBINATIONS = 10_000_000
MAX_EVALUATIONS = 200_000_000
"""Combinations times the numbers and names of their constraints; each takes some 6 ns."""

_CHUNK = 1 << 18
_LEAST_GROUPS = 3

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class DesignSpace:
    """Ranges of p, a, h and g, and constraints.

    Attributes
    ----------
    p, a, h, g : the ranges; "max" in `g` stands for a*h + 1.
    constraints : what every size satisfies, examined in order.
    prices : for constraints on cost and power.

    Examples
    --------
    >>> from tvlb.designs import parse_constraint, parse_group_range, parse_range
    >>> ports, groups = parse_range("1..4"), parse_group_range("max")
    >>> balanced = (parse_constraint("a == 2*p == 2*h"),)
    >>> DesignSpace(ports, parse_range("2..8"), ports, groups, balanced).sizes().tolist()
    [[1, 2, 1, 3], [2, 4, 2, 9], [3, 6, 3, 19], [4, 8, 4, 33]]
    """

    p: Range
    a: Range
    h: Range
    g: Range
    constraints: tuple[Constraint, ...] = ()
    prices: PriceList | None = None

    @property
    def terms(self) -> int:
        """How many numbers and names the constraints have."""
        return sum(constraint.terms for constraint in self.constraints)

    def combinations(self) -> int:
        """Count the combinations of the ranges; O(values of a times values of h).

        Raises
        ------
        InvalidInput : there are more than 10,000,000; the text has the exact number. Nothing is
            enumerated.
        """
        ports = math.prod(one.count for one in (self.p, self.a, self.h))
        if self.g.fixed_count is not None:
            return _bounded(ports * self.g.fixed_count, "p, a, h and g")
        _bounded(ports, "p, a and h alone")
        return _bounded(self.p.count * int(self._group_counts().sum()), "p, a, h and g")

    def sizes(self, most: int = MAX_COMBINATIONS) -> NDArray[np.int64]:
        """Return the sizes, int64 (sizes, 4): p, a, h and g, ascending by p, then a, h and g.

        Parameters
        ----------
        most : more sizes than these are refused; then they are counted, but not kept.

        Combinations with g < 3 or g > a*h + 1 are left out: they are no Dragonflies, or have no
        VLB paths between groups.

        Raises
        ------
        InvalidInput : there are more than 10,000,000 combinations, none of them makes a
            Dragonfly, a constraint divides by zero or names a cost
            without a price, more than `most` satisfy all constraints, or
            none does; the text then names the first constraint that leaves nothing.

        Notes
        -----
        O(combinations), in chunks of 262,144.
        """
        combinations = self.combinations()
        left = np.zeros(1 + len(self.constraints), dtype=np.int64)
        found = [np.empty((0, 4), dtype=np.int64)]
        for sizes in self._chunks(combinations):
            kept = sizes.at((sizes.g >= _LEAST_GROUPS) & (sizes.g <= sizes.a * sizes.h + 1))
            left[0] += len(kept)
            for index, constraint in enumerate(self.constraints, 1):
                kept = kept.at(constraint.satisfied(kept))
                left[index] += len(kept)
            if left[-1] <= most:
                found.append(np.stack([kept.p, kept.a, kept.h, kept.g], axis=1).astype(np.int64))
        self._check_left(left)
        if left[-1] > most:
            raise InvalidInput(f"{left[-1]:,} sizes satisfy the constraints; at most {most:,} may")
        rows = np.concatenate(found)
        # A list may name the largest g a second time, as a number.
        return np.unique(rows, axis=0) if self.g.is_list else rows

    def _check_left(self, left: _Integers) -> None:
        if left[0] == 0:
            raise InvalidInput("no combination of the ranges has 3 <= g <= a*h + 1")
        if left[-1] == 0:
            index = int(np.argmin(left))
            raise InvalidInput(
                f'the constraint "{self.constraints[index - 1]}" leaves none of the '
                f"{left[index - 1]:,} sizes that were left before it"
            )

    def _largest_groups(self) -> _Integers:
        """Largest g of every a and h, int64 (values of a, values of h), flat."""
        return (np.multiply.outer(self.a.numbers(), self.h.numbers()) + 1).ravel()

    def _group_counts(self) -> _Integers:
        return self.g.counts(self._largest_groups())

    def _chunks(self, combinations: int) -> Iterator[Sizes]:
        p, a, h = self.p.numbers(), self.a.numbers(), self.h.numbers()
        largest = self._largest_groups()
        ends = np.cumsum(self.g.counts(largest))
        for start in range(0, combinations, _CHUNK):
            flat = np.arange(start, min(start + _CHUNK, combinations))
            of_p, rest = np.divmod(flat, ends[-1])
            pair = np.searchsorted(ends, rest, side="right")
            before = np.where(pair > 0, ends[pair - 1], 0)
            g = self.g.take(rest - before, largest[pair])
            columns = (p[of_p], a[pair // len(h)], h[pair % len(h)], g)
            of_p, of_a, of_h, of_g = (column.astype(np.float64) for column in columns)
            yield Sizes(of_p, of_a, of_h, of_g, self.prices)


def _bounded(combinations: int, of: str) -> int:
    if combinations > MAX_COMBINATIONS:
        raise InvalidInput(
            f"the ranges have {combinations:,} combinations of {of}; at most "
            f"{MAX_COMBINATIONS:,} are examined"
        )
    return combinations
