"""Algorithm 1 from end to end, on a network small enough for tests."""

import json
import math
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_bridge import SimulationConfig
from tests.search.here import Memory, unit_cache_here
from tvlb.balance import BalanceOptions
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, parse_expression, revisits
from tvlb.processes import Progress, UnitCache
from tvlb.requests import TableDocument
from tvlb.search import SearchOptions, TableResult, Windows, compact_table, optimize
from tvlb.search.simulation_units import Recipe
from tvlb.statistics import Verdict
from tvlb.table import CompactTable, Table, verify, write_table
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 3)


def never(_: PathSet) -> bool:
    return False


QUICK = SearchOptions(
    method="paper",
    patterns="4",
    screening=Windows(300, 300, 0.05),
    confirmation=Windows(600, 400, 0.02),
    finalists=1,
)


@pytest.fixture(scope="module")
def unit_cache() -> UnitCache:
    """Computes here, and what several tests need once."""
    return unit_cache_here(Memory())


@pytest.fixture(scope="module")
def result(unit_cache: UnitCache) -> TableResult:
    return optimize(TOPOLOGY, QUICK, unit_cache=unit_cache)


def test_table_is_what_the_decision_says(result: TableResult) -> None:
    decision = result.validation.decision
    assert result.table.header.expression == decision.expression
    assert result.table.topology == TOPOLOGY
    assert verify(result.table).ok
    if result.chosen is not None:
        report = result.chosen.balance_report
        assert report is not None
        assert len(result.table.removed) == report.removed


def test_candidates_come_without_revisited_switches_if_asked(unit_cache: UnitCache) -> None:
    found = optimize(TOPOLOGY, replace(QUICK, loop_free=True), unit_cache=unit_cache)
    names = {one.expression for one in found.candidates}
    simple = {one for one in names if one.endswith(" & simple")}
    assert simple
    for one in names - simple:
        revisiting = revisits(parse_expression(one, TOPOLOGY).all_rows()).any()
        assert (f"{one} & simple" in names) == revisiting
    assert found.validation.decision.expression in {"all", *names}


def test_finalists_and_baseline_are_confirmed(result: TableResult) -> None:
    assert result.validation.baseline.confirmed
    confirmed = [one for one in result.validation.candidates if one.confirmed]
    assert 1 <= len(confirmed) <= 2
    judged = [one.expression for one in result.validation.judgements if one.against == "all"]
    changes = {one["expression"]: one for one in result.records()}
    for one in result.validation.judgements:
        if one.against == "all":
            told = changes[one.expression]
            assert told["saturation_change"] == one.saturation.mean
            assert told["saturation_change_half_width"] == one.saturation.half_width
            latency = one.latency[0]
            assert told["latency_change"] == (latency and latency.mean)
    assert changes["all"]["saturation_change"] is None
    assert judged == [one.measured.expression for one in confirmed]
    assert {one.windows for one in confirmed} == {QUICK.confirmation}


def test_equal_sets_are_simulated_once(result: TableResult) -> None:
    # With one link per switch pair and group, several expressions mean the same paths.
    names = {one.expression for one in result.candidates} | result.merged.keys()
    assert len(names) == len(result.candidates) + len(result.merged)


@pytest.mark.slow
def test_equal_bytes_in_this_process_and_in_two_others(result: TableResult, tmp_path: Path) -> None:
    other = optimize(TOPOLOGY, replace(QUICK, workers=2))
    for suffix in (".parquet", ".json", ".csv"):
        first, second = tmp_path / f"here{suffix}", tmp_path / f"two{suffix}"
        write_table(result.table, first)
        write_table(other.table, second)
        assert first.read_bytes() == second.read_bytes()
    timeless: list[dict[str, object]] = [
        {**TableDocument.of(one).plain(), "timings": None} for one in (result, other)
    ]
    assert timeless[0] == timeless[1]


