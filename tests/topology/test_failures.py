"""Networks of which cables or switches are down, against a plain account of their MIN paths."""

import json
import re
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sim_bridge import Routing, Scenario, SimulationConfig
from tests.topology.toy import Ring
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.model import throughput
from tvlb.paths import PathRows, all_pairs, min_rows, parse_expression
from tvlb.requests import TableBody
from tvlb.table import Table, VcSettings, verify
from tvlb.table.networks import record_of
from tvlb.topology import (
    Dragonfly,
    ExplicitTopology,
    Failures,
    ListedTopology,
    Topology,
    described,
    explicit_type,
    parse_topology,
    shown_topology,
    without,
)
from tvlb.topology.dragonfly.degraded import DegradedDragonfly
from tvlb.traffic import Shift, parse_pattern

HEALTHY = Dragonfly(2, 4, 2, 5)
# Two cables between any two groups; a group of four switches has six.
CABLES = [(int(low), int(high)) for kind in (0, 1) for low, high in HEALTHY.network.cables(kind)]
LOST_PAIR = Failures(links=tuple(pair for pair in CABLES if pair[0] < 4 <= pair[1] < 8))
LOST_LOCAL = Failures(links=((0, 1),))
DEAD_SWITCH = Failures(switches=(5,))


def switch_paths(rows: PathRows, pair: int) -> list[tuple[int, ...]]:
    """Links of the paths of a pair, sorted."""
    links = rows.links()[rows.offset[pair] : rows.offset[pair + 1]]
    return sorted(tuple(int(link) for link in path if link >= 0) for path in links)


def expected_paths(network: Topology, source: int, target: int) -> list[tuple[int, ...]]:
    """MIN paths by definition: what is left of those of the Dragonfly, else shortest paths."""
    graph = network.graph
    size = HEALTHY.switches_per_group

    def links(switches: list[int]) -> list[tuple[int, ...]]:
        paths: list[tuple[int, ...]] = [()]
        for near, far in pairwise(switches):
            between = [edge["id"] for edge in graph[near].get(far, {}).values()]
            paths = [(*path, link) for path in paths for link in between]
        return paths

    found: list[tuple[int, ...]] = []
    if source // size == target // size:
        found = links([source, target])
    else:
        for exit_, entry, data in graph.edges(data=True):
            if (exit_ // size, entry // size) != (source // size, target // size):
                continue
            before = [()] if exit_ == source else links([source, exit_])
            after = [()] if entry == target else links([entry, target])
            found += [(*first, data["id"], *last) for first in before for last in after]
    if not found:
        simple = nx.DiGraph(graph)
        found = [
            path
            for switches in nx.all_shortest_paths(simple, source, target)
            for path in links(switches)
        ]
    return sorted(found)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.sampled_from(CABLES), unique=True, max_size=12),
    st.lists(st.integers(0, HEALTHY.num_switches - 1), unique=True, max_size=2),
)
def test_min_paths_are_those_that_are_left_or_shortest(
    cables: list[tuple[int, int]], switches: list[int]
) -> None:
    failures = Failures(links=tuple(cables), switches=tuple(switches))
    # No two switches have more than one cable.
    graph = nx.Graph(HEALTHY.graph)
    graph.remove_edges_from(cables)
    graph.remove_nodes_from(switches)
    if not nx.is_connected(graph):
        with pytest.raises(InvalidInput, match="parts: no path joins switches"):
            without(HEALTHY, failures)
        return
    network = without(HEALTHY, failures)
    sources, targets = all_pairs(network)
    rows = min_rows(network, sources, targets)
    for pair, (source, target) in enumerate(zip(sources.tolist(), targets.tolist(), strict=True)):
        if {source, target} & set(switches):
            assert switch_paths(rows, pair) == []
        else:
            assert switch_paths(rows, pair) == expected_paths(network, source, target)


