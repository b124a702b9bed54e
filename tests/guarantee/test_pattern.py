"""The patterns `worst(SET)` and `worst-simulated(SET)`: as bad as is known, found once, refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_bridge import SimulationConfig, SimulationResult, VctConfig, simulate
from tests.guarantee.test_worst import UNEVEN, network
from tvlb.errors import InvalidInput
from tvlb.guarantee import worst, worst_traffic
from tvlb.model import throughput
from tvlb.requests import TableBody
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.simulation_body import simulation_body
from tvlb.search import SearchOptions, check_request, optimize, worst_simulated
from tvlb.topology import Listing, as_topology
from tvlb.traffic import MatrixPattern, Pattern, parse_pattern, switch_demand

SMALL = "dfly(2,4,2,3)"
PATTERN = "worst(<=3)"
SIMULATED = "worst-simulated(<=3,runs=20)"


@pytest.mark.parametrize(
    ("paths", "known"),
    [("all", 0.5358), pytest.param("short(2,3)", 0.4452, marks=pytest.mark.slow)],
)
def test_the_model_sustains_no_more_than_is_known(paths: str, known: float) -> None:
    # TYPE_1 and TYPE_2 have .5625 and .4749 at the least.
    assert throughput("dfly(2,4,2,9)", paths, f"worst({paths})").theta <= known + 1e-4


def test_equal_seeds_draw_the_paths_and_their_traffic_alike() -> None:
    topology, text = as_topology(SMALL), "worst(<=3+50%)"
    first, again, other = (parse_pattern(text).settled(topology, seed) for seed in (1, 1, 2))
    assert (str(first), first.asked) == (text, again.asked)
    assert first.identity == again.identity != other.identity


@pytest.mark.parametrize(
    "config", [SimulationConfig(200, 400), VctConfig(200, 400)], ids=["iq", "vct"]
)
def test_simulations_send_what_was_found(config: object) -> None:
    matrix = worst_traffic(as_topology(SMALL), "<=3", 0)
    found: list[Any] = [
        simulate(SMALL, routing="min", pattern=one, load=0.2, config=config)
        for one in (PATTERN, f"step({PATTERN},599,0.2)", matrix)
    ]
    loads = [one.link_load for one in found]
    np.testing.assert_array_equal(loads[0], loads[2])
    np.testing.assert_array_equal(loads[1], loads[2])


@pytest.mark.slow
def test_tables_are_searched_and_judged_on_it_and_by_what_they_guarantee() -> None:
    options = SearchOptions(
        traffic=(PATTERN,), objective="guaranteed", search="paths", budget="0", seed=3, workers=1
    )
    config = replace(options.config, measured_cycles=500)
    found = optimize("1,2,1,3", replace(options, config=config))
    assert set(found.validation.patterns) == {PATTERN}
    floors = found.verdict.floors
    assert floors.keys() == {one.expression for one in found.verdict.sets}
    assert floors["all"] == pytest.approx(worst("1,2,1,3", "all", starts=1).floor)
    with pytest.raises(InvalidInput, match=r"guaranteed: slimfly\(9\) .* the limit is 100"):
        check_request(as_topology("slimfly(9)"), options)


def test_a_search_is_judged_on_both(monkeypatch: pytest.MonkeyPatch) -> None:
    traffic = SearchOptions(traffic=(PATTERN, SIMULATED)).workload
    assert traffic is not None
    topology = as_topology(SMALL)
    found = traffic.settled(topology, 0).patterns
    assert [str(one) for one in found] == [PATTERN, SIMULATED]
    # Found once for all that ask.
    monkeypatch.setattr(worst_simulated, "simulate", None)
    again = parse_pattern(SIMULATED).settled(topology, 0)
    assert again.identity == found[1].identity


@pytest.mark.slow
def test_swaps_find_traffic_that_ugal_does_worse_under() -> None:
    topology, load = as_topology("dfly(2,4,2,9)"), 0.285
    found = parse_pattern("worst-simulated(all,runs=90)").settled(topology, 0)

    def latency(pattern: Pattern) -> float:
        config = SimulationConfig(2000, 2000, drain_limit_cycles=0)
        return simulate(topology, pattern=pattern, load=load, config=config, seed=7).latency_mean

    shifts = [latency(parse_pattern(f"shift({one},0)")) for one in range(1, 9)]
    assert latency(found) > 1.05 * max(shifts)


@pytest.mark.parametrize("text", ["listed", "torus(1,4,4)", "dflyplus(2,4,2,3)", SMALL])
@pytest.mark.parametrize("runs", [1, 20])
def test_searches_by_simulation_end_with_their_runs_and_admissible_traffic(
    text: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[float]()

    def counted(*given: Any, **asked: Any) -> SimulationResult:
        made.append(asked["load"])
        return simulate(*given, **asked)

    monkeypatch.setattr(worst_simulated, "simulate", counted)
    topology = network(text)
    found = worst_simulated.Search(runs).worst_traffic(topology, "all", 0)
    assert len(made) <= runs
    demand = switch_demand(topology, found.resolve(topology, 0))
    assert len(demand.rate)
    assert (demand.source != demand.target).all()
    for ends in (demand.source, demand.target):
        total = np.bincount(ends, demand.rate, topology.num_switches)
        assert (total <= topology.switch_nodes + 1e-9).all()


@pytest.mark.parametrize(
    "labels", [["b", "b", "a"], [" a", "a", "1"], ["rack 1, unit 3", '"b"', "c"], ["1", "0", "2"]]
)
def test_the_worst_traffic_is_that_of_the_switches_whatever_they_are_called(
    labels: list[str],
) -> None:
    line: dict[str, Any] = {"switches": 3, "endpoints": [2, 1, 3], "links": [[0, 1], [1, 2]]}
    plain, named = (Listing.model_validate(line | {"labels": one}).build() for one in ([], labels))
    pattern = parse_pattern("worst(none)")
    known = pattern.resolve(plain, 0)
    assert pattern.resolve(named, 0).equals(known)
    assert len(switch_demand(named, pattern.outlined(named, 0).resolve(named, 0)).rate) == 3
    found = worst(named, "none", starts=1)
    again = MatrixPattern.of(found.witness.asked)
    assert throughput(named, "none", again).theta == pytest.approx(found.ceiling)


@pytest.mark.parametrize("pattern", [PATTERN, SIMULATED])
def test_requests_are_checked_without_a_search(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: object) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr("tvlb.guarantee.worst_traffic", search)
    monkeypatch.setattr("tvlb.search.worst_simulated.Search.worst_traffic", search)
    asked: dict[str, Any] = {"topology": SMALL, "pattern": pattern, "load": (0.1,)}
    long: dict[str, Any] = asked | {"load": 1.0, "cycles": 100_000, "routing": ("min",)}
    for body, plain in (
        (ModelBody(topology=SMALL, pattern=pattern), {"pattern": "uniform"}),
        (simulation_body("iq")(**asked), {"pattern": "uniform"}),
        (simulation_body("vct")(**asked, router="vct"), {"pattern": "uniform"}),
        (simulation_body("iq")(**asked | {"pattern": f"step({pattern},9,0.2)"}), {}),
        (StabilityBody(**long), {"pattern": "uniform"}),
        (TableBody(topology=SMALL, traffic=(pattern,)), {"traffic": ("uniform",)}),
    ):
        assert pattern in str(body.resolved())
        cost = body.cost()
        assert cost.stages["traffic"] > 0
        assert cost.cpu_seconds > body.model_copy(update=plain).cost().cpu_seconds or not plain


@pytest.mark.parametrize(
    ("asked", "pattern", "said"),
    [
        (SMALL, "worst(t.parquet)", "SET 't.parquet' is no expression of paths"),
        (SMALL, "worst(<=9)", r"worst\(<=9\): .*path lengths are 2..6"),
        ("torus(1,21,21)", "worst(all)", "nodes at 441 switches; the limit is 400"),
        ("torus(1,21,21)", "worst-simulated(all)", "nodes at 441 switches; the limit is 400"),
        ("star.json", "worst(all)", "nodes at one switch only"),
        ("uneven.json", "worst(all)", "count as 27,000, .*; the limit is 4,096"),
    ],
)
def test_what_cannot_be_made_is_refused_before_any_search(
    asked: str, pattern: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("star.json").write_text('{"switches": 2, "endpoints": [3, 0], "links": [[0, 1]]}')
    Path("uneven.json").write_text(json.dumps(UNEVEN))
    topology = as_topology(asked)
    with pytest.raises(InvalidInput, match=said) as caught:
        parse_pattern(pattern).outlined(topology, 0)
    assert "\n" not in str(caught.value)
