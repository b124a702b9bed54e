"""The switches that packets visit by a forwarding table."""

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Forwarding, graph_of
from tvlb.paths import SwitchSequences, pairs_from


def sequences_from(
    forwarding: Forwarding, source: int, *, by_cable: bool = False
) -> SwitchSequences:
    """Return the switch sequences from one switch to every other.

    The weight of one is the share of the nodes of its target whose packets take it; there is none
    to a switch without nodes.

    Parameters
    ----------
    by_cable : whether those that take other cables between two switches stay apart.

    Raises
    ------
    InvalidInput : packets for some node do not arrive.
    """
    topology = forwarding.topology
    sources, targets = pairs_from(topology, source)
    node_switch = topology.network.node_switch
    nodes = np.flatnonzero(node_switch != source)
    visited, links = _visited(forwarding, source, nodes)
    cables = links if by_cable else links[:, :0]
    keys = np.concatenate([node_switch[nodes, None], visited, cables], axis=1)
    found, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    offset = np.searchsorted(found[:, 0], np.append(targets, topology.num_switches))
    # Its own nodes are left out, so that the switch itself stands nowhere between the targets.
    weight = counts / topology.switch_nodes[found[:, 0]]
    return SwitchSequences(
        sources, targets, offset.astype(np.int64), visited[first], weight, links[first]
    )


def _visited(
    forwarding: Forwarding, source: int, nodes: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return switches and links from one to given nodes, int32 (nodes, longest), -1 beyond."""
    topology = forwarding.topology
    by_port = np.pad(graph_of(topology).links(), ((0, 0), (0, 1)), constant_values=-1)
    target, goal = topology.network.link_target, topology.network.node_switch[nodes]
    at = np.full(len(nodes), source, dtype=np.int32)
    columns, taken = [at], list[NDArray[np.int32]]()
    while (going := (at >= 0) & (at != goal)).any():
        link = by_port[at, forwarding.ports[nodes, at]]
        lost = going & (link < 0)
        if lost.any() or len(columns) > topology.num_switches:
            node = int(nodes[(lost if lost.any() else going).argmax()])
            raise InvalidInput(
                f"packets from switch {topology.called(source)} for node {node} do not arrive"
            )
        at = np.where(going, target[link], -1).astype(np.int32)
        columns.append(at)
        taken.append(np.where(going, link, -1).astype(np.int32))
    links = np.stack(taken, axis=1) if taken else np.zeros((len(nodes), 0), dtype=np.int32)
    return np.stack(columns, axis=1), links