@pytest.mark.parametrize("expression", ["all", "short(2,3)", "<=4", "short(all)", "shape(g.?)"])
def test_without_failures_path_sets_are_those_of_the_dragonfly(expression: str) -> None:
    degraded = DegradedDragonfly(HEALTHY, HEALTHY.network, "the same")
    assert degraded.halves == HEALTHY.halves
    mine = parse_expression(expression, degraded, 0)
    theirs = parse_expression(expression, HEALTHY, 0)
    assert mine.mean_hops() == pytest.approx(theirs.mean_hops())
    for pair in range(0, len(all_pairs(HEALTHY)[0]), 7):
        assert switch_paths(mine.all_rows(), pair) == switch_paths(theirs.all_rows(), pair)


def test_detours_inside_a_group_do_not_leave_it() -> None:
    # Switch 3 of the other group is one global link away from both 0 and 1.
    network = without(parse_topology("1,3,2,2"), LOST_LOCAL)
    rows = parse_expression("all", network).all_rows()
    assert (network.network.link_kind[rows.links()[:, :2]] == 0).all()
    pair = rows.pair_of_row
    found = np.stack([rows.source[pair], rows.intermediate, rows.target[pair]], axis=1)
    assert found[found[:, 0] < 3].tolist() == [[0, 2, 1], [1, 2, 0]]


def test_a_dragonfly_stays_one_as_long_as_its_groups_are_whole_and_joined() -> None:
    left = without(HEALTHY, Failures(links=((4, 0),)))
    assert type(left) is Dragonfly
    assert str(left) == "dfly(2,4,2,5) without 1 cable (46085c8a)"
    assert left.links_per_group_pair == (1, 2)
    assert left == Dragonfly.from_cables(2, 4, 2, 5, HEALTHY.cables[1:])
    both = without(HEALTHY, LOST_PAIR)
    assert type(both) is DegradedDragonfly
    assert str(both) == f"dfly(2,4,2,5) without {LOST_PAIR}"
    # Groups 0 and 1 meet by way of a third.
    assert {"glg", "ggg"} <= set(both.halves)
    assert both.vc_scheme == "per-hop"


def test_a_switch_that_is_down_takes_its_cables_and_nodes_along() -> None:
    left = without(HEALTHY, DEAD_SWITCH)
    assert left.num_switches == HEALTHY.num_switches
    assert left.num_nodes == HEALTHY.num_nodes - 2
    assert left.num_links == HEALTHY.num_links - 2 * (3 + 2)
    assert 5 not in left.network.node_switch
    # Nobody sends to the nodes that are down, and these send nothing.
    traffic = Shift(1, 0).resolve(left, 0)
    silent = np.flatnonzero(left.network.node_switch == 1)
    assert (np.flatnonzero(traffic.rate == 0.0) == silent).all()
    mixed = parse_pattern("tmixed(40,60,shift(1,0))").resolve(left, 0)
    assert (mixed.rate[silent] == 0.4).all()
    assert (mixed.uniform_fraction[silent] == 1.0).all()


@pytest.mark.parametrize(
    "failures", [LOST_PAIR, LOST_LOCAL, DEAD_SWITCH, Failures(switches=(0, 19))]
)
def test_tables_hold_and_no_route_deadlocks(failures: Failures) -> None:
    network = without(HEALTHY, failures)
    for expression in ("all", "short(2,3)"):
        path_set = parse_expression(expression, network, 0)
        table = Table.from_rows(path_set, path_set.all_rows(), version=VERSION)
        for routing in (None, Routing("par")):
            report = verify(table, VcSettings(routing=routing))
            assert report.ok, report.problems
            assert report.vcs_needed == path_set.all_rows().hops.max() + (routing is not None)


