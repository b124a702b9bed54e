"""Tables for what failures leave, made by the rule of the old ones."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_bridge import SimulationConfig
from tests.search.here import unit_cache_here
from tvlb.balance import BalanceOptions, WeightOptions, balance, balance_weights
from tvlb.cli import main
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.requests import OLD_TABLE, RepairOptions
from tvlb.requests.kinds.repair import RepairDocument
from tvlb.requests.repair import NEW_TABLE, repair
from tvlb.search import Windows
from tvlb.table import CompactTable, Table, read_table, strike_out, verify, write_table
from tvlb.topology import Dragonfly, Failures, link_ids, without

HEALTHY = Dragonfly(2, 4, 2, 5)
PATH_SET = parse_expression("<=5", HEALTHY, 0)
TABLE = Table.from_rows(PATH_SET, PATH_SET.all_rows(), version=VERSION)
# One of the two cables between groups 0 and 1; both; a local one; a switch.
FAILURES = [
    Failures(links=((0, 4),)),
    Failures(links=((0, 4), (2, 5))),
    Failures(links=((0, 1),)),
    Failures(switches=(5,)),
]
_SMALL = ("--traffic", "shift(1,0)", "--confirmation", "200,200,0.1", "--workers", "1")
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
    found = repair(TABLE, failures, QUICK, unit_cache=unit_cache_here())
    again = parse_expression("<=5", network, 0)
    assert found.table.id == Table.from_rows(again, again.all_rows(), version=VERSION).id
    assert found.report.ok
    assert [(one.expression, one.against) for one in found.held_out.judgements] == [
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
        repair(TABLE, FAILURES[2], replace(QUICK, routing=one), unit_cache=unit_cache_here())
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
    found = repair(table, FAILURES[0], QUICK, unit_cache=unit_cache_here())
    keep = balance(again, BalanceOptions(), seed=0).keep
    assert keep is not None
    assert isinstance(found.table, Table)
    assert len(found.table) == np.count_nonzero(keep)
    weights = WeightOptions(rounds=2)
    by_weights = balance_weights(PATH_SET, weights).path_set.all_rows()
    table = Table.from_rows(PATH_SET, by_weights, weights=weights, version=VERSION)
    found = repair(table, FAILURES[0], QUICK, unit_cache=unit_cache_here())
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
    left = repair(TABLE, FAILURES[0], QUICK, unit_cache=unit_cache_here())
    with pytest.raises(InvalidInput, match="has failures already"):
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
        # Conventional UGAL, on all paths of what is left, is a part of the comparison.
        (SimulationConfig(vc_count=2), "vc_count 2 is too few: won needs "),
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
