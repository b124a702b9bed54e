"""OpenSM: forwarding tables that its file engine loads, `opensm -R file -U FILE`.

The file engine gives every pair of nodes the default service level, so that all layers of a table
are one lane, in which it has to be free of deadlock.
"""

from collections.abc import Sequence
from pathlib import Path

from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.forwarding import circle_of, to_switches, waits_of
from tvlb.table.kinds.forwarding import ForwardingTable
from tvlb.table.lfts import write_dump
from tvlb.table.route_files import RouteFormat
from tvlb.topology import Fabric, Topology, read_fabric

_MOST_SHOWN = 8


def _write(
    table: ForwardingTable, path: Path, *, fabric: str, allow_deadlock: bool = False
) -> Sequence[str]:
    read = read_fabric(fabric)
    forwarding = table.forwarding
    read.check_is(forwarding.topology)
    waits = waits_of(forwarding)
    circle = circle_of(forwarding.topology, waits)
    if circle and not allow_deadlock:
        raise InvalidInput(
            f"{_circle(forwarding.topology, circle, read)}; --allow-deadlock writes it all the same"
        )
    management = to_switches(forwarding, waits)
    with files.atomic_file(path) as stream:
        write_dump(forwarding, management, read, stream)
    if circle:
        return [_circle(forwarding.topology, circle, read)]
    if circle := circle_of(forwarding.topology, waits):
        told = _circle(forwarding.topology, circle, read)
        return [f"with packets for switches without nodes {told}"]
    return []


def _circle(topology: Topology, circle: Sequence[int], fabric: Fabric) -> str:
    """Say that a table can deadlock, with the ports of the cables, each with its far end."""
    links, ports = topology.network, fabric.ports_of(topology)
    shown = [
        f"{fabric.switches[int(links.link_source[link])].name}[{ports[link]}] to "
        f"{fabric.switches[int(links.link_target[link])].name}"
        for link in circle[:_MOST_SHOWN]
    ]
    more = len(circle) - len(shown)
    told = ", ".join(shown) + (f" and {more} more" if more else "")
    return (
        f"the table can deadlock in one lane, which is all that OpenSM's file engine has: packets "
        f"on each of these {len(circle)} cables wait for the next and on the last for the first: "
        f"{told}"
    )


FORMAT = RouteFormat(
    name="opensm",
    suffixes=(".lfts",),
    endings=("",),
    fixed_weights=False,
    write=_write,
    takes=ForwardingTable,
    options=("fabric", "allow_deadlock"),
    network="ibsim",
)
