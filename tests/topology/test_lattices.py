"""Tori and hypercubes against products of rings, and what is none."""

from itertools import combinations
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.paths import all_pairs, min_rows, parse_expression
from tvlb.topology import (
    Failures,
    Hypercube,
    HyperX,
    ListedTopology,
    NetworkSizes,
    Torus,
    described,
    parse_named_topology,
    parse_topology,
    without,
)

SIDES = (
    st.lists(st.integers(2, 5), min_size=1, max_size=4)
    .filter(lambda sides: prod(sides) <= 60)
    .map(tuple)
)


def ring_product(sides: tuple[int, ...]) -> "nx.Graph[int]":
    """Ids by x1 + k1 (x2 + k2 (..)); joined are points one step apart along one dimension."""
    graph: nx.Graph[int] = nx.Graph()
    points = [tuple(map(int, point[::-1])) for point in np.ndindex(sides[::-1])]
    graph.add_nodes_from(range(len(points)))
    for (one, here), (other, there) in combinations(enumerate(points), 2):
        apart = [(x - y) % k for x, y, k in zip(here, there, sides, strict=True)]
        moved = [axis for axis, step in enumerate(apart) if step]
        if len(moved) == 1 and apart[moved[0]] in (1, sides[moved[0]] - 1):
            graph.add_edge(one, other, kind="xyzwvu"[moved[0]])
    return graph


@given(p=st.integers(1, 3), sides=SIDES)
def test_a_torus_is_a_product_of_rings(p: int, sides: tuple[int, ...]) -> None:
    topology, graph = Torus(p, *sides), nx.DiGraph(ring_product(sides))
    found = {(u, v): data["kind"] for u, v, data in topology.graph.edges(data=True)}
    assert found == {(u, v): data["kind"] for u, v, data in graph.edges(data=True)}
    assert topology.num_links == len(found)
    assert topology.network.node_switch.tolist() == np.repeat(range(len(graph)), p).tolist()
    # Two links of every ring, one where it has two switches.
    degree = sum(min(side - 1, 2) for side in sides)
    assert topology.metadata["degree"] == degree
    assert topology.switch_ports.tolist() == [p + degree] * len(graph)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_a_hypercube_joins_numbers_that_differ_in_one_bit(n: int) -> None:
    topology = Hypercube(2, n)
    found = {(u, v): data["kind"] for u, v, data in topology.graph.edges(data=True)}
    assert found == {(u, u ^ 1 << bit): "xyzw"[bit] for u in range(2**n) for bit in range(n)}
    assert topology.num_nodes == 2 * 2**n
    assert len(topology.longest_min_path) == n
    assert Torus(2, *[2] * n).identity[1:] == topology.identity[1:]


def test_all_shortest_paths_are_min() -> None:
    topology = Torus(1, 4, 3)
    graph = ring_product((4, 3))
    rows = min_rows(topology, *all_pairs(topology))
    for pair, (source, target) in enumerate(zip(rows.source, rows.target, strict=True)):
        paths = [*nx.all_shortest_paths(graph, source, target)]
        assert rows.offset[pair + 1] - rows.offset[pair] == len(paths)


# Of a torus with sides 16: 3 * 8 hops in any order of the dimensions, 2 ways round each.
def test_more_paths_than_are_numbered_are_no_hindrance_before_they_are_asked_for() -> None:
    topology = parse_topology("torus(4,16,16,16)")
    assert (topology.num_switches, topology.num_nodes) == (4096, 16384)
    assert topology.num_links == 2 * 3 * 4096
    assert topology.coordinates(4095) == {"x": 15, "y": 15, "z": 15}
    assert topology.layout.first_global_link == 2 * 4096
    with pytest.raises(InvalidInput, match=r"torus\(4,16,16,16\): two switches have more than 2"):
        assert topology.longest_min_path


