"""Routes in layers cannot deadlock, whatever the network and however few the layers are."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.forwarding.networks import connected_networks, torus, ways
from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    Forwarding,
    RouteOptions,
    bandwidth_of,
    dependency_circle,
    in_layers,
    route,
)
from tvlb.table import VcSettings
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.table.kinds.forwarding import FORWARDING
from tvlb.topology import Dragonfly, ListedTopology, Topology


def dependencies(forwarding: Forwarding) -> "nx.DiGraph[tuple[int, int]]":
    """Return what waits for what, as pairs of a link and a layer, route by route."""
    graph: nx.DiGraph[tuple[int, int]] = nx.DiGraph()
    topology, way = forwarding.topology, ways(forwarding)
    for node in range(topology.num_nodes):
        for source in np.flatnonzero(topology.switch_nodes).tolist():
            layer = int(forwarding.layers[node, source])
            for pair in pairwise(way(source, node)):
                graph.add_edge(*((link, layer) for link in pair))
    return graph


# The counts are those of an independent prototype: 3, 3, 4, 10 and 11 layers. Ways to break circles
# differ where ties are open, by one layer.
@pytest.mark.parametrize(
    ("topology", "order", "layers"),
    [
        (Dragonfly(2, 4, 2, 9), "id", 3),
        (Dragonfly(2, 4, 2, 9), "interleave", 3),
        (Dragonfly(4, 8, 4, 9), "interleave", 4),
        (torus(4, 4, 4, 4), "id", 10),
        (torus(4, 4, 4, 4), "interleave", 11),
    ],
    ids=str,
)
def test_there_are_as_many_layers_as_another_program_needs(
    topology: Topology, order: str, layers: int
) -> None:
    found = route(topology, RouteOptions(order=order, max_layers=15, fallback=False)).forwarding
    assert found.num_layers <= layers + 1
    assert (found.ports == route(topology, RouteOptions(order=order)).forwarding.ports).all()
    assert nx.is_directed_acyclic_graph(dependencies(found))
    assert dependency_circle(found) == ()


def test_a_tree_needs_one_layer() -> None:
    # Three leaves below two spines: all shortest routes go up and down.
    cables = [[leaf, spine] for leaf in range(3) for spine in (3, 4)]
    found = route(ListedTopology([4, 4, 4, 0, 0], [cables]), RouteOptions(layers=True))
    assert found.forwarding.num_layers == 1


@given(connected_networks(), st.integers(1, 4), st.sampled_from(["psssp", "psssp-w1", "minhop"]))
@settings(max_examples=60)
def test_every_network_has_a_table_for_every_number_of_layers(
    topology: Topology, most: int, engine: str
) -> None:
    found = route(topology, RouteOptions(engine=engine, max_layers=most)).forwarding
    assert found.num_layers <= most
    loads = found.loads
    assert (loads.lost_pairs, loads.holes) == (0, 0)
    assert nx.is_directed_acyclic_graph(dependencies(found))


@given(connected_networks(), st.booleans())
@settings(max_examples=60)
def test_circles_are_found_exactly_where_a_plain_search_finds_them(
    topology: Topology, one_lane: bool
) -> None:
    found = in_layers(route(topology).forwarding, 2) if one_lane else route(topology).forwarding
    circle = dependency_circle(found, one_lane=one_lane)
    plain = dependencies(Forwarding.of(topology, found.ports))
    assert (circle == ()) == nx.is_directed_acyclic_graph(plain)
    if circle:
        assert all(plain.has_edge((a, 0), (b, 0)) for a, b in pairwise([*circle, circle[0]]))


def test_more_layers_never_give_less() -> None:
    # The shortest ways of psssp fit into three layers, and into two with new entries.
    tables = [
        route(torus(4, 3, 3), RouteOptions(max_layers=most)).forwarding for most in (1, 2, 3, 8)
    ]
    rates = [bandwidth_of(one, 4000) for one in tables]
    for fewer, more in pairwise(rates):
        assert more.mean > fewer.mean - 2 * fewer.standard_error


def ring(size: int) -> ListedTopology:
    cables = [[switch, (switch + 1) % size] for switch in range(size)]
    return ListedTopology([1] * size, [cables], labels=[f"s{switch}" for switch in range(size)])


def test_a_circle_is_told_by_the_names_of_its_switches() -> None:
    # On a ring of five all routes of two links, in either direction, close a circle.
    topology = ring(5)
    found = route(topology)
    network = topology.network
    circle = [int(network.link_source[link]) for link in dependency_circle(found.forwarding)]
    assert circle == [0, 1, 2, 3, 4]


def test_without_fallback_too_few_layers_are_an_error_with_their_count() -> None:
    # A dependency of either direction is moved, with the one route over it: two layers, and two
    # of the 25 routes are left of one.
    text = r"max_layers 1 is too few: .* take 2 layers, and 2 of 25 are left"
    with pytest.raises(InvalidInput, match=text):
        route(ring(5), RouteOptions(max_layers=1, fallback=False))
    assert route(ring(5), RouteOptions(max_layers=2, fallback=False)).forwarding.num_layers == 2


def test_routes_that_do_not_arrive_have_no_layers() -> None:
    found = route(ring(5)).forwarding
    ports = found.ports.copy()
    ports[0, 1] = 1  # to switch 2, from which switch 1 is next
    with pytest.raises(InvalidInput, match=r"no layers: packets of [0-9]+ pairs .* do not"):
        in_layers(Forwarding.of(found.topology, ports), 8)


@pytest.mark.parametrize("most", [0, 16])
def test_layers_are_bounded(most: int) -> None:
    with pytest.raises(InvalidInput, match=rf"max_layers {most} is out of range: 1\.\.15"):
        RouteOptions(max_layers=most)


def test_verify_names_the_cables_of_a_circle() -> None:
    table = ForwardingTable.of(route(ring(5)).forwarding, "psssp")
    (problem,) = FORWARDING.verify(table, VcSettings()).problems
    assert problem.startswith("packets can deadlock: 5 links wait for each other in a circle: ")
    # By the ids of links, which are sorted by their ends.
    circle = zip(range(5), (0, 3, 5, 7, 8), strict=True)
    assert problem.partition("circle: ")[2] == ", ".join(
        f"switch {at} (s{at}) [link {link}] -> switch {(at + 1) % 5} (s{(at + 1) % 5})"
        for at, link in circle
    )
    fitting = route(ring(5), RouteOptions(layers=True)).forwarding
    assert FORWARDING.verify(ForwardingTable.of(fitting, "psssp"), VcSettings()).ok
