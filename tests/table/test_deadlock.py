"""Virtual channels along paths, and cycles among the channels."""

from collections.abc import Callable
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

from sim_bridge import Routing
from tests.topology.toy import Leaves, Ring
from tvlb.native.kernels import DependencyGraph
from tvlb.native.virtual_channels import VcScheme
from tvlb.paths import PathRows, all_pairs, min_rows, parse_expression
from tvlb.table import DeadlockCheck, RoutesBeside, Table, VcSettings, check_deadlock, verify
from tvlb.topology import Dragonfly, LinkKind, ListedTopology, Topology

LOCAL, GLOBAL, END = int(LinkKind.LOCAL), int(LinkKind.GLOBAL), -1

# "won": the first hop is on VC 0; after a global link the VC rises; otherwise it rises before a
# local link and stays before a global one.
WON = {
    "l g l": "0 0 1",
    "g": "0",
    "g g": "0 1",
    "l g g l": "0 0 1 2",
    "l g l l g l": "0 0 1 2 2 3",
    "g l g l": "0 1 1 2",
    "l l": "0 1",
    # PAR: a local link to the second switch, then a whole 6-hop path from there.
    "l l g l l g l": "0 1 1 2 3 3 4",
}


@pytest.mark.parametrize(("path", "vcs"), WON.items())
def test_won_rises_after_global_and_before_local_links(path: str, vcs: str) -> None:
    kinds = np.array([[LOCAL if kind == "l" else GLOBAL for kind in path.split()]], dtype=np.int8)
    assert VcScheme("won").vcs(kinds).tolist() == [[int(vc) for vc in vcs.split()]]


def test_per_hop_counts_links() -> None:
    kinds = np.array([[LOCAL, GLOBAL, LOCAL, LOCAL, GLOBAL, LOCAL]] * 2, dtype=np.int8)
    assert VcScheme("per-hop").vcs(kinds).tolist() == [[0, 1, 2, 3, 4, 5]] * 2


def test_other_kinds_of_links_are_refused() -> None:
    with pytest.raises(ValueError, match="no such kind of links"):
        VcScheme("won").vcs(np.array([[LOCAL, 8]], dtype=np.int8))


def brute_force_graph(
    topology: Topology, rows: PathRows, settings: VcSettings, count: int
) -> "nx.DiGraph[tuple[int, int]]":
    """Build the dependency graph path by path, in plain Python."""
    graph: nx.DiGraph[tuple[int, int]] = nx.DiGraph()
    network = topology.network

    def add(links: list[int]) -> None:
        kinds = np.array([network.link_kind[links]], dtype=np.int8)
        vcs = settings.on(topology).vcs(kinds, count - 1)[0].tolist()
        channels = list(zip(links, vcs, strict=True))
        graph.add_edges_from(pairwise(channels))

    by_pair: dict[tuple[int, int], list[list[int]]] = {}
    shortest: dict[tuple[int, int], list[list[int]]] = {}
    minimal = min_rows(topology, *all_pairs(topology))
    for listed in (minimal, rows):
        walks = listed.links().tolist()
        for walk, pair in zip(walks, listed.pair_of_row.tolist(), strict=True):
            links = [link for link in walk if link >= 0]
            ends = int(listed.source[pair]), int(listed.target[pair])
            add(links)
            if listed is minimal:
                shortest.setdefault(ends, []).append(links)
            else:
                by_pair.setdefault(ends, []).append(links)
    if settings.decides_again:
        for (_, target), paths in shortest.items():
            for links in paths:
                second = int(network.link_target[links[0]])
                is_open = (
                    not isinstance(topology, Dragonfly) or network.link_kind[links[0]] == LOCAL
                )
                if is_open and second != target:
                    least = min(len(path) for path in shortest[second, target])
                    short = [path for path in shortest[second, target] if len(path) == least]
                    for rest in short + by_pair.get((second, target), []):
                        add([links[0], *rest])
    return graph


def test_routes_are_counted_and_what_is_removed_closes_no_circle() -> None:
    graph = DependencyGraph(5)
    graph.add(np.array([[0, 1, 2], [1, 2, 0], [1, 2, END]], dtype=np.int32))
    assert [graph.routes(*pair) for pair in ((0, 1), (1, 2), (2, 0), (2, 1))] == [1, 3, 1, 0]
    assert graph.find_cycle() == [0, 1, 2]
    graph.remove(2, 0)
    assert graph.find_cycle() == []
    with pytest.raises(ValueError, match="id out of range"):
        graph.add(np.array([[0, 5]], dtype=np.int32))


