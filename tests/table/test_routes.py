"""Switch sequences for other tools: what is written is read back by a reader of its own."""

import csv
import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tvlb.balance import WeightOptions
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, all_pairs, min_rows, parse_expression
from tvlb.table import CompactTable, Routes, Table, exported_paths, route_formats, write_table
from tvlb.topology import Dragonfly, Failures, Topology, parse_topology, without

Weights = dict[tuple[int, ...], float]


@dataclass(frozen=True)
class Sequences:
    """A file of switch sequences: its header, and weights by kind and switches."""

    header: dict[str, Any]
    weights: dict[str, Weights]


def read_sequences(path: Path) -> Sequences:
    """Read a file by what docs/formats.md says of it."""
    lines = path.read_text().splitlines()
    assert lines[0] == "# tvlb switch sequences"
    assert lines[-1] == "# end of switch sequences"
    comments = [line[2:].split(": ", 1) for line in lines[1:-1] if line.startswith("#")]
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    weights: dict[str, Weights] = {"min": {}, "vlb": {}}
    for row in rows:
        switches = tuple(map(int, row["switches"].split(" ")))
        assert (switches[0], switches[-1]) == (int(row["source"]), int(row["target"]))
        assert switches not in weights[row["kind"]]
        weights[row["kind"]][switches] = float(row["weight"])
    return Sequences({key: json.loads(value) for key, value in comments}, weights)


def plain_weights(topology: Topology, path_set: PathSet, *, loop_free: bool) -> dict[str, Weights]:
    """List the same from the rows, path by path."""
    found: dict[str, Weights] = {}
    pairs = all_pairs(topology)
    for kind, rows in (("min", min_rows(topology, *pairs)), ("vlb", path_set.rows(*pairs))):
        weights: Weights = defaultdict(float)
        targets = topology.network.link_target
        for pair, links, weight in zip(rows.pair_of_row, rows.links(), rows.weight, strict=True):
            visited = (int(rows.source[pair]), *(int(targets[one]) for one in links if one >= 0))
            if not loop_free or len(set(visited)) == len(visited):
                weights[visited] += weight
        found[kind] = scaled(weights)
    return found


def scaled(weights: Weights) -> Weights:
    total: dict[tuple[int, int], float] = defaultdict(float)
    for switches, weight in weights.items():
        total[switches[0], switches[-1]] += weight
    return {one: weight / total[one[0], one[-1]] for one, weight in weights.items()}


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("network", "expression"),
    [
        ("2,4,2,9", "all"),
        ("2,4,2,9", "shape(g.?:2, lg.lg)"),
        ("2,4,2,3", "short(2,3)"),
        ("1,3,2,4", "<=4+50%"),
        ("2,4,2,5", "none"),
        ("ring(7,2)", "short(all)"),
    ],
)
@pytest.mark.parametrize("loop_free", [False, True])
def test_what_is_written_is_what_the_rows_say(
    network: str, expression: str, loop_free: bool, tmp_path: Path
) -> None:
    topology = parse_topology(network)
    path_set = parse_expression(expression, topology)
    path = tmp_path / "s.csv"
    routes = Routes(path_set, loop_free=loop_free)
    assert route_formats()["sequences"].write(routes, path) == []
    found = read_sequences(path)
    assert found.header["topology"] == str(topology)
    assert found.header["paths"] == expression
    assert (found.header["min_share"], found.header["loop_free"]) == (None, loop_free)
    expected = plain_weights(topology, path_set, loop_free=loop_free)
    for kind in ("min", "vlb"):
        assert found.weights[kind] == pytest.approx(expected[kind])
        assert list(found.weights[kind]) == sorted(found.weights[kind], key=_pair)


