"""A kind of table of another package goes through all there is, without any other change."""

import json
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from api.library import Library
from tests.data.hop_table import HOPS, HopTable, hop_table
from tests.plugins import installed, tvlb_each
from tvlb.cli import main
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.results import Results
from tvlb.jobs.tasks import store_table
from tvlb.table import (
    TABLE_SUFFIXES,
    RouteFormat,
    read_any_table,
    read_table,
    route_formats,
    table_kinds,
    write_stream,
    write_table,
)
from tvlb.topology import parse_topology

SOURCE = Path(__file__).parent / "data" / "hop_table.py"
NETWORK = "hyperx(1,5)"


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(table_kinds(), HOPS.name, HOPS)


@pytest.fixture
def table() -> HopTable:
    return hop_table(parse_topology(NETWORK))


@pytest.fixture
def file(table: HopTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Its JSON file, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    write_table(table, "hops.json")
    return "hops.json"


def test_it_is_declared_in_sixty_lines() -> None:
    assert len(SOURCE.read_text().splitlines()) <= 60


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
def test_every_format_holds_it(suffix: str, table: HopTable, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(table, path)
    found = read_any_table(path)
    assert isinstance(found, HopTable)
    assert (found.id, found.header) == (table.id, table.header)
    for name, values in table.columns.items():
        assert np.array_equal(found.columns[name], values)
        assert found.columns[name].dtype == values.dtype


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ("rows", [[0, 1, 2]], "row 0: expected a number for each column"),
        ("rows", [[0, 1, 2**40, 1.0]], f"row 0: link {2**40} is out of range"),
        ("columns", ["target"], "columns: expected target, switch, link, share"),
        ("hops", {}, "table header, version: Field required"),
        (
            "more",
            0,
            r"not a tvlb table \(expected forwarding, split, header or hops, columns, rows\)",
        ),
    ],
)
def test_what_is_no_file_of_it_is_named(
    key: str, value: object, complaint: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(Path(file).read_text())
    Path(file).write_text(json.dumps({**document, key: value}))
    assert main(["show", file]) == 2
    assert re.search(complaint, capsys.readouterr().err)


def test_commands_take_it(file: str, table: HopTable, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"id": table.id, "engine": "first"}
    assert main(["verify", file]) == 0
    assert capsys.readouterr().out == "hops.json: passed (20 rows)\n"
    assert main(["export", file, "--to", "csv", "-o", "hops.csv", "--json"]) == 0
    exported: dict[str, object] = {
        "written": "hops.csv",
        "format": "csv",
        "id": table.id,
        "paths": 20,
        "warnings": [],
    }
    assert json.loads(capsys.readouterr().out) == exported
    assert main(["export", "hops.csv", "--to", "graphml", "-o", "net.graphml"]) == 0


def test_what_it_lacks_is_found(
    table: HopTable, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    links = np.roll(table.columns["link"], 4)
    write_table(replace(table, columns={**table.columns, "link": links}), file)
    assert main(["verify", file, "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == ["20 links begin elsewhere, first row 0"]
    assert report["problem_count"] == 20


REFUSED = {
    ("model", NETWORK, "--vlb"): "hops.json is a hop table, which gives no VLB paths",
    ("show", "--pair", "0,1"): "is a hop table, which gives no VLB paths",
    ("export", "--to", "sequences", "-o", "s.csv"): "is a hop table, which gives no VLB paths",
    ("export", "--to", "csv", "-o", "s.csv", "--switch", "1"): "no part for one switch alone",
    ("repair", "--without", "down.json", "-o", "r.csv"): "only T-VLB tables that list their paths",
}


@pytest.mark.parametrize(("command", "complaint"), REFUSED.items())
def test_what_it_is_not_good_for_is_refused(
    command: tuple[str, ...], complaint: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("down.json").write_text('{"switches": [0]}')
    where = len(command) if command[0] == "model" else 1
    assert main([*command[:where], file, *command[where:]]) == 2
    assert complaint in capsys.readouterr().err


def test_python_tells_it_from_a_table_of_paths(file: str) -> None:
    with pytest.raises(Exception, match="is a hop table, where a T-VLB table is needed"):
        read_table(file)


def test_a_format_of_another_tool_says_that_it_takes_it(
    file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(table: HopTable, path: Path) -> list[str]:
        path.write_text(f"{table.num_rows}\n")
        return ["it has no layers"]

    taken = RouteFormat("lft", (".lft",), ("",), fixed_weights=False, write=write, takes=HopTable)
    monkeypatch.setitem(route_formats(), taken.name, taken)
    assert main(["export", file, "-o", "t.lft", "--json"]) == 0
    assert Path("t.lft").read_text() == "20\n"
    printed = capsys.readouterr()
    assert "it has no layers" in printed.err
    assert json.loads(printed.out)["topology"] == NETWORK
    assert main(["export", NETWORK, "-o", "t.lft"]) == 2
    assert "hyperx(1,5) is no table file" in capsys.readouterr().err
    assert main(["export", file, "-o", "t.lft", "--loop-free"]) == 2
    assert "--loop-free has no meaning for format lft" in capsys.readouterr().err


def test_the_store_keeps_it(table: HopTable, tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'jobs.sqlite3'}")
    database.upgrade()
    blobs = BlobStore(tmp_path / "blobs")
    library = Library(Results(database), blobs)
    found = library.table(store_table(blobs, table))
    assert isinstance(found, HopTable)
    stream = BytesIO()
    write_stream(table, ".csv", stream)
    size, pieces = library.converted(found, ".csv")
    assert b"".join(pieces) == stream.getvalue()
    assert size == len(stream.getvalue())


def test_every_process_knows_it(file: str, table: HopTable, tmp_path: Path) -> None:
    environment = installed(SOURCE.read_text(), "[tvlb.tables] hops = toy", tmp_path / "packages")
    (shown,) = tvlb_each(environment, tmp_path, [["show", file, "--json"]])
    assert json.loads(shown)["id"] == table.id
