"""Shapes of VLB paths, and their text form.

A shape says which kinds of links each MIN half takes, a letter for a link: g, gl, lg or lgl on a
Dragonfly, so `g.lg` is a global link of the source switch, then local, global. The code of a shape
is that of its first half times the number of halves, plus that of the second.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tvlb.errors import InvalidInput
from tvlb.topology import Topology

_ANY = "?"
_NUMBER = re.compile(r"(?:[0-9]+\.?|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HALF = r"(\?|[a-z]{1,32})"
# Of one shape and its weight, whatever halves a network has.
SHAPE_REGEX = rf"{_HALF} *\. *{_HALF}( *: *{_NUMBER.pattern})?"
_MOST_SHOWN = 12
_LEAST, _MOST = 1e-9, 1e9
_RANGE = "weights are 1e-9 to 1e9"


@dataclass(frozen=True)
class Shapes:
    """The shapes of the VLB paths of a network.

    Attributes
    ----------
    halves : kinds of links of MIN paths, by code.
    """

    halves: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.halves) ** 2

    def code(self, first: str, second: str) -> int:
        """Code of a shape from its halves."""
        return self.halves.index(first) * len(self.halves) + self.halves.index(second)

    def parts(self, code: int) -> tuple[str, str]:
        """Return the two halves of a shape."""
        first, second = divmod(code, len(self.halves))
        return self.halves[first], self.halves[second]

    def name(self, code: int) -> str:
        """Halves of a shape with a dot between them, such as `g.lg`."""
        return ".".join(self.parts(code))

    @property
    def shown(self) -> list[str]:
        """Halves as messages list them: a few, and what stands for any."""
        more = ["..."] if len(self.halves) > _MOST_SHOWN else []
        return [*self.halves[:_MOST_SHOWN], *more, _ANY]

    @cached_property
    def hops(self) -> tuple[int, ...]:
        """Network links of a path, by code."""
        return tuple(len(first) + len(second) for first in self.halves for second in self.halves)

    def distance(self, code: int, other: int) -> int:
        """Links that have to be taken out or put in to make one shape the other."""
        return sum(map(_distance, self.parts(code), self.parts(other)))

    def parse_weights(self, entries: Sequence[str]) -> tuple[float, ...]:
        """Parse the arguments of `shape(...)`; weights by code.

        Raises
        ------
        InvalidInput : a half or a weight is malformed or out of range, or a shape is named twice.

        Examples
        --------
        >>> shapes = Shapes(("g", "gl", "lg", "lgl"))
        >>> shapes.weights_text(shapes.parse_weights(["g.g:8", "g.gl:4", "g.lg:4", "g.lgl"]))
        'g.g:8, g.gl:4, g.lg:4, g.lgl'
        """
        weights: dict[int, float] = {}
        for entry in entries:
            names, colon, number = entry.partition(":")
            value = _weight(entry, number.strip()) if colon else 1.0
            for code in self._codes(entry, names):
                if code in weights:
                    raise InvalidInput(f"shape {self.name(code)} is named twice")
                weights[code] = value
        return tuple(weights.get(code, 0.0) for code in range(len(self)))

    def _codes(self, entry: str, names: str) -> list[int]:
        halves = [half.strip() for half in names.split(".")]
        known = (*self.halves, _ANY)
        if len(halves) != 2 or not all(half in known for half in halves):
            raise InvalidInput(
                f"shape {entry!r} is malformed: expected HALF.HALF[:WEIGHT], a half is one of "
                f"{', '.join(self.shown)}"
            )
        first, second = (self.halves if half == _ANY else (half,) for half in halves)
        return [self.code(one, other) for one in first for other in second]

    def check_weights(self, weights: tuple[float, ...]) -> None:
        """Raise InvalidInput unless there is one for every shape, 0 or in range, and not all 0."""
        if len(weights) != len(self) or not any(weights):
            raise InvalidInput(f"a set by shape has {len(self)} weights, one of them above 0")
        if not all(
            weight == 0 or _LEAST <= weight <= _MOST for weight in weights
        ):  # nan is neither
            raise InvalidInput(f"a set by shape has {weights}: {_RANGE}, or 0")

    def weights_text(self, weights: tuple[float, ...]) -> str:
        """Write weights by code as they are parsed; equal second halves of a first one as `?`."""
        if len(set(weights)) == 1:
            return _entry(f"{_ANY}.{_ANY}", weights[0])
        entries: list[str] = []
        for first in self.halves:
            entries += _half_entries(
                first, {second: weights[self.code(first, second)] for second in self.halves}
            )
        return ", ".join(entries)


@lru_cache(maxsize=8)
def shapes_of(topology: Topology) -> Shapes:
    """Return the shapes that the VLB paths of a network have."""
    return Shapes(topology.halves)


@lru_cache(maxsize=1 << 16)
def _distance(half: str, other: str) -> int:
    if not half or not other:
        return len(half) + len(other)
    if half[0] == other[0]:
        return _distance(half[1:], other[1:])
    return 1 + min(_distance(half[1:], other), _distance(half, other[1:]))


def _weight(entry: str, number: str) -> float:
    if _NUMBER.fullmatch(number) is None or not _LEAST <= float(number) <= _MOST:
        raise InvalidInput(f"shape {entry!r}: {_RANGE}")
    return float(number)


def _half_entries(first: str, of_second: Mapping[str, float]) -> list[str]:
    values = list(of_second.values())
    if len(set(values)) == 1:
        return [_entry(f"{first}.{_ANY}", values[0])] if values[0] else []
    return [_entry(f"{first}.{second}", value) for second, value in of_second.items() if value]


def _entry(name: str, weight: float) -> str:
    # The shortest text that parses back to the same number.
    return name if weight == 1 else f"{name}:{repr(float(weight)).removesuffix('.0')}"