@pytest.mark.parametrize("seed", range(40))
def test_the_cycle_is_a_shortest_one_through_the_lowest_channel_on_any(seed: int) -> None:
    random = np.random.default_rng(seed)
    edges = random.integers(0, 12, (6 + seed // 3, 2), dtype=np.int32)
    graph = DependencyGraph(12)
    graph.add(edges)
    plain: nx.DiGraph[int] = nx.DiGraph(edges.tolist())
    on_any = {node for cycle in nx.simple_cycles(plain) for node in cycle}
    found = graph.find_cycle()
    assert min(found, default=-1) == min(on_any, default=-1)
    if on_any:
        through = [cycle for cycle in nx.simple_cycles(plain) if min(on_any) in cycle]
        assert len(found) == min(map(len, through))
        assert all(plain.has_edge(*pair) for pair in pairwise([*found, found[0]]))


@pytest.mark.parametrize("expression", ["all", "short(2,3)", "none"])
@pytest.mark.parametrize("scheme", ["won", "per-hop"])
@pytest.mark.parametrize("routing", [None, Routing("par")])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_cycles_are_found_exactly_where_a_plain_search_finds_them(
    expression: str, scheme: str, routing: Routing | None, count: int
) -> None:
    topology = Dragonfly(1, 3, 1, 4)
    rows = parse_expression(expression, topology).all_rows()
    settings = VcSettings(scheme, count, routing)
    graph = brute_force_graph(topology, rows, settings, count)
    found = check_deadlock(rows, settings)
    assert (found.cycle == ()) == nx.is_directed_acyclic_graph(graph)
    channels = [(channel.link, channel.vc) for channel in found.cycle]
    for before, after in zip(channels, channels[1:] + channels[:1], strict=True):
        assert graph.has_edge(before, after)


# A packet that decides again came by a link of either kind.
@pytest.mark.parametrize("scheme", ["won", "per-hop"])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, None])
@pytest.mark.usefixtures("toys")
def test_no_cycle_is_missed_where_second_decisions_follow_links_of_any_kind(
    scheme: str, count: int | None
) -> None:
    topology = Leaves(3, 5)
    rows = parse_expression("all", topology).all_rows()
    settings = VcSettings(scheme, count, Routing("par"))
    graph = brute_force_graph(topology, rows, settings, count or topology.max_hops + 1)
    found = check_deadlock(rows, settings)
    assert found.vcs_needed >= 1 + max(vc for _, vc in graph.nodes)
    if found.cycle == ():
        assert nx.is_directed_acyclic_graph(graph)
    if scheme == "per-hop" and count is None:
        assert found.cycle == ()


@pytest.mark.usefixtures("toys")
def test_routes_that_deadlock_only_together_are_found() -> None:
    # Three switches in a ring with one VC: 0 -> 1 -> 2 and 1 -> 2 -> 0 wait for no others without
    # 2 -> 0 -> 1.
    topology = Ring(3)
    rows = parse_expression("all", topology).all_rows()
    sources = rows.source[rows.pair_of_row].tolist()
    ends = list(zip(sources, rows.intermediate.tolist(), strict=True))
    first, second = (
        rows.filtered(np.array([one in routes for one in ends]))
        for routes in ([(0, 1), (1, 2)], [(2, 0)])
    )
    assert len(first) == 2
    assert len(second) == 1
    one = VcSettings("per-hop", 1)
    minimal = min_rows(topology, *all_pairs(topology))
    assert not check_deadlock(first, one).cycle
    assert not check_deadlock(second, one).cycle
    assert len(check_deadlock(first, one, RoutesBeside(minimal, second, one)).cycle) == 3
    # Those with VCs of their own close no circle.
    two = VcSettings("per-hop", 2)
    both = check_deadlock(first, two, RoutesBeside(minimal, second, two))
    assert both == DeadlockCheck(vcs_needed=2, cycle=())


@pytest.mark.usefixtures("toys")
def test_networks_may_need_any_number_of_vcs() -> None:
    rows = parse_expression("all", Ring(11)).all_rows()
    assert check_deadlock(rows, VcSettings("per-hop")) == DeadlockCheck(vcs_needed=10, cycle=())
    assert len(check_deadlock(rows, VcSettings("per-hop", 8)).cycle) > 0


def test_one_vc_deadlocks_and_the_cycle_is_spelled_out(table: Table) -> None:
    report = verify(table, VcSettings(vc_count=1))
    # Two detours inside a group wait for each other: 0 -> 1 -> 0' and 1 -> 0 -> 1' on one VC.
    assert report.problems == (
        "routing deadlock: link 0 (local, 0 -> 1) VC 0 waits for link 3 (local, 1 -> 0) VC 0 "
        "waits for link 0 (local, 0 -> 1) VC 0",
    )
    assert report.vcs_needed == 4
    assert len(report.cycle) == 2


def test_clamping_per_hop_to_three_vcs_plants_a_cycle(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    # All hops from the third on share VC 2: behind a global link come two local links, then a
    # global one, so VC 2 alone carries local -> local -> global -> local.
    table = make_table("all", small)
    assert verify(table, VcSettings("per-hop", 6)).ok
    report = verify(table, VcSettings("per-hop", 3))
    assert {channel.vc for channel in report.cycle} == {2}
    assert report.problems[0].startswith("routing deadlock: link ")


def test_portions_cover_all_rows_in_order(table: Table) -> None:
    rows = table.rows
    for size in (1, 7, 100, 10**9):
        chunks = list(rows.chunks(size))
        assert np.array_equal(np.concatenate([chunk.weight for chunk in chunks]), rows.weight)
        assert np.array_equal(np.concatenate([chunk.source for chunk in chunks]), rows.source)
        assert all(int(chunk.offset[0]) == 0 for chunk in chunks)
        assert all(int(chunk.offset[-1]) == len(chunk) for chunk in chunks)


def test_only_what_packets_take_needs_channels() -> None:
    # A star of two hosts' switches around one without nodes, and a tail that nobody sends to.
    network = ListedTopology([1, 0, 1, 0], [[[0, 1], [1, 2], [0, 2], [2, 3]]])
    rows = parse_expression("all", network).rows(*all_pairs(network))
    needed = [
        check_deadlock(rows, VcSettings("per-hop", routing=Routing(one))).vcs_needed
        for one in ("min", "ugal-l")
    ]
    # MIN is the cable between both; the detour is by switch 1. To switch 3 it would be 3 hops.
    assert needed == [1, 2]
    assert check_deadlock(rows, VcSettings("per-hop")).vcs_needed == 2
