"""Audits of forwarding tables before they are loaded: what packets would meet, by name and port."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    NO_PORT,
    Forwarding,
    bandwidth_of,
    dependency_circle,
    graph_of,
    layers_needed,
)
from tvlb.forwarding.repair import BLOCK, carried_over
from tvlb.native import kernels
from tvlb.table.forwarding_table import ForwardingTable, circle_in_words
from tvlb.table.kinds import Finding, TableReport
from tvlb.topology import Fabric, Topology

_MOST_TOLD = 12
_BUSIEST = 5
_BISECTIONS = 1000


@dataclass(frozen=True)
class BusyLink:
    """A link with the routes of all pairs of nodes that take it."""

    link: int
    name: str
    load: int


@dataclass(frozen=True)
class Comparison:
    """A table against the one that is in use.

    Attributes
    ----------
    changed, entries : entries that differ, and of all.
    blocks : blocks of 64 LIDs that have such entries; LIDs count nodes from 1 without a fabric.
    efi, efi_before, ebb, ebb_before : of both; no EBB where packets are lost or nobody sends any.
    circle : links that wait for each other in a circle while entries of both are in use; empty
        where no mixture has one.
    """

    changed: int
    entries: int
    blocks: int
    efi: int
    efi_before: int
    ebb: float | None
    ebb_before: float | None
    circle: str


@dataclass(frozen=True)
class ForwardingReport(TableReport):
    """What an audit found; problems are what packets are lost, circle or wait for ever by.

    Attributes
    ----------
    efi, efi_links, mean_load, hops_mean, minimal_share : see `tvlb.forwarding.LinkLoads`.
    detours : entries that lead no nearer to their destination, by the shortest way.
    first_detour : the first of them, by name; empty without any.
    layers : of virtual channels that the table has.
    layers_needed : that its routes need not to deadlock; None where packets do not arrive.
    busiest : links with the highest loads.
    comparison : with another table; None where none was given.
    said : more that is no problem, a line each.
    """

    efi: int
    efi_links: int
    mean_load: float
    hops_mean: float
    minimal_share: float
    detours: int
    first_detour: str
    layers: int
    layers_needed: int | None
    busiest: tuple[BusyLink, ...]
    comparison: Comparison | None = None
    said: tuple[str, ...] = ()

    @property
    def size(self) -> str:
        """See `TableReport`."""
        return f"{self.paths:,} entries"

    def remarks(self) -> list[str]:
        """See `TableReport`."""
        needed = "" if self.layers_needed is None else f", {self.layers_needed:,} needed"
        lines = [
            *self.said,
            f"EFI {self.efi:,} on {self.efi_links:,} links, mean load {self.mean_load:.2f}, "
            f"{self.hops_mean:.4f} links a route, {100 * self.minimal_share:.2f}% of routes are "
            "shortest",
            f"layers of virtual channels: {self.layers}{needed}",
            *(f"load {one.load:,}: {one.name}" for one in self.busiest),
        ]
        if self.detours:
            lines.append(
                f"entries that lead no nearer: {self.detours:,}, first {self.first_detour}"
            )
        return lines + (_in_lines(self.comparison) if self.comparison is not None else [])


def _in_lines(one: Comparison) -> list[str]:
    def figure(value: float | None) -> str:
        return "-" if value is None else f"{value:.4f}"

    return [
        f"against the other table: {one.changed:,} of {one.entries:,} entries change, in "
        f"{one.blocks:,} blocks of {BLOCK} LIDs",
        f"EFI {one.efi_before:,} -> {one.efi:,}, EBB {figure(one.ebb_before)} -> "
        f"{figure(one.ebb)} ({_BISECTIONS:,} bisections)",
        f"packets can deadlock while old and new entries are mixed: {one.circle}"
        if one.circle
        else "packets cannot deadlock while old and new entries are mixed",
    ]


class _Names:
    """What switches and their ports are called: as the fabric does, or by number."""

    def __init__(self, forwarding: Forwarding, fabric: Fabric | None) -> None:
        self._topology, self._fabric = forwarding.topology, fabric
        self._ports = None if fabric is None else fabric.ports_of(forwarding.topology)

    def switch(self, switch: int) -> str:
        """Name a switch."""
        if self._fabric is not None:
            return self._fabric.switches[switch].name
        return f"switch {self._topology.called(switch)}"

    def node(self, node: int) -> str:
        """Name a destination."""
        return f"node {node}" if self._fabric is None else self._fabric.nodes[node].name

    def link(self, link: int) -> str:
        """Name a link by its ends, and the port that it leaves by."""
        network = self._topology.network
        ends = (int(network.link_source[link]), int(network.link_target[link]))
        source, target = map(self.switch, ends)
        by = f"link {link}" if self._ports is None else f"port {self._ports[link]}"
        return f"{source} [{by}] -> {target}"


class _Audit:
    """Looks at a table."""

    def __init__(self, forwarding: Forwarding, fabric: Fabric | None) -> None:
        self.forwarding = forwarding
        self.topology = forwarding.topology
        self.names = _Names(forwarding, fabric)

    @cached_property
    def links(self) -> NDArray[np.int32]:
        """Links of the entries, int32 (nodes, switches)."""
        return self.forwarding.links()

    def findings(self) -> list[Finding]:
        """Return what packets are lost, circle or wait for ever by, but for `holes`."""
        loads, found = self.forwarding.loads, list[Finding]()
        if loads.lost_pairs:
            found += self._loops()
            text = f"packets of {loads.lost_pairs:,} pairs of nodes do not arrive"
            found.append(Finding(loads.lost_pairs, text))
        if circle := dependency_circle(self.forwarding):
            told = circle_in_words(list(map(self.names.link, circle)))
            found.append(Finding(1, f"packets can deadlock: {told}"))
        return found

    def holes(self) -> list[Finding]:
        """Return entries that name no link, but for those of switches that can have none."""
        if not self.forwarding.loads.holes:
            return []
        network = self.topology.network
        has_links = np.bincount(network.link_source, minlength=self.topology.num_switches) > 0
        missing = (self.links < 0) & has_links
        missing[np.arange(self.topology.num_nodes), network.node_switch] = False
        node, switch = (int(one[0]) for one in np.nonzero(missing))
        where = f"at {self.names.switch(switch)} for {self.names.node(node)}"
        count = int(np.count_nonzero(missing))
        return [Finding(count, f"entries that name no link: {count:,}, first {where}")]

    def _loops(self) -> list[Finding]:
        count, first = 0, ""
        target = np.append(self.topology.network.link_target, -1)
        switches = np.arange(self.topology.num_switches)
        for node, links in enumerate(self.links):
            # Where everybody is after more steps than there are switches.
            ahead = np.where(links >= 0, target[links], switches)
            moves, at = ahead != switches, ahead
            for _ in range(int(self.topology.num_switches).bit_length()):
                at = at[at]
            if not (circling := moves[at]).any():
                continue
            count += 1
            first = first or self._loop(node, int(at[int(circling.argmax())]), ahead)
        if not count:
            return []
        return [Finding(count, f"destinations with forwarding loops: {count:,}, first {first}")]

    def _loop(self, node: int, start: int, ahead: NDArray[np.int64]) -> str:
        passed = [start]
        while (at := int(ahead[passed[-1]])) != start:
            passed.append(at)
        names = [self.names.switch(one) for one in [*passed[:_MOST_TOLD], start]]
        return f"for {self.names.node(node)}: {' -> '.join(names)}"

    def detours(self) -> tuple[int, str]:
        """Count entries that lead no nearer, and name the first."""
        topology, network = self.topology, self.topology.network
        graph, count, first = graph_of(topology), 0, ""
        hops, of_switch = np.zeros(0, dtype=np.int32), -1
        for node, links in enumerate(self.links):
            if (switch := int(network.node_switch[node])) != of_switch:
                hops, of_switch = kernels.shortest_hops(graph, switch), switch
            there = links >= 0
            further = hops[network.link_target[links]] + 1 != hops
            wrong = there & further & (hops > 0)
            if wrong.any():
                count += int(np.count_nonzero(wrong))
                name = self.names.link(int(links[int(wrong.argmax())]))
                first = first or f"{name} for {self.names.node(node)}"
        return count, first

    def busiest(self) -> tuple[BusyLink, ...]:
        """Return the links with the highest loads, the lowest ids first."""
        loads = self.forwarding.loads.of_link
        order = np.lexsort((np.arange(len(loads)), -loads.astype(np.int64)))[:_BUSIEST]
        return tuple(
            BusyLink(link, self.names.link(link), int(loads[link])) for link in order.tolist()
        )

    def against(self, before: Forwarding, other: Forwarding, fabric: Fabric | None) -> Comparison:
        """Compare with the table in use, as it was before failures and in the numbers of now."""
        differs = self.forwarding.ports != other.ports
        nodes, switches = np.nonzero(differs)
        first = [one.lids[0] if one.lid else 0 for one in fabric.nodes] if fabric else []
        lids = np.array(first) if any(first) else np.arange(self.topology.num_nodes) + 1
        blocks = np.unique(np.stack([switches, lids[nodes] // BLOCK]), axis=1)
        circle = dependency_circle(self.forwarding, other)
        ebb = [
            None
            if one.loads.lost_pairs or one.topology.num_nodes < 2
            else bandwidth_of(one, _BISECTIONS).mean
            for one in (self.forwarding, before)
        ]
        return Comparison(
            changed=len(nodes),
            entries=differs.size,
            blocks=blocks.shape[1],
            efi=int(self.forwarding.loads.efi),
            efi_before=int(before.loads.efi),
            ebb=ebb[0],
            ebb_before=ebb[1],
            circle=circle_in_words(list(map(self.names.link, circle))) if circle else "",
        )


def _on_network(other: Forwarding, topology: Topology, fabric: Fabric | None) -> Forwarding:
    """Return a table in the numbers of a network, of which it knew more before failures.

    Raises
    ------
    InvalidInput : it is of another network.
    """
    if other.topology == topology:
        return other
    if topology.origin is not None and topology.origin.network == other.topology:
        return carried_over(other, topology)
    if fabric is None:
        raise InvalidInput(f"the table to compare with is of {other.topology}, not of {topology}")
    ours, theirs = fabric.ports_of(topology), fabric.ports_of(other.topology)
    links = graph_of(topology).links()
    switch, entry = np.nonzero(links >= 0)
    entry_of = np.full((topology.num_switches, 256), NO_PORT, dtype=np.uint8)
    entry_of[switch, ours[links[switch, entry]]] = entry
    taken = other.links()
    there = entry_of[np.arange(topology.num_switches), np.append(theirs, np.uint8(0))[taken]]
    ports = np.where(taken >= 0, there, np.uint8(NO_PORT))
    return Forwarding(topology, ports, other.layers)


def audit(
    table: ForwardingTable,
    fabric: Fabric | None = None,
    against: ForwardingTable | None = None,
    *,
    findings: Sequence[Finding] = (),
    remarks: Sequence[str] = (),
) -> ForwardingReport:
    """Look at a forwarding table before it is loaded.

    Parameters
    ----------
    fabric : whose names and ports are told.
    against : the table that is in use.
    findings, remarks : what the reader of its file found already; findings name every entry that
        names no link.

    Raises
    ------
    InvalidInput : the fabric or the other table is not of the network.
    """
    forwarding = table.forwarding
    audited = _Audit(forwarding, fabric)
    other = None if against is None else _on_network(against.forwarding, table.topology, fabric)
    comparison = None
    if against is not None and other is not None:
        comparison = audited.against(against.forwarding, other, fabric)
    found = [*(findings or audited.holes()), *audited.findings()]
    loads, (detours, first) = forwarding.loads, audited.detours()
    base: dict[str, Any] = vars(TableReport.of(table, found))
    return ForwardingReport(
        **base,
        efi=int(loads.efi),
        efi_links=loads.efi_links,
        mean_load=loads.mean_load,
        hops_mean=loads.hops_mean,
        minimal_share=loads.minimal_share,
        detours=detours,
        first_detour=first,
        layers=forwarding.num_layers,
        layers_needed=None if loads.lost_pairs else layers_needed(forwarding),
        busiest=audited.busiest(),
        comparison=comparison,
        said=tuple(remarks),
    )