@pytest.mark.parametrize("entry", ["5,0,0.5", "0,5,0.5"])
def test_no_matrix_has_traffic_of_a_switch_that_is_down(entry: str, tmp_path: Path) -> None:
    (file := tmp_path / "m.csv").write_text(f"# level=switch\nsrc,dst,rate\n{entry}\n0,6,0\n")
    with pytest.raises(InvalidInput, match=r"m\.csv: switch 5 of .* has no compute nodes"):
        parse_pattern(str(file)).resolve(without(HEALTHY, DEAD_SWITCH), 0)


@pytest.mark.parametrize("failures", [LOST_PAIR, LOST_LOCAL, DEAD_SWITCH])
@pytest.mark.parametrize("routing", ["min", "vlb", "ugal-l", "ugal-g", "par"])
def test_they_are_simulated(failures: Failures, routing: str) -> None:
    network = without(HEALTHY, failures)
    scenario = Scenario(network, routing, parse_expression("all", network), Shift(1, 0), seed=1)
    result = scenario.run(0.1, SimulationConfig(warmup_cycles=500, measured_cycles=1_500))
    sent = Shift(1, 0).resolve(network, 0).rate.mean()
    assert result.accepted == pytest.approx(0.1 * sent, rel=0.1)
    assert result.undelivered == 0


def test_packets_decide_again_inside_a_group() -> None:
    # From 0 by way of 2 or 3 to 1, which these have a local link to.
    network = without(HEALTHY, LOST_LOCAL)
    scenario = Scenario(network, "par", parse_expression("all", network), Shift(0, 1), seed=1)
    result = scenario.run(0.1, SimulationConfig(warmup_cycles=500, measured_cycles=1_500))
    assert result.accepted == pytest.approx(0.1, rel=0.1)
    assert result.undelivered == 0


def test_throughput_falls_with_the_cables() -> None:
    healthy, left = (
        throughput(one, parse_expression("all", one), Shift(1, 0)).theta
        for one in (HEALTHY, without(HEALTHY, LOST_PAIR))
    )
    assert left < healthy


def test_other_networks_go_on_by_shortest_paths(toys: None) -> None:
    left = without(Ring(6), Failures(links=((5, 0),)))
    assert type(left) is ListedTopology
    assert str(left) == "ring(6) without 1 cable (cfb99578)"
    assert left.kinds == Ring(6).kinds
    assert left.longest_min_path == (0,) * 5
    record = record_of(left)
    assert type(record).model_validate_json(record.model_dump_json()).build() == left


@pytest.mark.parametrize("failures", [Failures(links=((4, 0),)), LOST_PAIR, DEAD_SWITCH])
def test_files_requests_and_headers_describe_them(failures: Failures, tmp_path: Path) -> None:
    left = without(HEALTHY, failures)
    description = described(left)
    assert isinstance(description, ExplicitTopology)
    body = description.model_dump(mode="json")
    assert body == {
        "network": "dfly(2,4,2,5)",
        "without": json.loads(failures.canonical().model_dump_json()),
    }
    description = TypeAdapter(explicit_type()).validate_json(json.dumps(body))
    assert description.build() == left
    assert str(description) == str(left)
    asked = TableBody.model_validate_json(json.dumps({"topology": body}))
    assert asked.network() == left
    (file := tmp_path / "left.json").write_text(json.dumps(body))
    assert parse_topology(str(file)) == left
    (only := tmp_path / "failures.json").write_text(failures.model_dump_json())
    assert parse_topology("2,4,2,5", str(only)) == left
    record = record_of(left)
    built = type(record).model_validate_json(record.model_dump_json()).build()
    assert built == left
    assert str(built) == str(left)


