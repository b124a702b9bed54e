"""How the paths of every pair of switches with nodes use the links, class by class.

The MIN paths of a pair are classed by hop count. Classes of VLB paths are those of the throughput
model, by hop count, too: a split is what the model allows, so a mixture of vertices, one MIN class
or all VLB paths up to some length. Or they are by shape, and each has a rate of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Self

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import (
    ANY_SHAPE,
    ClassUsage,
    Pairs,
    PathSet,
    Switches,
    min_rows,
    min_usage,
    sender_pairs,
    shapes_of,
)
from tvlb.processes import Progress, Reporter, silent
from tvlb.topology import Topology

_ROWS_PER_CHUNK = 2_000_000
ENTRIES_PER_BLOCK = 100_000
_DIGITS = 9  # of shares that are compared

_UsageOf = Callable[[Switches, Switches], ClassUsage]


@dataclass(frozen=True, eq=False)
class KindUsage:
    """The MIN or the VLB classes of all pairs.

    Attributes
    ----------
    code : int64 (classes,), rising: hops of the paths of a class, or their shape code. Those that
        no pair has are left out.
    weight : float64 (pairs, classes), sum of draw weights; 0 where a pair has no such path.
    share : float32 (pairs * classes, links), sparse, the share of a class that crosses a link.
    """

    code: NDArray[np.int64]
    weight: NDArray[np.float64]
    share: "scipy.sparse.csr_array"

    @classmethod
    def of(
        cls,
        topology: Topology,
        usage_of: _UsageOf,
        pairs: tuple[Switches, Switches],
        step: int,
        report: Reporter,
    ) -> "KindUsage":
        """Build it for so many pairs at a time, which bounds the memory that lists take."""
        source, target = pairs
        weights: list[NDArray[np.float64]] = []
        sizes: list[NDArray[np.int64]] = []
        links: list[NDArray[np.int32]] = []
        shares: list[NDArray[np.float32]] = []
        for at in range(0, len(source), step):
            report(Progress("build", at, len(source)))
            usage = usage_of(source[at : at + step], target[at : at + step])
            flat = usage.weight.ravel()
            used = (usage.entry_value > 0) & (flat[usage.entry_class] > 0)
            owner = usage.entry_class[used]
            weights.append(usage.weight)
            sizes.append(np.bincount(owner, minlength=len(flat)))
            links.append(usage.entry_link[used])
            shares.append((usage.entry_value[used] / flat[owner]).astype(np.float32))
        weight = np.concatenate(weights)
        there = weight.any(axis=0)
        ends = np.cumsum(np.concatenate(sizes)).reshape(weight.shape)[:, there]
        size = np.concatenate([[0], ends.ravel()])
        share = scipy.sparse.csr_array(
            (np.concatenate(shares), np.concatenate(links), size),
            shape=(len(size) - 1, topology.num_links),
        )
        return cls(np.flatnonzero(there), weight[:, there], share)

    def costs(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Price of a unit of every class by link prices, float64 (pairs, classes)."""
        share = self.share
        # Block by block: a product first writes out all its shares in double precision.
        blocks = max(1, share.nnz // ENTRIES_PER_BLOCK)
        inner = np.searchsorted(share.indptr, np.linspace(0, share.nnz, blocks + 1)[1:-1])
        ends = [0, *inner.tolist(), self.weight.size]
        found = [np.asarray(share[begin:end] @ price) for begin, end in pairwise(ends)]
        return np.concatenate(found).reshape(self.weight.shape)


@dataclass(frozen=True, eq=False)
class PairUsage:
    """Both kinds of classes of all pairs that may have traffic.

    Attributes
    ----------
    topology : the network.
    source, target : int32 (pairs,), all pairs of different switches with nodes, sorted.
    minimal, detour : their classes; columns below are those of both, MIN first. A vertex is the
        class of its column, and of VLB paths all shorter ones with it.
    """

    topology: Topology
    source: Switches
    target: Switches
    minimal: KindUsage
    detour: KindUsage

    @classmethod
    def of(cls, path_set: PathSet, report: Reporter = silent) -> Self:
        """Build it.

        Raises
        ------
        InvalidInput : a pair has no path at all.
        """
        topology = path_set.topology
        check_paths(topology)
        pairs = sender_pairs(topology)
        steps = [
            max(1, _ROWS_PER_CHUNK // max(1, most))
            for most in (topology.most_min_paths, topology.most_vlb_paths)
        ]
        return cls(
            topology,
            *pairs,
            KindUsage.of(topology, partial(min_usage, topology), pairs, steps[0], report),
            KindUsage.of(topology, partial(cls._detours, path_set), pairs, steps[1], report),
        )

    @staticmethod
    def _detours(path_set: PathSet, source: Switches, target: Switches) -> ClassUsage:
        every = np.ones(path_set.topology.num_links, dtype=bool)
        return path_set.usage(Pairs(path_set.topology, source, target)).listed(every)

    def __len__(self) -> int:
        return len(self.source)

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Sums of draw weights, float64 (pairs, columns)."""
        return np.concatenate([self.minimal.weight, self.detour.weight], axis=1)

    @property
    def entries(self) -> int:
        """Number of pairs of a class and a link that it crosses."""
        return self.minimal.share.nnz + self.detour.share.nnz

    @property
    def is_vertex(self) -> NDArray[np.bool_]:
        """Whether a pair has a vertex, bool (pairs, columns)."""
        return self.weight > 0

    def costs(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Price of a unit of every vertex, float64 (pairs, columns); inf where there is none."""
        classes = np.concatenate([self.minimal.costs(price), self.detour.costs(price)], axis=1)
        return np.where(self.is_vertex, self.to_vertices(classes), np.inf)

    def to_vertices(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return means over the paths of each vertex from those of classes, (..., pairs, columns).

        Values of absent vertices mean nothing.
        """
        first = len(self.minimal.code)
        weight = self.detour.weight
        found = np.array(values, dtype=np.float64)
        np.cumsum(found[..., first:] * weight, axis=-1, out=found[..., first:])
        found[..., first:] /= np.maximum(weight.cumsum(axis=-1), np.finfo(float).tiny)
        return found

    def to_classes(self, split: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what share of the traffic each class carries from that of vertices."""
        first = len(self.minimal.code)
        weight = self.detour.weight
        total = np.maximum(weight.cumsum(axis=1), np.finfo(float).tiny)
        rate = np.flip(np.cumsum(np.flip(split[:, first:] / total, axis=1), axis=1), axis=1)
        return np.concatenate([split[:, :first], rate * weight], axis=1)

    def vertices_on_links(self, links: NDArray[np.integer]) -> NDArray[np.float32]:
        """Shares of every vertex that cross given links, float32 (links, pairs, columns)."""
        found = np.zeros((len(links), *self.weight.shape), dtype=np.float32)
        kinds = (self.minimal, self.detour)
        columns = [one.share[:, links].tocsc() for one in kinds]
        for place in range(len(links)):
            parts = [
                column[:, [place]].toarray().reshape(one.weight.shape)
                for one, column in zip(kinds, columns, strict=True)
            ]
            found[place] = np.where(self.is_vertex, self.to_vertices(np.hstack(parts)), 0.0)
        return found


class ShapeUsage(PairUsage):
    """The same where VLB paths are classed by shape, and every class is a vertex by itself.

    Paths of a pair without a choice are one more class, of the code after the last.
    """

    @staticmethod
    def _detours(path_set: PathSet, source: Switches, target: Switches) -> ClassUsage:
        rows = path_set.rows(source, target)
        return rows.usage_by(rows.shapes(), len(shapes_of(path_set.topology)) + 1)

    def left(self, path_set: PathSet, down: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
        """Return what is left of every class where links are down, (cases, pairs, columns), 0..1.

        Parameters
        ----------
        path_set : that the usage is of.
        down : bool (links,) of every case.
        """
        lost = np.zeros((len(down), self.weight.size))
        columns, first = self.weight.shape[1], len(self.minimal.code)
        step = max(1, _ROWS_PER_CHUNK // max(1, self.topology.most_vlb_paths))
        for at in range(0, len(self), step):
            ends = self.source[at : at + step], self.target[at : at + step]
            minimal, detours = min_rows(self.topology, *ends), path_set.rows(*ends)
            places = (
                np.searchsorted(self.minimal.code, minimal.hops),
                first + np.searchsorted(self.detour.code, detours.shapes()),
            )
            for rows, place in zip((minimal, detours), places, strict=True):
                cell = (at + rows.pair_of_row) * columns + place
                for case, gone in enumerate(rows.crossing(down)):
                    lost[case] += np.bincount(cell[gone], rows.weight[gone], lost.shape[1])
        weight = self.weight.ravel()
        share = 1.0 - np.divide(lost, weight, out=np.ones_like(lost), where=weight > 0)
        return np.clip(share, 0.0, 1.0).round(_DIGITS).reshape(len(down), *self.weight.shape)

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are: hops of MIN paths, then shapes of VLB paths, `?.?` for any."""
        shapes = shapes_of(self.topology)
        known = [shapes.name(code) for code in range(len(shapes))]
        detours = [[*known, ANY_SHAPE][int(code)] for code in self.detour.code]
        return (*(str(int(hops)) for hops in self.minimal.code), *detours)

    def to_vertices(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """See `PairUsage.to_vertices`."""
        return np.array(values, dtype=np.float64)

    def to_classes(self, split: NDArray[np.float64]) -> NDArray[np.float64]:
        """See `PairUsage.to_classes`."""
        return split


def check_paths(topology: Topology) -> None:
    """Raise InvalidInput if a pair of switches with nodes has no path at all."""
    pairs = sender_pairs(topology)
    has_one = topology.has_paths(*pairs)
    if not has_one.all():
        first = int(np.argmin(has_one))
        ends = " to ".join(topology.called(int(one[first])) for one in pairs)
        raise InvalidInput(f"{topology} has no path from switch {ends}, where nodes are")
