"""Rules that weigh a VLB path by its shape."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.shapes import Shapes


@dataclass(frozen=True)
class ShapeRule:
    """Every path weighs as its shape says.

    Attributes
    ----------
    shapes : those of the network.
    weight : by shape code, 0 for paths that do not belong to the set.
    near_to : codes of the shapes to stay near to where a pair is left without a path; None if such
        a pair stays without.
    preferred : codes of the shapes to take first in place of those; None for all.
    drawn_hops, percent, seed : of all paths with `drawn_hops` hops, whatever they weigh, only
        `percent` can belong to the set, the first of each pair in the keyed order of `seed`; 0, 0
        where all lengths are whole.

    Notes
    -----
    A pair that is left without a path takes all paths of the nearest shape that it has: preferred
    shapes come first, then those that differ in the fewest links from a shape of `near_to`, then
    those with fewer hops, then those of lower code.
    """

    shapes: Shapes
    weight: tuple[float, ...]
    near_to: frozenset[int] | None = None
    preferred: frozenset[int] | None = None
    drawn_hops: int = 0
    percent: int = 0
    seed: int = 0

    def meet(self, other: Self) -> Self:
        """Return the rule of the paths that both rules have, weights multiplied."""
        hops, percent = self._met_length(other)
        return type(self)(
            self.shapes,
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
        return self._preferred if self.near_to is not None else _weighing(self.weight)

    @property
    def _preferred(self) -> frozenset[int]:
        return frozenset(range(len(self.shapes))) if self.preferred is None else self.preferred

    def _met_length(self, other: Self) -> tuple[int, int]:
        """Only the shorter of two drawn lengths is left; of the same length the smaller share."""
        parts = [(one.drawn_hops, one.percent) for one in (self, other) if one.drawn_hops]
        hops, percent = min(parts, default=(0, 0))
        left = _weighing(self.weight) & _weighing(other.weight)
        return (hops, percent) if any(self.shapes.hops[code] == hops for code in left) else (0, 0)

    @property
    def is_compact(self) -> bool:
        """Whether drawn paths weigh alike, so that none has to be listed to know its weight."""
        return self.native.is_compact

    @property
    def nearest(self) -> tuple[int, ...]:
        """Codes of the shapes to look for, nearest first; empty if pairs may lack paths."""
        if self.near_to is None:
            return ()
        return _nearest(self.shapes, self.near_to, self._preferred)

    def kept_shares(self, most: int) -> NDArray[np.float64]:
        """Share of the paths that weigh anything by hops of both halves, float64 (most, most).

        As if MIN halves of equally many hops were equally frequent.
        """
        hops = np.array([len(half) for half in self.shapes.halves])
        share = 1.0 / np.bincount(hops)[hops]
        kept = np.zeros((hops.max(), hops.max()))
        weighing = np.reshape(np.array(self.weight) > 0, (len(hops), len(hops)))
        np.add.at(kept, np.ix_(hops - 1, hops - 1), weighing * np.outer(share, share))
        return kept[:most, :most]

    @property
    def native(self) -> kernels.ShapeRule:
        """The rule in the form that the compiled kernels read."""
        return kernels.ShapeRule(
            list(self.weight),
            list(self.shapes.hops),
            list(self.nearest),
            self.drawn_hops,
            self.percent,
            self.seed,
        )


# Sets make their rule anew wherever it is asked for, and networks with failures have many shapes.
@lru_cache(maxsize=64)
def _nearest(shapes: Shapes, near_to: frozenset[int], preferred: frozenset[int]) -> tuple[int, ...]:
    def order(code: int) -> tuple[bool, int, int, int]:
        is_near = code in near_to
        distance = 0 if is_near else min(shapes.distance(code, one) for one in near_to)
        return code not in preferred, distance, shapes.hops[code], code

    return tuple(sorted(range(len(shapes)), key=order))


def _weighing(weight: tuple[float, ...]) -> frozenset[int]:
    return frozenset(code for code, value in enumerate(weight) if value)
