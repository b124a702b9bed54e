"""Netlists of ibsim, the simulator of InfiniBand fabrics: the ports of adapters and switches."""

import re
from collections.abc import Iterator

import numpy as np

from tvlb.documents import lines_of
from tvlb.errors import InvalidInput
from tvlb.topology.cabling import (
    LAST_PORT,
    Cabling,
    DeviceLine,
    node_name,
    parse_line,
    switch_name,
)
from tvlb.topology.fabric import LAST_LID, Fabric
from tvlb.topology.formats import (
    NetworkFormat,
    WrittenNetwork,
    lost_family,
    lost_kinds,
    lost_labels,
    network_reader,
)
from tvlb.topology.listed import ListedTopology, listed
from tvlb.topology.topology import Topology

_LOOKED_AT = 4096
_RECOGNISED = re.compile(rb'\s*(?:#[^\n]*\n\s*)*(?:Hca|Ca|Switch)\s+[0-9]{1,9}\s+"')
# What ibsim and the tools of a fabric keep as it is.
_KEPT = re.compile(r"[A-Za-z0-9 _.,:;/+()-]{1,60}")


def _fabric(content: bytes) -> Fabric:
    found = Cabling()
    for number, text in enumerate(lines_of(content), 1):
        try:
            if (stripped := text.strip()) and not stripped.startswith("#"):
                line = parse_line(stripped)
                if isinstance(line, DeviceLine):
                    found.device(line, line.id)
                else:
                    found.port(line)
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return found.fabric(by_guid=False)


def _write(topology: Topology, name: str) -> WrittenNetwork:
    network = listed(topology)
    if network.num_switches + network.num_nodes > LAST_LID:
        raise InvalidInput(
            f"{topology} has {network.num_switches + network.num_nodes:,} switches and nodes; a "
            f"fabric has at most {LAST_LID:,} LIDs"
        )
    if (ports := network.switch_ports).max() > LAST_PORT:
        switch = int(ports.argmax())
        raise InvalidInput(
            f"switch {topology.called(switch)} has {ports[switch]} ports; those of a fabric have "
            f"at most {LAST_PORT}"
        )
    names = _names(network)
    lost = lost_family(topology) + lost_kinds(network)
    if names != list(network.labels):
        lost += lost_labels(network)
    return WrittenNetwork({"": _lines(network, names)}, lost)


def _names(network: ListedTopology) -> list[str]:
    """Return the labels where all of them can be names, else names by number."""
    labels = list(network.labels)
    fit = len(set(labels)) == len(labels) and all(map(_fits, labels))
    return labels if labels and fit else [*map(switch_name, range(network.num_switches))]


def _fits(label: str) -> bool:
    # Nodes have names that begin so.
    return _KEPT.fullmatch(label) is not None and not label.startswith("H-")


def _lines(network: ListedTopology, names: list[str]) -> Iterator[bytes]:
    links, nodes = network.network, network.switch_nodes
    # Nodes have the first ports, and links those behind them in the order of their ids, that is by
    # kind first: engines of OpenSM take lower ports for lower dimensions.
    order = np.argsort(links.link_source, kind="stable")
    begin = np.searchsorted(links.link_source[order], np.arange(network.num_switches + 1))
    port = np.empty(network.num_links, dtype=np.int64)
    source = links.link_source[order]
    port[order] = np.arange(len(order)) - begin[source] + nodes[source] + 1
    # The k-th link from one switch to another and the k-th back are one cable.
    peer_port = np.empty_like(port)
    there = np.lexsort((links.link_target, links.link_source))
    peer_port[there] = port[np.lexsort((links.link_source, links.link_target))]
    for node, switch in enumerate(links.node_switch.tolist()):
        place = node - int(network.first_node[switch]) + 1
        yield f'Hca 1 "{node_name(node)}"\n[1] "{names[switch]}"[{place}]\n\n'.encode()
    for switch, name in enumerate(names):
        first, own = int(network.first_node[switch]), order[begin[switch] : begin[switch + 1]]
        count = int(nodes[switch])
        lines = [f'Switch {max(1, count + len(own))} "{name}"']
        lines += [f'[{one + 1}] "{node_name(first + one)}"[1]' for one in range(count)]
        lines += [
            f'[{port[link]}] "{names[links.link_target[link]]}"[{peer_port[link]}]' for link in own
        ]
        yield ("\n".join(lines) + "\n\n").encode()


FORMAT = NetworkFormat(
    name="ibsim",
    suffixes=(".netlist", ".net"),
    read=network_reader(_fabric),
    recognise=lambda content: _RECOGNISED.match(content, 0, _LOOKED_AT) is not None,
    write=_write,
    read_fabric=_fabric,
)
