"""What a pattern means on one topology: per node for the simulator, per switch for the LP."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import Topology


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
    to_others : whether a packet that is drawn for its own sender is drawn anew.
    """

    row_of_node: NDArray[np.int32]
    offset: NDArray[np.int64]
    target: NDArray[np.int32]
    probability: NDArray[np.float64]
    target_is_switch: bool
    to_others: bool = False


@dataclass(frozen=True, eq=False)
class NodeTraffic:
    """How each compute node draws packets.

    Attributes
    ----------
    rate : float64 (nodes,), packets/cycle at load 1.
    uniform_fraction : float64 (nodes,), probability that a packet goes to a uniformly drawn
        node.
    destination : int32 (nodes,), destination of the other packets, -1 where `table` decides.
    table : destination distributions, or None.
    uniform_to_others : whether the sender is left out when a node is drawn uniformly.
    """

    rate: NDArray[np.float64]
    uniform_fraction: NDArray[np.float64]
    destination: NDArray[np.int32]
    table: DestinationTable | None = None
    uniform_to_others: bool = False

    @classmethod
    def towards(
        cls, destination: NDArray[np.int32], uniform: NDArray[np.float64] | float = 0.0
    ) -> "NodeTraffic":
        """Return traffic in which every node has one destination besides a uniform share.

        Parameters
        ----------
        destination : int32 (nodes,), -1 for a node that has none, since it is down, and so does
            not send these packets.
        uniform : float64 (nodes,) or a number, probability that a packet is uniform.
        """
        share = np.broadcast_to(np.float64(uniform), destination.shape)
        has_one = destination >= 0
        return cls(
            np.where(has_one, 1.0, share),
            np.where(has_one, share, share > 0.0),
            np.where(has_one, destination, 0).astype(np.int32),
        )

    @classmethod
    def drawn_evenly(
        cls,
        row_of_node: NDArray[np.int64],
        target: NDArray[np.int64],
        *,
        target_is_switch: bool = False,
    ) -> "NodeTraffic":
        """Return traffic in which every node draws uniformly from the targets of its row.

        Parameters
        ----------
        row_of_node : (nodes,)
        target : (rows, targets), nodes or switches; see `DestinationTable`.
        """
        rows, targets = target.shape
        table = DestinationTable(
            row_of_node.astype(np.int32),
            np.arange(rows + 1, dtype=np.int64) * targets,
            target.ravel().astype(np.int32),
            np.full(target.size, 1 / targets),
            target_is_switch,
        )
        return cls.drawn_from(table)

    @classmethod
    def drawn_from(cls, table: DestinationTable) -> "NodeTraffic":
        """Return traffic in which every node sends all it can to destinations of a table."""
        nodes = len(table.row_of_node)
        return cls(np.ones(nodes), np.zeros(nodes), np.full(nodes, -1, dtype=np.int32), table)

    def equals(self, other: "NodeTraffic") -> bool:
        """Whether both hold the same numbers."""
        return _equal(self, other)


def _equal(one: object, other: object) -> bool:
    """Compare arrays, and records of arrays field by field."""
    if is_dataclass(one) and type(one) is type(other):
        return all(
            _equal(getattr(one, each.name), getattr(other, each.name)) for each in fields(one)
        )
    return np.array_equal(cast("Any", one), cast("Any", other))


@dataclass(frozen=True, eq=False)
class Demand:
    """Switch-level flows at load 1, sorted by (source, target).

    Attributes
    ----------
    source, target : int32 (flows,), switches, never equal.
    rate : float64 (flows,), packets/cycle.
    max_injection, max_ejection : largest rate of one node's injection and ejection port,
        packets/cycle; traffic between nodes of one switch is included.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    rate: NDArray[np.float64]
    max_injection: float
    max_ejection: float


_MAX_DENSE_SWITCHES = 5_000


class _Flows:
    """Sums of rates by (source switch, target switch), collected entry by entry."""

    def __init__(self, topology: Topology) -> None:
        self._switches = topology.num_switches
        self._keys: list[NDArray[np.int64]] = []
        self._rates: list[NDArray[np.float64]] = []

    def add(
        self,
        source: NDArray[np.int32] | np.int32,
        target: NDArray[np.int32],
        rate: NDArray[np.float64],
    ) -> None:
        """Add flows between switches; traffic inside a switch is dropped."""
        key = np.asarray(source, dtype=np.int64) * self._switches + target
        kept = (source != target) & (rate > 0)
        self._keys.append(key[kept])
        self._rates.append(rate[kept])

    def total(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Return (source, target, rate) of every pair with traffic, sorted."""
        keys, position = np.unique(np.concatenate(self._keys), return_inverse=True)
        rate = np.bincount(position, weights=np.concatenate(self._rates), minlength=len(keys))
        source, target = keys // self._switches, keys % self._switches
        return source.astype(np.int32), target.astype(np.int32), rate.astype(np.float64)


def check_flows(topology: Topology, traffic: NodeTraffic) -> None:
    """Raise InvalidInput if `switch_demand` would; adds up nothing."""
    switches = topology.num_switches
    if switches > _MAX_DENSE_SWITCHES and (traffic.rate * traffic.uniform_fraction).any():
        raise InvalidInput(
            f"uniform traffic on {topology} has {switches**2} flows; the limit is "
            f"{_MAX_DENSE_SWITCHES} switches"
        )
    if traffic.table is not None:
        rows = _Rows.of(topology, traffic.rate, traffic.table)
        flows = int(np.diff(traffic.table.offset)[rows.row].sum())
        if flows > _MAX_DENSE_SWITCHES**2:
            raise InvalidInput(
                f"such traffic on {topology} has {flows} flows; the limit is "
                f"{_MAX_DENSE_SWITCHES**2}"
            )


