"""The pattern `worst(SET)`: as bad as is known, found once for all runs, and refused in a line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_bridge import SimulationConfig, VctConfig, simulate
from tvlb.errors import InvalidInput
from tvlb.guarantee import worst, worst_traffic
from tvlb.model import throughput
from tvlb.requests import TableBody
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.simulation_body import simulation_body
from tvlb.search import SearchOptions, check_request, optimize
from tvlb.topology import as_topology
from tvlb.traffic import parse_pattern

SMALL = "dfly(2,4,2,3)"
PATTERN = "worst(<=3)"


@pytest.mark.parametrize(("paths", "known"), [("all", 0.5358), ("short(2,3)", 0.4452)])
def test_the_model_sustains_no_more_than_is_known(paths: str, known: float) -> None:
    # TYPE_1 and TYPE_2 have .5625 and .4749 at the least.
    assert throughput("dfly(2,4,2,9)", paths, f"worst({paths})").theta <= known + 1e-4


def test_equal_seeds_draw_the_paths_and_their_traffic_alike() -> None:
    network, text = as_topology(SMALL), "worst(<=3+50%)"
    first, again, other = (parse_pattern(text).settled(network, seed) for seed in (1, 1, 2))
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


def test_tables_are_searched_and_judged_on_it_and_by_what_they_guarantee() -> None:
    options = SearchOptions(
        traffic=(PATTERN,), objective="guaranteed", budget="0", seed=3, workers=1
    )
    config = replace(options.config, measured_cycles=500)
    found = optimize("1,2,1,3", replace(options, config=config))
    assert set(found.validation.patterns) == {PATTERN}
    floors = found.verdict.floors
    assert floors.keys() == {one.expression for one in found.verdict.sets}
    assert floors["all"] == pytest.approx(worst("1,2,1,3", "all", starts=1).floor)
    with pytest.raises(InvalidInput, match=r"guaranteed: slimfly\(9\) .* the limit is 100"):
        check_request(as_topology("slimfly(9)"), options)


def test_requests_are_checked_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(*_: object) -> None:
        raise AssertionError("searched")

    monkeypatch.setattr("tvlb.guarantee.worst_traffic", search)
    asked: dict[str, Any] = {"topology": SMALL, "pattern": PATTERN, "load": (0.1,)}
    long: dict[str, Any] = asked | {"load": 1.0, "cycles": 100_000, "routing": ("min",)}
    for body, plain in (
        (ModelBody(topology=SMALL, pattern=PATTERN), {"pattern": "uniform"}),
        (simulation_body("iq")(**asked), {"pattern": "uniform"}),
        (simulation_body("vct")(**asked, router="vct"), {"pattern": "uniform"}),
        (simulation_body("iq")(**asked | {"pattern": f"step({PATTERN},9,0.2)"}), {}),
        (StabilityBody(**long), {"pattern": "uniform"}),
        (TableBody(topology=SMALL, traffic=(PATTERN,)), {"traffic": ("uniform",)}),
    ):
        assert PATTERN in str(body.resolved())
        cost = body.cost()
        assert cost.stages["traffic"] > 0
        assert cost.cpu_seconds > body.model_copy(update=plain).cost().cpu_seconds or not plain


@pytest.mark.parametrize(
    ("network", "pattern", "said"),
    [
        (SMALL, "worst(t.parquet)", "SET 't.parquet' is no expression of paths"),
        (SMALL, "worst(<=9)", r"worst\(<=9\): .*path lengths are 2..6"),
        ("torus(1,21,21)", "worst(all)", "nodes at 441 switches; the limit is 400"),
        ("star.json", "worst(all)", "nodes at one switch only"),
    ],
)
def test_what_cannot_be_made_is_refused_before_any_search(
    network: str, pattern: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("star.json").write_text('{"switches": 2, "endpoints": [3, 0], "links": [[0, 1]]}')
    topology = as_topology(network)
    with pytest.raises(InvalidInput, match=said) as caught:
        parse_pattern(pattern).outlined(topology, 0)
    assert "\n" not in str(caught.value)
