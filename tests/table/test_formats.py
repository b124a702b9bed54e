"""What every file format keeps; and that one that is declared is offered, for what it can do."""

import io
import re
from pathlib import Path
from typing import BinaryIO

import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.table import (
    TABLE_SUFFIXES,
    CompactTable,
    Format,
    Table,
    by_suffix,
    parse_path_set,
    read_table,
    table_formats,
    write_table,
)
from tvlb.table.kinds import Content


@pytest.mark.parametrize("name", table_formats())
def test_formats_have_names_of_their_own(name: str) -> None:
    each = table_formats()[name]
    assert each.name == name
    others = [other.suffixes for other in table_formats().values() if other is not each]
    assert each.suffixes
    assert not any(set(each.suffixes) & set(other) for other in others)
    assert all(suffix.startswith(".") for suffix in each.suffixes)


@pytest.mark.parametrize("name", [each.name for each in table_formats().values() if each.read])
def test_what_is_written_is_read(name: str, tiny: Table) -> None:
    each = table_formats()[name]
    assert each.read is not None
    assert each.write is not None
    compact = CompactTable.from_set(tiny.base_set, seed=tiny.header.seed, version="1")
    for table in (tiny, compact):
        stream = io.BytesIO()
        each.write(table.content, stream)
        stream.seek(0)
        read = each.read(stream)
        assert type(read) is type(table)
        assert read.id == table.id


def test_the_first_format_holds_most() -> None:
    first, *others = table_formats().values()
    assert all(other.max_rows <= first.max_rows for other in others)


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Format:
    """A format that can only be written, and holds four thousand rows."""

    def write(content: Content, stream: BinaryIO) -> int:
        rows = sum(len(part["hops"]) for part in content.parts)
        return stream.write(f"a drawing of {rows} paths".encode())

    each = Format("drawing", (".draw",), "image/x-drawing", 4000, write=write)
    monkeypatch.setitem(table_formats(), each.name, each)
    return each


def test_a_format_that_can_only_be_written(drawing: Format, tiny: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.draw"
    assert len(tiny) < drawing.max_rows
    write_table(tiny, path)
    assert path.read_text() == f"a drawing of {len(tiny)} paths"
    readable = re.escape(", ".join(TABLE_SUFFIXES))
    assert ".draw" in by_suffix(lambda each: each.write)
    with pytest.raises(InvalidInput, match=f"table files end in one of {readable},"):
        read_table(path)
    with pytest.raises(InvalidInput, match=r"malformed|expected"):
        parse_path_set(str(path), tiny.topology)


def test_its_limit_is_kept(drawing: Format, table: Table, tmp_path: Path) -> None:
    assert len(table) > drawing.max_rows
    with pytest.raises(
        InvalidInput, match=r"\.draw files hold at most 4,000 of both; write a \.parq"
    ):
        write_table(table, tmp_path / "t.draw")


def test_exports_name_what_is_known(
    tiny: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "t.csv"
    write_table(tiny, source)
    assert main(["export", str(source), "--to", "xls", "-o", "t.xls"]) == 2
    assert "unknown format 'xls'; choose parquet, " in capsys.readouterr().err
    assert main(["export", str(source), "--to", "csv", "-o", "t.json"]) == 2
    assert "t.json: a file of format csv must end in .csv" in capsys.readouterr().err
