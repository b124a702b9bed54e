"""An engine of another package: every switch takes the last of its shortest links."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from tvlb.forwarding import NO_PORT, Engine, Ports, RouteTask, graph_of


def _route(task: RouteTask) -> Ports:
    network, links = task.topology.network, graph_of(task.topology).links()
    switches, nodes = task.topology.num_switches, task.topology.num_nodes
    ends = network.link_source, network.link_target
    cables = coo_array((np.ones(len(ends[0])), ends), shape=(switches, switches))
    hops = shortest_path(cables.tocsr(), unweighted=True)
    found = np.full((nodes, switches), NO_PORT, dtype=np.uint8)
    for port, leaving in enumerate(links.T):
        beyond = np.where(leaving >= 0, network.link_target[leaving], 0)
        # By switch and target: whether the link of this port is on a shortest route.
        nearer = (leaving >= 0)[:, None] & (hops[beyond] < hops)
        found[nearer.T[network.node_switch]] = port
    return found


ENGINE = Engine("last-link", "Takes the last shortest link", _route)
