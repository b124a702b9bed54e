"""CODES: the cables of a Dragonfly in two files of little-endian int32, and a configuration.

One group is described for all of them, by ordered pairs of its switches and a type; between groups
every cable is listed in both directions. The order gives the port numbers.
"""

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology.formats import NetworkFormat, WrittenNetwork
from tvlb.topology.topology import Topology

_INT = np.dtype("<i4")
_ROW = 0

_CONFIGURATION = """\
LPGROUPS
{{
   MODELNET_GRP
   {{
      repetitions="{switches}";
      nw-lp="{nodes}";
      modelnet_dragonfly_dally="{nodes}";
      modelnet_dragonfly_dally_router="1";
   }}
}}
PARAMS
{{
   modelnet_order=( "dragonfly_dally","dragonfly_dally_router" );
   num_routers="{per_group}";
   num_groups="{groups}";
   num_cns_per_router="{nodes}";
   num_global_channels="{ports}";
   intra-group-connections="{name}.intra";
   inter-group-connections="{name}.inter";
}}
"""


def _write(topology: Topology, name: str) -> WrittenNetwork:
    layout, network = topology.layout, topology.network
    if layout.switches_per_group == 1:
        raise InvalidInput(
            f"{topology} has no groups of several switches; codes holds Dragonflies only"
        )
    if '"' in name:
        raise InvalidInput(f"{name}: a configuration of CODES cannot name files with quotes")
    ends = np.stack([network.link_source, network.link_target], axis=1)
    inside, between = np.split(ends, [layout.first_global_link])
    _check_joined(topology, between)
    intra = _intra(topology, inside)
    ports = np.bincount(between[:, 0], minlength=topology.num_switches)
    configuration = _CONFIGURATION.format(
        switches=topology.num_switches,
        nodes=topology.nodes_per_switch,
        per_group=layout.switches_per_group,
        groups=layout.groups,
        ports=ports.max(),
        name=name,
    )
    files = {
        ".intra": [intra.astype(_INT).tobytes()],
        ".inter": [between[np.lexsort(between.T[::-1])].astype(_INT).tobytes()],
        ".conf": [configuration.encode()],
    }
    lost = ["latencies and any routes; its routing is one of its own"]
    if ports.min() < ports.max():
        lost.append(
            f"ports that are not connected: some switches have {ports.min()} links to other groups "
            f"and some {ports.max()}, with which CODES was not tried"
        )
    return WrittenNetwork(files, tuple(lost))


def _check_joined(topology: Topology, between: NDArray[np.int32]) -> None:
    """Refuse networks of which a group has no link to another: routing there would find none."""
    groups, size = topology.layout.groups, topology.layout.switches_per_group
    if len(np.unique(between // size, axis=0)) < groups * (groups - 1):
        raise InvalidInput(
            f"some groups of {topology} have no link to each other; codes holds Dragonflies only"
        )


def _intra(topology: Topology, inside: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the links inside a group with their type, int32 (links, 3), sorted."""
    size = topology.layout.switches_per_group
    group, other = inside.T // size
    assert np.array_equal(group, other)
    own = inside % size
    first = np.unique(own[group == 0], axis=0)
    for one in range(topology.layout.groups):
        here = own[group == one]
        if len(np.unique(here, axis=0)) < len(here):
            raise InvalidInput(
                f"{topology} has parallel cables in group {one}; codes lists a pair once"
            )
        if not np.array_equal(here[np.lexsort(here.T[::-1])], first):
            raise InvalidInput(
                f"group {one} of {topology} has other cables inside than group 0; codes describes "
                "one group for all"
            )
    return np.concatenate([first, np.full((len(first), 1), _ROW, dtype=np.int32)], axis=1)


FORMAT = NetworkFormat(name="codes", suffixes=(), write=_write)
