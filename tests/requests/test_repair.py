"""Tables for what failures leave, made by the rule of the old ones."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_bridge import Scenario, SimulationConfig
from tests.search.here import Memory, unit_cache_here
from tvlb.balance import BalanceOptions, WeightOptions, balance, balance_weights
from tvlb.cli import main
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, UgalRule, parse_expression
from tvlb.requests import RepairOptions
from tvlb.requests.kinds.repair import RepairDocument
from tvlb.requests.loading import LoadingDocument, loading_notes
from tvlb.requests.repair import NEW_TABLE, OLD_TABLE, repair
from tvlb.search import Windows
from tvlb.table import (
    Channel,
    Columns,
    CompactTable,
    RowChanges,
    Table,
    read_table,
    strike_out,
    verify,
    write_table,
)
from tvlb.topology import Dragonfly, Failures, link_ids, without
from tvlb.traffic import Shift

HEALTHY = Dragonfly(2, 4, 2, 5)
PATH_SET = parse_expression("<=5", HEALTHY, 0)
TABLE = Table.from_rows(PATH_SET, PATH_SET.all_rows(), version=VERSION)
# A rule that draws other paths of what is left.
_PART = parse_expression("<=4+60%", HEALTHY, 0)
DRAWN = Table.from_rows(_PART, _PART.all_rows(), version=VERSION)
# One of the two cables between groups 0 and 1; both; a local one; a switch.
FAILURES = [
    Failures(links=((0, 4),)),
    Failures(links=((0, 4), (2, 5))),
    Failures(links=((0, 1),)),
    Failures(switches=(5,)),
]
_SMALL = ("--traffic", "shift(1,0)", "--confirmation", "200,200,0.1", "--workers", "1")
# Most repairs simulate the same of the same network, which they need to do once.
_KEPT = Memory()
STRUCK = RepairOptions(strike_only=True)
QUICK = RepairOptions(traffic=("shift(1,0)",), windows=Windows(200, 200, 0.1), workers=1)


@pytest.mark.parametrize("failures", FAILURES, ids=str)
def test_paths_that_are_left_keep_their_links_and_proportions(failures: Failures) -> None:
    network = without(HEALTHY, failures)
    struck = strike_out(TABLE, network)
    before, after, ids = TABLE.rows, struck.rows, link_ids(network)
    links = before.links()
    alive = ((links < 0) | (ids[links] >= 0)).all(axis=1)
    expected = np.where(links < 0, -1, ids[links])[alive]
    # Longer paths may be there, which the table does not have.
    found = after.links()[:, : expected.shape[1]]
    assert (found == expected).all()
    assert (after.hops == before.hops[alive]).all()
    assert struck.struck == np.count_nonzero(~alive) > 0
    counts = np.diff(after.offset)
    sums = np.bincount(after.pair_of_row, after.weight, minlength=len(counts))
    assert sums[counts > 0] == pytest.approx(1.0)
    # The rows of a pair had equal weights, and have them still.
    assert after.weight == pytest.approx(1.0 / counts[after.pair_of_row])


def test_pairs_that_lost_everything_are_counted() -> None:
    both = without(HEALTHY, FAILURES[1])
    lost = strike_out(TABLE, both)
    # Four switches in each of both groups, in both directions; no detour goes by the direct cables.
    assert (lost.pairs_without_min_paths, lost.pairs_without_paths) == (32, 0)
    # Of a switch that is down no pair counts.
    local = strike_out(TABLE, without(HEALTHY, FAILURES[2]))
    assert local.pairs_without_min_paths >= 2


@pytest.mark.parametrize("failures", FAILURES, ids=str)
def test_the_rule_of_the_table_is_applied_to_what_is_left(failures: Failures) -> None:
    network = without(HEALTHY, failures)
    found = repair(TABLE, failures, QUICK, unit_cache=unit_cache_here(_KEPT))
    again = parse_expression("<=5", network, 0)
    assert found.table.id == Table.from_rows(again, again.all_rows(), version=VERSION).id
    assert found.report.ok
    assert [(one.expression, one.against) for one in found.verdict.judgements] == [
        (NEW_TABLE, OLD_TABLE),
        ("all", OLD_TABLE),
        (NEW_TABLE, "all"),
    ]
    document = RepairDocument.of(found)
    assert document.verdict is not None
    assert document.verdict.text == found.verdict.text
    assert document.verdict.replaces == found.verdict.own[0].verdict.is_gain
    assert [one.expression for one in document.verdict.sets] == [NEW_TABLE, OLD_TABLE, "all"]
    assert document.topology == f"dfly(2,4,2,5) without {failures}"
    assert document.deadlock_free
    assert document.vcs_needed == again.all_rows().hops.max() or network.vc_scheme == "won"


def test_the_proof_is_for_the_routing_that_uses_the_table() -> None:
    once, again = (
        repair(TABLE, FAILURES[2], replace(QUICK, routing=one), unit_cache=unit_cache_here(_KEPT))
        for one in ("ugal-l", "par")
    )
    assert (once.report.par, again.report.par) == (False, True)
    assert again.report.vcs_needed == (once.report.vcs_needed or 0) + 1


def test_balancing_is_done_again() -> None:
    network = without(HEALTHY, FAILURES[0])
    again = parse_expression("<=5", network, 0)
    keep = balance(PATH_SET, BalanceOptions(), seed=0).keep
    assert keep is not None
    kept = PATH_SET.all_rows().select(keep)
    table = Table.from_rows(PATH_SET, kept, ~keep, version=VERSION)
    found = repair(table, FAILURES[0], QUICK, unit_cache=unit_cache_here(_KEPT))
    keep = balance(again, BalanceOptions(), seed=0).keep
    assert keep is not None
    assert isinstance(found.table, Table)
    assert len(found.table) == np.count_nonzero(keep)
    weights = WeightOptions(rounds=2)
    by_weights = balance_weights(PATH_SET, weights).path_set.all_rows()
    table = Table.from_rows(PATH_SET, by_weights, weights=weights, version=VERSION)
    found = repair(table, FAILURES[0], QUICK, unit_cache=unit_cache_here(_KEPT))
    assert isinstance(found.table, Table)
    expected = balance_weights(again, weights).path_set.all_rows().weight
    assert found.table.rows.weight == pytest.approx(expected)


def test_what_has_no_rule_or_no_rows_is_refused() -> None:
    listed = Table.from_rows(PATH_SET, PATH_SET.all_rows(), weights="listed", version=VERSION)
    with pytest.raises(InvalidInput, match="follow from no rule"):
        repair(listed, FAILURES[0], QUICK)
    with pytest.raises(InvalidInput, match="the table is compact"):
        repair(CompactTable.from_set(PATH_SET, version=VERSION), FAILURES[0], QUICK)
    with pytest.raises(InvalidInput, match="is not what is left of it"):
        strike_out(TABLE, without(Dragonfly(2, 4, 2, 9), Failures(links=((0, 4),))))
    with pytest.raises(InvalidInput, match=r"switch 99 cannot be down"):
        repair(TABLE, Failures(switches=(99,)), QUICK)
    left = repair(TABLE, FAILURES[0], STRUCK)
    with pytest.raises(InvalidInput, match=r"cable \[0,4\] is down in .* already: .* all at once"):
        repair(left.table, FAILURES[2], QUICK)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> list[str]:
    """Return a command for a repair, in a folder with what it reads; `_SMALL` is its end."""
    monkeypatch.chdir(tmp_path)
    write_table(TABLE, Path("old.json"))
    Path("down.json").write_text(FAILURES[1].model_dump_json())
    return ["repair", "old.json", "--without", "down.json", "-o", "new.parquet", *_SMALL]


def test_the_command_writes_the_table(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--json"]) == 0
    text = capsys.readouterr().out
    assert RepairDocument.model_validate_json(text).plain() == json.loads(text)
    table = read_table("new.parquet")
    assert table.id == json.loads(text)["table_id"]
    assert verify(table).ok
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert "free of deadlock" in printed
    for line in json.loads(text)["verdict"]["text"]:
        assert line in printed
    Path("down.json").write_text('{"links": [[0, 19]]}')
    assert main(command[: -len(_SMALL)]) == 2
    assert capsys.readouterr().err.endswith(
        "tvlb: error: 1 cable [0,19] cannot be down: dfly(2,4,2,5) has none there\n"
    )


def test_settings_are_checked() -> None:
    with pytest.raises(InvalidInput, match="routing 'min'"):
        replace(QUICK, routing="min")
    with pytest.raises(InvalidInput, match="traffic"):
        replace(QUICK, traffic=("uniform", "uniform"))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        # Both cables of two groups are down: VCs follow won on what is left.
        (SimulationConfig(vc_count=1), "vc_count 1 is too few: MIN paths of .* alone need 2 .won"),
        (
            SimulationConfig(global_latency=400),
            "confirmation 200,200,0.1: .* take up to 840 cycles",
        ),
    ],
)
def test_routers_that_judge_nothing_are_refused(config: SimulationConfig, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        repair(TABLE, FAILURES[0], replace(QUICK, config=config))


def test_the_routers_are_told(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--routing", "par", "--buffer", "8", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("warning: a buffer of 8 flits is below the credit round trip") == 2
    document = json.loads(captured.out)
    asked, config = document["parameters"], document["parameters"]["config"]
    assert (asked["routing"], asked["traffic"]) == ("par", ["shift(1,0)"])
    # What the family says is filled in.
    assert (config["buffer_flits"], config["global_latency"]) == (8, 15)
    del document["parameters"]  # as of earlier versions
    assert RepairDocument.model_validate(document).plain() == document


@pytest.mark.parametrize(
    ("of_table", "asked", "is_other"),
    [("port", None, False), ("port", "vc", True), ("vc", None, True), ("vc", "port", False)],
)
def test_other_rules_are_judged_where_nodes_fill_a_link_of_their_switch(
    of_table: str, asked: str | None, is_other: bool
) -> None:
    config = SimulationConfig(queue=asked)
    options = RepairOptions(windows=Windows(100, 100, 0.1), config=config, workers=1)
    table = TABLE.made_for(UgalRule(queue=of_table))
    found = repair(table, FAILURES[0], options, unit_cache=unit_cache_here(_KEPT))
    assert found.held_out is not None
    names = map(str, found.held_out.workload.patterns)
    assert any("switch-permutation(neighbours" in one for one in names) == is_other
    rule = UgalRule(queue="vc") if is_other else None
    assert found.table.ugal == rule
    told = f"Tables were simulated by {rule}, conventional UGAL by the published rule."
    assert (told in found.verdict.text) == is_other


def test_conventional_ugal_has_the_published_rule_whatever_tables_are_given() -> None:
    latencies: list[list[float]] = []
    for of_table, asked in (("port", "vc"), ("vc", None)):
        config = SimulationConfig(queue=asked)
        options = RepairOptions(windows=Windows(100, 100, 0.1), config=config, workers=1)
        table = TABLE.made_for(UgalRule(queue=of_table))
        found = repair(table, FAILURES[0], options, unit_cache=unit_cache_here(_KEPT))
        assert found.held_out is not None
        latencies.append([one.latency_mean for one in found.held_out.by_load("all")])
    assert latencies[0] == latencies[1]


def whole_rows(rows: PathRows) -> dict[tuple[int, ...], float]:
    """Draw weights by source, target, intermediate and links, as the whole network has them."""
    topology = rows.topology
    ids = np.arange(HEALTHY.num_links) if topology.origin is None else link_ids(topology)
    whole = np.flatnonzero(ids >= 0)
    pair = rows.pair_of_row
    keys = zip(rows.source[pair], rows.target[pair], rows.intermediate, rows.links(), strict=True)
    return {
        (int(source), int(target), int(via), *whole[links[links >= 0]].tolist()): weight
        for (source, target, via, links), weight in zip(keys, rows.weight.tolist(), strict=True)
    }


def tables_of_every_weight() -> Iterator[Table]:
    """By the expression, listed, balanced by weights and by removal."""
    yield TABLE
    yield Table.from_rows(PATH_SET, PATH_SET.all_rows(), weights="listed", version=VERSION)
    weights = WeightOptions(rounds=2)
    by_weights = balance_weights(PATH_SET, weights).path_set.all_rows()
    yield Table.from_rows(PATH_SET, by_weights, weights=weights, version=VERSION)
    keep = balance(PATH_SET, BalanceOptions(), seed=0).keep
    assert keep is not None
    yield Table.from_rows(PATH_SET, PATH_SET.all_rows().select(keep), ~keep, version=VERSION)


TABLES = list(tables_of_every_weight())


@pytest.mark.parametrize("table", TABLES, ids=["expression", "listed", "weights", "removal"])
def test_dead_paths_alone_are_struck_out(table: Table, tmp_path: Path) -> None:
    for failures in FAILURES:
        found = repair(table, failures, STRUCK)
        assert isinstance(found.table, Table)
        assert found.report.ok
        assert found.table.topology == without(HEALTHY, failures)
        left = whole_rows(found.table.rows)
        before = whole_rows(table.rows)
        assert 0 < len(before) - len(left) == found.old.struck.struck
        assert left.keys() < before.keys()
        document = RepairDocument.of(found)
        assert (document.load, document.new, document.patterns) == ("struck", None, ())
        assert document.table_id == found.table.id
        write_table(found.table, tmp_path / "struck.parquet")
        assert read_table(tmp_path / "struck.parquet").id == found.table.id


def test_a_struck_table_is_checked_against_the_rule_of_the_whole_network() -> None:
    table = repair(DRAWN, FAILURES[2], STRUCK).table
    assert isinstance(table, Table)
    assert table.rule_topology == HEALTHY
    columns = table.columns.arrays()
    short = Columns(**{name: values[1:] for name, values in columns.items()})
    assert any(
        "a path of the rule is missing" in one
        for one in verify(replace(table, columns=short)).problems
    )
    weight = columns["weight"].copy()
    weight[0], weight[1] = weight[0] / 2, weight[1] + weight[0] / 2
    other = Columns(**columns | {"weight": weight})
    assert any(
        "the weight is not the rule's" in one
        for one in verify(replace(table, columns=other)).problems
    )
    header = table.header.model_copy(update={"struck": None})
    assert not verify(replace(table, header=header)).ok  # others are drawn of what is left


@pytest.mark.parametrize("table", TABLES, ids=["expression", "listed", "weights", "removal"])
def test_a_struck_table_is_struck_again_as_if_all_had_failed_at_once(table: Table) -> None:
    both = Failures(links=((0, 1), (0, 4)), switches=(9,))
    once = repair(table, FAILURES[2], STRUCK).table
    again, at_once = (repair(one, both, STRUCK).table for one in (once, table))
    assert isinstance(again, Table)
    assert isinstance(at_once, Table)
    assert verify(again).ok
    assert again.header.struck == at_once.header.struck
    assert whole_rows(again.rows) == pytest.approx(whole_rows(at_once.rows))


def test_the_rule_is_applied_to_a_struck_table_as_to_the_whole() -> None:
    both = Failures(links=((0, 1), (0, 4)))
    once = repair(TABLE, FAILURES[2], STRUCK).table
    cache = unit_cache_here(_KEPT)
    again, at_once = (repair(one, both, QUICK, unit_cache=cache) for one in (once, TABLE))
    assert again.table.id == at_once.table.id
    with pytest.raises(InvalidInput, match=r"cable \[0,1\] is down in"):
        repair(once, FAILURES[0], STRUCK)
    with pytest.raises(InvalidInput, match="switch 5 is down in"):
        repair(repair(TABLE, FAILURES[3], STRUCK).table, FAILURES[0], STRUCK)


def test_a_struck_table_is_simulated() -> None:
    table = repair(TABLE, FAILURES[2], STRUCK).table
    assert isinstance(table, Table)
    scenario = Scenario(table.topology, "ugal-l", table.path_set("struck"), Shift(1, 0), seed=0)
    config = SimulationConfig(warmup_cycles=200, measured_cycles=200, vc_count=5)
    assert scenario.run(0.1, config).accepted == pytest.approx(0.1, abs=0.02)


def test_changed_rows_are_counted_by_switch() -> None:
    found = repair(DRAWN, FAILURES[0], QUICK, unit_cache=unit_cache_here(_KEPT))
    document = RepairDocument.of(found)
    before = whole_rows(DRAWN.rows)
    assert isinstance(found.table, Table)
    assert document.new is not None
    assert document.struck is not None
    struck = repair(DRAWN, FAILURES[0], STRUCK).table
    assert isinstance(struck, Table)
    assert any(one.added for one in document.new.switches)
    for told, table in ((document.new, found.table), (document.struck, struck)):
        after = whole_rows(table.rows)
        same = before.keys() & after.keys()
        expected = {
            "removed": Counter(key[0] for key in before.keys() - after.keys()),
            "added": Counter(key[0] for key in after.keys() - before.keys()),
            "reweighted": Counter(key[0] for key in same if abs(before[key] - after[key]) > 1e-9),
        }
        for kind, counts in expected.items():
            listed = {one.switch: getattr(one, kind) for one in told.switches}
            assert {switch: count for switch, count in listed.items() if count} == counts
        assert (told.paths, told.left_out_paths) == (len(table), 0)


def test_the_verdict_says_what_to_load_and_warns_of_more_virtual_channels() -> None:
    # A local cable is down, and VCs follow per-hop: five for paths of five hops, where won had 4.
    found = repair(TABLE, FAILURES[2], QUICK, unit_cache=unit_cache_here(_KEPT))
    document = RepairDocument.of(found)
    assert document.verdict is not None
    text = document.verdict.text
    assert document.load == ("new" if document.verdict.replaces else "struck")
    loaded = NEW_TABLE if document.load == "new" else OLD_TABLE
    assert any(line.startswith(f"Load {loaded}, ") for line in text)
    assert (document.old_vcs_needed, document.vcs_needed) == (4, 5)
    warning = "needs 5 virtual channels (per-hop), the table in use 4 (won)"
    assert sum(line.startswith("Warning: ") and warning in line for line in text) == 1
    assert any("916 of the 10,800 paths" in line for line in text)
    assert any("all MIN paths of 2 pairs of switches" in line for line in text)
    assert any(
        "(per-hop) and those of the table in use (won) together cannot" in one for one in text
    )
    # As before the old table closes no circle either.
    won = replace(STRUCK, config=SimulationConfig(vc_scheme="won"))
    kept = repair(TABLE, FAILURES[2], won)
    assert (kept.report.ok, kept.report.vcs_needed, kept.struck.left_out) == (True, 4, 0)
    assert kept.struck.paths == found.struck.paths
    assert any("; --vcs won keeps to 4 with all paths, --vc-count 4 keeps" in one for one in text)
    # A global cable is down, and nothing rises.
    text = repair(TABLE, FAILURES[0], STRUCK).verdict.text
    needs = "needs 4 virtual channels (won); the table in use 4 (won)."
    assert f"The old table without its dead paths {needs}" in text
    assert text[0] == (
        "Load the old table without its dead paths, which is the table of this repair; nothing was "
        "simulated."
    )


def test_longer_paths_are_left_out_for_want_of_virtual_channels() -> None:
    four = replace(QUICK, config=SimulationConfig(vc_count=4))
    found, free = (
        repair(TABLE, FAILURES[2], one, unit_cache=unit_cache_here(_KEPT)) for one in (four, QUICK)
    )
    assert isinstance(found.table, Table)
    assert isinstance(free.table, Table)
    assert found.report.ok
    assert found.report.vcs_needed == 4
    # Under per-hop a path needs as many as it has hops.
    hops = free.table.rows.hops
    assert len(found.table) == np.count_nonzero(hops <= 4)
    assert found.new is not None
    assert found.new.left_out == np.count_nonzero(hops > 4) > 0
    assert found.table.header.expression == "<=5 & vcs(4,per-hop)"
    struck = repair(TABLE, FAILURES[2], replace(STRUCK, config=four.config))
    assert struck.report.ok
    assert struck.report.vcs_needed == 4
    assert struck.struck.left_out == found.struck.left_out > 0
    text = found.verdict.text
    assert (
        "Conventional UGAL needs 6 virtual channels and was simulated with these, the tables with "
        "4." in text
    )
    # It was: its figures are those without a limit, which the tables' are not.
    assert found.held_out is not None
    assert free.held_out is not None
    usual, same = (one.held_out.of("all") for one in (found, free) if one.held_out is not None)
    assert (usual.latency == same.latency).all()
    assert (found.held_out.of(NEW_TABLE).latency != free.held_out.of(NEW_TABLE).latency).any()
    assert any(
        "with --vcs won the table in use needs no more" in line for line in struck.verdict.text
    )
    few = replace(STRUCK, config=SimulationConfig(vc_count=3))
    bare = repair(TABLE, FAILURES[2], few)
    assert bare.struck.bare > 0
    assert any("no VLB path left: MIN alone there." in line for line in bare.verdict.text)
    with pytest.raises(InvalidInput, match=r"vc_count 2 .* MIN paths .* alone need 3 \(per-hop\)"):
        repair(TABLE, FAILURES[2], replace(STRUCK, config=SimulationConfig(vc_count=2)))
    # Second decisions add a link.
    par = replace(STRUCK, routing="par", config=four.config)
    assert repair(TABLE, FAILURES[2], par).report.vcs_needed == 4
    with pytest.raises(InvalidInput, match=r"vc_count 3 .* alone need more with par"):
        repair(TABLE, FAILURES[2], replace(few, routing="par"))


@pytest.mark.parametrize(
    ("option", "given"),
    [
        ("traffic", {"traffic": ("uniform",)}),
        ("confirmation", {"windows": Windows(200, 200, 0.1)}),
        ("buffer", {"config": SimulationConfig(buffer_flits=40)}),
    ],
)
def test_options_of_simulations_are_refused_where_there_are_none(
    option: str, given: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match=f"{option} is given, but with strike_only nothing is"):
        repair(TABLE, FAILURES[0], replace(STRUCK, **given))


def test_tables_that_may_deadlock_together_are_told() -> None:
    found = repair(TABLE, FAILURES[2], STRUCK)
    channels = (Channel(0, 0, 1, "local", 0), Channel(3, 1, 0, "local", 0))
    waiting = replace(found.struck, cycle=channels)
    notes = loading_notes(waiting, (), found.old, vc_count=None)
    (warning,) = (line for line in notes if "may deadlock" in line)
    assert warning.startswith("Warning: while switches are loaded one after another, the routes")
    assert "VC 0 waits for link 3 (local, 1 -> 0) VC 0 waits for link 0" in warning
    assert not LoadingDocument.of(waiting).deadlock_free_beside_old


def test_switches_that_change_are_told_by_their_names() -> None:
    found = repair(TABLE, FAILURES[0], STRUCK)
    few = np.where(np.isin(np.arange(20), (3, 7)), 1, 0)
    labels = tuple(f"rack{number}" for number in range(20))
    named = replace(found.struck, changes=RowChanges(few, 0 * few, 0 * few), labels=labels)
    notes = loading_notes(named, (), found.old, vc_count=None)
    assert any("at 2 switches (rack3, rack7): 2 fewer" in line for line in notes)
    assert [one.label for one in LoadingDocument.of(named).switches] == ["rack3", "rack7"]
    assert "label" not in LoadingDocument.of(found.struck).plain()["switches"][0]


def test_the_command_strikes_only(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    bare = [*command[: -len(_SMALL)], "--strike-only"]
    assert main([*bare, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "table written to new.parquet\n"
    document = json.loads(captured.out)
    assert RepairDocument.model_validate(document).plain() == document
    table = read_table("new.parquet")
    assert (table.id, str(table.topology)) == (document["table_id"], document["topology"])
    assert document["timings"].keys() == {"build"}
    assert main(bare) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert all(line in printed for line in document["verdict"]["text"])
    assert main(["verify", "new.parquet"]) == 0
    assert main(["show", "new.parquet"]) == 0
    assert "struck from: dfly(2,4,2,5)" in capsys.readouterr().out
    assert main([*command, "--strike-only"]) == 2
    assert capsys.readouterr().err == (
        "tvlb: error: --traffic is given, but with --strike-only nothing is simulated\n"
    )
