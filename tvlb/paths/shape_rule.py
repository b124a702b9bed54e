"""Shapes of VLB paths, and rules that weigh a path by its shape.

A shape says which kinds of links each MIN half takes: g, lg, gl or lgl on a Topology, so `g.lg` is
a global link of the source switch, then local, global. A path takes up to four local hops around
its two global links: at the source, before the intermediate, after it, and at the target. A shape's
code has one bit for each of them, 8, 4, 2 and 1.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from tvlb import _native
from tvlb.errors import InvalidInput

__all__ = [
    "HALVES",
    "SHAPES",
    "ShapeRule",
    "check_weights",
    "parse_weights",
    "shape_code",
    "shape_hops",
    "shape_name",
    "weights_text",
]

SHAPES = 16
HALVES = ("g", "gl", "lg", "lgl")
_ANY = "?"
_NUMBER = re.compile(r"(?:[0-9]+\.?|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LEAST, _MOST = 1e-9, 1e9
_RANGE = "weights are 1e-9 to 1e9"


def shape_hops(code: int) -> int:
    """Network links of a path of this shape, 2..6."""
    return 2 + code.bit_count()


def shape_code(first: str, second: str) -> int:
    """Code of a shape from its halves, members of `HALVES`."""
    at_source, before = first[0] == "l", first[-1] == "l"
    after, at_target = second[0] == "l", second[-1] == "l"
    return 8 * at_source + 4 * before + 2 * after + at_target


def shape_name(code: int) -> str:
    """Halves of a shape with a dot between them, such as `g.lg`."""
    first = "l" * bool(code & 8) + "g" + "l" * bool(code & 4)
    second = "l" * bool(code & 2) + "g" + "l" * bool(code & 1)
    return f"{first}.{second}"


def parse_weights(entries: Sequence[str]) -> tuple[float, ...]:
    """Parse the arguments of `shape(...)`, without spaces; 16 weights by code.

    Raises
    ------
    InvalidInput : a half or a weight is malformed or out of range, or a shape is named twice.

    Examples
    --------
    >>> weights = parse_weights(["g.g:8", "g.gl:4", "g.lg:4", "g.lgl"])
    >>> weights_text(weights)
    'g.g:8, g.gl:4, g.lg:4, g.lgl'
    """
    weights: dict[int, float] = {}
    for entry in entries:
        names, colon, number = entry.partition(":")
        value = _weight(entry, number) if colon else 1.0
        for code in _codes(entry, names):
            if code in weights:
                raise InvalidInput(f"shape {shape_name(code)} is named twice")
            weights[code] = value
    return tuple(weights.get(code, 0.0) for code in range(SHAPES))


def _weight(entry: str, number: str) -> float:
    if _NUMBER.fullmatch(number) is None or not _LEAST <= float(number) <= _MOST:
        raise InvalidInput(f"shape {entry!r}: {_RANGE}")
    return float(number)


def check_weights(weights: tuple[float, ...]) -> None:
    """Raise InvalidInput unless these are 16 weights, 0 or in range, and not all 0."""
    if len(weights) != SHAPES or not any(weights):
        raise InvalidInput(f"a set by shape has {SHAPES} weights, one of them above 0")
    if not all(weight == 0 or _LEAST <= weight <= _MOST for weight in weights):  # nan is neither
        raise InvalidInput(f"a set by shape has {weights}: {_RANGE}, or 0")


def _codes(entry: str, names: str) -> list[int]:
    halves = names.split(".")
    known = (*HALVES, _ANY)
    if len(halves) != 2 or not all(half in known for half in halves):
        raise InvalidInput(
            f"shape {entry!r} is malformed: expected HALF.HALF[:WEIGHT], a half is one of "
            f"{', '.join(known)}"
        )
    first, second = (HALVES if half == _ANY else (half,) for half in halves)
    return [shape_code(one, other) for one in first for other in second]


def weights_text(weights: tuple[float, ...]) -> str:
    """Write 16 weights by code as they are parsed; equal second halves of a first one as `?`."""
    by_half = {
        first: {second: weights[shape_code(first, second)] for second in HALVES} for first in HALVES
    }
    if len(set(weights)) == 1:
        return _entry(f"{_ANY}.{_ANY}", weights[0])
    entries: list[str] = []
    for first, of_second in by_half.items():
        entries += _half_entries(first, of_second)
    return ", ".join(entries)


def _half_entries(first: str, of_second: Mapping[str, float]) -> list[str]:
    values = list(of_second.values())
    if len(set(values)) == 1:
        return [_entry(f"{first}.{_ANY}", values[0])] if values[0] else []
    return [_entry(f"{first}.{second}", value) for second, value in of_second.items() if value]


def _entry(name: str, weight: float) -> str:
    # The shortest text that parses back to the same number.
    return name if weight == 1 else f"{name}:{repr(float(weight)).removesuffix('.0')}"


@dataclass(frozen=True)
class ShapeRule:
    """Every path weighs as its shape says.

    Attributes
    ----------
    weight : 16 weights by shape code, 0 for paths that do not belong to the set.
    near_to : codes of the shapes to stay near to where a pair is left without a path; None if such
        a pair stays without.
    preferred : codes of the shapes to take first in place of those.
    drawn_hops, percent, seed : of all paths with `drawn_hops` hops, whatever they weigh, only
        `percent` can belong to the set, the first of each pair in the keyed order of `seed`; 0, 0
        where all lengths are whole.

    Notes
    -----
    A pair that is left without a path takes all paths of the nearest shape that it has: preferred
    shapes come first, then those that differ in the fewest local hops from a shape of `near_to`,
    then those with fewer hops, then those of lower code.
    """

    weight: tuple[float, ...]
    near_to: frozenset[int] | None = None
    preferred: frozenset[int] = frozenset(range(SHAPES))
    drawn_hops: int = 0
    percent: int = 0
    seed: int = 0

    def meet(self, other: Self) -> Self:
        """Return the rule of the paths that both rules have, weights multiplied."""
        hops, percent = self._met_length(other)
        return type(self)(
            weight=tuple(x * y for x, y in zip(self.weight, other.weight, strict=True)),
            near_to=self._met_shapes(other),
            preferred=self._to_prefer & other._to_prefer,
            drawn_hops=hops,
            percent=percent,
            seed=(self.seed if self.drawn_hops else other.seed) if hops else 0,
        )

    def _met_shapes(self, other: Self) -> frozenset[int] | None:
        if self.near_to is None or other.near_to is None:
            return other.near_to if self.near_to is None else self.near_to
        return self.near_to & other.near_to

    @property
    def _to_prefer(self) -> frozenset[int]:
        """What a meeting with this rule should keep to: its lengths, but not its shapes."""
        return self.preferred if self.near_to is not None else _weighing(self.weight)

    def _met_length(self, other: Self) -> tuple[int, int]:
        """Only the shorter of two drawn lengths is left; of the same length the smaller share."""
        parts = [(one.drawn_hops, one.percent) for one in (self, other) if one.drawn_hops]
        hops, percent = min(parts, default=(0, 0))
        left = _weighing(self.weight) & _weighing(other.weight)
        return (hops, percent) if any(shape_hops(code) == hops for code in left) else (0, 0)

    @property
    def is_compact(self) -> bool:
        """Whether drawn paths weigh alike, so that none has to be listed to know its weight."""
        return self.native.is_compact

    @cached_property
    def nearest(self) -> tuple[int, ...]:
        """Codes of the shapes to look for, nearest first; empty if pairs may lack paths."""
        if self.near_to is None:
            return ()
        near_to = self.near_to

        def order(code: int) -> tuple[bool, int, int, int]:
            distance = min((code ^ one).bit_count() for one in near_to)
            return code not in self.preferred, distance, shape_hops(code), code

        return tuple(sorted(range(SHAPES), key=order))

    @property
    def native(self) -> _native.ShapeRule:
        """The rule in the form that the compiled kernels read."""
        return _native.ShapeRule(
            list(self.weight), list(self.nearest), self.drawn_hops, self.percent, self.seed
        )


def _weighing(weight: tuple[float, ...]) -> frozenset[int]:
    return frozenset(code for code, value in enumerate(weight) if value)
