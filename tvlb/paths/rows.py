"""Paths as arrays: the rows of many switch pairs, and the links they take."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.topology import Topology, compiled, path_kernel

ABSENT = -1
# So that memory stays bounded on tables of tens of millions of paths.
_CHUNK_ROWS = 1 << 18
_ROW_COLUMNS = ("intermediate", "first_link", "second_link", "hops", "weight")

Switches = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class ClassUsage:
    """Size and link usage of the (pair, hop count) classes of some rows.

    Attributes
    ----------
    count : int64 (pairs, classes), paths of each pair by hop count, 0 up to `Topology.max_hops`.
    weight : float64 (pairs, classes), sum of draw weights by hop count.
    entry_class, entry_link, entry_value : sparse usage, sorted by (class, link): the weights of
        class ``entry_class`` = pair * classes + hops that lie on ``entry_link`` sum to
        ``entry_value``.
    """

    count: NDArray[np.int64]
    weight: NDArray[np.float64]
    entry_class: NDArray[np.int64]
    entry_link: NDArray[np.int32]
    entry_value: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PathRows:
    """Paths of a list of switch pairs.

    Attributes
    ----------
    topology : the network the ids refer to.
    source, target : int32 (pairs,), the switch pairs.
    offset : int64 (pairs+1,), pair i owns rows ``offset[i]:offset[i+1]``.
    intermediate, first_link, second_link : int32 (rows,), the triple that identifies a VLB path;
        -1 where absent. Links are the names of its MIN halves, as the family names these.
    hops : int8 (rows,), network links of the path.
    weight : float64 (rows,), draw weights; they sum to 1 for every pair that has rows.

    Notes
    -----
    Rows of a pair are sorted by (intermediate, first link, second link).
    """

    topology: Topology
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    offset: NDArray[np.int64]
    intermediate: NDArray[np.int32]
    first_link: NDArray[np.int32]
    second_link: NDArray[np.int32]
    hops: NDArray[np.int8]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.hops)

    @property
    def native(self) -> kernels.Rows:
        """The rows in the form that the compiled kernels read (checked, not copied)."""
        return kernels.Rows(
            compiled(self.topology),
            self.source,
            self.target,
            self.offset,
            self.intermediate,
            self.first_link,
            self.second_link,
            self.hops,
            self.weight,
        )

    @property
    def pair_of_row(self) -> NDArray[np.int64]:
        """Position of each row's pair, int64 (rows,)."""
        return np.repeat(np.arange(len(self.source)), np.diff(self.offset))

    def paths(self, which: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return some rows as int32 (paths, 5): source, target, and the triple."""
        pair = self.pair_of_row[which]
        columns = (self.intermediate, self.first_link, self.second_link)
        ends = (self.source[pair], self.target[pair])
        return np.stack([*ends, *(column[which] for column in columns)], axis=1)

    def links(self) -> NDArray[np.int32]:
        """Link ids of each path in travel order, int32 (rows, longest), -1 beyond the last hop."""
        return kernels.path_links(compiled(self.topology), self.native)

    def channels(
        self, vc_count: int, vcs: Callable[[NDArray[np.int8]], NDArray[np.integer]]
    ) -> NDArray[np.int32]:
        """Virtual channels in travel order, int32 (rows, longest): link * VCs + VC, -1 beyond.

        Parameters
        ----------
        vcs : gives the VC of every link by the kinds of all, as `VcScheme.vcs`.
        """
        links = self.links()
        # Position -1, where a path has ended, reads as no kind.
        kinds = np.append(self.topology.network.link_kind.astype(np.int8), np.int8(ABSENT))
        return np.where(links < 0, ABSENT, links * vc_count + vcs(kinds[links])).astype(np.int32)

    def shapes(self) -> NDArray[np.uint16]:
        """Shape code of every row; the number of shapes where a pair has no choice."""
        return path_kernel(self.topology).shapes(self.native)

    def total_usage(self) -> NDArray[np.float64]:
        """Sum of weights over each link, all pairs together, float64 (links,)."""
        return kernels.total_usage(compiled(self.topology), self.native)

    def class_usage(self) -> ClassUsage:
        """Group the paths of each pair by hop count and add up their link usage."""
        classes = self.topology.max_hops + 1
        cell = self.pair_of_row * classes + self.hops
        cells = len(self.source) * classes
        weight = np.bincount(cell, weights=self.weight, minlength=cells).astype(np.float64)
        entry_class, entry_link, entry_value = kernels.class_usage(
            compiled(self.topology), self.native
        )
        return ClassUsage(
            count=np.bincount(cell, minlength=cells).reshape(-1, classes),
            weight=weight.reshape(-1, classes),
            entry_class=entry_class,
            entry_link=entry_link,
            entry_value=entry_value,
        )

    def usage_by(self, code: NDArray[np.integer], classes: int) -> ClassUsage:
        """Group the paths of each pair by a code, and add up their link usage.

        Parameters
        ----------
        code : (rows,), from 0.
        classes : more than the largest code; takes the place of the hop counts of `ClassUsage`.
        """
        cell = self.pair_of_row * classes + code
        cells = len(self.source) * classes
        row, hop = np.nonzero((links := self.links()) != ABSENT)
        entries = self.weight[row], (cell[row], links[row, hop])
        # Summed from the list of all entries.
        usage = scipy.sparse.coo_array(entries, shape=(cells, self.topology.num_links)).tocsr()
        usage.sort_indices()
        return ClassUsage(
            count=np.bincount(cell, minlength=cells).reshape(-1, classes),
            weight=np.bincount(cell, self.weight, cells).astype(np.float64).reshape(-1, classes),
            entry_class=np.repeat(np.arange(cells), np.diff(usage.indptr)),
            entry_link=usage.indices.astype(np.int32, copy=False),
            entry_value=usage.data,
        )

    def mean_hops_by_pair(self) -> NDArray[np.float64]:
        """Mean hops of a drawn path of each pair, float64 (pairs,); 0 where there is no path."""
        hops = np.bincount(
            self.pair_of_row, weights=self.weight * self.hops, minlength=len(self.source)
        )
        return hops.astype(np.float64)

    def select(self, keep: NDArray[np.bool_]) -> "PathRows":
        """Return the rows where `keep` is true; weights of each pair are renormalised."""
        kept, pair = self.filtered(keep), self.pair_of_row[keep]
        total = np.bincount(pair, weights=kept.weight, minlength=len(self.source))
        # Pairs that lose nothing keep their weights to the last bit.
        lessened = (np.diff(kept.offset) < np.diff(self.offset))[pair]
        return kept.with_weights(np.where(lessened, kept.weight / total[pair], kept.weight))

    def with_weights(self, weight: NDArray[np.float64]) -> "PathRows":
        """Return the same paths with other draw weights, float64 (rows,)."""
        return replace(self, weight=weight)

    def filtered(self, keep: NDArray[np.bool_]) -> "PathRows":
        """Return the rows where `keep` is true, weights as they are."""
        counts = np.bincount(self.pair_of_row[keep], minlength=len(self.source))
        return replace(
            self,
            offset=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            **{name: getattr(self, name)[keep] for name in _ROW_COLUMNS},
        )

    def crossing(self, every: Iterable[NDArray[np.bool_]]) -> Iterator[NDArray[np.bool_]]:
        """Yield whether each path takes any link of a choice, bool (rows,).

        Parameters
        ----------
        every : bool (links,) each, the links that are chosen.
        """
        links = self.links()
        for chosen in every:
            # ABSENT is the one behind the last link.
            taken = np.append(chosen, np.zeros(1, dtype=np.bool_))[links]
            yield np.asarray(taken.any(axis=1))

    def joined(self, other: "PathRows") -> "PathRows":
        """Return these rows and, behind them, those of other pairs, or of the same once more."""
        return replace(
            self,
            source=np.concatenate([self.source, other.source]),
            target=np.concatenate([self.target, other.target]),
            offset=np.concatenate([self.offset, other.offset[1:] + len(self)]),
            **{
                name: np.concatenate([getattr(self, name), getattr(other, name)])
                for name in _ROW_COLUMNS
            },
        )

    def replaced(self, index: NDArray[np.int64], other: "PathRows") -> "PathRows":
        """Return the rows with those of `other` in place of those of the pairs at `index`."""
        order = np.arange(len(self.source))
        order[index] = len(self.source) + np.arange(len(index))
        return self.joined(other).pairs(order)

    def chunks(self, chunk_rows: int = _CHUNK_ROWS) -> Iterator["PathRows"]:
        """Cut rows between pairs into portions of about `chunk_rows` rows; nothing is copied."""
        begin, pairs = 0, len(self.source)
        while begin < pairs:
            limit = int(self.offset[begin]) + chunk_rows
            end = max(begin + 1, int(np.searchsorted(self.offset, limit, side="right")) - 1)
            yield self._slice(begin, end)
            begin = end

    def _slice(self, begin: int, end: int) -> "PathRows":
        first, last = int(self.offset[begin]), int(self.offset[end])
        return replace(
            self,
            source=self.source[begin:end],
            target=self.target[begin:end],
            offset=self.offset[begin : end + 1] - first,
            **{name: getattr(self, name)[first:last] for name in _ROW_COLUMNS},
        )

    def pairs(self, index: NDArray[np.int64]) -> "PathRows":
        """Return the rows of the pairs at positions `index`, in that order."""
        counts = self.offset[index + 1] - self.offset[index]
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        position = np.arange(offset[-1], dtype=np.int64)
        rows = position + np.repeat(self.offset[index] - offset[:-1], counts)
        return replace(
            self,
            source=self.source[index],
            target=self.target[index],
            offset=offset,
            **{name: getattr(self, name)[rows] for name in _ROW_COLUMNS},
        )


def representative_pairs(topology: Topology) -> tuple[Switches, Switches]:
    """Return the pairs with a choice from the representatives of a network, int32 (pairs,) each."""
    switches = np.arange(topology.num_switches, dtype=np.int32)
    source, target = np.meshgrid(topology.representatives, switches, indexing="ij")
    chosen = topology.has_choice(source, target)
    return source[chosen], target[chosen]


def min_usage(topology: Topology, sources: Switches, targets: Switches) -> ClassUsage:
    """Class sizes and link usage of all MIN paths of the given pairs, equally likely."""
    count, weight, owner, link, share = path_kernel(topology).min_usage(sources, targets)
    shape = (len(sources), topology.max_hops + 1)
    return ClassUsage(count.reshape(shape), weight.reshape(shape), owner, link, share)


def min_rows(topology: Topology, sources: Switches, targets: Switches) -> PathRows:
    """All MIN paths of the given pairs, equally likely; a switch has no path to itself."""
    columns = path_kernel(topology).enumerate_min(sources, targets)
    return PathRows(topology, sources, targets, *columns)
