"""Best fixed splits and their frontiers against enumeration of all traffic and known figures."""

from typing import Any

import numpy as np
import pytest

from tests.guarantee.test_worst import SMALL, all_traffic, best_load, crossed, network
from tvlb.errors import InvalidInput
from tvlb.guarantee import program, static, usage
from tvlb.guarantee.frontier import FRONTIER_POINTS, Frontier, fewest_hops
from tvlb.guarantee.program import Program
from tvlb.guarantee.symmetry import orbits
from tvlb.guarantee.usage import ShapeUsage
from tvlb.paths import ClassUsage, Switches, as_path_set, min_rows
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Assignments


@pytest.mark.parametrize("text", SMALL)
def test_no_split_of_as_few_hops_is_better_under_all_traffic(text: str) -> None:
    topology = network(text)
    found = static(topology)
    traffic, used = all_traffic(topology), found.usage
    shares = used.vertices_on_links(np.arange(topology.num_links)).astype(np.float64)
    crossing = (traffic[:, np.newaxis, :, np.newaxis] * shares).reshape(-1, *shares.shape[1:])
    nodes = topology.switch_nodes
    pairs = nodes[used.source] * nodes[used.target]
    hops = shares.sum(axis=0) * (pairs / pairs.sum())[:, np.newaxis]
    for one in found.frontier[1 :: FRONTIER_POINTS // 2]:
        # HiGHS may go beyond a limit by 1e-7.
        best = best_load(crossing, used.is_vertex, hops, one.hops + 1e-6)
        assert one.floor == pytest.approx(1.0 / max(best, 1.0), rel=5e-5)
        assert one.floor_bound == pytest.approx(one.floor, rel=1e-4)
    assert found.frontier[0].hops == pytest.approx(fewest_hops(topology))
    best = best_load(crossing, used.is_vertex)
    assert found.chosen.floor == pytest.approx(1.0 / max(best, 1.0), rel=2e-5)


def test_a_split_keeps_what_it_promises_on_every_link() -> None:
    found = static("dfly(2,4,2,3)", "<=4", hops=1.9)
    assert found.split.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert found.chosen.hops == pytest.approx(1.9)
    links = np.arange(found.topology.num_links)
    crossing = crossed(found.usage, found.split, links)
    assignments = Assignments(found.topology)
    load = max(assignments.worst(one).bound for one in crossing.T)
    assert found.chosen.floor == pytest.approx(1.0 / load, rel=5e-6)
    assert found.chosen.floor <= 1.0 / load
    # As far as rates of shapes may fall and rise with length as they like, it is no worse.
    floors = [one.floor for one in found.frontier]
    assert floors == sorted(floors)
    assert floors[0] <= found.chosen.floor <= floors[-1]


def test_a_throughput_is_had_with_the_fewest_hops() -> None:
    asked = static("dfly(2,4,2,3)", throughput=0.6)
    assert 0.6 <= asked.chosen.floor < 0.6001
    assert asked.chosen.gap < 1e-4
    again = static("dfly(2,4,2,3)", hops=asked.chosen.hops)
    assert again.chosen.floor == pytest.approx(asked.chosen.floor, abs=1e-5)
    # Shortest paths guarantee half of it.
    assert static("dfly(2,4,2,3)", throughput=0.3).chosen.hops == pytest.approx(17 / 11)


def _as_one(topology: Topology, source: Switches, target: Switches) -> ClassUsage:
    """Class all MIN paths of a pair as one."""
    rows = min_rows(topology, source, target)
    return rows.usage_by(np.zeros(len(rows), dtype=np.int64), 1)


@pytest.mark.slow
def test_a_frontier_of_a_symmetric_dragonfly_is_the_known_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usage, "min_usage", _as_one)
    used = ShapeUsage.of(as_path_set("all", as_topology("dfly(4,8,4,9,palmtree)")))
    search = Frontier(Program(used, orbits(used)))
    known = [(None, 0.5098, 4.02), (0.4843, 0.4843, 3.69), (0.4078, 0.4078, 3.44)]
    for throughput, floor, hops in known:
        found = search.point(search.chosen(None, throughput))
        assert found.floor == pytest.approx(floor, abs=1e-4)
        assert found.gap < 1e-3
        # Of equally good splits the shortest is told.
        assert found.hops == pytest.approx(hops, abs=0.011)
    best = search.point(search.chosen(None, None))
    assert search.point(search.chosen(None, best.floor)).floor >= best.floor


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("2,4,2,3", {"hops": 1.5}, "hops 1.5 is out of range: shortest paths of .* have 1.5455"),
        ("2,4,2,3", {"hops": float("nan")}, "hops nan is out of range"),
        ("2,4,2,3", {"throughput": 0.0}, "throughput 0 is out of range: above 0, up to 1"),
        ("2,4,2,3", {"throughput": "x"}, "throughput 'x' is not a number"),
        ("2,4,2,3", {"hops": "2", "throughput": 0.5}, "hops '2' is not a number"),
        ("2,4,2,3", {"throughput": True}, "throughput True is not a number"),
        ("2,4,2,3", {"throughput": 0.76}, "throughput 0.76 is out of range: the best .* 0.74999"),
        ("2,4,2,3", {"throughput": 0.5, "hops": 2.0}, "hops 2 and throughput 0.5: give one"),
        ("2,4,2,9", {}, "too little symmetry .* 1,260 orbits of pairs times 180 of links"),
        ("2,4,2,3", {"path_set": "<=9"}, "<=9"),
    ],
)
def test_what_cannot_be_is_refused(text: str, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        static(text, **asked)


def test_large_programs_are_solved_in_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_MOST_INTERIOR_ROWS", 0)
    found = static("dfly(2,4,2,3)", hops=2.0)
    assert found.chosen.floor == pytest.approx(0.6558, abs=5e-4)
    assert found.chosen.gap < 1e-3


def test_a_set_without_symmetry_is_refused_as_its_network_may_not_be() -> None:
    with pytest.raises(InvalidInput, match="too little symmetry"):
        static("dfly(2,4,2,9,palmtree)", "<=4+50%")
