"""What makes a triple of ids a VLB path of a Dragonfly."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tvlb.topology.topology import Triples

if TYPE_CHECKING:
    from tvlb.topology.dragonfly.topology import Dragonfly

_ABSENT = -1
_Faults = Iterator[tuple[str, NDArray[np.bool_]]]


def path_faults(topology: "Dragonfly", paths: Triples) -> _Faults:
    """Yield each rule with the paths that break it; see `Topology.path_faults`."""
    between = topology.has_choice(paths.source, paths.target)
    for applies, faults in ((~between, _inside_group), (between, _between_groups)):
        for what, wrong in faults(topology, paths):
            yield what, wrong & applies


def _inside_group(topology: "Dragonfly", paths: Triples) -> _Faults:
    group, via = topology.switch_group, paths.intermediate
    yield (
        "a pair inside a group has a global link",
        (paths.first != _ABSENT) | (paths.second != _ABSENT),
    )
    yield (
        "the intermediate switch is no third switch of the group",
        (group[via] != group[paths.source]) | (via == paths.source) | (via == paths.target),
    )
    yield "hops do not match the path", paths.hops != 2


def _between_groups(topology: "Dragonfly", paths: Triples) -> _Faults:
    group, network, via = topology.switch_group, topology.network, paths.intermediate
    yield (
        "the intermediate switch is in the source or destination group",
        (group[via] == group[paths.source]) | (group[via] == group[paths.target]),
    )
    hops = np.zeros(len(via), dtype=np.int64)
    halves = (
        ("first", paths.first, paths.source, via),
        ("second", paths.second, via, paths.target),
    )
    for name, given, start, end in halves:
        link = given % topology.num_links
        enter, leave = network.link_source[link], network.link_target[link]
        hops += 1 + (enter != start) + (leave != end)
        yield (
            f"the {name} link is not a global link between the groups it should join",
            (given == _ABSENT)
            | ~topology.is_global[link]
            | (group[enter] != group[start])
            | (group[leave] != group[end]),
        )
    yield "hops do not match the path", paths.hops != hops
