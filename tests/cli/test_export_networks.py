"""`tvlb export` of networks: formats by name or suffix, and what is said of them."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tvlb.cli import main
from tvlb.paths import parse_expression
from tvlb.table import CompactTable, write_table
from tvlb.topology import (
    Dragonfly,
    ListedTopology,
    kinds_of,
    listed,
    network_formats,
    parse_topology,
    write_network,
)

MANUAL = Path(__file__).parents[2] / "docs/formats.md"
NETWORK = "dfly(2,4,2,9)"
FAMILY_LOST = f"the MIN paths of {NETWORK}: of what is read, all shortest paths are MIN paths"
KINDS_LOST = "kinds of links and latencies (local, 10 cycles; global, 15 cycles)"


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring.edges").write_text("0 1\n1 2\n2 0\n")


@pytest.fixture
def table() -> Path:
    network = parse_topology("dfly(1,2,1,3)")
    path = Path("table.json")
    write_table(CompactTable.from_set(parse_expression("all", network), seed=0, version="1"), path)
    return path


def test_the_suffix_decides(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("n.json", "n.graphml", "n.edgelist"):
        assert main(["export", NETWORK, "-o", name]) == 0
        lost = f"{Path(name).suffix[1:]} does not hold {FAMILY_LOST}"
        assert f"tvlb: warning: {lost}\n" in capsys.readouterr().err
    assert parse_topology("n.json") == parse_topology("n.graphml") == listed(Dragonfly(2, 4, 2, 9))
    assert main(["export", "n.graphml", "--to", "edgelist", "-o", "m.edges", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "written": ["m.edges"],
        "format": "edgelist",
        "topology": "n.graphml",
        "switches": 36,
        "nodes": 72,
        "links": 180,
        "warnings": [f"edgelist does not hold {KINDS_LOST}"],
    }
    assert Path("m.edges").read_text() == Path("n.edgelist").read_text()


def test_the_network_of_a_table_is_written(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(table), "-o", "n.graphml"]) == 0
    assert "graphml holds the network of table.json, and none of its" in capsys.readouterr().err
    assert parse_topology("n.graphml") == listed(parse_topology("dfly(1,2,1,3)"))
    assert main(["export", str(table), "-o", "same.json"]) == 0
    assert Path("same.json").read_text() == table.read_text()


def test_endpoints_are_given_where_a_file_has_none() -> None:
    assert main(["export", "ring.edges", "-o", "ring.json", "--endpoints", "2"]) == 0
    assert parse_topology("ring.json") == ListedTopology([2] * 3, [[[0, 1], [1, 2], [2, 0]]])


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["dfly(2,4,2,9)", "-o", "n"], "a name without a suffix is of no format; choose with --to"),
        (["dfly(2,4,2,9)", "-o", "n.gml"], "the suffix .gml is of no format; choose with --to: "),
        (["dfly(2,4,2,9)", "--to", "gml", "-o", "n.gml"], "unknown format 'gml'; choose "),
        (
            ["dfly(2,4,2,9)", "--to", "graphml", "-o", "n.json"],
            "n.json: a file of format graphml must end in .graphml; .json is of json",
        ),
        (["dfly(2,4,2,9)", "-o", "n.parquet"], "dfly(2,4,2,9) is no table file, and parquet holds"),
        (["ring.edges", "-o", "n.json"], "(--endpoints)"),
        (
            ["ring.edges", "-o", "n.json", "--endpoints", f"1{'0' * 30}"],
            "000 is out of range: 0..10,000,000",
        ),
        (["dfly(2,4,2,9)", "-o", "n.json", "--endpoints", "1"], "cannot read topology file dfly("),
        (["t.parquet", "-o", "u.parquet", "--endpoints", "1"], "--endpoints has no meaning for "),
        (
            ["dfly(2,4,2,9)", "-o", "n.json", "--full"],
            "--full has no meaning for format json of a ",
        ),
        (
            ["dfly(2,4,2,9)", "-o", "n.graphml", "--vlb", "all"],
            "--vlb has no meaning for format gr",
        ),
        (["dfly(2,4,2,9)", "-o", "none/n.graphml"], "none is not a directory"),
        (["none.graphml", "-o", "n.json"], "cannot read topology file none.graphml: No such file"),
    ],
)
def test_bad_input_is_told_in_a_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *arguments]) == 2
    said = capsys.readouterr()
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert not [one for one in Path().iterdir() if one.name != "ring.edges"]


def test_the_manual_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    section = MANUAL.read_text().split("### Networks of your own")[1].split("\n## ")[0]
    document, commands, *_ = re.findall(r"(?:^    .*\n)+", section, re.MULTILINE)
    Path("own.json").write_text(document)
    network = parse_topology("own.json")
    assert isinstance(network, ListedTopology)
    assert network.labels == ("a", "b", "c", "d")
    assert network.kinds.latencies == (10, 15)
    for part in commands.split("    $ tvlb ")[1:]:
        command, *said = part.splitlines()
        assert main(shlex.split(command)) == 0
        told = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
        assert told == [line.strip() for line in said if line.strip()]


def test_parallel_cables_are_merged_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    # One of two kinds between 0 and 1, where the first stays, and two of one between 0 and 2.
    network = ListedTopology(
        [1, 1, 1], [[[0, 1], [1, 2]], [[0, 1], [0, 2], [0, 2]]], kinds_of({"up": 5, "down": 9})
    )
    write_network(network, "double.json", network_formats()["json"])
    assert main(["export", "double.json", "-o", "double.anynet"]) == 2
    assert "--merge-parallel writes one of them" in capsys.readouterr().err
    assert main(["export", "double.json", "--merge-parallel", "-o", "single.json"]) == 0
    assert "does not hold 2 parallel cables and their bandwidth" in capsys.readouterr().err
    assert parse_topology("single.json") == ListedTopology(
        [1, 1, 1], [[[0, 1], [1, 2]], [[0, 2]]], network.kinds
    )
    assert main(["export", "double.json", "--merge-parallel", "-o", "double.anynet"]) == 0


def test_a_table_is_no_network(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("same.parquet", "same.csv"):
        # A CSV file of a table is that table, and of a network its switch sequences.
        assert main(["export", str(table), "-o", name]) == 0
    for name in (str(table), "same.parquet", "same.csv"):
        assert main(["model", name, "--pattern", "uniform"]) == 2
        assert "this is a table; name its network here" in capsys.readouterr().err
    assert main(["route", NETWORK, "-o", "entries.parquet"]) == 0
    assert main(["export", "entries.parquet", "-o", "entries.json"]) == 0
    Path("dump").write_text("# of a fabric\nUnicast lids [0-1] of switch Lid 1 guid 0x1 ('a'):\n")
    for name, words in {
        "entries.parquet": "this is a forwarding table, which tvlb show",
        "entries.json": "this is a forwarding table, which tvlb show",
        "dump": "this is a dump of forwarding tables, which tvlb verify",
    }.items():
        assert main(["model", name]) == 2
        assert words in capsys.readouterr().err
    assert main(["export", NETWORK, "-o", "network.edges"]) == 0
    assert main(["verify", "network.edges"]) == 2
    assert "network.edges is a network (edgelist), where a table is" in capsys.readouterr().err
    assert main(["export", NETWORK, "-o", "sequences.csv", "--vlb", "none"]) == 0
    assert Path("sequences.csv").read_text().startswith("# tvlb switch sequences")
    assert main(["model", "slimfly(3)", "--pattern", "shift(1,0)"]) == 2
    assert (
        "is no pattern of slimfly(3), which has uniform(others), affine" in capsys.readouterr().err
    )
