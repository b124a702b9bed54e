"""Trees of switches against their definitions by digits and pods, and what is none."""

from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.paths import all_pairs, min_rows, parse_expression
from tvlb.topology import (
    Failures,
    FatTree2,
    FatTree3,
    KaryTree,
    Topology,
    listed,
    parse_named_topology,
    parse_topology,
    read_network,
    without,
)

DATA = Path(__file__).parents[1] / "data"


def cables_of(topology: Topology) -> Counter[tuple[str, int, int]]:
    network = topology.network
    found = Counter[tuple[str, int, int]]()
    for kind, name in enumerate(topology.kinds.names):
        found.update((name, int(low), int(high)) for low, high in network.cables(kind))
    return found


def digits(value: int, base: int, places: int) -> list[int]:
    return [value // base**place % base for place in range(places)]


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 4), (3, 3), (4, 3)])
def test_a_kary_tree_frees_a_digit_at_every_level(k: int, n: int) -> None:
    size = k ** (n - 1)
    expected = Counter[tuple[str, int, int]]()
    for level in range(n - 1):
        for low in range(size):
            for high in range(size):
                here, there = digits(low, k, n - 1), digits(high, k, n - 1)
                if all(here[one] == there[one] for one in range(n - 1) if one != level):
                    expected["abcdef"[level], level * size + low, (level + 1) * size + high] += 1
    topology = KaryTree(k, n)
    assert cables_of(topology) == expected
    assert topology.num_nodes == k**n
    # Any two leaves meet below the highest level at the latest.
    assert len(topology.longest_min_path) == 2 * (n - 1)


def test_a_kary_tree_that_others_built() -> None:
    other, topology = read_network(str(DATA / "networks" / "kary4_3.json")), KaryTree(4, 3)
    assert other.switch_nodes.tolist() == topology.switch_nodes.tolist()
    ours, theirs = (np.concatenate(listed(one).cables()) for one in (topology, other))
    assert sorted(ours.tolist()) == sorted(theirs.tolist())


def test_a_fat_tree_of_three_levels_has_pods() -> None:
    # 6 pods of 3 leaves (0..17) and 3 middles (18..35), 9 tops (36..44).
    expected = Counter[tuple[str, int, int]]()
    for pod in range(6):
        for u in range(3):
            for v in range(3):
                expected["a", pod * 3 + u, 18 + pod * 3 + v] += 1
                expected["b", 18 + pod * 3 + u, 36 + u * 3 + v] += 1
    topology = FatTree3(3)
    assert cables_of(topology) == expected
    assert topology.switch_nodes.tolist() == [3] * 18 + [0] * 27
    assert topology.switch_ports.tolist() == [6] * 45


def test_a_fat_tree_of_two_levels_has_parallel_cables() -> None:
    topology = FatTree2(2, 3, 2, 2)
    assert cables_of(topology) == Counter(
        {("a", leaf, 3 + spine): 2 for leaf in range(3) for spine in range(2)}
    )
    assert topology.switch_ports.tolist() == [6] * 5


# Nodes, switches and cables as the literature of destination-based routing tells them.
@pytest.mark.parametrize(
    ("text", "endpoints", "switches", "cables"),
    [
        ("ft2(12,24,12,1)", 288, 36, 288),
        ("kary(4,3)", 64, 48, 128),
        # 24 pods of 12 leaves and 12 middles, 144 tops: 24 * 144 cables of either sort.
        ("fattree3(12)", 3456, 720, 6912),
        ("fattree3(24)", 27648, 2880, 55296),
    ],
)
def test_how_large_they_are(text: str, endpoints: int, switches: int, cables: int) -> None:
    sizes, topology = parse_named_topology(text).sizes, parse_topology(text)
    assert (sizes.nodes, sizes.switches, sizes.links // 2) == (endpoints, switches, cables)
    assert (topology.num_nodes, topology.num_switches) == (endpoints, switches)
    assert topology.num_links == 2 * cables
    assert str(topology) == text


@pytest.mark.parametrize(
    "text", ["ft2(1,3,2,2)", "kary(2,3)", "kary(3,3)", "kary(2,4)", "fattree3(2)"]
)
def test_paths_are_between_leaves(text: str) -> None:
    topology = parse_topology(text)
    leaves = topology.metadata["leaves"]
    joined: nx.DiGraph[int] = nx.DiGraph(topology.graph)
    rows = min_rows(topology, *all_pairs(topology))
    for pair, (source, target) in enumerate(zip(rows.source, rows.target, strict=True)):
        ways = 0
        if max(source, target) < int(leaves):
            ways = sum(
                int(
                    np.prod(
                        [topology.graph.number_of_edges(*ends) for ends in nx.utils.pairwise(path)]
                    )
                )
                for path in nx.all_shortest_paths(joined, source, target)
            )
        assert rows.offset[pair + 1] - rows.offset[pair] == ways
    every = parse_expression("all", topology).all_rows()
    assert every.intermediate.max() < int(leaves)
    assert not topology.decides_again
    # Of this many links every pair has a detour.
    some = parse_expression(f"<={topology.shortest_detours}", topology).all_rows()
    has_choice = topology.has_choice(some.source, some.target)
    assert (np.diff(some.offset)[has_choice] > 0).all()


def test_what_failures_leave_has_paths_between_leaves() -> None:
    left = without(KaryTree(2, 3), Failures(switches=(4,)))
    assert np.flatnonzero(left.is_end).tolist() == [0, 1, 2, 3]


def test_where_everything_is() -> None:
    topology = FatTree3(2)
    # 8 leaves, 8 middles, 4 tops.
    assert topology.coordinates(0) == {"level": 0, "index": 0}
    assert topology.coordinates(15) == {"level": 1, "index": 7}
    assert topology.coordinates(16) == {"level": 2, "index": 0}
    assert topology.halves == ("aa", "abba")
    assert KaryTree(2, 4).kinds.names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ft2(100,3,40,1)", "a switch of ft2(100,3,40,1) has 140 ports; at most 128 are supported"),
        ("ft2(1,100,3,2)", "a switch of ft2(1,100,3,2) has 200 ports; at most 128 are supported"),
        ("ft2(1,2,3)", "is not ft2(HOSTS,LEAVES,SPINES,CABLES)"),
        ("kary(1,3)", "K '1' is out of range: integers 2..64"),
        ("kary(2,8)", "N '8' is out of range: integers 2..7"),
        ("kary(64,4)", "kary(64,4) has 1,048,576 switches; the limit is 20,000"),
        ("fattree3(64)", "fattree3(64) has 20,480 switches; the limit is 20,000"),
        ("fattree3(65)", "M '65' is out of range: integers 1..64"),
    ],
)
def test_what_is_none(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["ft2(1,2,2,1)", "ft2(1,3,1,4)", "kary(2,2)", "fattree3(1)"])
def test_some_have_no_detours(text: str) -> None:
    topology = parse_topology(text)
    with pytest.raises(InvalidInput, match="has no VLB paths"):
        topology.check_searchable()
    assert len(parse_expression("all", topology).all_rows().intermediate) == 0
