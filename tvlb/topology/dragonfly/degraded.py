"""A Dragonfly of which links or switches are down."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.topology.compiled import compiled
from tvlb.topology.dragonfly.topology import FROM_FILE, Dragonfly, LinkKind
from tvlb.topology.network import Network
from tvlb.topology.topology import Topology, Triples

_Switches = NDArray[np.integer]
_Mask = NDArray[np.bool_]


class DegradedDragonfly(Dragonfly):
    """What failures leave of a Dragonfly that needs more than its own MIN paths.

    Parameters
    ----------
    healthy : the Dragonfly with all its links.
    network : its switches with the nodes and links that are left.
    text : `str` of the topology.

    Raises
    ------
    InvalidInput : switches with links do not reach each other.

    Notes
    -----
    A pair keeps the MIN paths of the Dragonfly of which all links are left, and takes all shortest
    paths where there are none: the groups have no link any more, or a local link is down. Those may
    be longer than three hops, so VCs rise per hop. Halves of paths are named by their position
    among the MIN paths of their ends, -1 where this is a local link inside a group.
    """

    path_names = "positions"
    vc_scheme = "per-hop"
    has_usage_kernel = False

    def __init__(self, healthy: Dragonfly, network: Network, text: str) -> None:
        self._path = text
        self._sizes = healthy.parameters
        self.switches_per_group = healthy.switches_per_group
        self.global_ports = healthy.global_ports
        self.groups = healthy.groups
        self.arrangement = FROM_FILE
        self.network = network
        self._digest = network.digest()
        self.cables = network.cables(LinkKind.GLOBAL)
        try:
            compiled(self)
        except ValueError as error:
            raise InvalidInput(f"{self}: {error}") from error

    @property
    def _twin(self) -> kernels.DegradedDragonfly:
        return compiled(self)

    @property
    def parameters(self) -> tuple[int, int, int, int]:
        """The sizes p, a, h and g of the Dragonfly that it was."""
        return self._sizes

    @property
    def node_groups(self) -> int:
        """See `Topology`: none where some nodes are gone."""
        healthy = self._sizes[0] * self.num_switches
        return self.groups if self.num_nodes == healthy else 1

    @property
    def identity(self) -> tuple[int | str, ...]:
        """See `Topology`: p, a, h, g and a hash of nodes and links."""
        return (*self.parameters, self._digest)

    def compile(self) -> kernels.DegradedDragonfly:
        """See `Topology`."""
        return kernels.DegradedDragonfly(self.network.compile(), self.groups)

    @property
    def halves(self) -> tuple[str, ...]:
        """See `Topology`: those of the Dragonfly, then those of pairs that take shortest paths."""
        letters = [name[0] for name in self.kinds.names]
        return tuple("".join(letters[kind] for kind in half) for half in self._twin.halves)

    @property
    def longest_min_path(self) -> tuple[int, ...]:
        """See `Topology`."""
        return tuple(max(self._twin.halves, key=len))

    @property
    def most_min_paths(self) -> int:
        """See `Topology`."""
        return self._twin.most_min_paths

    @property
    def most_vlb_paths(self) -> int:
        """See `Topology`."""
        return max(self.groups - 2, 1) * self.switches_per_group * self.most_min_paths**2

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`."""
        return super(Dragonfly, self).representatives

    def path_faults(self, paths: Triples) -> Iterator[tuple[str, _Mask]]:
        """See `Topology`."""
        via, between = paths.intermediate, self.has_choice(paths.source, paths.target)
        group = self.switch_group
        third = (group[via] != group[paths.source]) & (group[via] != group[paths.target])
        inside = (group[via] == group[paths.source]) & (via != paths.source) & (via != paths.target)
        yield (
            "the intermediate switch is no third switch of the group, or in no third group",
            np.where(between, ~third, ~inside),
        )
        hops = np.zeros(len(via), dtype=np.int64)
        for name, given, start, end in (
            ("first", paths.first, paths.source, via),
            ("second", paths.second, via, paths.target),
        ):
            ends = (one.astype(np.int32, copy=False) for one in (start, given, end))
            found = self._twin.half_hops(*ends)
            hops += found
            yield f"there is no {name} half of this number", found < 0
        yield "hops do not match the path", paths.hops != hops

    def arrivals(self, switches: _Switches) -> NDArray[np.int32]:
        """See `Topology`: the local links from others of the group that are left."""
        members = np.arange(self.switches_per_group)
        origins = self.switch_group[switches][:, None] * self.switches_per_group + members
        return self.local_link[origins, (switches % self.switches_per_group)[:, None]]

    def is_second(self, sources: _Switches, targets: _Switches) -> _Mask:
        """See `Topology`: wherever a local link arrives."""
        return np.any(self.arrivals(sources) >= 0, axis=1) & (sources != targets)

    def seconds(self, sources: _Switches, targets: _Switches) -> tuple[_Switches, _Switches]:
        """See `Topology`: from the others of the source's group."""
        starts = self.switch_group[sources, None] * np.int32(self.switches_per_group)
        near = starts + np.arange(self.switches_per_group, dtype=np.int32)
        joined = self.local_link[sources] >= 0
        ends = np.broadcast_to(targets[:, None], near.shape)
        found = joined & (near != ends)
        return near[found], ends[found]

    def capacity_prices(self, sources: _Switches, targets: _Switches) -> NDArray[np.float64]:
        """See `Topology`: none are known, since a path may cross several global links."""
        return super(Dragonfly, self).capacity_prices(sources, targets)

    def links_in_use(self, vlb_paths: NDArray[np.float64]) -> float:
        """See `Topology`."""
        return super(Dragonfly, self).links_in_use(vlb_paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DegradedDragonfly) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def what_is_left(healthy: Topology, network: Network, text: str) -> Topology:
    """Return what failures leave of a Dragonfly; see `tvlb.topology.family.Family.degraded`.

    It is a Dragonfly like others where its groups are complete and all of them joined.
    """
    assert isinstance(healthy, Dragonfly)
    local_links = healthy.network.link_kind == LinkKind.LOCAL
    complete = np.count_nonzero(network.link_kind == LinkKind.LOCAL) == local_links.sum()
    if complete and network.num_nodes == healthy.num_nodes:
        try:
            cables = network.cables(LinkKind.GLOBAL)
            return Dragonfly.from_cables(*healthy.parameters, cables, path=text)
        except InvalidInput:
            pass  # two groups have no link any more
    return DegradedDragonfly(healthy, network, text)
