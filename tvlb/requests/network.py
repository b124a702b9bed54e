"""What a network amounts to: sizes, cables, MIN paths, how well it is joined, VCs that it needs."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any, Self

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import Field

from sim_bridge import (
    LEVEL_ROUTINGS,
    PATH_ROUTINGS,
    VCT_ROUTINGS,
    SimulationConfig,
    VctConfig,
    VctScenario,
)
from sim_bridge.routers.vct import VC_POLICIES
from sim_bridge.routing import steering
from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.paths import min_usage
from tvlb.table import VcScheme
from tvlb.topology import Topology, compiled, family_of
from tvlb.traffic import parse_pattern

_MOST_SOURCES = 2_048
_MOST_CUT = 512
_PAIRS = 1 << 18
_Switches = NDArray[np.int32]


class CablesOfKind(Document):
    """The cables of a kind."""

    kind: str = Field(description="Kind of links.")
    cables: int = Field(ge=0, description="How many; a cable is two directed links.")
    latency: int = Field(ge=1, description="Of its links with router iq, cycles.")
    latency_vct: int = Field(ge=1, description="Of its links with router vct, cycles.")


class VcsNeeded(Document):
    """The VCs that the longest routes need."""

    router: str = Field(description="Model of the routers.")
    routing: str = Field(description="Routing.")
    policy: str = Field(description="Policy of virtual channels.")
    vcs: int | None = Field(
        ge=1, description="Fewest per port; null where it may deadlock or there is no such router."
    )


class NetworkFacts(Document):
    """What a network amounts to."""

    topology: str = Field(description="The network, as it prints.")
    family: str = Field(description="Its family.")
    nodes: int = Field(ge=1, description="Compute nodes.")
    switches: int = Field(ge=1, description="Switches.")
    switches_with_nodes: int = Field(ge=1, description="Switches with compute nodes.")
    nodes_per_switch: tuple[int, int] = Field(description="Fewest and most of those with any.")
    radix: tuple[int, int] = Field(description="Fewest and most ports of a switch.")
    groups: int | None = Field(ge=2, description="Groups of switches; null without any.")
    cables: tuple[CablesOfKind, ...] = Field(description="By kind.")
    diameter: int = Field(ge=0, description="Links of the longest MIN path between nodes.")
    min_hops_mean: float | None = Field(
        ge=0,
        description="Mean links of MIN paths between different switches with nodes; null with one.",
    )
    is_sampled: bool = Field(
        description=f"Whether diameter and mean are of MIN paths from {_MOST_SOURCES:,} switches, "
        "evenly spread, alone."
    )
    fewest_cables: int = Field(ge=0, description="Of a switch that has any.")
    connectivity: int | None = Field(
        ge=0,
        description="Cables that have to fail, at least, for switches not to reach each other, of "
        f"up to {_MOST_CUT} switches; else null, and at most fewest_cables.",
    )
    vcs_needed: tuple[VcsNeeded, ...] = Field(
        description="By router, routing and policy; routings that the network does not have are "
        "left out."
    )
    uncounted: str | None = Field(
        description="Why nothing lists paths of it, so that no VCs are told; null where they are."
    )
    caution: str | None = Field(
        description="What people may take it for and it is not; null where there is no such thing."
    )
    labels: tuple[str, ...] = Field(
        description="What the switches are called, by id; may be empty."
    )

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """Describe a network; takes seconds on large ones."""
        nodes, ports = topology.switch_nodes, topology.switch_ports
        degrees = np.bincount(topology.network.link_source, minlength=topology.num_switches)
        some, sampled = nodes[nodes > 0], topology.num_senders > _MOST_SOURCES
        uncounted = _why_uncounted(topology)
        diameter, mean = _min_hops(topology, is_counted=uncounted is None)
        labels = [topology.coordinates(one).get("label") for one in range(topology.num_switches)]
        return cls(
            topology=str(topology),
            family=family_of(topology).name,
            nodes=topology.num_nodes,
            switches=topology.num_switches,
            switches_with_nodes=topology.num_senders,
            nodes_per_switch=(int(some.min()), int(some.max())),
            radix=(int(ports.min()), int(ports.max())),
            groups=topology.node_groups if topology.node_groups > 1 else None,
            cables=tuple(_cables(topology)),
            diameter=diameter,
            min_hops_mean=mean,
            is_sampled=sampled,
            fewest_cables=int(degrees[degrees > 0].min(initial=degrees.max())),
            connectivity=_connectivity(topology, degrees),
            vcs_needed=() if uncounted else tuple(_vcs_needed(topology)),
            uncounted=uncounted,
            caution=topology.caution,
            labels=tuple(map(str, labels)) if any(labels) else (),
        )


def _cables(topology: Topology) -> Iterator[CablesOfKind]:
    links = np.bincount(topology.network.link_kind, minlength=len(topology.kinds.names))
    each = zip(
        topology.kinds.names,
        links.tolist(),
        SimulationConfig().latencies(topology),
        VctConfig().latencies(topology),
        strict=True,
    )
    for kind, count, latency, latency_vct in each:
        yield CablesOfKind(kind=kind, cables=count // 2, latency=latency, latency_vct=latency_vct)


def _why_uncounted(topology: Topology) -> str | None:
    try:
        compiled(topology)
    except InvalidInput as error:
        return str(error)
    return None


def _min_hops(topology: Topology, *, is_counted: bool) -> tuple[int, float | None]:
    """Return the most links of a MIN path, and the mean over pairs of switches with nodes."""
    ends = np.flatnonzero(topology.switch_nodes).astype(np.int32)
    few = np.linspace(0, len(ends) - 1, min(len(ends), _MOST_SOURCES))
    sources = ends[few.astype(np.int64)]
    if len(ends) == 1:
        return 0, None
    count = _min_path_hops if is_counted else _distances
    most, total, pairs = 0, 0.0, 0.0
    for some in np.array_split(sources, -(-len(sources) * len(ends) // _PAIRS)):
        by_hops = count(topology, some, ends)
        most = max(most, int(np.flatnonzero(by_hops)[-1]))
        total += float(by_hops @ np.arange(len(by_hops)))
        pairs += float(by_hops.sum())
    return most, total / pairs


def _min_path_hops(topology: Topology, some: _Switches, ends: _Switches) -> NDArray[np.float64]:
    """Count the pairs of different switches by the hops of their MIN paths, in shares of pairs."""
    source, target = (one.ravel() for one in np.meshgrid(some, ends, indexing="ij"))
    apart = source != target
    return min_usage(topology, source[apart], target[apart]).weight.sum(axis=0)


def _distances(topology: Topology, some: _Switches, ends: _Switches) -> NDArray[np.float64]:
    """Count the pairs of different switches by their distance, which is that of any MIN path.

    Only networks of shortest paths are refused by what lists paths.
    """
    hops = scipy.sparse.csgraph.shortest_path(
        _cable_counts(topology), unweighted=True, indices=some
    )
    counts = np.bincount(hops[:, ends].ravel().astype(np.int64)).astype(np.float64)
    counts[0] = 0.0
    return counts


def _cable_counts(topology: Topology) -> Any:
    """Return a matrix of how many links lead from each switch to each other one."""
    network, size = topology.network, topology.num_switches
    ones = np.ones(topology.num_links, dtype=np.int32)
    ends = network.link_source, network.link_target
    cables: Any = scipy.sparse.csr_array((ones, ends), shape=(size, size))
    cables.sum_duplicates()
    return cables


def _connectivity(topology: Topology, degrees: NDArray[np.int64]) -> int | None:
    """Return the size of the smallest cut: the least flow from a switch to any other."""
    up = np.flatnonzero(degrees)
    if len(up) > _MOST_CUT:
        return None
    cables = _cable_counts(topology)
    flow: Any = scipy.sparse.csgraph.maximum_flow
    return min(int(flow(cables, int(up[0]), int(other)).flow_value) for other in up[1:])


def _vcs_needed(topology: Topology) -> Iterator[VcsNeeded]:
    for routing, scheme in product((*PATH_ROUTINGS, *LEVEL_ROUTINGS), VcScheme):
        with suppress(InvalidInput):  # the network does not have the routing
            routing.check(topology)
            halves = 2 if routing.draws_vlb else 1
            vcs = SimulationConfig(vc_scheme=scheme).vcs_needed(topology, routing, halves)
            yield VcsNeeded(router="iq", routing=routing, policy=scheme, vcs=vcs)
    uniform = parse_pattern("uniform")
    for routing, policy in product(VCT_ROUTINGS, VC_POLICIES):
        if steering(routing).decides_again and not topology.decides_again:
            continue
        vcs = None
        with suppress(InvalidInput):  # the policy may deadlock here
            vcs = VctScenario(topology, routing, uniform).proof(policy).vcs_needed
        yield VcsNeeded(router="vct", routing=routing, policy=policy, vcs=vcs)
