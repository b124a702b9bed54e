"""What networks say whose MIN paths are all shortest paths, on a ring and on two levels."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sim_bridge import Scenario, SimulationConfig
from tests.topology.toy import Leaves, Ring, WalkCounts
from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.paths import all_pairs, data_points, min_rows, parse_expression, strategic_choices
from tvlb.topology import Dragonfly, LinkKinds, Topology, Triples, compiled, parse_topology
from tvlb.traffic import Permutation

pytestmark = pytest.mark.usefixtures("toys")


def array(*values: int) -> NDArray[np.int32]:
    return np.array(values, dtype=np.int32)


def test_the_network_is_that_of_the_cables() -> None:
    topology = parse_topology("ring(4,2)")
    assert (topology.num_switches, topology.num_nodes, topology.num_links) == (4, 8, 8)
    assert topology.nodes_per_switch == 2
    assert topology.network.link_source.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert topology.network.link_target.tolist() == [1, 3, 0, 2, 1, 3, 0, 2]
    assert str(topology) == "ring(4,2)"
    assert topology == Ring(4, 2) != Ring(4)
    assert topology.identity == Ring(4, 2).identity != Ring(4).identity
    assert topology.metadata == {"switches": 4, "nodes": 8, "links": 8}
    assert topology.graph.nodes[3] == {"nodes": 2}


def test_switches_may_have_no_nodes() -> None:
    topology = Leaves(4, 3)
    assert topology.network.node_switch.tolist() == [0, 1, 2, 3]
    # Four leaves with three cables up each, and three cables of the ring of spines.
    assert topology.num_links == 2 * (4 * 3 + 3)
    assert topology.kind_name(0) == "up"
    assert topology.kind_name(topology.num_links - 1) == "ring"
    assert topology.graph.nodes[4] == {"nodes": 0}
    with pytest.raises(InvalidInput, match="0 compute nodes at some switches and 1 at others"):
        _ = topology.nodes_per_switch


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Leaves(2, 3, 0), r"leaves\(2,3,0\) has no path from switch 0 to switch 1"),
        (lambda: Ring(30_000), r"ring\(30000\) has 30,000 switches; the limit is 20,000"),
        (lambda: Ring(20_000, 1000), "20,000,000 compute nodes; the limit is 10,000,000"),
    ],
)
def test_what_is_no_network_is_refused(make: Callable[[], Topology], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        make()


def test_numbers_of_min_paths() -> None:
    # Opposite switches of an even ring have two, all others one.
    assert (Ring(6).longest_min_path, Ring(6).most_min_paths) == ((0, 0, 0), 2)
    assert (Ring(5).longest_min_path, Ring(5).most_min_paths) == ((0, 0), 1)
    assert Ring(6).most_vlb_paths == 4 * 2 * 2
    # Between leaves over any spine; spines are next to all others.
    assert Leaves(5, 3).longest_min_path == (0, 0)
    assert Leaves(5, 3).most_min_paths == 3
    assert Leaves(0, 8).longest_min_path == (1, 1, 1, 1)


def test_any_two_switches_have_a_choice() -> None:
    topology = Ring(5)
    switches = np.arange(5)
    assert (topology.has_choice(switches[:, None], switches) == ~np.eye(5, dtype=bool)).all()
    assert topology.representatives.tolist() == [0, 1, 2, 3, 4]
    spread = Ring(1000).representatives
    assert (len(spread), spread[0], spread[-1]) == (64, 0, 999)
    assert not topology.capacity_prices(switches, switches).any()
    topology.check_searchable()


def test_faults_of_paths() -> None:
    def faults(via: int, first: int, second: int, hops: int) -> list[str]:
        # From 0 to 3 on a ring of six, which are opposite.
        paths = Triples(array(0), array(3), array(via), array(first), array(second), array(hops))
        return [what for what, wrong in Ring(6).path_faults(paths) if wrong.any()]

    assert faults(1, 0, 0, 3) == []
    # To 5 and back over 0: no switch is forbidden but the ends.
    assert faults(5, 0, 0, 3) == []
    assert faults(1, 0, 0, 4) == ["hops do not match the path"]
    assert faults(1, 1, 0, 3) == ["there is no first half of this number"]
    assert faults(1, 0, -1, 3) == ["there is no second half of this number"]
    assert faults(3, 1, 0, 3)[0] == "the intermediate switch is the source or the destination"


def test_where_a_packet_decides_again() -> None:
    topology = Ring(6)
    # Into switch 2 from 1 and 3.
    assert topology.network.link_source[topology.arrivals(array(2))].tolist() == [[1, 3]]
    # Of MIN paths to 3 with two or more hops, 1, 2, 4 and 5 are second switches; 0 is farthest.
    sources = array(0, 1, 2, 4, 5)
    assert topology.is_second(sources, np.full(5, 3)).tolist() == [False, True, True, True, True]
    starts, ends = topology.seconds(array(0, 2, 5), array(3, 3, 3))
    # From 2 there is one hop only.
    assert sorted(zip(starts.tolist(), ends.tolist(), strict=True)) == [(1, 3), (4, 3), (5, 3)]


def test_arrivals_are_filled_up() -> None:
    topology = Leaves(4, 3)
    arriving = topology.arrivals(array(0, 6))
    # Three spines above a leaf; four leaves and two spines around a spine.
    assert (arriving[0] >= 0).sum() == 3
    assert (arriving[1] >= 0).sum() == 6
    assert (topology.network.link_target[arriving[1]] == 6).all()


def test_expected_paths() -> None:
    expected = Ring(6).expected_paths
    # From any switch: two at 1 and two at 2 hops by one path, one at 3 hops by two.
    assert expected.pairs == 30
    assert expected.intermediates == 4
    assert expected.min_paths == 6 / 5
    assert expected.share_by_hops == pytest.approx([2 / 6, 2 / 6, 2 / 6])
    # 12 links, 6 nodes; a MIN path has 9/5 hops.
    assert expected.adversarial_throughput == pytest.approx(12 / (2 * 9 / 5 * 6))
    assert 0 < Ring(6).links_in_use(np.array([1.0, 1.0, 1.0, 1.0, 1.0])) <= 5 * 12


def test_data_points() -> None:
    # MIN paths of up to 2 hops: detours of 2, 3 and 4, which are all.
    points = Ring(5).data_points()
    assert points[0] == "<=2"
    assert points[9:11] == ["<=2+90%", "<=3"]
    assert points[-2:] == ["<=3+90%", "all"]
    assert len(points) == 21
    assert Ring(5).strategic_choices() == []
    assert Ring(3).data_points() == ["all"]


def test_data_points_of_the_paper() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    assert topology.data_points() == [str(one) for one in data_points(topology)]
    assert topology.strategic_choices() == [str(one) for one in strategic_choices(topology)]


def test_pictures_show_a_ring() -> None:
    layout = Ring(5).layout
    assert (layout.groups, layout.switches_per_group, layout.first_global_link) == (5, 1, 0)
    layout = Dragonfly(2, 4, 2, 9).layout
    assert (layout.groups, layout.switches_per_group, layout.first_global_link) == (9, 4, 9 * 12)


@pytest.mark.parametrize("name", ["ring(5)", "ring(6)", "leaves(5,3)", "leaves(0,8)", "grid(4,3)"])
def test_min_paths_are_all_shortest_walks(name: str) -> None:
    topology = parse_topology(name)
    counts, twin = WalkCounts(topology), compiled(topology)
    source, target = all_pairs(topology)
    assert (twin.min_paths(source, target) == counts.paths[source, target]).all()
    rows = min_rows(topology, source, target)
    assert (rows.hops == counts.hops[source, target][rows.pair_of_row]).all()
    # Every one is a walk of its own.
    links = rows.links()
    assert len(np.unique(np.column_stack([rows.pair_of_row, links]), axis=0)) == len(rows)
    ends = topology.network.link_target[links[np.arange(len(rows)), rows.hops - 1]]
    assert (ends == rows.target[rows.pair_of_row]).all()


def test_latencies_of_links_that_it_does_not_have_are_refused() -> None:
    assert SimulationConfig().on(Ring(5)).latencies(Ring(5)) == (10,)
    with pytest.raises(InvalidInput, match=r"global_latency = 20: ring\(5\) has ring links only"):
        SimulationConfig(global_latency=20).on(Ring(5))


def test_a_network_has_the_latencies_of_its_family_unless_others_are_asked_for() -> None:
    class Short(Ring):
        kinds = LinkKinds(("local",), (3,), ("Links of the ring.",))

    assert SimulationConfig().latencies(Short(5)) == (3,)
    assert SimulationConfig(local_latency=10).latencies(Short(5)) == (10,)
    known = SimulationConfig().on(Short(5))
    assert (known.local_latency, known.global_latency) == (3, None)


def test_routes_that_the_simulator_cannot_follow_are_refused() -> None:
    config = SimulationConfig()
    assert config.resolved_vc_count(Ring(8), "min") == 8
    with pytest.raises(
        InvalidInput, match=r"routing vlb on ring\(16\) takes up to 16 links; .* 15$"
    ):
        config.resolved_vc_count(Ring(16), "vlb")
    with pytest.raises(InvalidInput, match=r"routing par on ring\(16\) takes up to 17 links"):
        replace(config, vc_count=4).resolved_vc_count(Ring(16), "par")
    # MIN paths of ten links; routings with VLB paths would need twenty.
    assert config.resolved_vc_count(Ring(20), "min") == 16
    with pytest.raises(InvalidInput, match=r"routing min on ring\(32\) takes up to 16 links"):
        config.resolved_vc_count(Ring(32), "min")


@pytest.mark.parametrize("vc_count", [None, 4])
@pytest.mark.parametrize("routing", ["min", "vlb", "par"])
def test_long_routes_are_simulated(routing: str, vc_count: int | None) -> None:
    ring = Ring(14)
    path_set = parse_expression("all", ring)
    scenario = Scenario(ring, routing, path_set, Permutation(seed=3), seed=1)
    config = SimulationConfig(vc_count=vc_count, warmup_cycles=200, measured_cycles=5_000)
    result = scenario.run(0.002, config)
    assert result.undelivered == 0
    assert path_set.all_rows().hops.max() > 7
    assert result.hops_mean > (6 if routing == "vlb" else 3)
    # Hardly any packet meets another: 5 cycles, and 12 for each link.
    assert result.latency_mean == pytest.approx(5 + 12 * result.hops_mean, rel=0.01)


# Beyond so many kinds of pairs, among the links that lead nearer.
@pytest.mark.parametrize("text", ["random(24,1,5,seed=1)", "torus(1,4,4)", "fattree3(4)"])
def test_paths_are_the_same_where_their_first_links_are_not_kept(text: str) -> None:
    topology = parse_topology(text)
    network, ends = topology.network.compile(), all_pairs(topology)
    kept, sought = kernels.ShortestPaths(network), kernels.ShortestPaths(network, most_kinds=0)
    assert kept.halves == sought.halves
    rows = zip(
        kept.kernel().enumerate_min(*ends), sought.kernel().enumerate_min(*ends), strict=True
    )
    assert all(np.array_equal(one, other) for one, other in rows)
    assert kept.most_min_paths == sought.most_min_paths > 1
