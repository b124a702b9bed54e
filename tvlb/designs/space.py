"""All sizes of given ranges that satisfy given constraints."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tvlb.designs.constraint import Constraint
from tvlb.designs.prices import PriceList
from tvlb.designs.quantities import Sizes
from tvlb.designs.ranges import Range
from tvlb.errors import InvalidInput
from tvlb.languages import all_of
from tvlb.topology import Sizing

MAX_COMBINATIONS = 10_000_000
MAX_EVALUATIONS = 200_000_000
"""Combinations times the numbers and names of their constraints; each takes some 6 ns."""

_CHUNK = 1 << 18

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class DesignSpace:
    """Ranges of the parameters of a family, and constraints.

    Attributes
    ----------
    sizing : of the family.
    ranges : by parameter; one without a range has its usual value.
    constraints : what every size satisfies, examined in order.
    prices : for constraints on cost and power.

    Examples
    --------
    >>> from tvlb.designs import parse_constraint, parse_range
    >>> from tvlb.topology import families
    >>> sizing = families()["dfly"].sizing
    >>> texts = {"p": "1..4", "a": "2..8", "h": "1..4", "g": "max"}
    >>> ranges = {one.name: parse_range(texts[one.name], one) for one in sizing.parameters}
    >>> balanced = (parse_constraint("a == 2*p == 2*h", sizing),)
    >>> DesignSpace(sizing, ranges, balanced).sizes().tolist()
    [[1, 2, 1, 3], [2, 4, 2, 9], [3, 6, 3, 19], [4, 8, 4, 33]]
    """

    sizing: Sizing
    ranges: Mapping[str, Range]
    constraints: tuple[Constraint, ...] = ()
    prices: PriceList | None = None

    @property
    def terms(self) -> int:
        """How many numbers and names the constraints have."""
        return sum(constraint.terms for constraint in self.constraints)

    def combinations(self) -> int:
        """Count the combinations of the ranges; O(combinations of those that "max" depends on).

        Raises
        ------
        InvalidInput : there are more than 10,000,000; the text has the exact number. Nothing is
            enumerated.
        """
        *names, last = self._names
        others = math.prod(self.ranges[name].count for name in names)
        fixed = self.ranges[last].fixed_count
        if fixed is not None:
            return _bounded(others * fixed, self._names)
        _bounded(others, names, " alone")
        counts = self.ranges[last].counts(self._largest)
        return _bounded(others // len(counts) * int(counts.sum()), self._names)

    def sizes(self, most: int = MAX_COMBINATIONS) -> NDArray[np.int64]:
        """Return the sizes, int64 (sizes, parameters), ascending by the parameters in their order.

        Parameters
        ----------
        most : more sizes than these are refused; then they are counted, but not kept.

        Combinations that are no networks with VLB paths are left out.

        Raises
        ------
        InvalidInput : there are more than 10,000,000 combinations, none of them makes a
            network, a constraint divides by zero or names a cost
            without a price, more than `most` satisfy all constraints, or
            none does; the text then names the first constraint that leaves nothing.

        Notes
        -----
        O(combinations), in chunks of 262,144.
        """
        combinations = self.combinations()
        left = np.zeros(1 + len(self.constraints), dtype=np.int64)
        found = [np.empty((0, len(self.sizing.parameters)), dtype=np.int64)]
        for sizes in self._chunks(combinations):
            kept = sizes.at(self.sizing.are_networks(sizes.parameters))
            left[0] += len(kept)
            for index, constraint in enumerate(self.constraints, 1):
                kept = kept.at(constraint.satisfied(kept))
                left[index] += len(kept)
            if left[-1] <= most:
                found.append(np.stack([*kept.parameters.values()], axis=1).astype(np.int64))
        self._check_left(left)
        if left[-1] > most:
            raise InvalidInput(f"{left[-1]:,} sizes satisfy the constraints; at most {most:,} may")
        rows = np.concatenate(found)
        # A list may name the largest value a second time, as a number.
        return np.unique(rows, axis=0) if self.ranges[self._names[-1]].is_list else rows

    def parameters(self, most: int = MAX_COMBINATIONS) -> list[dict[str, int]]:
        """Return the sizes by parameter, without those that have their usual value; see `sizes`."""
        rows = self.sizes(most)
        given = dict(zip(self.sizing.names, rows.T.astype(np.float64), strict=True))
        keep = np.ones(rows.shape, dtype=bool)
        for index, one in enumerate(self.sizing.parameters):
            if one.usual is not None:
                keep[:, index] = given[one.name] != one.usual(given)
        return [
            {name: value for name, value, kept in zip(given, row, own, strict=True) if kept}
            for row, own in zip(rows.tolist(), keep.tolist(), strict=True)
        ]

    def _check_left(self, left: _Integers) -> None:
        if left[0] == 0:
            ranges = ", ".join(f"{name} = {self.ranges[name]}" for name in self._names)
            raise InvalidInput(f"no combination of {ranges} has {self.sizing.rule}")
        if left[-1] == 0:
            index = int(np.argmin(left))
            raise InvalidInput(
                f'the constraint "{self.constraints[index - 1]}" leaves none of the '
                f"{left[index - 1]:,} sizes that were left before it"
            )

    @property
    def _names(self) -> list[str]:
        """The parameters that have ranges, in order."""
        return [name for name in self.sizing.names if name in self.ranges]

    @cached_property
    def _largest(self) -> _Integers:
        """What "max" stands for, by what it depends on in order, int64 (combinations of that,)."""
        largest = self.sizing.parameters[-1].largest
        if largest is None or self.sizing.names[-1] not in self.ranges:
            return np.zeros(1, dtype=np.int64)
        grid = np.meshgrid(*(self.ranges[name].numbers() for name in largest.of), indexing="ij")
        of = dict(zip(largest.of, (one.ravel().astype(np.float64) for one in grid), strict=True))
        return largest.formula(of).astype(np.int64)

    def _chunks(self, combinations: int) -> Iterator[Sizes]:
        *names, last = self._names
        values = [self.ranges[name].numbers() for name in names]
        largest = self._largest
        ends = np.cumsum(self.ranges[last].counts(largest))
        for start in range(0, combinations, _CHUNK):
            flat = np.arange(start, min(start + _CHUNK, combinations))
            before, rest = np.divmod(flat, ends[-1])
            inner = np.searchsorted(ends, rest, side="right")
            index = rest - np.where(inner > 0, ends[inner - 1], 0)
            given = {last: self.ranges[last].take(index, largest[inner])}
            outer = before * len(largest) + inner
            for name, known in zip(reversed(names), reversed(values), strict=True):
                outer, position = np.divmod(outer, len(known))
                given[name] = known[position]
            numbers = {name: given[name].astype(np.float64) for name in given}
            yield Sizes(self.sizing, self.sizing.completed(numbers), self.prices)


def _bounded(combinations: int, of: list[str], what: str = "") -> int:
    if combinations > MAX_COMBINATIONS:
        raise InvalidInput(
            f"the ranges have {combinations:,} combinations of {all_of(of)}{what}; at most "
            f"{MAX_COMBINATIONS:,} are examined"
        )
    return combinations
