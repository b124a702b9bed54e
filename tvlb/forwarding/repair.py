"""The forwarding table for what failures left of a network, with as few changes as there can be.

Entries stay whose links are up and still lead on a way that is allowed: a shortest one, or one
that keeps a table without circles in one lane. The rest is routed by the loads that are there.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.engines import mean_rate
from tvlb.forwarding.forwarding import NO_PORT, Forwarding, Ports, graph_of
from tvlb.forwarding.layers import dependencies, dependency_circle, in_layers
from tvlb.forwarding.routing import MAX_LAYERS, Order, RouteOptions, route
from tvlb.native import kernels
from tvlb.processes import Reporter, silent
from tvlb.topology import Topology, links_left

BLOCK = 64
"""LIDs of a block, which a subnet manager writes at a time."""
_NO_PLACES = np.zeros(0, dtype=np.int32)
# Where so large a share of the entries changes in another order, all are routed again in that one,
# and on small networks afresh, too. Such a table is taken if its mean rate is higher by so much.
_MANY = 0.05
_LEAST_GAIN = 0.001
_LEAST_GAIN_AFRESH = 0.003
WORK_AFRESH = 50_000
"""Nodes times directed links, which a tree for every node takes, of small networks."""
# That a second is enough for.
_WORK_AGAIN = 10_000_000
_MOST_PASSES = 3


@dataclass(frozen=True, eq=False)
class RepairedForwarding:
    """A forwarding table for what failures left.

    Attributes
    ----------
    forwarding : the new entries.
    before : the old ones, uint8 (nodes, switches) in the numbers of the new network; `NO_PORT`
        where the link is down.
    must_change : entries whose link is down or leads on no way that is allowed; in one lane also
        those that led to entries which changed, and on no allowed way then.
    in_one_lane : whether the old table can not deadlock in one lane.
    reoriented : whether routes take links in another order, since that of those of the old table
        leaves some switch no way; where that gains bandwidth, entries change that need not.
    """

    forwarding: Forwarding
    before: Ports
    must_change: int
    in_one_lane: bool
    reoriented: bool = False

    @cached_property
    def changes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Nodes and switches of the entries that change, in an order that may be followed.

        Those nearest their destination come first, so that no packet circles between old and new
        entries, however many of them are written.
        """
        graph = graph_of(self.forwarding.topology)
        return kernels.update_order(graph, self.before, self.forwarding.ports)

    @property
    def entries(self) -> int:
        """Entries of the new table: one of every switch that is up for every node elsewhere."""
        return int(np.count_nonzero(self.forwarding.ports != NO_PORT))

    def block_writes(self, block_of_node: NDArray[np.int32] | None = None) -> "BlockWrites":
        """Return the same as writes of blocks, which change many entries of a switch at a time.

        A block whose entries must not change together is written more than once.

        Parameters
        ----------
        block_of_node : int32 (nodes,); by default of LIDs that count nodes from 1.
        """
        nodes = self.forwarding.topology.num_nodes
        blocks = (np.arange(nodes) + 1) // BLOCK if block_of_node is None else block_of_node
        graph, ports = graph_of(self.forwarding.topology), self.forwarding.ports
        return BlockWrites(
            *kernels.block_order(graph, ports, *self.changes, blocks.astype(np.int32))
        )


@dataclass(frozen=True, eq=False)
class BlockWrites:
    """Writes of blocks of entries, in order.

    Attributes
    ----------
    switch, block : int32 (writes,): what is written.
    of_change : int32 (changes,): which write makes a change of `RepairedForwarding.changes`.
    """

    switch: NDArray[np.int32]
    block: NDArray[np.int32]
    of_change: NDArray[np.int32]

    @property
    def blocks(self) -> int:
        """Blocks that are written, once or more often."""
        return len(np.unique(np.stack([self.switch, self.block]), axis=1).T)


def carried_over(old: Forwarding, left: Topology) -> Forwarding:
    """Return a table in the numbers of what failures left; `NO_PORT` where the link is down.

    Raises
    ------
    InvalidInput : the network is not what is left of that of the table.
    """
    now = links_left(old.topology, left)
    nodes = old.topology.network.node_switch
    stays = left.switch_nodes[nodes] > 0
    port_of_link = np.full(left.num_links + 1, NO_PORT, dtype=np.uint8)
    links = graph_of(left).links()
    switch, port = np.nonzero(links >= 0)
    port_of_link[links[switch, port]] = port
    # A link that is down, or none, is -1.
    became = np.append(now, np.int32(-1))
    return Forwarding(left, port_of_link[became[old.links()[stays]]], old.layers[stays])


