"""Layers of virtual channels in which the routes of a forwarding table cannot deadlock.

Sources: Hoefler, Schneider, Lumsdaine 2009; Domke, Hoefler, Nagel, Deadlock-Free Oblivious Routing
for Arbitrary Topologies, IPDPS 2011; Domke, Hoefler, Matsuoka, Routing on the Dependency Graph,
HPDC 2016; Schroeder et al., Autonet, 1991.
"""

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Forwarding, graph_of
from tvlb.native import kernels

_ALL = 254


def in_layers(forwarding: Forwarding, most: int, *, fallback: bool = True) -> Forwarding:
    """Part routes into layers in which no links wait for each other in a circle.

    Parameters
    ----------
    most : layers at most, at least 1.
    fallback : where there would be more, give destinations of routes that do not fit new entries,
        with which all their routes fit into the last layer: the best of a number of attempts, see
        docs/forwarding-tables.md. Every network in one part has such a table.

    Raises
    ------
    InvalidInput : packets do not arrive, or there would be more layers and no `fallback`.
    """
    topology, graph = forwarding.topology, graph_of(forwarding.topology)
    if lost := forwarding.loads.lost_pairs:
        raise InvalidInput(f"no layers: packets of {lost:,} pairs of nodes do not arrive")
    ports = forwarding.ports
    layers, count = kernels.forwarding_layers(graph, ports, most)
    if count > most and not fallback:
        _, needed = kernels.forwarding_layers(graph, ports, _ALL)
        left = int(np.count_nonzero(layers == most))
        raise InvalidInput(
            f"max_layers {most} is too few: these routes on {topology} take {needed} layers, and "
            f"{left:,} of {layers.size:,} are left"
        )
    if count > most:
        ports, layers = kernels.forwarding_fit(graph, ports, layers, count, most)
    return Forwarding(topology, ports, layers)


def best_in_layers(forwarding: Forwarding, most: int) -> Forwarding:
    """Return the table in at most so many layers with the highest mean rate of those tried.

    The given one is among them if it fits, and those for fewer layers are; only on large networks
    a table that fits stays as it is. All packets have to arrive. See `in_layers`.
    """
    graph = graph_of(forwarding.topology)
    layers, count = kernels.forwarding_layers(graph, forwarding.ports, most)
    found = kernels.forwarding_fit(graph, forwarding.ports, layers, count, most)
    return Forwarding(forwarding.topology, *found)


def layers_needed(forwarding: Forwarding) -> int:
    """Return in how many layers the routes cannot deadlock, as `in_layers` parts them."""
    _, count = kernels.forwarding_layers(graph_of(forwarding.topology), forwarding.ports, _ALL)
    return count


def dependencies(
    forwarding: Forwarding, *beside: Forwarding, one_lane: bool = False
) -> kernels.DependencyGraph:
    """Return which links wait for which, as channels link * layers + layer.

    Parameters
    ----------
    beside : tables of the same network that are in use at the same time: at every switch a packet
        may meet the entry of any of them.
    one_lane : all layers share their virtual channels, as where a device knows none.
    """
    every = (forwarding, *beside)
    count = 1 if one_lane else max(one.num_layers for one in every)
    graph = graph_of(forwarding.topology)
    layers = [np.zeros_like(one.layers) if one_lane else one.layers for one in every]
    return kernels.forwarding_dependencies(graph, [one.ports for one in every], layers, count)


def dependency_circle(
    forwarding: Forwarding, *beside: Forwarding, one_lane: bool = False
) -> tuple[int, ...]:
    """Return link ids of which each waits for the next and the last for the first; none if none do.

    The dependencies are taken from the entries as they are, which may be wrong; see `dependencies`.
    """
    count = 1 if one_lane else max(one.num_layers for one in (forwarding, *beside))
    found = dependencies(forwarding, *beside, one_lane=one_lane).find_cycle()
    return tuple(channel // count for channel in found)
