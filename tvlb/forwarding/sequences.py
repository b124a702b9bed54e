"""The switches that packets visit by a forwarding table."""

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Forwarding, graph_of
from tvlb.paths import SwitchSequences, pairs_from


def sequences_from(forwarding: Forwarding, source: int) -> SwitchSequences:
    """Return the switch sequences from one switch to every other.

    The weight of one is the share of the nodes of its target whose packets take it; there is none
    to a switch without nodes.

    Raises
    ------
    InvalidInput : packets for some node do not arrive.
    """
    topology = forwarding.topology
    sources, targets = pairs_from(topology, source)
    node_switch = topology.network.node_switch
    nodes = np.flatnonzero(node_switch != source)
    visited = _visited(forwarding, source, nodes)
    keys = np.concatenate([node_switch[nodes, None], visited], axis=1)
    found, counts = np.unique(keys, axis=0, return_counts=True)
    offset = np.searchsorted(found[:, 0], np.append(targets, topology.num_switches))
    # Its own nodes are left out, so that the switch itself stands nowhere between the targets.
    weight = counts / topology.switch_nodes[found[:, 0]]
    return SwitchSequences(sources, targets, offset.astype(np.int64), found[:, 1:], weight)


def _visited(forwarding: Forwarding, source: int, nodes: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return the switches from one to given nodes, int32 (nodes, longest + 1), -1 beyond."""
    topology = forwarding.topology
    by_port = np.pad(graph_of(topology).links(), ((0, 0), (0, 1)), constant_values=-1)
    target, goal = topology.network.link_target, topology.network.node_switch[nodes]
    at = np.full(len(nodes), source, dtype=np.int32)
    columns = [at]
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
    return np.stack(columns, axis=1)
