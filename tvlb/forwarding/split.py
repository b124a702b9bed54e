"""Routes that split by fixed shares: MIN paths and the VLB paths of a set."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import graph_of
from tvlb.forwarding.measures import LinkLoads, NativeRoutes
from tvlb.native import kernels
from tvlb.paths import PathRows, PathSet, check_listable, min_rows, pairs_from
from tvlb.topology import Topology


@dataclass(frozen=True, eq=False)
class SplitRoutes:
    """The MIN paths of every pair of switches with a share, and the paths of a set with the rest.

    Attributes
    ----------
    path_set : VLB paths; a pair without any has MIN paths only.
    min_share : share of MIN paths, 0..1.

    Raises
    ------
    InvalidInput : the share is out of range, or there are too many paths to list.
    """

    path_set: PathSet
    min_share: float

    def __post_init__(self) -> None:
        if not 0 <= self.min_share <= 1:
            raise InvalidInput(f"min_share {self.min_share:g} is out of range: 0..1")
        check_listable(self.path_set)

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.path_set.topology

    @cached_property
    def _shares(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Offset of every pair of switches, links and their shares."""
        switches, links = self.topology.num_switches, self.topology.num_links
        counts = np.zeros(switches * switches, dtype=np.int64)
        found_links: list[NDArray[np.int32]] = []
        found_shares: list[NDArray[np.float64]] = []
        for source in range(switches):
            keys = [np.zeros(0, dtype=np.int64)]
            weights = [np.zeros(0)]
            for rows, share in self.of_source(source):
                key, weight = _by_link(rows, share, links)
                keys.append(key)
                weights.append(weight)
            key, where = np.unique(np.concatenate(keys), return_inverse=True)
            found_links.append((key % links).astype(np.int32))
            found_shares.append(np.bincount(where, np.concatenate(weights)).astype(np.float64))
            of_source = counts[source * switches : (source + 1) * switches]
            of_source += np.bincount(key // links, minlength=switches)
        offset = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return offset, np.concatenate(found_links), np.concatenate(found_shares)

    def of_source(self, source: int) -> list[tuple[PathRows, NDArray[np.float64]]]:
        """Return MIN and VLB paths from a switch, with the share of each pair."""
        sources, targets = pairs_from(self.topology, source)
        minimal = min_rows(self.topology, sources, targets)
        if self.min_share == 1:
            return [(minimal, np.ones(len(sources)))]
        detours = self.path_set.rows(sources, targets)
        share = np.where(np.diff(detours.offset) > 0, self.min_share, 1.0)
        return [(minimal, share), (detours, 1.0 - share)]

    @cached_property
    def loads(self) -> LinkLoads:
        """See `tvlb.forwarding.Routes`."""
        offset, link, share = self._shares
        nodes = self.topology.switch_nodes
        pair = np.repeat(np.arange(len(offset) - 1), np.diff(offset))
        source, target = np.divmod(pair, self.topology.num_switches)
        carried = share * nodes[source] * nodes[target]
        own = int((nodes * (nodes - 1)).sum())
        return LinkLoads(
            np.bincount(link, carried, self.topology.num_links).astype(np.float64),
            pairs=self.topology.num_nodes * (self.topology.num_nodes - 1) - own,
            shortest_pairs=self._shortest_pairs(),
            hops=float(carried.sum()),
            own_pairs=own,
        )

    def _shortest_pairs(self) -> float:
        """Add up the shares of the paths that are as long as a shortest way."""
        graph = graph_of(self.topology)
        nodes = self.topology.switch_nodes
        found = 0.0
        for source in range(self.topology.num_switches):
            hops = kernels.shortest_hops(graph, source)
            for rows, share in self.of_source(source):
                pair = rows.pair_of_row
                shortest = rows.hops == hops[rows.target[pair]]
                of_pair = rows.weight * share[pair] * nodes[source] * nodes[rows.target[pair]]
                found += float(of_pair[shortest].sum())
        return found

    @property
    def native(self) -> NativeRoutes:
        """See `tvlb.forwarding.Routes`."""
        return kernels.SharedRoutes(graph_of(self.topology), *self._shares)


def _by_link(
    rows: PathRows, share: NDArray[np.float64], links: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return target * links + link of every link of every path, and its share."""
    taken = rows.links()
    pair = np.broadcast_to(rows.pair_of_row[:, None], taken.shape)
    weight = np.broadcast_to((rows.weight * share[rows.pair_of_row])[:, None], taken.shape)
    exists = taken >= 0
    key = rows.target[pair[exists]].astype(np.int64) * links + taken[exists]
    return key, weight[exists]
