"""Tables of one lane: up*/down*, dimension order, and what is made where nothing else fits."""

from itertools import product

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
    route,
)
from tvlb.topology import Dragonfly, HyperX, LinkKinds, ListedTopology, Topology


def places(topology: Topology, root: int) -> dict[int, int]:
    """Return the order below a root: by links to it, then by number."""
    hops = nx.single_source_shortest_path_length(topology.graph, root)
    order = sorted(hops, key=lambda switch: (hops[switch], switch))
    return {switch: place for place, switch in enumerate(order)}


def fewest_hops(topology: Topology, place: dict[int, int], target: int) -> dict[int, int]:
    """Return the links to a switch: down where that alone leads there, else up and on from there.

    A switch has one entry, so that a way that goes up goes on as the switch above does.
    """
    network = topology.network
    links = list(zip(network.link_source.tolist(), network.link_target.tolist(), strict=True))
    down: nx.DiGraph[int] = nx.DiGraph()
    down.add_nodes_from(range(topology.num_switches))
    down.add_edges_from((b, a) for a, b in links if place[a] < place[b])
    hops: dict[int, int] = dict(nx.single_source_shortest_path_length(down, target))
    for switch in sorted(place, key=lambda one: place[one]):
        if switch not in hops:
            above = [b for a, b in links if a == switch and place[b] < place[a]]
            hops[switch] = 1 + min(hops[one] for one in above)
    return hops


@given(connected_networks(), st.integers(0, 8))
@settings(max_examples=40)
def test_updn_never_goes_up_after_down_and_takes_the_fewest_links(
    topology: Topology, root: int
) -> None:
    root %= topology.num_switches
    found = route(topology, RouteOptions(engine="updn", roots=(str(root),))).forwarding
    place = places(topology, root)
    network, way = topology.network, ways(found)
    for node in range(topology.num_nodes):
        hops = fewest_hops(topology, place, int(network.node_switch[node]))
        for source in range(topology.num_switches):
            links = way(source, node)
            ends = zip(network.link_source[links], network.link_target[links], strict=True)
            goes_up = [place[int(b)] < place[int(a)] for a, b in ends]
            assert goes_up == sorted(goes_up, reverse=True)
            assert len(links) == hops[source]


@given(connected_networks())
@settings(max_examples=20)
def test_updn_finds_an_order_on_every_network(topology: Topology) -> None:
    found = route(topology, RouteOptions(engine="updn")).forwarding
    assert (found.loads.lost_pairs, found.loads.holes) == (0, 0)
    assert dependency_circle(found, one_lane=True) == ()


def test_updn_finds_roots_of_a_dragonfly_and_the_tops_of_a_tree() -> None:
    # OpenSM finds none on a Dragonfly.
    dragonfly = route(Dragonfly(2, 4, 2, 9), RouteOptions(engine="updn"))
    assert dependency_circle(dragonfly.forwarding, one_lane=True) == ()
    assert bandwidth_of(dragonfly.forwarding, 1000).mean > 0.64
    # Below one of three spines the way between the two others is barred, and leaves would send by
    # that one alone.
    cables = [[leaf, spine] for leaf in range(3) for spine in range(3, 6)]
    tree = route(ListedTopology([4, 4, 4, 0, 0, 0], [cables]), RouteOptions(engine="updn"))
    assert tree.forwarding.loads.minimal_share == 1
    assert tree.forwarding.loads.of_link.all()


def test_roots_are_found_by_name_and_refused() -> None:
    cables = [[0, 1], [1, 2], [2, 3]]
    line = ListedTopology([1] * 4, [cables], labels=["a", "b", "c", "d"])
    named = route(line, RouteOptions(engine="updn", roots=("c",))).forwarding
    assert (
        named.ports == route(line, RouteOptions(engine="updn", roots=("2",))).forwarding.ports
    ).all()
    with pytest.raises(InvalidInput, match="roots are for updn, not for psssp"):
        RouteOptions(roots=("2",))
    with pytest.raises(InvalidInput, match=r"root 4 is out of range: 0\.\.3"):
        route(line, RouteOptions(engine="updn", roots=("4",)))
    # From one end to the other the middle is the lowest: down, and then up.
    with pytest.raises(InvalidInput, match="below these roots some switches have no way"):
        route(line, RouteOptions(engine="updn", roots=("0", "3")))


