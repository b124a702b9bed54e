"""Symmetries of a network that its path set shares, and what they make alike.

The best fixed split may be sought among those that are equal on pairs which a symmetry maps to each
other: the mean of a split over the group is no worse, since the worst load is convex.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.guarantee.usage import KindUsage, PairUsage
from tvlb.paths import ABSENT, PathRows, PathSet, Switches, min_rows, sender_pairs
from tvlb.statistics import KeyedStream
from tvlb.topology import Topology

# By how much sums of shares may differ, which are kept in single precision.
_ROUNDING = 1e-6


class _Graph(Protocol):
    def automorphism_group(self, *, color: Sequence[int]) -> list[list[int]]:
        """Return generators of the group that keeps colours, by BLISS."""
        ...


class _Igraph(Protocol):
    Graph: Callable[[int, Sequence[Sequence[int]]], _Graph]


_Image = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Orbits:
    """What symmetries make alike.

    Attributes
    ----------
    pair : int64 (pairs,), orbit of every pair of a `PairUsage`.
    link : int64 (links,), orbit of every link.
    are_all : whether all symmetries of the network keep the paths.
    """

    pair: NDArray[np.int64]
    link: NDArray[np.int64]
    are_all: bool

    @property
    def pairs(self) -> int:
        """Number of orbits of pairs."""
        return int(self.pair.max(initial=-1)) + 1

    @property
    def first_pairs(self) -> NDArray[np.int64]:
        """One pair of every orbit, int64 (orbits,)."""
        return np.unique(self.pair, return_index=True)[1]

    def of_switches(self, topology: Topology) -> NDArray[np.int64]:
        """Return the orbit of every switch that has links, int64 (switches,)."""
        switches, links = topology.num_switches, topology.num_links
        ends = topology.network.link_source, switches + self.link
        size = switches + int(self.link.max(initial=-1)) + 1
        leave = scipy.sparse.coo_array((np.ones(links, dtype=np.int8), ends), shape=(size, size))
        part = scipy.sparse.csgraph.connected_components(leave, directed=False)[1]
        return part[:switches].astype(np.int64)

    @property
    def first_links(self) -> NDArray[np.int64]:
        """One link of every orbit, int64 (orbits,)."""
        return np.unique(self.link, return_index=True)[1]


def orbits(usage: PairUsage) -> Orbits:
    """Find the orbits under those automorphisms of the network that keep the path set.

    Notes
    -----
    BLISS finds generators of the automorphisms that keep the kinds of links and the nodes of
    switches. Each is checked: it maps links to links, and every class of every pair to the same
    class of another pair, which has the same weight and, by the sums of seeded random numbers of
    the links, crosses the links that belong to its own. Those that fail are left out.

    References
    ----------
    Junttila, Kaski: Engineering an Efficient Canonical Labeling Tool for Large and Sparse Graphs,
    ALENEX'07.
    """
    topology = usage.topology
    found = _images(usage, _automorphisms(topology))
    kept = [both for both in found if both is not None and _keeps(usage, *both)]
    return _orbits_by(topology, len(usage), kept, len(found))


def orbits_keeping(usage: PairUsage, orbits: Orbits, switches: Sequence[int]) -> Orbits:
    """Find the orbits under those symmetries that keep some switches, and so links between them.

    Those of network and paths, of which `orbits` tells.
    """
    topology = usage.topology
    if orbits.pairs == len(usage):
        return Orbits(np.arange(len(usage)), np.arange(topology.num_links), orbits.are_all)
    found = _images(usage, _automorphisms(topology, switches))
    kept = [both for both in found if both is not None and (orbits.are_all or _keeps(usage, *both))]
    return _orbits_by(topology, len(usage), kept, len(found))


def keeps_parallel(path_set: PathSet) -> bool:
    """Whether paths stay the same where each parallel cable takes the place of another.

    All of a kind at once: each that of the next, the last that of the first.
    """
    topology = path_set.topology
    network = topology.network
    ordinal = network.link_ordinal
    if not ordinal.any():
        return True
    order = np.lexsort((ordinal, network.link_kind, network.link_target, network.link_source))
    following = np.roll(order, -1)
    first = order[np.arange(len(order)) - ordinal[order]]
    # ABSENT is the one behind the last link.
    image = np.full(len(order) + 1, ABSENT)
    image[order] = np.where(ordinal[following] > 0, following, first)

    def keeps(rows: PathRows) -> bool:
        links = rows.links()
        before, after = (
            np.column_stack([rows.pair_of_row, rows.weight, at]) for at in (links, image[links])
        )
        return np.array_equal(before[np.lexsort(before.T)], after[np.lexsort(after.T)])

    source, target = sender_pairs(topology)
    begins = np.searchsorted(source, np.unique(source)[1:])
    pairs = zip(np.split(source, begins), np.split(target, begins), strict=True)
    return all(keeps(min_rows(topology, *one)) and keeps(path_set.rows(*one)) for one in pairs)


def network_orbits(topology: Topology) -> Orbits:
    """Return the orbits of the network alone, whatever its paths are; those of paths are no fewer.

    Pairs are those of `sender_pairs`.
    """
    ends = sender_pairs(topology)
    found = [_maps(topology, *ends, one) for one in _automorphisms(topology)]
    return _orbits_by(topology, len(ends[0]), [one for one in found if one is not None], len(found))


def _orbits_by(topology: Topology, pairs: int, kept: Sequence[_Image], tried: int) -> Orbits:
    return Orbits(
        _components(pairs, [pair for pair, _ in kept]),
        _components(topology.num_links, [link for _, link in kept]),
        len(kept) == tried,
    )


def _automorphisms(topology: Topology, fixed: Sequence[int] = ()) -> list[NDArray[np.int64]]:
    """Return generators as int64 (switches,): where each switch goes; some stay where they are."""
    network, switches = topology.network, topology.num_switches
    one_way = network.link_source < network.link_target
    columns = (network.link_source, network.link_target, network.link_kind)
    # Parallel cables are one vertex, coloured by their number.
    ends = np.column_stack([column[one_way] for column in columns])
    cables, parallel = np.unique(ends, axis=0, return_counts=True)
    middle = switches + np.arange(len(cables))
    edges = np.concatenate([np.column_stack([cables[:, end], middle]) for end in (0, 1)])
    part = np.zeros(switches)
    part[[*fixed]] = 2.0 + np.arange(len(fixed))
    of_switch = np.column_stack([topology.switch_nodes, topology.is_end, part])
    of_cable = np.column_stack([cables[:, 2], parallel, np.ones(len(cables))])
    colour = np.unique(np.concatenate([of_switch, of_cable]), axis=0, return_inverse=True)[1]
    graph = _library().Graph(switches + len(cables), edges.tolist())
    found = graph.automorphism_group(color=colour.tolist())
    return [np.array(one[:switches], dtype=np.int64) for one in found]


def _library() -> _Igraph:
    """Load igraph, which has no types and takes its time."""
    return cast("_Igraph", import_module("igraph"))


def _images(usage: PairUsage, every: list[NDArray[np.int64]]) -> list[_Image | None]:
    return [_maps(usage.topology, usage.source, usage.target, one) for one in every]


def _maps(
    topology: Topology, source: Switches, target: Switches, image: NDArray[np.int64]
) -> _Image | None:
    """Return where pairs and links go, int64 (pairs,) and (links,); None if any get lost."""
    switches = topology.num_switches
    pair_at = np.full(switches * switches, -1)
    pair_at[source.astype(np.int64) * switches + target] = np.arange(len(source))
    pair = pair_at[image[source] * switches + image[target]]
    link = _link_map(topology, image)
    return None if link is None or (pair < 0).any() else (pair, link)


def _link_map(topology: Topology, image: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return where links go, int64 (links,); None if any get lost."""
    network, switches = topology.network, topology.num_switches
    kinds = len(topology.kinds.names)
    parallel = int(network.link_ordinal.max(initial=0)) + 1

    def key(source: NDArray[np.integer], target: NDArray[np.integer]) -> NDArray[np.int64]:
        ends = source.astype(np.int64) * switches + target
        return (ends * kinds + network.link_kind) * parallel + network.link_ordinal

    names = key(network.link_source, network.link_target)
    images = key(image[network.link_source], image[network.link_target])
    order = np.argsort(names)
    found = order[np.minimum(np.searchsorted(names, images, sorter=order), len(order) - 1)]
    return found if np.array_equal(names[found], images) else None


def _keeps(usage: PairUsage, pair: NDArray[np.int64], link: NDArray[np.int64]) -> bool:
    """Whether every class of every pair goes to a class of the same size over the right links."""
    stream = KeyedStream(0, "symmetry")
    mark = np.array([1.0 + stream.uniform() for _ in link])

    def keeps(kind: KindUsage) -> bool:
        if not np.allclose(kind.weight[pair], kind.weight, rtol=_ROUNDING, atol=0.0):
            return False
        # A class over links e costs by the marks of their images what its image costs.
        return np.allclose(kind.costs(mark)[pair], kind.costs(mark[link]), rtol=_ROUNDING, atol=0.0)

    return keeps(usage.minimal) and keeps(usage.detour)


def _components(size: int, images: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the number of the orbit of each thing under permutations, int64 (size,)."""
    if not images:
        return np.arange(size)
    start = np.tile(np.arange(size), len(images))
    ends = (start, np.concatenate(images))
    graph = scipy.sparse.coo_array((np.ones(len(start), dtype=np.int8), ends), shape=(size, size))
    return scipy.sparse.csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
