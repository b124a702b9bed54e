"""Audits of forwarding tables and repairs from the command line."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tvlb
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    NO_PORT,
    Forwarding,
    RouteOptions,
    dependency_circle,
    graph_of,
    route,
)
from tvlb.forwarding.repair import carried_over
from tvlb.table import ForwardingTable, read_any_table, write_table
from tvlb.table.audit import audit
from tvlb.topology import (
    Failures,
    ListedTopology,
    Topology,
    parse_topology,
    read_fabric,
    without,
)

DATA = Path(__file__).parents[1] / "data"
RING = ListedTopology(
    [1] * 5, [[(one, (one + 1) % 5) for one in range(5)]], labels=[f"leaf-{i}" for i in range(5)]
)


def _table(topology: Topology, **options: object) -> ForwardingTable:
    found = route(topology, RouteOptions(**options))  # pyright: ignore[reportArgumentType]
    return ForwardingTable.of(found.forwarding, "psssp", str(found.order))


def _changed(table: ForwardingTable, *entries: tuple[int, int, int]) -> ForwardingTable:
    """Return a table with other ports: node, switch, target switch or -1 for none."""
    ports = table.forwarding.ports.copy()
    for node, switch, target in entries:
        links = graph_of(table.topology).links()[switch]
        ends = table.topology.network.link_target[links[links >= 0]].tolist()
        ports[node, switch] = NO_PORT if target < 0 else ends.index(target)
    return ForwardingTable.of(Forwarding.of(table.topology, ports), "psssp")


def test_what_is_planted_is_found() -> None:
    good = _table(RING, max_layers=1)
    assert audit(good).ok
    # A hole: 1 and 0 behind it lose node 2.
    hole = audit(_changed(good, (2, 1, -1)))
    assert "entries that name no link: 1, first at switch 1 (leaf-1) for node 2" in hole.problems
    # A loop between 0 and 1 for node 2.
    loop = audit(_changed(good, (2, 1, 0), (2, 0, 1)))
    assert loop.problems[0] == (
        "destinations with forwarding loops: 1, first for node 2: "
        "switch 0 (leaf-0) -> switch 1 (leaf-1) -> switch 0 (leaf-0)"
    )
    # A wrong port: over a third switch, all right but longer.
    triangle = ListedTopology([1, 1, 1], [[(0, 1), (1, 2), (2, 0)]])
    long = audit(_changed(_table(triangle), (2, 0, 1)))
    assert (long.ok, long.detours) == (True, 1)
    assert long.first_detour == "switch 0 [link 0] -> switch 1 for node 2"
    # Clockwise all the way: each link waits for the next.
    turning = [(node, at, (at + 1) % 5) for node in range(5) for at in range(5) if at != node]
    circle = audit(_changed(good, *turning))
    (problem,) = circle.problems
    assert problem.startswith("packets can deadlock: 5 links wait for each other in a circle: ")
    assert problem.count("leaf-") == 10
    assert circle.layers_needed is not None
    assert circle.layers_needed > 1
    # The same routes in the layers that they need.
    parted = _table(RING, layers=True)
    assert audit(parted).ok


def test_figures_are_those_of_the_table() -> None:
    table = _table(parse_topology("2,4,2,9"), order="interleave")
    report = audit(table)
    # Reference rows: EFI 86 on 4 links, mean load 65.42, 2.3036 links, 3 layers.
    assert (report.efi, report.efi_links, report.layers_needed) == (86, 4, 3)
    assert report.mean_load == pytest.approx(65.42, abs=0.005)
    assert [one.load for one in report.busiest][:4] == [86] * 4
    assert (report.detours, report.minimal_share) == (0, 1.0)


def test_a_table_against_another() -> None:
    topology = parse_topology("2,4,2,9")
    old, new = _table(topology), _table(topology, order="interleave")
    found = audit(new, against=old).comparison
    assert found is not None
    assert found.changed == np.count_nonzero(old.port != new.port)
    # LIDs 1 to 72 are in the blocks 0 and 1.
    changed = np.nonzero(old.forwarding.ports != new.forwarding.ports)
    blocks = {(int(sw), (int(node) + 1) // 64) for node, sw in zip(*changed, strict=True)}
    assert found.blocks == len(blocks)
    assert (found.efi_before, found.efi) == (102, 86)
    assert found.circle
    same = audit(old, against=old).comparison
    assert same is not None
    assert (same.changed, same.blocks) == (0, 0)
    with pytest.raises(InvalidInput, match=r"compare with is of .*, not of dfly\(2,4,2,9\)"):
        audit(old, against=_table(RING))


def test_a_table_against_one_in_layers_of_the_network_before_failures() -> None:
    old = _table(parse_topology("2,4,2,9"), layers=True)
    left = without(old.topology, Failures(links=((0, 1),)))
    # The entries that are left, which wait for each other in a circle but for their layers.
    rest = ForwardingTable.of(carried_over(old.forwarding, left), "psssp")
    assert dependency_circle(rest.forwarding, one_lane=True)
    found = audit(rest, against=old).comparison
    assert found is not None
    assert (found.changed, found.circle) == (0, "")


def test_a_network_with_one_node_is_audited_but_not_measured() -> None:
    pair = ListedTopology([1, 0], [[(0, 1)]])
    table = _table(pair)
    report = audit(table, against=table)
    assert report.ok
    assert report.comparison is not None
    assert report.comparison.ebb is None
    with pytest.raises(InvalidInput, match="has one node: there is nothing to measure"):
        tvlb.measure(pair)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_table(_table(parse_topology("2,4,2,9"), order="auto"), "old.parquet")
    Path("down.json").write_text('{"links": [[0, 1]]}')
    return tmp_path


def test_a_repair_tells_what_changes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["repair", "old.parquet", "--without", "down.json", "-o", "new.parquet"]
    assert main([*command, "--updates", "updates.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    old, new = read_any_table("old.parquet"), read_any_table("new.parquet")
    assert isinstance(old, ForwardingTable)
    assert isinstance(new, ForwardingTable)
    assert (document["old_table_id"], document["table_id"]) == (old.id, new.id)
    assert (
        document["changed"]
        == document["must_change"]
        == sum(one["entries"] for one in document["switches"])
    )
    lines = Path("updates.csv").read_text().splitlines()
    assert lines[0] == f"# tvlb updates of {old.id} to {new.id}"
    assert lines[-1] == "# end of updates"
    rows = list(csv.DictReader(lines[1:-1]))
    assert len(rows) == document["changed"]
    assert {int(row["write"]) for row in rows} == set(range(document["block_writes"]))
    links = new.forwarding.links()
    for row in rows:
        assert links[int(row["destination"]), int(row["switch"])] == int(row["link"])
        assert new.topology.network.link_target[int(row["link"])] == int(row["next_switch"])
    assert main(command) == 0
    assert f"{document['changed']:,} of {document['entries']:,} entries" in capsys.readouterr().out


def test_blocks_are_those_of_the_lids_of_a_fabric(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Its nodes have the LIDs 11, 12, 14 and so on, of which the blocks follow.
    fabric = read_fabric(DATA / "fabric.ibnetdiscover")
    write_table(_table(fabric.topology), "old.parquet")
    Path("down.json").write_text('{"links": [[0, 3]]}')
    command = ["repair", "old.parquet", "--without", "down.json", "-o", "new.parquet"]
    path = str(DATA / "fabric.ibnetdiscover")
    assert main([*command, "--updates", "u.csv", "--fabric", path]) == 0
    rows = list(csv.DictReader(Path("u.csv").read_text().splitlines()[1:-1]))
    assert rows
    lids = [one.lid for one in fabric.nodes]
    assert all(int(row["lid"]) == lids[int(row["destination"])] for row in rows)
    write_table(_table(parse_topology("2,4,2,9")), "old.parquet")
    capsys.readouterr()
    assert main([*command, "--fabric", path]) == 2
    assert "is not dfly(2,4,2,9)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--strike-only"], "--strike-only is given, which has no meaning for a forwarding table"),
        (["--routing", "par"], "routing is given, which has no meaning for a forwarding table"),
        (["--workers", "2"], "workers is given, which has no meaning for a forwarding table"),
        (["--rebalance", "1.5"], "rebalance 1.5 is out of range: 0..1"),
        (["--updates", "u.txt"], "u.txt"),
    ],
)
def test_options_that_a_repair_does_not_take(
    more: list[str], words: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["repair", "old.parquet", "--without", "down.json", "-o", "new.parquet", *more]
    assert main(command) == 2
    assert words in " ".join(capsys.readouterr().err.split())
    assert not Path("new.parquet").exists()


def test_verify_exits_by_what_it_finds(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # In one lane its routes wait for each other.
    assert main(["verify", "old.parquet"]) == 1
    assert "packets can deadlock" in capsys.readouterr().out
    write_table(_table(parse_topology("2,4,2,9"), layers=True), "layers.json")
    assert main(["verify", "layers.json", "--against", "old.parquet", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["layers"], report["layers_needed"]) == (True, 3, 3)
    assert report["comparison"]["changed"] > 0
    for more, words in {
        ("--vcs", "won"): "--vcs is given, which has no meaning for forwarding tables",
        ("--against", "none.json"): "none.json",
        ("--fabric", "none"): "none",
    }.items():
        assert main(["verify", "layers.json", *more]) == 2
        assert words in capsys.readouterr().err


def test_a_table_of_other_entries_than_its_network(files: Path) -> None:
    table = read_any_table("old.parquet")
    assert isinstance(table, ForwardingTable)
    short = replace(table, port=table.port[1:], layer=table.layer[1:])
    write_table(short, "short.json")
    with pytest.raises(InvalidInput, match=r"2,591 entries, but dfly\(2,4,2,9\) has 2,592"):
        read_any_table("short.json")


def test_dumps_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    fabric = ["--fabric", str(DATA / "fabric.ibnetdiscover")]
    command = ["measure", "--table", str(DATA / "fabric.lfts"), "--bisections", "10", "--json"]
    assert main([*command, *fabric]) == 0
    # Three of its links carry two routes each, as the audit tells.
    document = json.loads(capsys.readouterr().out)
    assert (document["efi"], document["efi_links"]) == (2, 3)
    for wrong, words in {
        tuple(command): "give the output of ibnetdiscover with --fabric",
        ("measure", "2,4,2,9", *fabric): "of a forwarding table, and none is given",
        ("measure", "2,4,2,9", "--table", "0" * 64, *fabric): "it is of a file",
    }.items():
        assert main(list(wrong)) == 2
        assert words in capsys.readouterr().err
