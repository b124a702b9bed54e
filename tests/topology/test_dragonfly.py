"""Sizes, ids and links of dfly(p, a, h, g)."""

import networkx as nx
import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly, LinkKind


def test_sizes() -> None:
    topology = Dragonfly(4, 8, 4, 9)
    assert topology.num_switches == 72  # a * g
    assert topology.num_nodes == 288  # p * a * g
    assert topology.links_per_group_pair == (4, 4)  # a * h / (g - 1)
    # Directed: 72 * 7 local and 72 * 4 global.
    assert topology.num_links == 72 * 11
    assert len(topology.cables) == 72 * 4 // 2
    assert topology.unconnected_ports == 0


def test_switch_and_node_ids() -> None:
    topology = Dragonfly(3, 4, 2, 5)
    # switch id = group * a + index; node id = switch * p + k
    assert topology.switch_group.tolist() == [group for group in range(5) for _ in range(4)]
    expected = [switch for switch in range(20) for _ in range(3)]
    assert topology.network.node_switch.tolist() == expected
    assert topology.network.num_nodes == topology.num_nodes == 60


@pytest.mark.parametrize("shape", [(2, 4, 2, 3), (2, 4, 2, 9), (1, 1, 4, 5), (1, 3, 2, 5)])
def test_links_are_numbered_by_kind_source_target_ordinal(shape: tuple[int, int, int, int]) -> None:
    network = Dragonfly(*shape).network
    rows = list(
        zip(
            network.link_kind.tolist(),
            network.link_source.tolist(),
            network.link_target.tolist(),
            network.link_ordinal.tolist(),
            strict=True,
        )
    )
    assert rows == sorted(set(rows))
    # Both directions of every cable have an id.
    assert {(kind, target, source, n) for kind, source, target, n in rows} == set(rows)


def test_groups_are_complete_graphs() -> None:
    topology = Dragonfly(1, 4, 2, 5)
    network = topology.network
    local = network.link_kind == LinkKind.LOCAL
    ends = set(zip(network.link_source[local], network.link_target[local], strict=True))
    assert ends == {
        (group * 4 + first, group * 4 + second)
        for group in range(5)
        for first in range(4)
        for second in range(4)
        if first != second
    }
    for source, target in ends:
        link = topology.local_link[source, target % 4]
        assert (network.link_source[link], network.link_target[link]) == (source, target)
    assert (topology.local_link[np.arange(20), np.arange(20) % 4] == -1).all()


def test_links_between_groups_are_found_by_pair() -> None:
    topology = Dragonfly(2, 4, 2, 5)  # k = 2
    network, offset = topology.network, topology.group_link_offset
    for source in range(5):
        for target in range(5):
            cell = source * 5 + target
            links = topology.group_links[offset[cell] : offset[cell + 1]]
            assert len(links) == (0 if source == target else 2)
            assert links.tolist() == sorted(links.tolist())
            assert (network.link_kind[links] == LinkKind.GLOBAL).all()
            assert (topology.switch_group[network.link_source[links]] == source).all()
            assert (topology.switch_group[network.link_target[links]] == target).all()


def test_parallel_cables_are_counted() -> None:
    topology = Dragonfly.from_cables(1, 2, 3, 2, [[0, 2], [2, 0], [1, 3]])
    network = topology.network
    across = np.flatnonzero(network.link_kind == LinkKind.GLOBAL)
    found = [
        (int(network.link_source[i]), int(network.link_target[i]), int(network.link_ordinal[i]))
        for i in across
    ]
    assert found == [(0, 2, 0), (0, 2, 1), (1, 3, 0), (2, 0, 0), (2, 0, 1), (3, 1, 0)]
    assert topology.links_per_group_pair == (3, 3)
    assert topology.unconnected_ports == 4 * 3 - 6


def test_graph_carries_kind_latency_and_id() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    graph = topology.graph
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (36, topology.num_links)
    assert graph.nodes[5] == {"group": 1, "nodes": 2}
    edges = {data["id"]: (u, v, data) for u, v, data in graph.edges(data=True)}
    assert sorted(edges) == list(range(topology.num_links))
    for link, (source, target, data) in edges.items():
        kind = LinkKind(topology.network.link_kind[link])
        assert (source, target) == (
            topology.network.link_source[link],
            topology.network.link_target[link],
        )
        assert data["kind"] == kind.name.lower()
        assert data["latency"] == {LinkKind.LOCAL: 10, LinkKind.GLOBAL: 15}[kind]
    # A Dragonfly's diameter is local, global, local.
    assert nx.diameter(nx.DiGraph(graph)) == 3


def test_parallel_cables_are_parallel_edges() -> None:
    graph = Dragonfly.from_cables(1, 2, 3, 2, [[0, 2], [0, 2], [1, 3]]).graph
    assert graph.number_of_edges(0, 2) == 2


def test_equality_is_by_wiring() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    listed = Dragonfly.from_cables(2, 4, 2, 9, topology.cables[::-1, ::-1], "absolute")
    assert topology == Dragonfly(2, 4, 2, 9) == listed
    assert hash(topology) == hash(listed)
    assert topology != Dragonfly(2, 4, 2, 9, "palmtree")
    assert topology != Dragonfly(1, 4, 2, 9)
    assert topology != "dfly(2,4,2,9)"


@pytest.mark.parametrize(
    ("shape", "complaint"),
    [
        ((0, 4, 2, 3), "p must be at least 1"),
        ((2, 0, 2, 3), "a must be at least 1"),
        ((2, 4, 0, 3), "h must be at least 1"),
        ((2, 4, 2, 1), "g must be at least 2"),
        ((2, 4, 2, -3), "g must be at least 2"),
        # 4 switches with 2 ports each reach 8 other groups.
        ((2, 4, 2, 10), r"at most a\*h\+1 = 9 groups"),
        ((1, 400, 400, 300), "the limits are 20000 and"),
    ],
)
def test_sizes_out_of_range_are_refused(shape: tuple[int, int, int, int], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        Dragonfly(*shape)


@pytest.mark.parametrize(
    ("cables", "complaint"),
    [
        ([[0, 36]], "link end 36 is not a switch id; allowed are 0..35"),
        ([[-1, 4]], "link end -1 is not a switch id"),
        ([[0, 3]], r"link \[0,3\] joins two switches of one group"),
        ([[0, 4], [0, 8], [0, 12]], "switch 0 has 3 global links; h allows 2"),
        ([[0, 4]], "leaves groups 0 and 2 without a direct link"),
        ([[0, 4, 8]], "list of .switch, switch. pairs"),
        ([[0.0, 4.0]], "list of .switch, switch. pairs"),
        ([], "list of .switch, switch. pairs"),
    ],
)
def test_impossible_cables_are_refused(cables: list[list[int]], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        Dragonfly.from_cables(2, 4, 2, 9, cables)
