"""Routes for the fork of BookSim of PolarFly: a port for every switch and node.

Its options are `routing_table_file`, `load_routing_file = yes` and `k`, the nodes of a switch. The
ports of a switch are its nodes by id, then its neighbours by id. A newline at the end would crash
it, and it writes over the file what it has loaded.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.table.route_files import RouteFormat


def _write(table: ForwardingTable, path: Path) -> Sequence[str]:
    topology = table.topology
    counts = topology.switch_nodes
    if (other := counts != counts[0]).any():
        switch = int(other.argmax())
        raise InvalidInput(
            f"booksim-routes needs as many nodes on every switch; of {topology} switch "
            f"{topology.called(switch)} has {counts[switch]}, and {topology.called(0)} {counts[0]}"
        )
    topology.network.check_single_cables(
        str(topology), "booksim-routes cannot hold them, since BookSim merges them", ""
    )
    with files.atomic_file(path) as stream:
        stream.writelines(_lines(table, int(counts[0])))
    layers = table.header.layers
    return [f"booksim-routes does not hold the {layers} layers of the table"] if layers > 1 else []


def _lines(table: ForwardingTable, nodes: int) -> Iterator[bytes]:
    # Entries count the links of a switch in the order of their targets, as BookSim does.
    entries, own = table.forwarding.ports, table.topology.network.node_switch
    before = ""
    for switch in range(table.topology.num_switches):
        ports = entries[:, switch].astype(np.int64) + nodes
        here = np.flatnonzero(own == switch)
        if (holes := np.delete(entries[:, switch], here) == NO_PORT).any():
            called = table.topology.called(switch)
            raise InvalidInput(f"switch {called} has no entry for {int(holes.sum()):,} nodes")
        ports[here] = np.arange(len(here))
        lines = "\n".join(f"{switch} {node} {port}" for node, port in enumerate(ports.tolist()))
        yield f"{before}{lines}".encode()
        before = "\n"


FORMAT = RouteFormat(
    name="booksim-routes",
    suffixes=(".routes",),
    endings=("",),
    fixed_weights=False,
    write=_write,
    takes=ForwardingTable,
)
