"""Tables of splits: saved, read back, shown, and their promises checked from the rates alone."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim_bridge import Routing
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.guarantee import static
from tvlb.paths import sender_pairs
from tvlb.table import TABLE_SUFFIXES, SplitTable, VcSettings, read_any_table, write_table
from tvlb.table.kinds.split import SplitReport
from tvlb.topology import Listing, as_topology

NETWORK = "dfly(2,4,2,3)"


@cache
def made() -> SplitTable:
    return static(NETWORK, "<=4", hops=1.9).table


def problems(table: SplitTable) -> str:
    return "\n".join(table.verify(VcSettings()).problems)


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
def test_every_format_holds_it(suffix: str, tmp_path: Path) -> None:
    write_table(made(), tmp_path / f"t{suffix}")
    found = read_any_table(tmp_path / f"t{suffix}")
    assert isinstance(found, SplitTable)
    assert (found.id, found.header) == (made().id, made().header)
    assert not problems(found)


def test_paths_share_the_rates_of_their_classes() -> None:
    table = made()
    source, target = sender_pairs(table.topology)
    minimal, detours = table.routes(source, target)
    shares = [np.bincount(one.pair_of_row, one.weight, len(source)) for one in (minimal, detours)]
    assert shares[0] + shares[1] == pytest.approx(1.0)
    of_minimal = table.rates[:, [name.isdigit() for name in table.header.classes]].sum(axis=1)
    assert shares[0] == pytest.approx(of_minimal)
    links = sum(float(one.weight @ one.hops) for one in (minimal, detours))
    assert links / len(source) == pytest.approx(table.header.hops_mean)
    assert table.link_usage().sum() == pytest.approx(links)
    # A switch has no paths to itself.
    assert not any(len(one) for one in table.routes(source[:1], source[:1]))


def test_switches_of_unequal_nodes_and_none(tmp_path: Path) -> None:
    links = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]
    listing = {"switches": 4, "endpoints": [2, 1, 0, 1], "links": links}
    table = static(Listing.model_validate(listing).build()).table
    write_table(table, tmp_path / "t.json")
    assert not problems(table)
    assert set(table.src_switch.tolist()) == {0, 1, 3}


FAULTS: dict[str, Callable[[SplitTable], SplitTable]] = {
    "the floor is 0.6\\d+, not 0.7": lambda t: headed(t, floor=0.7),
    "mean hops are 1.9.*, not 2.0": lambda t: headed(t, hops_mean=2.0),
    "rates do not sum to 1 \\(1 pairs\\), first 0 -> 1": lambda t: rated(t, 0, t.rate[0] / 2),
    "the rate is not above 0 \\(1 rows\\), first row 3": lambda t: rated(t, 3, -1.0),
    "out of order or a second one": lambda t: replace(t, src_switch=t.src_switch[::-1]),
    "the class is not in 0..": lambda t: replace(t, paths=t.paths + np.int16(100)),
    "no pair of switches with nodes": lambda t: replace(t, dst_switch=t.dst_switch + np.int32(1)),
    "there are no paths for all rates": lambda t: headed(
        t, classes=tuple({"1": "2", "2": "1"}.get(name, name) for name in t.header.classes)
    ),
}


def headed(table: SplitTable, **update: object) -> SplitTable:
    return replace(table, header=table.header.model_copy(update=update))


def rated(table: SplitTable, row: int, rate: float) -> SplitTable:
    rates = table.rate.copy()
    rates[row] = rate
    return replace(table, rate=rates)


@pytest.mark.parametrize(("problem", "change"), FAULTS.items(), ids=[*FAULTS])
def test_what_does_not_hold_is_found(
    problem: str, change: Callable[[SplitTable], SplitTable]
) -> None:
    assert re.search(problem, problems(change(made())))


@pytest.mark.parametrize(
    ("classes", "said"),
    [(("1", "g.x"), "classes: 'g.x' is none of"), (("1", "1"), "classes: '1' is named twice")],
)
def test_classes_are_those_of_the_network(classes: tuple[str, ...], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        headed(made(), classes=classes).check()


def test_commands_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(made(), "t.parquet")
    assert main(["show", "t.parquet", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["floor"] == made().header.floor
    assert sum(shown["rates"].values()) == pytest.approx(1.0)
    assert main(["verify", "t.parquet"]) == 0
    assert main(["export", "t.parquet", "--to", "csv", "-o", "t.csv", "--switch", "1"]) == 0
    capsys.readouterr()
    for command, said in (
        (["model", NETWORK, "--vlb", "t.parquet"], "is a split table, which gives no VLB paths"),
        (["repair", "t.parquet", "--without", "d.json", "-o", "r.csv"], "by tvlb static --without"),
    ):
        Path("d.json").write_text('{"links": [[0, 1]]}')
        assert main(command) == 2
        assert said in capsys.readouterr().err


def test_it_is_of_one_network() -> None:
    assert made().topology == as_topology(NETWORK)


def test_paths_are_proved_free_of_deadlock() -> None:
    table = made()
    good, few = (table.verify(VcSettings("per-hop", count)) for count in (None, 1))
    rows = table.weighted_paths("t").rows(*sender_pairs(table.topology))
    assert isinstance(good, SplitReport)
    assert (good.ok, good.vcs_needed) == (True, rows.hops.max())
    assert good.size.endswith(f" rows, {good.vcs_needed} VCs needed")
    (problem,) = few.problems
    assert re.match(r"routing deadlock: link \d+ \(.*\) VC 0 waits for link ", problem)
    with pytest.raises(InvalidInput, match="routing ugal-l draws no paths by the rates of a split"):
        table.verify(VcSettings(routing=Routing("ugal-l")))
    # Those of a pair follow each other, MIN first.
    assert np.all(np.diff(rows.offset) > 0)
    first = rows.intermediate[rows.offset[:-1]]
    assert np.all(first[table.rates[:, 0] > 0] < 0)
    assert np.bincount(rows.pair_of_row, rows.weight) == pytest.approx(1.0)
    order = rows.pair_of_row * 1000 + rows.intermediate
    assert np.all(np.diff(order) >= 0)
