"""Values that can be derived by hand, and the model's behaviour at its corners."""

from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import highspy
import networkx as nx
import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.model import BoundKind, PatternModel, export_model, throughput
from tvlb.paths import EmptySet, RowSet, parse_expression
from tvlb.topology import Dragonfly, ListedTopology, parse_topology
from tvlb.traffic import MatrixPattern, Shift, Uniform, parse_pattern

TINY = Dragonfly(2, 4, 2, 3)
SOLVERS = ("highs", "pulp:HiGHS")


def theta(
    topology: Dragonfly, expression: str, pattern: str, solver: str = "highs", seed: int = 0
) -> float:
    path_set = parse_expression(expression, topology, seed)
    return throughput(topology, path_set, parse_pattern(pattern), solver=solver).theta


@pytest.mark.parametrize("solver", SOLVERS)
def test_min_only_is_limited_by_the_direct_links(solver: str) -> None:
    # 8 nodes of a group share the 4 links to the next group: theta = 4/8.
    assert theta(TINY, "none", "shift(1,0)", solver) == pytest.approx(0.5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_two_hop_detours_use_the_idle_direction(solver: str) -> None:
    # Wiring joins equal indices of all three groups. MIN carries 1 per switch on its own link.
    # The 2-hop detour through the third group takes two links of the other direction, each
    # shared by two flows: 1/2 per switch. So 2 nodes ship 1.5 and theta = 0.75, the bound
    # (24 global links + 12 direct ones) / (2 * 24 nodes).
    result = throughput(TINY, parse_expression("<=2", TINY), Shift(1, 0), solver=solver)
    assert result.theta == pytest.approx(0.75)
    assert result.bound == pytest.approx(0.75)
    assert result.bound_kind is BoundKind.LINKS


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        # 4 nodes behind one local link: 1/4.
        ("none", 0.25),
        # The two detours s -> s+2 -> s+1 and s -> s+3 -> s+1 load the links "+2" and "+3" of
        # every switch with half a detour flow each, twice: 1 flit/cycle of detours, 2 in all.
        ("all", 0.5),
    ],
)
def test_traffic_inside_a_group(solver: str, expression: str, expected: float) -> None:
    topology = Dragonfly(4, 4, 2, 3)
    assert theta(topology, expression, "shift(0,1)", solver) == pytest.approx(expected)


def test_bound_of_the_worked_example() -> None:
    # (a*h + k) / (2*p*a) = (32 + 4) / 64
    model = PatternModel(Dragonfly(4, 8, 4, 9), Shift(1, 0))
    assert model.bound.value == pytest.approx(36 / 64)


def test_bound_counts_the_links_that_exist() -> None:
    # g-1 = 3 does not divide a*h = 8: 2 links per pair, so (3*2 + 2) / (2*8) = 0.5.
    model = PatternModel(Dragonfly(2, 4, 2, 4), Shift(1, 0))
    assert model.bound.value == pytest.approx(0.5)


def test_links_of_all_kinds_bound_a_slim_fly() -> None:
    # 7 links at each switch, one MIN path per flow, 4 nodes: (7 + 1) / (3 * 4).
    bound = PatternModel(parse_topology("slimfly(5)"), parse_pattern("alg2")).bound
    assert (bound.value, bound.kind) == (pytest.approx(8 / 12), BoundKind.LINKS)


@pytest.mark.parametrize("pattern", ["uniform", "shift(0,1)", "mixed(50,50,shift(1,0))"])
def test_no_link_bound_unless_groups_have_one_partner(pattern: str) -> None:
    bound = PatternModel(TINY, parse_pattern(pattern)).bound
    assert bound.value <= 1.0
    assert bound.kind is not BoundKind.LINKS


@pytest.mark.parametrize("solver", SOLVERS)
def test_ejection_port_limits_theta(solver: str) -> None:
    # Two nodes of different switches send 1 flit/cycle each to one node: half of it fits.
    pattern = MatrixPattern("two to one", "node", ((0, 8, 1.0), (2, 8, 1.0)))
    path_set = parse_expression("all", TINY)
    result = throughput(TINY, path_set, pattern, solver=solver)
    assert result.theta == pytest.approx(0.5)
    assert (result.bound, result.bound_kind) == (0.5, BoundKind.PORTS)