def repair_forwarding(
    old: Forwarding, left: Topology, *, rebalance: float = 0.0, report: Reporter = silent
) -> RepairedForwarding:
    """Make the table for what failures left of a network.

    Parameters
    ----------
    rebalance : share of the entries that may change besides, to lower the highest load, 0..1.

    Raises
    ------
    InvalidInput : the network is not what is left of that of the table, a share is out of range, or
        packets of the old table do not arrive.
    """
    if not 0 <= rebalance <= 1:
        raise InvalidInput(f"rebalance {rebalance:g} is out of range: 0..1")
    if lost := old.loads.lost_pairs:
        raise InvalidInput(f"packets of {lost:,} pairs of nodes do not arrive; see tvlb verify")
    before = carried_over(old, left).ports
    in_one_lane = old.num_layers == 1 and not dependency_circle(old)
    is_shortest = old.loads.shortest_pairs == old.loads.pairs
    task = _Task(left, before, int(rebalance * before.size))
    found = None
    if is_shortest or not in_one_lane:
        found = task.by_any_order(is_shortest, in_one_lane)
    if found is not None:
        return RepairedForwarding(
            _layered(found.forwarding(), old), before, found.missing, in_one_lane
        )
    found, reoriented = task.in_order()
    missing = found.missing
    are_many = reoriented and missing > _MANY * before.size
    if are_many and not found.lost:
        found.reroute()
    if found.lost or (are_many and _work(left) <= WORK_AFRESH):
        afresh = route(left, RouteOptions(order="auto", max_layers=1), report).forwarding
        least = mean_rate(left, afresh.ports) - _LEAST_GAIN_AFRESH
        if found.lost or mean_rate(left, found.forwarding().ports) < least:
            return RepairedForwarding(afresh, before, missing, in_one_lane, reoriented)
    found.rebalance(task.most)
    return RepairedForwarding(found.forwarding(), before, missing, in_one_lane, reoriented)


def _work(left: Topology) -> int:
    return left.num_nodes * left.num_links


def _layered(found: Forwarding, old: Forwarding) -> Forwarding:
    """Return the entries in layers, where the old table has several."""
    return found if old.num_layers == 1 else in_layers(found, MAX_LAYERS)


class _Filling:
    """A table that is completed: `missing` entries had to change, `lost` of them found no way."""

    def __init__(self, left: Topology, repair: kernels.ForwardingRepair) -> None:
        self._left, self._repair = left, repair
        self._order = Order("interleave").nodes(left)
        self.lost = repair.fill(self._order)
        self.missing = repair.missing()
        if not self.lost:
            # With all that is there.
            repair.fill_again(self._order, power=1)

    def reroute(self) -> None:
        """Route all again in the order in which routes take links now, if that gains enough."""
        first = self.forwarding()
        passes = _WORK_AGAIN // max(_work(self._left), 1)
        place = kernels.link_order(graph_of(self._left), dependencies(first))
        self._repair.reroute(self._order, place, min(max(passes, 1), _MOST_PASSES))
        least = mean_rate(self._left, first.ports) + _LEAST_GAIN
        if mean_rate(self._left, self._repair.ports()) < least:
            self._repair.replace(first.ports)

    def rebalance(self, most: int) -> None:
        """Change those entries one by one, and so many others."""
        self._repair.rebalance(most)

    def forwarding(self) -> Forwarding:
        return Forwarding.of(self._left, self._repair.ports())


class _Task:
    """What is left of a network and of its table, and how many entries more may change."""

    def __init__(self, left: Topology, before: Ports, most: int) -> None:
        self._left, self.most = left, most
        self.graph, self.before = graph_of(left), Forwarding.of(left, before)

    def filled(
        self,
        *,
        is_shortest: bool = False,
        place: NDArray[np.int32] = _NO_PLACES,
        waits: kernels.DependencyGraph | None = None,
    ) -> _Filling:
        ports = self.before.ports
        repair = kernels.ForwardingRepair(self.graph, ports, is_shortest, place, waits)
        return _Filling(self._left, repair)

    def in_order(self) -> tuple[_Filling, bool]:
        """Return a table whose routes take links in the order of the old one, or else in another.

        What stays decides on the other one; and whether it had to be.
        """
        waits = dependencies(self.before)
        place = kernels.link_order(self.graph, waits)
        found = self.filled(place=place)
        if not found.lost:
            return found, False
        return self.filled(place=place, waits=waits), True

    def by_any_order(self, is_shortest: bool, in_one_lane: bool) -> _Filling | None:
        """Return a table; none if it has to be without circles, and is not beside the old one."""
        found = self.filled(is_shortest=is_shortest)

        def may_wait() -> bool:
            return in_one_lane and bool(dependency_circle(found.forwarding(), self.before))

        # Looked at before, too, since that takes less than to rebalance in vain.
        if may_wait():
            return None
        found.rebalance(self.most)
        return None if may_wait() else found
