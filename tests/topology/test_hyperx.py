"""HyperX networks against products of complete graphs, and what is none."""

from itertools import combinations, groupby
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.paths import all_pairs, min_rows, parse_expression
from tvlb.topology import Failures, HyperX, parse_topology, without

SIDES = (
    st.lists(st.integers(2, 4), min_size=1, max_size=4)
    .filter(lambda sides: prod(sides) <= 48)
    .map(tuple)
)


def lattice(sides: tuple[int, ...]) -> "nx.Graph[int]":
    """Ids by x1 + s1 (x2 + s2 (..)); two switches are joined that differ in one coordinate."""
    graph: nx.Graph[int] = nx.Graph()
    points = [tuple(map(int, point[::-1])) for point in np.ndindex(sides[::-1])]
    graph.add_nodes_from(range(len(points)))
    for (one, here), (other, there) in combinations(enumerate(points), 2):
        differing = [axis for axis in range(len(sides)) if here[axis] != there[axis]]
        if len(differing) == 1:
            graph.add_edge(one, other, kind="xyzw"[differing[0]])
    return graph


@given(p=st.integers(1, 3), sides=SIDES)
def test_it_is_a_product_of_complete_graphs(p: int, sides: tuple[int, ...]) -> None:
    topology, graph = HyperX(p, *sides), lattice(sides)
    found = {(u, v): data["kind"] for u, v, data in topology.graph.edges(data=True)}
    both_ways = nx.DiGraph(graph)
    assert found == {(u, v): data["kind"] for u, v, data in both_ways.edges(data=True)}
    assert topology.num_links == len(found)
    assert topology.network.node_switch.tolist() == np.repeat(range(len(graph)), p).tolist()
    assert topology.metadata["degree"] == max(dict(graph.degree).values())
    assert len(topology.longest_min_path) == nx.diameter(graph) == len(sides)


@pytest.mark.slow
@given(sides=SIDES)
def test_min_corrects_one_coordinate_after_the_other(sides: tuple[int, ...]) -> None:
    topology = HyperX(1, *sides)
    rows = min_rows(topology, *all_pairs(topology))
    assert (np.diff(rows.offset) == 1).all()
    place = topology.positions()
    for source, target, links in zip(rows.source, rows.target, rows.links(), strict=True):
        at, expected = place[source].copy(), list[int]()
        for axis in range(len(sides)):
            if at[axis] != place[target][axis]:
                at[axis] = place[target][axis]
                expected.append(int(topology.switches_at(at[None])[0]))
        assert topology.network.link_target[links[links >= 0]].tolist() == expected


@pytest.mark.parametrize("sides", [(5, 4), (33, 32)], ids=str)
def test_detours_visit_no_switch_twice(sides: tuple[int, int]) -> None:
    """Of the larger network MIN paths are too many to be kept; both are listed as they are."""
    topology = HyperX(1, *sides)
    targets = np.array([1, sides[0], sides[0] + 1, 3 * sides[0] + 4], dtype=np.int32)
    rows = parse_expression("<=4", topology, 0).rows(np.zeros_like(targets), targets)
    for number, target in enumerate(targets):
        across, up = divmod(int(target), sides[0])[::-1]
        expected = [
            via
            for via in range(topology.num_switches)
            # Columns first, then rows: from 0 to the intermediate, and from there to the target.
            for x, y in [divmod(via, sides[0])[::-1]]
            if is_simple([(0, 0), (x, 0), (x, y), (across, y), (across, up)])
            and via not in (0, target)
        ]
        found = rows.intermediate[rows.offset[number] : rows.offset[number + 1]]
        assert found.tolist() == expected


def is_simple(walk: list[tuple[int, int]]) -> bool:
    """Whether a walk comes to no switch again, once it left it."""
    switches = [here for here, _ in groupby(walk)]
    return len(set(switches)) == len(switches)


def test_ids_and_coordinates() -> None:
    topology = HyperX(2, 4, 3, 2)
    assert topology.positions()[1 + 4 * (2 + 3 * 1)].tolist() == [1, 2, 1]
    assert topology.coordinates(21) == {"x": 1, "y": 2, "z": 1}
    assert topology.metadata["sides"] == "4x3x2"
    assert topology.kinds.names == ("x", "y", "z")
    assert (topology.most_min_paths, topology.most_vlb_paths) == (1, 22)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hyperx(4,1)", "S1 '1' is out of range: integers 2..128"),
        ("hyperx(4,8,1)", "S2 '1' is out of range: integers 2..128"),
        ("hyperx(0,8)", "P '0' is out of range: integers 1..128"),
        ("hyperx(8,64,64)", "a switch of hyperx(8,64,64) has 134 ports; at most 128 are supported"),
        ("hyperx(1,30,30,30)", "hyperx(1,30,30,30) has 27,000 switches; the limit is 20,000"),
        ("hyperx(1,2,2,2,2,2)", "is not hyperx(P,S1[,S2][,S3][,S4])"),
    ],
)
def test_what_is_no_hyperx(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sides_have_no_gap() -> None:
    with pytest.raises(InvalidInput, match="S2 is missing: sides follow each other without a gap"):
        HyperX(1, 3, None, 3)


def test_two_switches_have_no_detours() -> None:
    with pytest.raises(InvalidInput, match="no VLB paths: they need a third switch"):
        HyperX(1, 2).check_searchable()
    HyperX(1, 3).check_searchable()


def test_what_failures_leave_takes_all_shortest_paths() -> None:
    left = without(HyperX(1, 3, 3), Failures(links=((0, 1),)))
    # To the neighbour that was lost: by 2, or in the other dimension there and back.
    ends = np.array([0], dtype=np.int32), np.array([1], dtype=np.int32)
    assert min_rows(left, *ends).hops.tolist() == [2]
    # Two dimensions in either order.
    ends = np.array([0], dtype=np.int32), np.array([8], dtype=np.int32)
    assert min_rows(left, *ends).hops.tolist() == [2, 2]
