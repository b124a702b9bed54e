"""Writing is all or nothing, and whatever cannot be read is named in one line."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.table import (
    TABLE_SUFFIXES,
    Columns,
    Table,
    check_writable,
    read_table,
    table_formats,
    write_table,
)
from tvlb.table.formats import MAX_TEXT_ROWS
from tvlb.table.kinds import Content

SUFFIXES = re.escape(", ".join(TABLE_SUFFIXES))


@pytest.mark.parametrize("name", ["t.txt", "t", "t.parquet.gz", "t.JSON"])
def test_unknown_suffix_is_refused(name: str, tiny: Table, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=f"must end in one of {SUFFIXES}"):
        check_writable(tmp_path / name)
    with pytest.raises(InvalidInput, match="No such file"):
        read_table(tmp_path / name)
    (tmp_path / name).write_text("any")
    with pytest.raises(InvalidInput, match="table files end in one of"):
        read_table(tmp_path / name)


def test_unwritable_places_are_found_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInput, match="it is a directory"):
        check_writable(tmp_path / "folder.csv")
    with pytest.raises(InvalidInput, match="nowhere is not a directory"):
        check_writable(tmp_path / "nowhere" / "t.csv")
    # /proc takes no files, whoever asks.
    with pytest.raises(InvalidInput, match=r"cannot write /proc/t\.csv"):
        check_writable("/proc/t.csv")
    with pytest.raises(InvalidInput, match="cannot write"):
        check_writable(f"{tmp_path}/bad\0name.csv")


def test_checking_leaves_the_directory_and_the_old_file_alone(tmp_path: Path) -> None:
    old = tmp_path / "t.csv"
    old.write_text("old")
    check_writable(old)
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.csv"]
    assert old.read_text() == "old"


class Interrupted(BaseException):
    """Stands for a KeyboardInterrupt."""


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), Interrupted()])
def test_a_failure_in_the_middle_leaves_the_old_file_and_nothing_else(
    failure: BaseException, tiny: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_half_way(_: Content, stream: BinaryIO) -> int:
        stream.write(b"half")
        raise failure

    path = tmp_path / "t.csv"
    path.write_text("old")
    monkeypatch.setitem(
        table_formats(), "csv", replace(table_formats()["csv"], write=fail_half_way)
    )
    with pytest.raises(type(failure)):
        write_table(tiny, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["t.csv"]


def test_writing_replaces_the_target_of_a_link(tiny: Table, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "t.csv"
    link.symlink_to(tmp_path / "real" / "t.csv")
    write_table(tiny, link)
    assert link.is_symlink()
    assert read_table(tmp_path / "real" / "t.csv").id == tiny.id


def repeated(table: Table, rows: int) -> Table:
    """Return a table with so many rows; only their number matters here."""
    positions = np.resize(np.arange(len(table)), rows)
    arrays = {name: values[positions] for name, values in table.columns.arrays().items()}
    return Table(table.header, table.removed, Columns(**arrays))


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_text_formats_stop_at_a_million_rows_and_name_parquet(
    suffix: str, tiny: Table, tmp_path: Path
) -> None:
    large = repeated(tiny, MAX_TEXT_ROWS + 1)
    with pytest.raises(InvalidInput, match=r"1,000,001 rows .* write a \.parquet file"):
        write_table(large, tmp_path / f"t{suffix}")
    assert os.listdir(tmp_path) == []
    write_table(large, tmp_path / "t.parquet")


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
def test_foreign_files_are_named(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    with pytest.raises(InvalidInput, match=f"cannot read {path}: No such file"):
        read_table(path)
    for content in (b"", b"\x00\xff\xfe" * 50, b"{}", b"src,dst\n1,2\n", b"[" * 5000):
        path.write_bytes(content)
        with pytest.raises(InvalidInput, match=f"^{path}: ") as caught:
            read_table(path)
        assert "\n" not in str(caught.value)
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidInput, match="Is a directory"):
        read_table(path)


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.9999])
def test_truncated_files_are_refused(
    suffix: str, share: float, tiny: Table, tmp_path: Path
) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(tiny, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InvalidInput, match=f"^{path}: "):
        read_table(path)


def test_csv_cut_between_two_lines_is_noticed(tiny: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_table(tiny, path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-10]))
    with pytest.raises(InvalidInput, match="the file is cut short"):
        read_table(path)


def test_a_damaged_parquet_page_is_noticed(tiny: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(tiny, path)
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=f"^{path}: "):
        read_table(path)


CSV_DAMAGE = {
    "0,1,x,-1,-1,2,0.5": "line 10: expected src_switch",
    "0,1,2,-1,-1,2": "line 10: expected src_switch",
    "0,1,2,-1,-1,2,0.5,7": "line 10: expected src_switch",
    "0,1,2,-1,-1,2,half": "line 10: 'half' is not a number",
    "0,1,2,-1,-1,200,0.5": "row 0: hops 200 is out of range",
    "0,9999999999,2,-1,-1,2,0.5": "row 0: dst_switch 9999999999 is out of range",
}


@pytest.mark.parametrize(("line", "complaint"), CSV_DAMAGE.items())
def test_bad_csv_rows_are_named_by_line(
    line: str, complaint: str, tiny: Table, tmp_path: Path
) -> None:
    # Title, eight header entries and the column names come first: rows start at line 11, and the
    # names are counted from 1.
    path = tmp_path / "t.csv"
    write_table(tiny, path)
    lines = path.read_text().splitlines()
    first = next(number for number, text in enumerate(lines) if not text.startswith("#")) + 1
    lines[first] = line
    path.write_text("\n".join(lines))
    with pytest.raises(InvalidInput, match=complaint.replace("line 10", f"line {first + 1}")):
        read_table(path)


def damage_header(document: dict[str, Any], where: str, value: object) -> None:
    *parents, last = where.split(".")
    for name in parents:
        document = document[name]
    if value is None:
        del document[last]
    else:
        document[last] = value


HEADER_DAMAGE: list[tuple[str, object, str]] = [
    ("header.format", 2, "table header, format"),
    ("header.seed", -1, "table header, seed"),
    ("header.seed", "0", "table header, seed"),
    ("header.version", None, "table header, version: Field required"),
    ("header.host", "x", "table header, host: Extra inputs"),
    ("header.removed", None, "no entry 'removed'"),
    ("header.removed", [[1, 2, 3]], "table header, removed"),
    ("header.removed", [[1, 2, 3, 4, 2**40]], "table header, removed"),
    ("header.removed", "all", "table header, removed"),
    ("header.expression", "<=9", "path set '<=9'"),
    ("header.topology.arrangement", "spiral", "unknown arrangement 'spiral'"),
    ("header.topology.links", [[0, 1]], r"link \[0,1\] joins two switches of one group"),
    ("header.topology.links", [[0, 4.5]], "table header, topology.links.0.1"),
    ("header.topology.g", 99, "g=99 is out of range"),
    ("header", [], "header is not a JSON object"),
    ("columns", ["src"], "columns: expected src_switch"),
    ("rows", {}, "rows: expected a list"),
    ("rows", [[0, 1, 2, -1, -1, 2]], "row 0: expected six integers and a weight"),
    ("rows", [[0, 1, 2, -1, -1, True, 0.5]], "row 0: expected six integers and a weight"),
    ("rows", [[0, 1, 2, -1, -1, 2, "0.5"]], "row 0: expected six integers and a weight"),
    ("rows", [[0, 1, 2, -1, -1, 10**30, 0.5]], "column hops holds a number that is out of range"),
]


@pytest.mark.parametrize(("where", "value", "complaint"), HEADER_DAMAGE)
def test_malformed_documents_name_the_entry(
    where: str, value: object, complaint: str, tiny: Table, tmp_path: Path
) -> None:
    path = tmp_path / "t.json"
    write_table(tiny, path)
    document = json.loads(path.read_text())
    damage_header(document, where, value)
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match=complaint):
        read_table(path)
