"""Class sizes and link usage of path sets over fixed pairs, listed only as far as wanted.

A pair's inner links are the local links of the groups that its paths only pass through. They are
most of the links that a pair uses, and seldom the crowded ones: `SetUsage` lists those that are
asked for, and adds up the loads of all of them for given rates.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.rows import ClassUsage, Switches
from tvlb.paths.shape_rule import ShapeRule
from tvlb.topology import Topology, compiled

_DECILES = tuple(range(10, 100, 10))


@dataclass(frozen=True, eq=False)
class HopProfile:
    """Paths and draw weights by hop count: int64 and float64 arrays of shape (pairs, classes)."""

    count: NDArray[np.int64]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, topology: Topology, count: NDArray[np.int64], weight: NDArray[np.float64]) -> Self:
        """Make it of flat arrays, [pair * classes + hops]."""
        shape = (-1, topology.max_hops + 1)
        return cls(count.reshape(shape), weight.reshape(shape))


class Pairs:
    """Switch pairs that several path sets are asked about; keeps what those sets share.

    Parameters
    ----------
    topology : the network.
    source, target : int32 (pairs,), the switch pairs.
    """

    def __init__(self, topology: Topology, source: Switches, target: Switches) -> None:
        self.topology = topology
        self.source = source
        self.target = target
        self._drawn: dict[tuple[object, ...], kernels.DrawnPaths] = {}

    def __len__(self) -> int:
        return len(self.source)

    def drawn(self, hops: int, percent: int, seed: int) -> kernels.DrawnPaths:
        """Return the paths of one length in slices of the keyed order; only the last are kept."""
        percents = _DECILES if percent in _DECILES else (percent,)
        key = (hops, percents, seed)
        if key not in self._drawn:
            self._drawn.clear()
            self._drawn[key] = kernels.DrawnPaths(
                compiled(self.topology), self.source, self.target, hops, seed, list(percents)
            )
        return self._drawn[key]


class SetUsage(Protocol):
    """What the throughput model asks about a path set over some pairs."""

    def listed(self, inner: NDArray[np.bool_]) -> ClassUsage:
        """Return class sizes and link usage, inner links only where `inner`, bool (links,)."""
        ...

    def inner_loads(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """Load of every link as an inner link, float64 (links,).

        Parameters
        ----------
        rate : float64 (pairs, classes), flits/cycle per unit of draw weight by hop count.
        """
        ...


@dataclass(frozen=True, eq=False)
class RowUsage:
    """Usage added up path by path; all links are listed whatever is asked for."""

    usage: ClassUsage
    num_links: int

    def listed(self, inner: NDArray[np.bool_]) -> ClassUsage:
        """See `SetUsage.listed`."""
        assert len(inner) == self.num_links
        return self.usage

    def inner_loads(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """Nothing: every link is listed."""
        assert len(rate) == len(self.usage.weight)
        return np.zeros(self.num_links)


@dataclass(frozen=True, eq=False)
class ShapeUsage:
    """Usage of a set by shape: from the structure, and from the keyed order if drawn.

    Attributes
    ----------
    rule : compact.
    drawn : the drawn paths, None unless the rule keeps a percentage of some.
    unit : float64 (pairs,), draw weight of a path that weighs 1 in the rule.
    """

    pairs: Pairs
    rule: ShapeRule
    drawn: kernels.DrawnPaths | None
    profile: HopProfile
    unit: NDArray[np.float64]

    def listed(self, inner: NDArray[np.bool_]) -> ClassUsage:
        """See `SetUsage.listed`."""
        pairs = self.pairs
        owner, link, sums = kernels.structure_usage(
            compiled(pairs.topology),
            self.rule.native,
            self.drawn,
            pairs.source,
            pairs.target,
            inner.view(np.uint8),
        )
        weight = sums * self.unit[owner // (pairs.topology.max_hops + 1)]
        return ClassUsage(self.profile.count, self.profile.weight, owner, link, weight)

    def inner_loads(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `SetUsage.inner_loads`."""
        pairs = self.pairs
        per_unit = rate * self.unit[:, np.newaxis]
        return kernels.inner_loads(
            compiled(pairs.topology),
            self.rule.native,
            self.drawn,
            pairs.source,
            pairs.target,
            per_unit.ravel(),
        )


@dataclass(frozen=True, eq=False)
class ShortUsage:
    """Usage of a set of shortest halves, from the structure."""

    pairs: Pairs
    rule: kernels.ShortRule
    profile: HopProfile

    def listed(self, inner: NDArray[np.bool_]) -> ClassUsage:
        """See `SetUsage.listed`."""
        pairs = self.pairs
        entries = kernels.structure_usage(
            compiled(pairs.topology), self.rule, pairs.source, pairs.target, inner.view(np.uint8)
        )
        return ClassUsage(self.profile.count, self.profile.weight, *entries)

    def inner_loads(self, rate: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `SetUsage.inner_loads`."""
        pairs = self.pairs
        return kernels.inner_loads(
            compiled(pairs.topology), self.rule, pairs.source, pairs.target, rate.ravel()
        )