def _pair(switches: tuple[int, ...]) -> tuple[int, int]:
    return switches[0], switches[-1]


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_fixed_share_is_that_of_the_pairs_with_detours(share: float, tmp_path: Path) -> None:
    # Two groups of two switches: pairs between the groups have no detour.
    topology = Dragonfly(1, 3, 2, 2)
    path = tmp_path / "s.csv"
    routes = Routes(parse_expression("all", topology), share)
    (remark,) = route_formats()["sequences"].write(routes, path)
    assert "this is not UGAL" in remark
    found = read_sequences(path)
    total: dict[tuple[int, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for kind, weights in found.weights.items():
        for switches, weight in weights.items():
            total[_pair(switches)][kind] += weight
    assert len(total) == 6 * 5
    for (source, target), by_kind in total.items():
        inside = source // 3 == target // 3
        assert by_kind["min"] == pytest.approx(share if inside else 1)
        assert by_kind["vlb"] == pytest.approx(1 - share if inside else 0)
    for share_out in (-0.1, 1.5, float("nan")):
        with pytest.raises(InvalidInput, match=r"out of range: 0\.\.1"):
            Routes(routes.path_set, share_out)


def test_pairs_that_lose_every_detour_are_counted(
    make_table: Callable[..., Table], tmp_path: Path
) -> None:
    topology = Dragonfly(2, 4, 2, 9)
    rows = parse_expression("all", topology).all_rows()
    # The first inter-group pair, 0 -> 4, keeps a path that revisits a switch, and only this one.
    links = rows.links()
    visited = topology.network.link_target[links]
    first = int((rows.pair_of_row == 3).argmax())
    revisiting = next(
        row
        for row in range(first, len(rows))
        if len(set(visited[row][links[row] >= 0].tolist())) < (links[row] >= 0).sum()
    )
    pair = rows.pair_of_row[revisiting]
    gone = rows.pair_of_row == pair
    gone[revisiting] = False
    table = make_table("all", topology, removed=gone)
    routes = Routes(table.path_set("t"), loop_free=True)
    path = tmp_path / "s.csv"
    assert route_formats()["sequences"].write(routes, path) == [
        "switch pairs with MIN paths only, since every detour visits a switch twice: 1"
    ]
    ends = (int(rows.source[pair]), int(rows.target[pair]))
    found = read_sequences(path)
    assert not any(_pair(one) == ends for one in found.weights["vlb"])
    assert sum(_pair(one) == ends for one in found.weights["min"]) == 1


def test_what_failures_leave_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    failures = Failures(links=((0, 4),), switches=(7,))
    Path("down.json").write_text('{"links": [[0, 4]], "switches": [7]}')
    command = ["export", "2,4,2,9", "--without", "down.json", "--vlb", "short(2,3)"]
    assert main([*command, "--to", "sequences", "-o", "s.csv"]) == 0
    left = without(Dragonfly(2, 4, 2, 9), failures)
    expected = plain_weights(left, parse_expression("short(2,3)", left), loop_free=False)
    found = read_sequences(Path("s.csv"))
    assert found.weights["vlb"] == pytest.approx(expected["vlb"])
    assert len({_pair(one) for one in found.weights["min"]}) == 35 * 34
    # A switch without nodes has no packets; every other pair has its paths.
    capsys.readouterr()
    assert main([*command, "--to", "sst", "-o", "net", "--min-share", "0.5"]) == 0
    assert "switches without cables: 1, first 7" in capsys.readouterr().err
    table = json.loads(Path("net.routes.json").read_text())
    pairs = {(source, target) for source, row in table.items() for target in row}
    assert len(pairs) == 35 * 34
    assert not any("7" in pair for pair in pairs)


@pytest.mark.parametrize("name", ["t.parquet", "t.json", "t.csv", "c.json"])
def test_tables_of_all_forms_are_exported(
    name: str, tiny: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compact = CompactTable.from_set(tiny.base_set, seed=tiny.header.seed, version="1")
    write_table(compact if name[0] == "c" else tiny, tmp_path / name)
    path = tmp_path / "s.csv"
    command = ["export", str(tmp_path / name), "--to", "sequences", "-o", str(path)]
    assert main([*command, "--min-share", "0.5", "--loop-free", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["written"] == [str(path)]
    assert document["min_share"] == 0.5
    assert "not UGAL" in document["warnings"][0]
    found = read_sequences(path)
    assert found.header["topology"] == "dfly(2,4,2,3)"
    expected = plain_weights(tiny.topology, tiny.base_set, loop_free=True)
    assert found.weights["vlb"] == pytest.approx(
        {one: weight / 2 for one, weight in expected["vlb"].items()}
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["2,4,2,3", "--to", "sequences", "-o", "t.json"], ".json is of json"),
        (["t.csv", "--to", "sequences", "-o", "s.csv", "--vlb", "all"], "--vlb has no meaning"),
        (["t.csv", "--to", "sequences", "-o", "s.csv", "--full"], "--full has no meaning"),
        (["t.csv", "--to", "json", "-o", "s.json", "--loop-free"], "--loop-free has no meaning"),
        (["2,4,2,3", "--to", "sequences", "-o", "s.csv", "--pattern", "uniform"], "--pattern has"),
        (["2,4,2,3", "--to", "sequences", "-o", "s.csv", "--min-share", "2"], "2 is out of range"),
        (["2,4,2,3", "--to", "sequences", "-o", "no/s.csv"], "no"),
        (["d.csv", "--to", "sequences", "-o", "s.csv"], "damaged"),
        (["t.csv", "--to", "sequences", "-o", "s.csv", "--without", "f"], "tvlb repair"),
        (["t.csv", "--to", "json", "-o", "s.json", "--without", "f"], "tvlb repair"),
        (["13,26,13,27", "--to", "sequences", "-o", "s.csv"], "50,000,000"),
    ],
)
def test_refusals(
    arguments: list[str],
    complaint: str,
    tiny: Table,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(tiny, "t.csv")
    text = Path("t.csv").read_text()
    Path("d.csv").write_text(text.replace("\n0,1,2,", "\n0,1,3,", 1))
    assert main(["export", *arguments]) == 2
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.count("\n") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "d.csv"}


def test_files_for_others_say_how_a_table_was_balanced(tiny: Table) -> None:
    rows = tiny.base_set.all_rows()
    # Balancing removes paths between groups alone.
    between = tiny.topology.has_choice(rows.source, rows.target)[rows.pair_of_row]
    first = np.arange(len(rows)) == int(between.argmax())
    from_rows = partial(Table.from_rows, tiny.base_set, version="1")
    made = {
        "": from_rows(rows),
        ", by removal": from_rows(rows.select(~first), first),
        ", by weights": from_rows(rows, weights=WeightOptions()),
    }
    assert [one.called for one in made.values()] == [tiny.header.expression + form for form in made]
    removed = made[", by removal"]
    assert str(exported_paths(removed)) == f"table {removed.id[:16]} ({removed.called})"
