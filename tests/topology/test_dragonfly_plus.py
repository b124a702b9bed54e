"""Dragonfly+ networks against their wiring by port, and what is none."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim_bridge import Routing, simulate
from tvlb.errors import InvalidInput
from tvlb.paths import all_pairs, min_rows, parse_expression
from tvlb.table import Table, VcSettings, summarise, verify
from tvlb.topology import (
    DragonflyPlus,
    Failures,
    ListedTopology,
    Topology,
    parse_topology,
    without,
)


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int, int]:
    p, a, h = (draw(st.integers(1, most)) for most in (2, 3, 3))
    return p, a, h, draw(st.integers(2, a * h + 1))


def palmtree(a: int, h: int, g: int) -> Counter[tuple[int, int]]:
    """Cables between spines, numbered G*a + i: port k of spine i meets port h-1-k of a-1-i.

    Ports beyond a whole number of cables per group pair are left out, at the end of a group.
    """
    used = a * h // (g - 1) * (g - 1)
    found = Counter[tuple[int, int]]()
    for group in range(g):
        for port in range(used):
            other = (group - port % (g - 1) - 1) % g
            ends = group * a + port // h, other * a + (used - 1 - port) // h
            found[min(ends), max(ends)] += 1
    return Counter({ends: count // 2 for ends, count in found.items()})


def counted(cables: NDArray[np.int32]) -> Counter[tuple[int, int]]:
    return Counter((int(low), int(high)) for low, high in cables)


def table_of(topology: Topology) -> Table:
    path_set = parse_expression("all", topology)
    return Table.from_rows(path_set, path_set.all_rows(), None, seed=0, version="")


@given(sizes())
def test_leaves_spines_and_global_cables(size: tuple[int, int, int, int]) -> None:
    p, a, h, g = size
    topology = DragonflyPlus(*size)
    leaves = a * g
    assert topology.network.node_switch.tolist() == np.repeat(range(leaves), p).tolist()
    local, between = (counted(one) for one in topology.cables())
    assert local == Counter(
        (group * a + leaf, leaves + group * a + spine)
        for group in range(g)
        for leaf in range(a)
        for spine in range(a)
    )
    assert between == {
        (low + leaves, high + leaves): count for (low, high), count in palmtree(a, h, g).items()
    }
    per_pair = Counter((low // a - g, high // a - g) for low, high in between.elements())
    assert set(per_pair.values()) == {a * h // (g - 1)}
    assert len(per_pair) == g * (g - 1) // 2
    assert topology.switch_ports.tolist() == [p + a] * leaves + [a + h] * leaves


# The formula of the literature, for as many groups as there can be.
@pytest.mark.parametrize(("a", "h"), [(2, 2), (3, 2), (4, 4)])
def test_the_largest_one_is_wired_as_published(a: int, h: int) -> None:
    g = a * h + 1
    cables = palmtree(a, h, g)
    for group in range(g):
        for spine in range(a):
            for port in range(h):
                other = (group - (spine * h + port + 1)) % g
                ends = group * a + spine, other * a + a - 1 - spine
                assert cables[min(ends), max(ends)] == 1


@pytest.mark.slow
@given(sizes())
def test_min_paths_are_the_shortest_ones_between_leaves(size: tuple[int, int, int, int]) -> None:
    topology = DragonflyPlus(*size)
    leaves = size[1] * size[3]
    joined: nx.DiGraph[int] = nx.DiGraph(topology.graph)
    rows = min_rows(topology, *all_pairs(topology))
    for pair, (source, target) in enumerate(zip(rows.source, rows.target, strict=True)):
        own = slice(rows.offset[pair], rows.offset[pair + 1])
        if max(source, target) >= leaves:
            assert own.start == own.stop
            continue
        found = Counter(
            (int(source), *topology.network.link_target[links[links >= 0]].tolist())
            for links in rows.links()[own]
        )
        shortest = {tuple(path) for path in nx.all_shortest_paths(joined, source, target)}
        assert set(found) == shortest
        # Parallel cables are paths of their own.
        for path, count in found.items():
            cables = [topology.graph.number_of_edges(*ends) for ends in nx.utils.pairwise(path)]
            assert count == np.prod(cables)
        assert rows.weight[own].sum() == pytest.approx(1)


def test_where_everything_is() -> None:
    topology = DragonflyPlus(2, 3, 2, 4)
    assert topology.coordinates(7) == {"level": "leaf", "group": 2, "index": 1}
    assert topology.coordinates(12 + 7) == {"level": "spine", "group": 2, "index": 1}
    assert topology.metadata["links_per_group_pair"] == 2
    assert topology.halves == ("ll", "lgl")
    assert topology.most_vlb_paths == 10 * 9
    assert topology.representatives.tolist() == [0, 1, 2]
    assert topology.is_end.tolist() == [True] * 12 + [False] * 12
    # Group 1 has 2 * 3 nodes after those of group 0.
    assert topology.node_groups == 4
    # Detours inside a group take 4 links, others 5 or 6.
    assert topology.data_points()[0] == "<=5"
    assert topology.data_points()[-1] == "all"


def test_pairs_with_spines_are_none() -> None:
    topology = DragonflyPlus(1, 2, 1, 3)
    table = table_of(topology)
    report = verify(table)
    assert report.ok
    assert report.diversity is not None
    # Six leaves.
    assert report.diversity.pairs == 30
    summary = summarise(table)
    assert summary["switch_pairs"] == 30
    # Two leaves of a group have no detour: paths out of it lead back by the same spine.
    assert summary["pairs_without_paths"] == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dflyplus(4,4,4,18)", "g = 18 is out of range: dflyplus(4,4,4,18) has 2..17 groups"),
        ("dflyplus(4,4,4,1)", "G '1' is out of range: integers 2..4097"),
        ("dflyplus(100,64,4,9)", "a switch of dflyplus(100,64,4,9) has 164 ports; at most 128"),
        ("dflyplus(4,4,4)", "is not dflyplus(P,A,H,G)"),
    ],
)
def test_what_is_no_dragonfly_plus(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_single_spines_leave_no_detours() -> None:
    with pytest.raises(InvalidInput, match="no VLB paths: they need a second spine in a group"):
        DragonflyPlus(1, 1, 4, 5).check_searchable()


# The second switch of a route is a spine.
def test_par_is_refused() -> None:
    topology = DragonflyPlus(1, 2, 1, 3)
    said = "routing par decides again at the second switch of a MIN path, where no paths of"
    with pytest.raises(InvalidInput, match=said):
        simulate(topology, routing="par", load=0.1)
    table = table_of(topology)
    with pytest.raises(InvalidInput, match=said):
        verify(table, VcSettings(routing=Routing("par")))


def test_what_failures_leave_has_paths_between_leaves() -> None:
    topology = DragonflyPlus(1, 2, 2, 3)
    # Two cables join any two groups. Spine 6 is one of group 0, leaf 5 one of group 2.
    left = without(topology, Failures(switches=(5, 6)))
    assert np.flatnonzero(left.is_end).tolist() == [0, 1, 2, 3, 4]
    rows = min_rows(left, *all_pairs(left))
    assert set(rows.source[rows.pair_of_row].tolist()) == {0, 1, 2, 3, 4}
    every = parse_expression("all", left).all_rows()
    assert set(every.intermediate.tolist()) <= {0, 1, 2, 3, 4}
    assert not left.decides_again
    assert summarise(table_of(left))["switch_pairs"] == 20


def test_networks_with_the_same_cables_may_have_other_paths() -> None:
    left = without(DragonflyPlus(1, 2, 2, 3), Failures(links=((0, 6),)))
    assert isinstance(left, ListedTopology)
    spines_too = ListedTopology(left.nodes_of_switches(), left.cables(), left.kinds)
    assert left != spines_too
    assert spines_too.is_end.all()