def switch_demand(topology: Topology, traffic: NodeTraffic) -> Demand:
    """Aggregate node traffic to flows between different switches.

    Raises
    ------
    InvalidInput : there are more than 25 million flows, as of uniform traffic, of which all pairs
        are, on more than 5,000 switches.
    """
    check_flows(topology, traffic)
    flows = _Flows(topology)
    ejection = np.zeros(topology.num_nodes)
    _add_uniform(topology, traffic, flows, ejection)
    _add_fixed(topology, traffic, flows, ejection)
    if traffic.table is not None:
        _add_table(topology, traffic, traffic.table, flows, ejection)
    source, target, rate = flows.total()
    return Demand(
        source=source,
        target=target,
        rate=rate,
        max_injection=float(traffic.rate.max(initial=0.0)),
        max_ejection=float(ejection.max(initial=0.0)),
    )


def switch_pairs(
    topology: Topology, traffic: NodeTraffic
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the pairs of switches with traffic: source and target, int32 (flows,) each.

    Raises
    ------
    InvalidInput : as `switch_demand`.
    """
    demand = switch_demand(topology, traffic)
    return demand.source, demand.target


def _add_uniform(
    topology: Topology, traffic: NodeTraffic, flows: _Flows, ejection: NDArray[np.float64]
) -> None:
    uniform = traffic.rate * traffic.uniform_fraction
    if not uniform.any():
        return
    switches = topology.num_switches
    per_switch = np.bincount(topology.network.node_switch, weights=uniform, minlength=switches)
    everyone = np.arange(switches, dtype=np.int32)
    drawn = topology.num_nodes - int(traffic.uniform_to_others)
    with np.errstate(divide="ignore"):  # nothing goes where there are no nodes
        portions = drawn / topology.switch_nodes
    flows.add(
        np.repeat(everyone, switches),
        np.tile(everyone, switches),
        np.divide.outer(per_switch, portions).ravel(),
    )
    own = uniform if traffic.uniform_to_others else 0.0
    ejection += (uniform.sum() - own) / drawn


def _add_fixed(
    topology: Topology, traffic: NodeTraffic, flows: _Flows, ejection: NDArray[np.float64]
) -> None:
    senders = np.flatnonzero(traffic.destination >= 0)
    rate = (traffic.rate * (1.0 - traffic.uniform_fraction))[senders]
    receiver = traffic.destination[senders]
    node_switch = topology.network.node_switch
    flows.add(node_switch[senders], node_switch[receiver], rate)
    np.add.at(ejection, receiver, rate)


def _add_table(
    topology: Topology,
    traffic: NodeTraffic,
    table: DestinationTable,
    flows: _Flows,
    ejection: NDArray[np.float64],
) -> None:
    node_switch = topology.network.node_switch
    back = _drawn_back(topology, table)
    rates = traffic.rate / (1.0 - back)  # of draws
    by_target = np.zeros(topology.num_switches if table.target_is_switch else topology.num_nodes)
    for switch, row, rate in _Rows.of(topology, rates, table):
        entries = slice(table.offset[row], table.offset[row + 1])
        targets, drawn = table.target[entries], rate * table.probability[entries]
        by_target[targets] += drawn
        flows.add(switch, targets if table.target_is_switch else node_switch[targets], drawn)
    if table.target_is_switch:
        by_target = (by_target / np.maximum(topology.switch_nodes, 1))[node_switch]
    ejection += by_target - rates * back


def _drawn_back(topology: Topology, table: DestinationTable) -> NDArray[np.float64]:
    """Return how probably each node is drawn by itself and then anew, float64 (nodes,)."""
    back = np.zeros(topology.num_nodes)
    node_switch = topology.network.node_switch
    place = node_switch if table.target_is_switch else np.arange(topology.num_nodes)
    share = 1.0 / topology.switch_nodes[node_switch] if table.target_is_switch else np.ones(1)
    for row in np.unique(table.row_of_node[table.row_of_node >= 0]) if table.to_others else ():
        entries = slice(table.offset[row], table.offset[row + 1])
        drawn = np.zeros(place.max() + 1)
        drawn[table.target[entries]] = table.probability[entries]
        back = np.where(table.row_of_node == row, drawn[place] * share, back)
    return back


@dataclass(frozen=True)
class _Rows:
    """Switches and the rows of a table that their nodes draw from, and the rates of these nodes."""

    switch: NDArray[np.int32]
    row: NDArray[np.int64]
    rate: NDArray[np.float64]

    @classmethod
    def of(cls, topology: Topology, rate: NDArray[np.float64], table: DestinationTable) -> "_Rows":
        """Add up the rates of nodes, float64 (nodes,)."""
        draws = np.flatnonzero(table.row_of_node >= 0)
        rows = len(table.offset) - 1
        key = topology.network.node_switch[draws].astype(np.int64) * rows
        keys, position = np.unique(key + table.row_of_node[draws], return_inverse=True)
        total = np.bincount(position, weights=rate[draws], minlength=len(keys))
        return cls((keys // rows).astype(np.int32), keys % rows, total.astype(np.float64))

    def __iter__(self) -> Iterator[tuple[np.int32, np.int64, np.float64]]:
        return zip(self.switch, self.row, self.rate, strict=True)