def test_document_is_valid_json_with_the_promised_keys(result: TableResult) -> None:
    document = json.loads(json.dumps(TableDocument.of(result).plain(), allow_nan=False))
    assert {
        "topology",
        "table",
        "probe",
        "candidates",
        "baseline",
        "balance",
        "timings",
        "provenance",
    } <= document.keys()
    assert document["table"].keys() == {
        "id",
        "form",
        "expression",
        "mean_vlb_hops",
        "paths",
        "removed_by_balance",
        "sampled_pairs",
        "balancing",
    }
    assert len(document["baseline"]["per_pattern"]) == 5
    assert {"before", "after"} <= document["balance"]["local"].keys()
    mean = document["baseline"]["saturation_mean"]
    assert math.isclose(mean, sum(p["saturation"] for p in document["baseline"]["per_pattern"]) / 5)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"routing": "min"}, "min"),
        ({"routing": "ospf"}, "ospf"),
        ({"seed": -1}, "-1"),
        ({"workers": 0}, "workers 0"),
        ({"patterns": "1000"}, "1000"),
        ({"tolerance": 2.0}, "2.0"),
    ],
)
def test_bad_options_are_refused_before_work(change: dict[str, object], named: str) -> None:
    def fail(event: Progress) -> None:
        raise AssertionError(f"work started: {event}")

    with pytest.raises(InvalidInput, match=named):
        optimize(TOPOLOGY, replace(QUICK, **change), report=fail)


def test_networks_with_too_many_pairs_are_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="pairs of switches"):
        optimize(Dragonfly(1, 90, 1, 91, "palmtree"))


@pytest.mark.slow
def test_where_paths_are_too_many_the_table_is_compact(monkeypatch: pytest.MonkeyPatch) -> None:
    # The limit of 50 million paths is put to 0. On this network balancing removes nothing besides
    # the step per pair, so the search must find the same and the compact table must expand to it.
    options = replace(QUICK, balancing=BalanceOptions(global_threshold=10.0))
    listed = optimize(TOPOLOGY, options, unit_cache=unit_cache_here())
    for module in ("search.tables", "search.candidates", "balance.balancing"):
        monkeypatch.setattr(sys.modules[f"tvlb.{module}"], "is_listable", never)
    # Scenarios are not taken from the search before.
    monkeypatch.setattr("tvlb.search.simulation_units._built", cache(Recipe.scenario))
    compact = optimize(TOPOLOGY, options, unit_cache=unit_cache_here())
    assert isinstance(compact.table, CompactTable)
    assert compact.table.expanded().id == listed.table.id
    assert compact.table.id != listed.table.id
    assert compact_table(compact) is compact.table
    document = TableDocument.of(compact).plain()
    json.dumps(document)
    assert document["table"]["form"] == "compact"  # pyright: ignore[reportIndexIssue]
    assert TableDocument.of(listed).plain()["candidates"] is not None
    for ours, theirs in zip(
        compact.validation.candidates, listed.validation.candidates, strict=True
    ):
        assert np.array_equal(ours.measured.saturation, theirs.measured.saturation)


def test_any_result_has_a_compact_form(result: TableResult) -> None:
    assert isinstance(result.table, Table)
    assert compact_table(result).expanded().id == result.table.id


def test_where_every_set_is_all_there_is_no_candidate() -> None:
    # With one switch per group all VLB paths have two hops.
    result = optimize(Dragonfly(4, 1, 2, 3), QUICK, unit_cache=unit_cache_here())
    assert result.candidates == ()
    assert result.table.header.expression == "all"
    assert result.verdict.text[0] == "Keep conventional UGAL (all): no other set was simulated."
    assert result.verdict.verdict is Verdict.UNMEASURED


def test_patterns_that_differ_near_full_load_start_from_loads_that_exist() -> None:
    # One node per switch: loads up to 1 are sustained, and a guess moved up from there is above 1.
    windows = Windows(300, 300, 0.05)
    options = replace(
        QUICK,
        patterns="2",
        screening=windows,
        confirmation=Windows(400, 400, 0.05),
        data_points=2,
        simulated_patterns=2,
    )
    result = optimize(Dragonfly(1, 2, 2, 3), options, unit_cache=unit_cache_here())
    assert result.validation.baseline.measured.saturation.max() <= 1.0


def test_router_settings_reach_the_simulator(result: TableResult, unit_cache: UnitCache) -> None:
    # One-flit buffers hold a VC for a whole round trip: saturation falls far below the default.
    narrow = replace(QUICK, config=SimulationConfig(buffer_flits=2))
    found = optimize(TOPOLOGY, narrow, unit_cache=unit_cache)
    assert (
        found.validation.baseline.measured.saturation.mean()
        < 0.7 * result.validation.baseline.measured.saturation.mean()
    )
