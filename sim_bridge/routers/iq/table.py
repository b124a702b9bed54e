"""Tables that packets go by, and what their routes ask of the routers."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from sim_bridge import _core
from sim_bridge.routers.iq.config import LAYER, MAX_VCS, ZERO_LOAD_CYCLES, SimulationConfig
from sim_bridge.sampling import Split, listed
from tvlb.errors import InvalidInput
from tvlb.forwarding import Forwarding
from tvlb.native import kernels
from tvlb.native.virtual_channels import VcScheme, vc_policy
from tvlb.paths import Switches
from tvlb.topology import Topology

# Without any clamping.
_ALL_VCS = 128
# Links of a circle that are shown.
_SHOWN = 8


@runtime_checkable
class StoredForwarding(Protocol):
    """A forwarding table, as files have it."""

    @property
    def forwarding(self) -> Forwarding:
        """Its entries on the network."""
        ...


@dataclass(frozen=True, eq=False)
class FollowedTable:
    """A forwarding table that packets follow; it prints as `name`."""

    forwarding: Forwarding
    name: str = "the forwarding table"

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.forwarding.topology

    @property
    def vc_scheme(self) -> str:
        """How packets get virtual channels where nothing else is said: by layer, if it has some."""
        return LAYER if self.forwarding.num_layers > 1 else "per-hop"

    def compiled(self, network: kernels.Topology) -> "CompiledTable":
        """Return its routes for the core.

        Raises
        ------
        InvalidInput : packets do not arrive, or routes are too long for the simulator.
        """
        if lost := self.forwarding.loads.lost_pairs:
            raise InvalidInput(
                f"packets of {lost:,} pairs of nodes do not arrive by {self}; see tvlb verify"
            )
        links, layers = self.forwarding.links(), self.forwarding.layers
        routes = _core.TableRoutes(
            network, np.ascontiguousarray(links), np.ascontiguousarray(layers)
        )
        if routes.most_hops > _core.MAX_HOPS:
            raise InvalidInput(
                f"routes of {self} take up to {routes.most_hops} links; the simulator follows at "
                f"most {_core.MAX_HOPS}"
            )
        return CompiledTable(self, routes)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class CompiledTable:
    """A forwarding table in the core's own types; settings are those on its network.

    Attributes
    ----------
    routes : keeps the network that it was made for.
    """

    table: FollowedTable
    routes: _core.TableRoutes

    def vc_count(self, config: SimulationConfig) -> int:
        """Virtual channels per port: those asked for, else all that its routes need."""
        if config.vc_count is not None:
            return config.vc_count
        return min(self._vcs_needed(config), MAX_VCS)

    def settings(self, config: SimulationConfig) -> dict[str, object]:
        """Return what the core is told of routes and their virtual channels."""
        layers, vcs = self._channels(config)
        cycles = config.link_cycles(self.table.forwarding.topology)
        return {
            "vc_count": self.vc_count(config),
            "vcs": vcs,
            "routes": self.routes,
            "layers": layers,
            "longest_latency": ZERO_LOAD_CYCLES + self.routes.needs(vcs, cycles)[1],
        }

    def warnings(self, config: SimulationConfig) -> tuple[str, ...]:
        """Name a circle of virtual channels of links that can wait for each other, if there is one.

        Source: Dally, Seitz, Deadlock-Free Message Routing, 1987.
        """
        count, (layers, vcs) = self.vc_count(config), self._channels(config)
        if config.vc_scheme == "per-hop" and count >= self.routes.most_hops:
            return ()  # they rise with every link
        graph = kernels.DependencyGraph(self.table.topology.num_links * count)
        self.routes.add_dependencies(vcs=vcs, layers=layers, vc_count=count, graph=graph)
        return _circle_in_words(self.table, graph, str(config.vc_scheme), count)

    def _vcs_needed(self, config: SimulationConfig) -> int:
        if config.vc_scheme == LAYER:
            return self.table.forwarding.num_layers
        policy = vc_policy(str(config.vc_scheme))
        kinds = self.table.forwarding.topology.kinds.names
        return self.routes.needs(policy.table(_ALL_VCS), [0] * len(kinds))[0]

    def _channels(self, config: SimulationConfig) -> tuple[int, kernels.VcTable]:
        """Return how many layers have virtual channels of their own, and the policy."""
        count = self.vc_count(config)
        if config.vc_scheme == LAYER:
            # By a policy that clamps all to the first one.
            return count, vc_policy("per-hop").table(1)
        return 1, vc_policy(str(config.vc_scheme)).table(count)


def split_warnings(
    split: Split, pairs: tuple[Switches, Switches], vc_scheme: str, vc_count: int
) -> tuple[str, ...]:
    """Name a circle as `CompiledTable.warnings`, of the paths that pairs draw by a split."""
    topology = split.topology
    scheme, last = VcScheme(vc_scheme), vc_count - 1
    graph = kernels.DependencyGraph(topology.num_links * vc_count)
    for rows in listed(split, *pairs):
        graph.add(rows.channels(vc_count, lambda kinds: scheme.vcs(kinds, last)))
    return _circle_in_words(split, graph, vc_scheme, vc_count)


def _circle_in_words(
    table: FollowedTable | Split, graph: kernels.DependencyGraph, vc_scheme: str, vc_count: int
) -> tuple[str, ...]:
    circle, network = graph.find_cycle(), table.topology.network
    if not circle:
        return ()
    links = [divmod(channel, vc_count) for channel in circle[:_SHOWN]]
    shown = ", ".join(
        f"{network.link_source[link]}->{network.link_target[link]} VC {vc}" for link, vc in links
    )
    more = ", ..." if len(circle) > _SHOWN else ""
    return (
        f"the routes of {table} can deadlock by {vc_scheme} on {vc_count} "
        f"VC{'s' * (vc_count != 1)}: "
        f"{len(circle)} buffers (link, VC) may wait for each other in a circle: {shown}{more}",
    )
