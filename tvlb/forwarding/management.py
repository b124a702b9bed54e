"""Routes to the switches themselves, as packets of the managers of a network take."""

import numpy as np
from numpy.typing import NDArray

from tvlb.forwarding.forwarding import NO_PORT, Forwarding, Ports, graph_of
from tvlb.native.kernels import DependencyGraph

_Links = NDArray[np.int32]
_NONE = -1


def to_switches(forwarding: Forwarding, graph: DependencyGraph) -> Ports:
    """Route packets for the switches themselves.

    Those for a switch with nodes go as packets for its first node. To any other a tree is grown,
    the nearest switches first, by links that rise in an order of all links in which each stands
    before those that it waits for: so they close no circle. Where no rising links lead there, any
    are taken, which only matters where packets from nodes come by.

    Parameters
    ----------
    graph : the dependencies of all links in one lane, to which those of packets from nodes to such
        switches are added.

    Returns
    -------
    uint8 (switches, switches): port by destination switch and switch, `NO_PORT` at the destination
    and where a switch does not reach it.

    Notes
    -----
    O(links x switches without nodes).
    """
    topology = forwarding.topology
    has_nodes = topology.switch_nodes > 0
    found = np.full((topology.num_switches,) * 2, NO_PORT, dtype=np.uint8)
    found[has_nodes] = forwarding.ports[topology.first_node[has_nodes]]
    found[np.arange(len(found)), np.arange(len(found))] = NO_PORT
    if has_nodes.all():
        return found
    by_port = graph_of(topology).links()
    switch, port = np.nonzero(by_port >= 0)
    trees = _Trees(topology.network.link_target, topology.network.link_source, ~has_nodes)
    rank = np.zeros(topology.num_links, dtype=np.int64)
    if order := graph.order():
        rank[order] = np.arange(len(order))
    trees.grow(rank)
    graph.add(trees.waiting(has_nodes))
    port_of = np.full(topology.num_links + 1, NO_PORT, dtype=np.uint8)
    port_of[by_port[switch, port]] = port
    found[~has_nodes] = port_of[trees.taken].T
    return found


class _Trees:
    """Trees of links towards some switches, all at once.

    Attributes
    ----------
    taken : link by switch and tree, int32 (switches, trees), -1 where there is none.
    """

    def __init__(self, target: _Links, source: _Links, is_root: NDArray[np.bool_]) -> None:
        self._target, self._source = target, source
        roots = np.flatnonzero(is_root)
        self._joined = np.arange(len(is_root))[:, None] == roots
        self.taken = np.full(self._joined.shape, _NONE, dtype=np.int32)

    def grow(self, rank: NDArray[np.int64]) -> None:
        """Join everything, by links of rising rank as far as they lead, the last ones first."""
        links = np.argsort(-rank, kind="stable").tolist()
        behind = np.append(rank, len(rank))
        for is_any in (False, True):
            near = np.zeros_like(self._joined)
            while not (self._joined.all() or np.array_equal(near, self._joined)):
                near = self._joined.copy()
                for link in links:
                    source, target = self._source[link], self._target[link]
                    fresh = near[target] & ~self._joined[source]
                    if not is_any:
                        fresh &= behind[link] < behind[self.taken[target]]
                    self.taken[source, fresh] = link
                    self._joined[source] |= fresh

    def waiting(self, has_nodes: NDArray[np.bool_]) -> _Links:
        """Return pairs of links that packets from nodes take in turn, int32 (pairs, 2)."""
        here, tree = np.indices(self.taken.shape)
        after = np.where(self.taken >= 0, self._target[self.taken], here)
        passed = self._joined & has_nodes[:, None]
        before = np.zeros_like(passed)
        while not np.array_equal(before, passed):
            before = passed.copy()
            passed[after[before], tree[before]] = True
        pairs = np.stack([self.taken[passed], self.taken[after[passed], tree[passed]]], axis=1)
        return np.unique(pairs[(pairs >= 0).all(axis=1)], axis=0)
