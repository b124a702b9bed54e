"""What a pattern means on one topology: per node for the simulator, per switch for the LP."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.topology import Dragonfly

__all__ = ["Demand", "DestinationTable", "NodeTraffic", "switch_demand"]


@dataclass(frozen=True, eq=False)
class DestinationTable:
    """Destination distributions in rows, for traffic matrices.

    Attributes
    ----------
    row_of_node : int32 (nodes,), the row a node draws from, -1 for none.
    offset : int64 (rows+1,), row r is ``target[offset[r]:offset[r+1]]``.
    target : int32, destination nodes, or switches if `target_is_switch` (then a uniformly drawn
        node of that switch receives the packet).
    probability : float64, of each target; a row sums to 1.
    """

    row_of_node: NDArray[np.int32]
    offset: NDArray[np.int64]
    target: NDArray[np.int32]
    probability: NDArray[np.float64]
    target_is_switch: bool


@dataclass(frozen=True, eq=False)
class NodeTraffic:
    """How each compute node draws packets.

    Attributes
    ----------
    rate : float64 (nodes,), packets/cycle at load 1.
    uniform_fraction : float64 (nodes,), probability that a packet goes to a uniformly drawn
        node, the sender included.
    destination : int32 (nodes,), destination of the other packets, -1 where `table` decides.
    table : destination distributions, or None.
    """

    rate: NDArray[np.float64]
    uniform_fraction: NDArray[np.float64]
    destination: NDArray[np.int32]
    table: DestinationTable | None = None


@dataclass(frozen=True, eq=False)
class Demand:
    """Switch-level flows at load 1, sorted by (source, target).

    Attributes
    ----------
    source, target : int32 (flows,), switches, never equal.
    rate : float64 (flows,), flits/cycle.
    max_injection, max_ejection : largest rate of one node's injection and ejection port,
        flits/cycle; traffic between nodes of one switch is included.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    rate: NDArray[np.float64]
    max_injection: float
    max_ejection: float


def switch_demand(topology: Dragonfly, traffic: NodeTraffic) -> Demand:
    """Aggregate node traffic to flows between different switches."""
    between = np.zeros((topology.num_switches, topology.num_switches))
    ejection = np.zeros(topology.num_nodes)
    _add_uniform(topology, traffic, between, ejection)
    _add_fixed(topology, traffic, between, ejection)
    if traffic.table is not None:
        _add_table(topology, traffic, traffic.table, between, ejection)
    np.fill_diagonal(between, 0.0)
    source, target = np.nonzero(between)
    return Demand(
        source=source.astype(np.int32),
        target=target.astype(np.int32),
        rate=between[source, target],
        max_injection=float(traffic.rate.max(initial=0.0)),
        max_ejection=float(ejection.max(initial=0.0)),
    )


def _add_uniform(
    topology: Dragonfly,
    traffic: NodeTraffic,
    between: NDArray[np.float64],
    ejection: NDArray[np.float64],
) -> None:
    uniform = traffic.rate * traffic.uniform_fraction
    per_switch = np.bincount(
        topology.network.node_switch, weights=uniform, minlength=topology.num_switches
    )
    between += (per_switch / topology.num_switches)[:, None]
    ejection += uniform.sum() / topology.num_nodes


def _add_fixed(
    topology: Dragonfly,
    traffic: NodeTraffic,
    between: NDArray[np.float64],
    ejection: NDArray[np.float64],
) -> None:
    senders = np.flatnonzero(traffic.destination >= 0)
    rate = (traffic.rate * (1.0 - traffic.uniform_fraction))[senders]
    receiver = traffic.destination[senders]
    node_switch = topology.network.node_switch
    np.add.at(between, (node_switch[senders], node_switch[receiver]), rate)
    np.add.at(ejection, receiver, rate)


def _add_table(
    topology: Dragonfly,
    traffic: NodeTraffic,
    table: DestinationTable,
    between: NDArray[np.float64],
    ejection: NDArray[np.float64],
) -> None:
    node_switch = topology.network.node_switch
    per_switch = topology.nodes_per_switch
    for node in np.flatnonzero(table.row_of_node >= 0):
        row = table.row_of_node[node]
        entries = slice(table.offset[row], table.offset[row + 1])
        rate = traffic.rate[node] * table.probability[entries]
        targets = table.target[entries]
        if table.target_is_switch:
            between[node_switch[node], targets] += rate
            nodes = targets[:, None] * per_switch + np.arange(per_switch)
            ejection[nodes] += rate[:, None] / per_switch
        else:
            np.add.at(between, (node_switch[node], node_switch[targets]), rate)
            ejection[targets] += rate