# 5 dimensions have 5 + 20 + 60 + 120 + 120 = 325 orders of different kinds, 3 sides of 4 have 270.
@pytest.mark.parametrize(
    ("topology", "hops", "paths"), [(Hypercube(1, 5), 5, 120), (Torus(1, 4, 4, 4), 6, 720)], ids=str
)
def test_halves_are_told_apart_by_length_where_orders_are_too_many(
    topology: Hypercube | Torus, hops: int, paths: int
) -> None:
    assert topology.halves == tuple("h" * length for length in range(1, hops + 1))
    # 6 links of 3 kinds, 2 each, either way round.
    assert topology.most_min_paths == paths
    longest = topology.longest_min_path
    assert sorted(longest) == sorted(
        kind
        for kind in range(len(topology.kinds.names))
        for _ in range(hops // len(topology.kinds.names))
    )
    one_kind = ListedTopology(topology.switch_nodes, [np.concatenate(topology.cables())])
    ends = all_pairs(topology)
    some = slice(None, None, 37)
    for text, other in (
        ("<=4", "<=4"),
        ("shape(h.hh)", "shape(l.ll)"),
        ("short(2,3)", "short(2,3)"),
    ):
        ours, theirs = (
            parse_expression(name, network).rows(*(one[some] for one in ends))
            for name, network in ((text, topology), (other, one_kind))
        )
        assert ours.offset.tolist() == theirs.offset.tolist()
        assert ours.hops.tolist() == theirs.hops.tolist()
        assert ours.weight.tolist() == pytest.approx(theirs.weight.tolist())
        assert ours.intermediate.tolist() == theirs.intermediate.tolist()


# Nodes, switches and cables as the literature of destination-based routing tells them.
@pytest.mark.parametrize(
    ("text", "endpoints", "switches", "cables"),
    [
        ("torus(4,4,4,4)", 256, 64, 192),
        ("torus(4,8,8)", 256, 64, 128),
        ("hypercube(4,6)", 256, 64, 192),
    ],
)
def test_how_large_they_are(text: str, endpoints: int, switches: int, cables: int) -> None:
    sizes = parse_named_topology(text).sizes
    topology = parse_topology(text)
    assert (sizes.nodes, sizes.switches, sizes.links // 2) == (endpoints, switches, cables)
    assert (topology.num_nodes, topology.num_switches) == (endpoints, switches)
    assert topology.num_links == 2 * cables
    assert described(topology) == text


def test_dimensions_are_the_order_of_kinds() -> None:
    lattices = (HyperX(1, 3, 2), Torus(1, 3, 2), Hypercube(1, 2))
    assert all(one.dimensions for one in lattices)
    assert all(one.kinds.names == ("x", "y") for one in lattices)
    left = without(Torus(1, 3, 3), Failures(links=((0, 1),)))
    assert not left.dimensions
    assert left.kinds.names == ("x", "y")
    assert not parse_topology("2,4,2,9").dimensions
    assert not ListedTopology([1, 1], [[[0, 1]]]).dimensions


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("torus(4,1)", "K1 '1' is out of range: integers 2..20000"),
        ("torus(4,8,1)", "K2 '1' is out of range: integers 2..20000"),
        ("torus(4,2,2,2,2,2,2,2)", "is not torus(P,K1[,K2][,K3][,K4][,K5][,K6])"),
        ("torus(126,3,2)", "a switch of torus(126,3,2) has 129 ports; at most 128 are supported"),
        ("torus(1,200,200)", "torus(1,200,200) has 40,000 switches; the limit is 20,000"),
        ("hypercube(4,9)", "N '9' is out of range: integers 1..8"),
        ("hypercube(125,4)", "a switch of hypercube(125,4) has 129 ports; at most 128"),
    ],
)
def test_what_is_none(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sides_have_no_gap() -> None:
    with pytest.raises(InvalidInput, match="K2 is missing: sides follow each other without a gap"):
        Torus(1, 3, None, 3)


def test_what_is_too_large_is_refused_before_it_is_built() -> None:
    sizes = parse_named_topology("torus(1,20000,20000,20000,20000)").sizes
    assert isinstance(sizes, NetworkSizes)
    with pytest.raises(InvalidInput, match="has 160,000,000,000,000,000 switches"):
        sizes.check("it")
