"""Shapes of VLB paths, and their text form.

A shape says which kinds of links each MIN half takes, a letter for a link: g, gl, lg or lgl on a
Dragonfly, so `g.lg` is a global link of the source switch, then local, global. The code of a shape
is that of its first half times the number of halves, plus that of the second.
"""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import Topology

_ANY = "?"
_NUMBER = re.compile(r"(?:[0-9]+\.?|[0-9]*\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HALF = r"(\?|[a-z]{1,32}|[1-9][0-9]?)"
# Of one shape and its weight, whatever halves a network has.
SHAPE_REGEX = rf"{_HALF} *\. *{_HALF}( *: *{_NUMBER.pattern})?"
_MOST_SHOWN = 12
_LEAST, _MOST = 1e-9, 1e9
_FAR = 1 << 20
_RANGE = "weights are 1e-9 to 1e9"
_MOST_NAMED = 10_000
ANY_SHAPE = f"{_ANY}.{_ANY}"
"""Any shape; also the only one of the VLB paths of a pair without a choice."""
LONGEST_EXPRESSION = 100 * _MOST_NAMED
"""Characters of a path-set expression; a set by shape that names all it may takes fewer."""


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
        """Halves as messages list them: a few, and what stands for several."""
        more = ["..."] if self._are_many else []
        return [*self.halves[:_MOST_SHOWN], *more, "a number of links", _ANY]

    @property
    def _are_many(self) -> bool:
        return len(self.halves) > _MOST_SHOWN

    @cached_property
    def hops(self) -> tuple[int, ...]:
        """Network links of a path, by code."""
        return tuple(len(first) + len(second) for first in self.halves for second in self.halves)

    def distances(self, codes: Collection[int]) -> NDArray[np.int64]:
        """Return how far every shape is from the nearest of some, int64 (shapes,) by code.

        The distance of two shapes: links to take out or put in to make one the other.
        """
        count = len(self.halves)
        apart = np.array([[_distance(one, two) for two in self.halves] for one in self.halves])
        near = np.full((count, count), _FAR)
        near.flat[[*codes]] = 0
        # Half by half: the nearest first half for every second one, then the nearest second half.
        first = np.array([(near + row[:, None]).min(axis=0) for row in apart])
        return np.array([(first + row).min(axis=1) for row in apart]).T.ravel()

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
        meant = [self._meant(half) for half in halves]
        if len(halves) != 2 or not all(meant):
            raise InvalidInput(
                f"shape {entry!r} is malformed: expected HALF.HALF[:WEIGHT], a half is one of "
                f"{', '.join(self.shown)}"
            )
        first, second = meant
        return [self.code(one, other) for one in first for other in second]

    def _meant(self, half: str) -> list[str]:
        """Return the halves that a text stands for."""
        return [one for one in self.halves if half in (one, _ANY, str(len(one)))]

    def check_weights(self, weights: tuple[float, ...]) -> None:
        """Raise InvalidInput unless there is one for every shape, 0 or in range, and not all 0."""
        if len(weights) != len(self) or not any(weights):
            raise InvalidInput(f"a set by shape has {len(self)} weights, one of them above 0")
        if not all(
            weight == 0 or _LEAST <= weight <= _MOST for weight in weights
        ):  # nan is neither
            raise InvalidInput(f"a set by shape has {weights}: {_RANGE}, or 0")
        if (named := len(self._entries(weights))) > _MOST_NAMED:
            raise InvalidInput(f"a set by shape names {named:,} shapes; at most {_MOST_NAMED:,}")

    def fitting(self, weights: NDArray[np.float64]) -> tuple[float, ...]:
        """Return the weights that a set may have which are closest to some, not all of them 0.

        Of more shapes than can be named, those that weigh least are left out.
        """
        largest = float(weights.max())
        scaled = weights * (min(largest, _MOST) / largest)
        fit = np.where(weights > 0, np.maximum(scaled, _LEAST), 0.0)
        if len(self._entries(tuple(fit.tolist()))) > _MOST_NAMED:
            fit[np.argsort(-fit, kind="stable")[_MOST_NAMED:]] = 0.0
        return tuple(fit.tolist())

    def weights_text(self, weights: tuple[float, ...]) -> str:
        """Write weights by code as they are parsed; equal second halves of a first one as `?`.

        Of networks with many halves, equal weights of all shapes of the same lengths are one entry.
        """
        return ", ".join(self._entries(weights))

    def _entries(self, weights: tuple[float, ...]) -> list[str]:
        if len(set(weights)) == 1:
            return [_entry(ANY_SHAPE, weights[0])]
        if self._are_many:
            return self._entries_by_length(weights)
        entries: list[str] = []
        for first in self.halves:
            entries += _half_entries(
                first, {second: weights[self.code(first, second)] for second in self.halves}
            )
        return entries

    def _entries_by_length(self, weights: tuple[float, ...]) -> list[str]:
        lengths = sorted(set(map(len, self.halves)))
        entries: list[str] = []
        for one, other in itertools.product(lengths, repeat=2):
            name = f"{one}.{other}"
            shapes = {self.name(code): weights[code] for code in self._codes(name, name)}
            alike = len(set(shapes.values())) == 1
            given = {name: next(iter(shapes.values()))} if alike else shapes
            entries += [_entry(name, weight) for name, weight in given.items() if weight]
        return entries


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