@pytest.mark.parametrize(
    ("failures", "message"),
    [
        ('{"links": [[0, 4], [0, 4]]}', r"2 cables \[0,4\] cannot be down: .* has 1 there"),
        ('{"links": [[0, 19]]}', r"1 cable \[0,19\] cannot be down: .* has none there"),
        ('{"switches": [20]}', r"switch 20 cannot be down: dfly\(2,4,2,5\) has switches 0\.\.19"),
        ('{"switches": [-1]}', r"failures\.json: entry 0 of switches is no switch, a number "),
        ('{"switches": ["x"]}', r"'x' is no switch of dfly\(2,4,2,5\): expected a number$"),
        ('{"links": [[0, 4], [1]]}', r"entry 1 of links is no pair of switches \[u, v\]"),
        ('{"links": [[0, 4, 5]]}', r"entry 0 of links is no pair of switches \[u, v\]"),
        ('{"links": 4}', r"failures\.json: links is no list$"),
        ('{"link": []}', r"failures\.json: unknown key 'link'; expected links and switches$"),
        ('{"links": [[0, 4]], "links": []}', r"failures\.json: the key 'links' is there twice$"),
        ("[]", r"failures\.json: expected an object with the lists links and switches$"),
        ("{", r"failures\.json: no complete JSON document"),
        ('{"links": [[0, 1], [0, 2], [0, 3], [0, 4], [0, 8]]}', (
            r"dfly\(2,4,2,5\) without 5 cables \([0-9a-f]{8}\) is in 2 parts: no path joins "
            r"switches 0 and 1; the smallest part has 1 of 20 switches: 0"
        )),
        (json.dumps({"switches": [*range(20)]}), r"without 20 switches .* has no compute nodes"),
    ],
)  # fmt: skip
def test_failures_that_do_not_fit_are_named(failures: str, message: str, tmp_path: Path) -> None:
    (file := tmp_path / "failures.json").write_text(failures)
    with pytest.raises(InvalidInput, match=message):
        parse_topology("2,4,2,5", str(file))


def test_failures_come_all_at_once() -> None:
    with pytest.raises(InvalidInput, match="list all of them at once"):
        without(without(HEALTHY, LOST_LOCAL), LOST_PAIR)


def test_of_parallel_cables_as_many_are_down_as_are_listed() -> None:
    network = parse_topology("dfly(1,1,4,3)")
    pair = next(pair for pair, count in _multiplicity(network).items() if count > 1)
    left = without(network, Failures(links=(pair,)))
    assert _multiplicity(left)[pair] == _multiplicity(network)[pair] - 1


def _multiplicity(network: Topology) -> dict[tuple[int, int], int]:
    pairs, counts = np.unique(network.network.cables(1), axis=0, return_counts=True)
    return {(int(low), int(high)): int(n) for (low, high), n in zip(pairs, counts, strict=True)}


def test_equally_many_failures_are_told_apart() -> None:
    texts = {str(Failures(links=(pair,))) for pair in CABLES}
    assert len(texts) == len(set(CABLES))
    assert all(re.fullmatch(r"1 cable \([0-9a-f]{8}\)", text) for text in texts)
    # However they are listed.
    one, same = (
        Failures(links=links, switches=(7, 3)) for links in (((0, 1), (4, 0)), ((0, 4), (1, 0)))
    )
    assert str(one) == str(same)
    assert str(one).startswith("2 cables and 2 switches (")


def test_lists_say_what_is_down_and_build_nothing() -> None:
    description = described(without(HEALTHY, LOST_PAIR))
    assert isinstance(description, ExplicitTopology)
    for asked in (description, description.model_dump(mode="json")):
        assert shown_topology(asked) == f"dfly(2,4,2,5) without {LOST_PAIR}"
    assert shown_topology("4,8,4,9") == "4,8,4,9"
    wired = {"p": 1, "a": 2, "h": 2, "g": 3, "links": [[5, 0]]}
    of_a_file = {"network": wired, "without": {"links": [], "switches": [3]}}
    assert shown_topology(of_a_file) == "dfly(1,2,2,3), wired as given without 1 switch (b8933ee3)"
    listed = {"switches": 3, "endpoints": [1, 1, 1], "links": [[0, 1]]}
    assert shown_topology(listed) == "network of 3 switches, as listed"