def switches_of(forwarding: Forwarding, source: int, node: int) -> list[int]:
    links = ways(forwarding)(source, node)
    return [source, *forwarding.topology.network.link_target[links].tolist()]


def test_dimension_order_corrects_the_first_coordinate_first() -> None:
    # hyperx(1,3,4): switch (x, y) is x + 3 y, and has one node.
    found = route(HyperX(1, 3, 4), RouteOptions(engine="dor")).forwarding
    for x, y, to_x, to_y in product(range(3), range(4), range(3), range(4)):
        stops = [x + 3 * y, to_x + 3 * y, to_x + 3 * to_y]
        expected = [stop for at, stop in enumerate(stops) if at == 0 or stop != stops[at - 1]]
        assert switches_of(found, stops[0], stops[-1]) == expected


class Lattice(ListedTopology):
    """A lattice that is given by its cables: a kind for each dimension."""

    dimensions = True


def test_dimension_order_uses_both_directions_of_an_even_ring() -> None:
    # Rows of four and columns of three: switch (x, y) is x + 4 y. Opposite switches of a row are
    # two links apart in either direction, and loads decide.
    rows = [[x + 4 * y, (x + 1) % 4 + 4 * y] for x, y in product(range(4), range(3))]
    columns = [[x + 4 * y, x + 4 * ((y + 1) % 3)] for x, y in product(range(4), range(3))]
    kinds = LinkKinds(("x", "y"), (10, 10), ("", ""))
    found = route(Lattice([1] * 12, [rows, columns], kinds), RouteOptions(engine="dor"))
    assert switches_of(found.forwarding, 0, 9) == [0, 1, 9]
    assert switches_of(found.forwarding, 0, 7) == [0, 3, 7]
    assert found.forwarding.loads.minimal_share == 1
    # Each switch sends along its row to three nodes of each other column: two are one link away
    # and one is two, 3 x (2 + 2) links. Of a row these are 48 on 8 links, 6 where loads are even.
    along_rows = found.forwarding.loads.of_link[found.forwarding.topology.network.link_kind == 0]
    assert int(along_rows.sum()) == 3 * 48
    assert int(along_rows.max()) == 6


def test_dimension_order_needs_dimensions() -> None:
    with pytest.raises(InvalidInput, match=r"engine dor: dfly\(2,4,2,9\) has no dimensions"):
        route(Dragonfly(2, 4, 2, 9), RouteOptions(engine="dor"))


# Means of 1,000 bisections, against the best that others reach in one lane: OpenSM's nue and
# up*/down* trees. Their standard error is .002 and .0008.
@pytest.mark.parametrize(
    ("topology", "least"), [(Dragonfly(2, 4, 2, 9), 0.662), (torus(4, 8, 8), 0.250)], ids=str
)
def test_one_lane_has_the_bandwidth_that_others_reach(topology: Topology, least: float) -> None:
    found = route(topology, RouteOptions(order="interleave", max_layers=1)).forwarding
    assert dependency_circle(found, one_lane=True) == ()
    assert bandwidth_of(found, 1000).mean > least


@given(connected_networks(), st.integers(1, 3))
@settings(max_examples=10)
def test_equal_requests_have_equal_tables(topology: Topology, most: int) -> None:
    first, second = (route(topology, RouteOptions(max_layers=most)).forwarding for _ in range(2))
    assert np.array_equal(first.ports, second.ports)
    assert np.array_equal(first.layers, second.layers)
