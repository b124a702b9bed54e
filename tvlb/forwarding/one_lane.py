"""What a forwarding table is in one lane of virtual channels: which links wait for which others.

Packets for nodes begin at switches with nodes; only what these use counts.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tvlb.forwarding.forwarding import NO_PORT, Forwarding, Ports, graph_of
from tvlb.native.kernels import DependencyGraph
from tvlb.topology import Topology

_CHUNK = 1 << 20

Waits = NDArray[np.bool_]
"""Whether packets that came by a link leave its target by a port, bool (links, most ports)."""


def waits_of(forwarding: Forwarding) -> Waits:
    """Return which links packets take one after the other, whatever their layers."""
    topology = forwarding.topology
    links, target = _links(topology), topology.network.link_target
    sends = topology.switch_nodes > 0
    found = np.zeros((topology.num_links, links.shape[1]), dtype=bool)
    for ports in _chunks(forwarding.ports):
        taken = links[np.arange(topology.num_switches), ports]
        there = np.where(taken >= 0, target[taken], -1)
        rows = np.arange(len(ports))[:, None]
        goes_on = (taken >= 0) & (taken[rows, there] >= 0)
        used = _reached(there, goes_on, sends) & goes_on
        found[taken[used], ports[rows, there][used]] = True
    return found


def _links(topology: Topology) -> NDArray[np.int32]:
    """Return links by port, int32 (switches, most ports + 1), the last one and others -1."""
    links = graph_of(topology).links()
    most = int((links >= 0).sum(axis=1).max(initial=0))
    found = np.full((topology.num_switches, NO_PORT + 1), -1, dtype=np.int32)
    found[:, :most] = links[:, :most]
    return found


def _chunks(ports: Ports) -> Iterator[Ports]:
    count = max(1, _CHUNK // max(1, ports.shape[1]))
    return (ports[first : first + count] for first in range(0, len(ports), count))


def _reached(
    there: NDArray[np.int32], goes_on: NDArray[np.bool_], sends: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return at which switches packets from those that send come by, bool (nodes, switches)."""
    reached = np.broadcast_to(sends, there.shape).copy()
    fresh = reached & goes_on
    while fresh.any():
        rows, switches = np.nonzero(fresh)
        before = reached.copy()
        reached[rows, there[rows, switches]] = True
        fresh = reached & ~before & goes_on
    return reached


def circle_of(topology: Topology, waits: Waits) -> list[int]:
    """Return links each of which waits for the next, and the last for the first; [] if none do."""
    held, port = np.nonzero(waits)
    wanted = _links(topology)[topology.network.link_target[held], port]
    graph = DependencyGraph(topology.num_links)
    graph.add(np.stack([held, wanted], axis=1).astype(np.int32))
    return graph.find_cycle()


def to_switches(forwarding: Forwarding, waits: Waits) -> Ports:
    """Route packets for the switches themselves, as managers of a network send them.

    Those for a switch with nodes go as packets for its first node. To any other a tree is grown
    from the switch, by links after which some packet for a node already takes the next link, so
    that no link waits for one that it did not wait for before; nearest switches first, of several
    links that with the lowest port. Where there is none, the link with the lowest port is taken,
    and `waits` is completed.

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
    tree = _Tree(topology, waits)
    for switch in np.flatnonzero(~has_nodes).tolist():
        found[switch] = tree.grow(switch)
    return found


class _Tree:
    """Grows trees of links towards switches.

    Parameters
    ----------
    waits : to be completed.
    """

    def __init__(self, topology: Topology, waits: Waits) -> None:
        self._waits = waits
        by_port = _links(topology)
        self._source, self._port = np.nonzero(by_port >= 0)
        self._link = by_port[self._source, self._port]
        self._target = topology.network.link_target[self._link]
        self._switches = topology.num_switches

    def grow(self, root: int) -> Ports:
        """Return the ports towards a switch, uint8 (switches,)."""
        ports = np.full(self._switches, NO_PORT, dtype=np.uint8)
        joined = np.arange(self._switches) == root
        while True:
            edge = joined[self._target] & ~joined[self._source]
            if not edge.any():
                return ports
            next_port = ports[self._target]
            safe = edge & ((self._target == root) | self._waits[self._link, next_port])
            chosen = np.flatnonzero(safe if safe.any() else edge)
            # Links are in the order of switches and ports: the first of each switch.
            switches, first = np.unique(self._source[chosen], return_index=True)
            taken = chosen[first]
            if not safe.any():
                self._waits[self._link[taken], next_port[taken]] = True
            ports[switches] = self._port[taken]
            joined[switches] = True
