"""Routes to the switches themselves, as packets of the managers of a network take."""

import numpy as np
from numpy.typing import NDArray

from tvlb.forwarding.forwarding import NO_PORT, Forwarding, Ports, graph_of
from tvlb.native.kernels import DependencyGraph


def to_switches(forwarding: Forwarding, graph: DependencyGraph) -> Ports:
    """Route packets for the switches themselves.

    Those for a switch with nodes go as packets for its first node. To any other a tree is grown
    from the switch, by links after which some packet for a node already takes the next link, so
    that no link waits for one that it did not wait for before; nearest switches first, of several
    links that with the lowest port. Where there is none, the link with the lowest port is taken.

    Parameters
    ----------
    graph : the dependencies of all links in one lane, to which those of such trees are added.

    Returns
    -------
    uint8 (switches, switches): port by destination switch and switch, `NO_PORT` at the destination
    and where a switch does not reach it.
    """
    topology = forwarding.topology
    found = np.full((topology.num_switches,) * 2, NO_PORT, dtype=np.uint8)
    has_nodes = topology.switch_nodes > 0
    found[has_nodes] = forwarding.ports[topology.first_node[has_nodes]]
    found[np.arange(len(found)), np.arange(len(found))] = NO_PORT
    if not has_nodes.all():
        tree = _Tree(forwarding, graph)
        for switch in np.flatnonzero(~has_nodes).tolist():
            found[switch] = tree.grow(switch)
        graph.add(tree.added)
    return found


class _Tree:
    """Grows trees of links towards switches.

    Attributes
    ----------
    added : links after which packets take another for which they did not wait before, int32
        (dependencies, 2).
    """

    def __init__(self, forwarding: Forwarding, graph: DependencyGraph) -> None:
        topology = forwarding.topology
        by_port = graph_of(topology).links()
        # In the order of switches and ports.
        self._source, self._port = np.nonzero(by_port >= 0)
        self._link = by_port[self._source, self._port]
        self._target = topology.network.link_target[self._link]
        self._by_port = by_port
        self._waits = self._known(graph)
        self._switches = topology.num_switches
        self.added = np.zeros((0, 2), dtype=np.int32)

    def _known(self, graph: DependencyGraph) -> NDArray[np.bool_]:
        """Return whether a link waits for a port of its target, bool (links, ports)."""
        most = 1 + int(self._port.max(initial=0))
        found = np.zeros((len(self._link), most), dtype=bool)
        for link, target in zip(self._link.tolist(), self._target.tolist(), strict=True):
            wanted = self._by_port[target, :most]
            found[link] = [
                after >= 0 and graph.routes(link, after) > 0 for after in wanted.tolist()
            ]
        return found

    def grow(self, root: int) -> Ports:
        """Return the ports towards a switch, uint8 (switches,)."""
        ports = np.full(self._switches, NO_PORT, dtype=np.uint8)
        joined = np.arange(self._switches) == root
        while True:
            edges = np.flatnonzero(joined[self._target] & ~joined[self._source])
            if not len(edges):
                return ports
            at_root = self._target[edges] == root
            after = np.where(at_root, 0, ports[self._target[edges]])
            safe = at_root | self._waits[self._link[edges], after]
            chosen = edges[safe] if safe.any() else edges
            switches, first = np.unique(self._source[chosen], return_index=True)
            taken = chosen[first]
            if not safe.any():
                self._add(taken, ports[self._target[taken]])
            ports[switches] = self._port[taken]
            joined[switches] = True

    def _add(self, taken: NDArray[np.intp], after: Ports) -> None:
        held = self._link[taken]
        self._waits[held, after] = True
        wanted = self._by_port[self._target[taken], after]
        self.added = np.concatenate([self.added, np.stack([held, wanted], axis=1)])