@pytest.mark.parametrize("solver", SOLVERS)
def test_traffic_that_never_leaves_its_switch(solver: str) -> None:
    result = throughput(TINY, parse_expression("all", TINY), Shift(0, 0), solver=solver)
    assert (result.theta, result.rows, result.relative_gap) == (1.0, 0, 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_very_small_and_large_rates_together(solver: str) -> None:
    # The large flow has one MIN link from group 0 to group 1 per index and ships 1 <= 4 links.
    pattern = MatrixPattern("uneven", "switch", ((0, 4, 1.0), (5, 9, 1e-7)))
    path_set = parse_expression("all", TINY)
    result = throughput(TINY, path_set, pattern, solver=solver)
    assert result.theta == pytest.approx(1.0, abs=1e-6)


def test_pattern_model_equals_single_solves() -> None:
    model = PatternModel(TINY, Uniform())
    for expression in ("none", "<=3", "all"):
        path_set = parse_expression(expression, TINY)
        single = throughput(TINY, path_set, Uniform())
        assert model.solve(path_set).theta == pytest.approx(single.theta, abs=1e-9)


def test_stored_rows_give_the_same_model() -> None:
    path_set = parse_expression("short(2,3)", TINY)
    stored = RowSet(path_set.all_rows(), "stored")
    expected = throughput(TINY, path_set, Shift(1, 1)).theta
    assert throughput(TINY, stored, Shift(1, 1)).theta == pytest.approx(expected, abs=1e-9)


def test_chunks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = theta(TINY, "all", "uniform"), theta(TINY, "<=3", "shift(1,1)")
    monkeypatch.setattr("tvlb.model.instance._ROWS_PER_CHUNK", 100)
    monkeypatch.setattr("tvlb.model.vertices._CELLS_PER_CHUNK", 100)
    parts = theta(TINY, "all", "uniform"), theta(TINY, "<=3", "shift(1,1)")
    assert parts == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("pattern", ["shift(1,1)", "shift(2,0)", "type2(seed=4)"])
@pytest.mark.parametrize("seed", [0, 1])
def test_larger_sets_are_never_worse(pattern: str, seed: int) -> None:
    # "Uniform over all paths up to L" is a routing of every larger set that keeps the classes
    # up to L whole.
    topology = Dragonfly(2, 4, 2, 9)
    whole = [theta(topology, f"<={length}", pattern) for length in range(2, 7)]
    assert all(larger >= smaller - 1e-6 for smaller, larger in pairwise(whole))
    for length in range(3, 6):
        some = theta(topology, f"<={length}+30%", pattern, seed=seed)
        assert some >= whole[length - 2] - 1e-6


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_exported_file_has_the_same_optimum(tmp_path: Path, suffix: str) -> None:
    topology = Dragonfly(2, 4, 2, 5)
    path_set = parse_expression("<=4", topology)
    path = tmp_path / f"model{suffix}"
    export_model(topology, path_set, Shift(1, 0), path)
    engine = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 1)):
        assert engine.setOptionValue(name, value) == highspy.HighsStatus.kOk
    assert engine.readModel(str(path)) != highspy.HighsStatus.kError
    assert engine.run() == highspy.HighsStatus.kOk
    expected = throughput(topology, path_set, Shift(1, 0)).theta
    assert abs(engine.getInfo().objective_function_value) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["model.txt", "missing/model.lp"])
def test_bad_export_paths(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot export"):
        export_model(TINY, parse_expression("<=2", TINY), Shift(1, 0), tmp_path / name)


def test_path_set_of_another_topology() -> None:
    other = Dragonfly(2, 4, 2, 5)
    with pytest.raises(InvalidInput, match="belongs to"):
        throughput(TINY, parse_expression("all", other), Shift(1, 0))


@pytest.mark.parametrize("solver", ["highs", "rm+:0.001"])
@pytest.mark.parametrize("network", ["slimfly(5)", "hyperx(2,4,4)", "2,4,2,9"])
def test_traffic_inside_switches_alone_takes_no_link(network: str, solver: str) -> None:
    topology = parse_topology(network)
    found = throughput(
        topology, parse_expression("all", topology), parse_pattern("affine(1,0)"), solver=solver
    )
    assert found.theta == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(6))
def test_min_alone_on_irregular_networks_is_counted_by_networkx(seed: int) -> None:
    random = np.random.default_rng(seed)
    switches = 7
    # A ring and random chords, some of them parallel.
    chords = random.integers(0, switches, (8, 2))
    cables = [[one, (one + 1) % switches] for one in range(switches)]
    cables += [pair.tolist() for pair in chords if pair[0] != pair[1]]
    network = ListedTopology([1] * switches, [cables])
    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    for one, other in cables:
        graph.add_edge(one, other)
        graph.add_edge(other, one)
    factor = int(random.integers(1, switches))
    load = defaultdict[Any, float](float)
    for source in range(switches):
        target = (factor * source + 1) % switches
        # Each choice of parallel cables is a path.
        hops = len(nx.bidirectional_shortest_path(graph, source, target)) - 1
        paths: list[Any] = [*nx.all_simple_edge_paths(graph, source, target, cutoff=hops)]
        paths = paths if hops else []
        for link in (link for path in paths for link in path):
            load[link] += 1 / len(paths)
    found = throughput(network, EmptySet(network), parse_pattern(f"affine({factor},1)"))
    assert found.theta == pytest.approx(min(1.0, 1.0 / max(load.values(), default=1.0)))
