"""OpenSM: forwarding tables that its file engine loads, `opensm -R file -U FILE`.

The file engine gives every pair of nodes the default service level, so that all layers of a table
are one lane, in which it has to be free of deadlock.
"""

from collections.abc import Sequence
from pathlib import Path

from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.forwarding import dependencies, to_switches
from tvlb.table.forwarding_table import ForwardingTable, circle_in_words
from tvlb.table.lfts import audited_file, is_dump, write_dump
from tvlb.table.route_files import FileAudit, RouteFormat
from tvlb.topology import Fabric, Topology, read_fabric


def _write(
    table: ForwardingTable, path: Path, *, fabric: str, allow_deadlock: bool = False
) -> Sequence[str]:
    read, forwarding = read_fabric(fabric), table.forwarding
    read.check_guids()
    read.check_is(forwarding.topology)
    graph = dependencies(forwarding, one_lane=True)
    circle = graph.find_cycle()
    if circle and not allow_deadlock:
        told = _circle(forwarding.topology, circle, read)
        raise InvalidInput(f"{told}; --allow-deadlock writes it all the same")
    management = to_switches(forwarding, graph)
    with files.atomic_file(path) as stream:
        write_dump(forwarding, management, read, stream)
    if circle:
        return [_circle(forwarding.topology, circle, read)]
    if circle := graph.find_cycle():
        told = _circle(forwarding.topology, circle, read)
        return [f"with packets for switches without nodes {told}"]
    return []


def _circle(topology: Topology, circle: Sequence[int], fabric: Fabric) -> str:
    """Say that a table can deadlock, with the switches and ports that the cables join."""
    links, ports = topology.network, fabric.ports_of(topology)
    told = circle_in_words(
        [
            f"{fabric.switches[int(links.link_source[link])].name}[{ports[link]}] -> "
            f"{fabric.switches[int(links.link_target[link])].name}"
            for link in circle
        ]
    )
    return f"the table can deadlock in one lane, which is all that OpenSM's file engine has: {told}"


FORMAT = RouteFormat(
    name="opensm",
    suffixes=(".lfts",),
    endings=("",),
    fixed_weights=False,
    write=_write,
    takes=ForwardingTable,
    options=("fabric", "allow_deadlock"),
    network="ibsim",
    audit=FileAudit("forwarding tables", is_dump, audited_file, ("fabric", "against")),
)
