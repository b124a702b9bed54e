"""Small files that would take much memory or time, and numbers in other digits, are refused."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
import base64
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tvlb.cli import main
from tvlb.documents import reading
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.requests import read_sweep_file
from tvlb.table import Table, read_table, write_table
from tvlb.table.rows import COLUMN_TYPES
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic import parse_pattern

_PACKAGE = Path(__file__).parents[1] / "tvlb"

Rewrite = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A small table in Parquet."""
    base = parse_expression("<=4", Dragonfly(1, 2, 1, 3))
    path = tmp_path / "t.parquet"
    write_table(Table.from_rows(base, base.all_rows(), version="1"), path)
    return path


@pytest.fixture
def rewrite(written: Path) -> Rewrite:
    """Write the small table again, with another header text or so many equal rows."""

    def write(
        header: bytes | None = None,
        rows: int | None = None,
        data_page_size: int | None = None,
        max_rows_per_page: int | None = None,
        **entries: Any,
    ) -> Path:
        with pq.ParquetFile(written) as file:
            content, before = file.read(), file.metadata.metadata[b"tvlb.table"]
        if rows is not None:
            columns = [pa.repeat(pa.scalar(0, kind), rows) for kind in content.schema.types]
            content = pa.Table.from_arrays(columns, schema=content.schema)
        text = header or json.dumps(json.loads(before) | entries).encode()
        # Equal rows would take no room in a dictionary.
        plain: dict[str, Any] = {
            "use_dictionary": False,
            "compression": "zstd",
            "store_schema": False,
            "data_page_size": data_page_size,
            "max_rows_per_page": max_rows_per_page,
        }
        with pq.ParquetWriter(written, content.schema, **plain) as writer:
            writer.write_table(content, rows)
            writer.add_key_value_metadata({b"tvlb.table": text})
        return written

    return write


def test_a_table_header_nested_too_deeply(rewrite: Rewrite) -> None:
    with pytest.raises(InvalidInput, match="recursion limit exceeded"):
        read_table(rewrite(header=b"[" * 200_000))


def test_removed_paths_that_expand(rewrite: Rewrite) -> None:
    # 200 MB in 200 kB. dfly(1,2,1,3) has 30 pairs, 2 paths at most each, 20 bytes a path.
    packed = base64.b64encode(zlib.compress(bytes(200_000_000))).decode()
    with pytest.raises(InvalidInput, match="compressed data hold more than 1,200 bytes"):
        read_table(rewrite(removed=packed))


def test_rows_that_expand(rewrite: Rewrite) -> None:
    with pytest.raises(InvalidInput, match="100,000 rows, but the network has at most 60 paths"):
        read_table(rewrite(rows=100_000))


def test_rows_that_nobody_told_of(rewrite: Rewrite) -> None:
    # The footer is made to say 20 rows; numbers there are twice their value, in groups of 7 bits.
    path = rewrite(rows=200_000)
    content = path.read_bytes()
    told, written = b"\x80\xb5\x18", b"\xa8\x80\x00"
    assert content.count(told) > len(COLUMN_TYPES)
    path.write_bytes(content.replace(told, written))
    with pytest.raises(InvalidInput, match=r"a row group of 20 rows takes \d,\d{3},\d{3} bytes"):
        read_table(path)


def test_pages_that_hold_more_than_the_footer_tells(rewrite: Rewrite, written: Path) -> None:
    # One page of 2 million rows per column, and a footer made to say 20 rows in 200 bytes each.
    path = rewrite(rows=2_000_000, data_page_size=1 << 30, max_rows_per_page=1 << 30)
    with pq.ParquetFile(path) as file:
        group = file.metadata.row_group(0)
        columns = [group.column(one) for one in range(group.num_columns)]
        told = {group.num_rows: 20, **{one.total_uncompressed_size: 200 for one in columns}}
    content = path.read_bytes()
    end = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    pages, footer = content[:end], content[end:]
    for before, after in told.items():
        footer = footer.replace(_varint(before), _varint(after, len(_varint(before))))
    path.write_bytes(pages + footer)
    with pytest.raises(InvalidInput, match=r"a row group of 20 rows takes \d\d,\d{3},\d{3} bytes"):
        read_table(path)


def _varint(number: int, length: int = 0) -> bytes:
    """Write twice a number in groups of 7 bits, in so many bytes where that is more than needed."""
    length = length or -(-(2 * number).bit_length() // 7)
    groups = [(2 * number >> 7 * one) & 127 for one in range(length)]
    return bytes([*(one | 128 for one in groups[:-1]), groups[-1]])


@pytest.mark.parametrize("removed", ["xx", [["a" * 10_000, 1, 2, 3, 4]], [[1.5, 1, 2, 3, 4]]])
def test_removed_paths_that_are_none(removed: object, rewrite: Rewrite) -> None:
    with pytest.raises(InvalidInput, match="table header, removed"):
        read_table(rewrite(removed=removed))


def test_a_long_field_of_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("# level=node\nsrc,dst,rate\n" + "1" * 200_000 + ",1,0.1\n")
    with pytest.raises(InvalidInput, match="line 3") as caught:
        parse_pattern(str(path))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("rate", ["1" * 131_072 + "x", "." * 131_072, "1." + "1" * 131_072])
def test_a_number_of_many_digits(rate: str, tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text(f"# level=switch\nsrc,dst,rate\n0,1,{rate}\n")
    with pytest.raises(InvalidInput, match="line 3"):
        parse_pattern(str(path))


def test_the_duplicate_of_a_long_matrix_is_found_by_sorting(tmp_path: Path) -> None:
    # It took a minute to look for each of 100,000 entries among all others.
    lines = [f"{one // 300},{one % 300},0" for one in range(100_000)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["# level=node", "src,dst,rate", *lines, lines[-1]]))
    with pytest.raises(InvalidInput, match="entry 333,99 appears more than once"):
        parse_pattern(str(path))


@pytest.mark.parametrize("odd", ["\u0663", "\uff11", "1_0", "\u00b2", "0x1", ""])
def test_numbers_in_other_digits(odd: str, tmp_path: Path, written: Path) -> None:
    path = tmp_path / "odd.csv"
    for line in (f"{odd},1,0.1", f"1,{odd},0.1", f"1,2,{odd}"):
        path.write_text(f"# level=node\nsrc,dst,rate\n{line}\n")
        with pytest.raises(InvalidInput, match="line 3"):
            parse_pattern(str(path))
    assert main(["show", str(written), "--pair", f"{odd},0"]) == 2
    assert main(["balance", "1,2,1,3", "--seed", odd]) == 2
    write_table(read_table(written), path)
    before, _, _ = path.read_text().removesuffix("\n# end of table\n").rpartition(",")
    path.write_text(f"{before},{odd}\n# end of table\n")
    with pytest.raises(InvalidInput, match=r"line \d+: "):
        read_table(path)


@pytest.mark.parametrize(
    "text",
    ["{}=1", "[{}]", "[[generators]]\n{} = 1", "options = {{ {} = 1 }}"],
)
@pytest.mark.parametrize("part", ["a", '"a.b"', "'a'", "a ", r'"\""'])
def test_keys_of_many_parts(text: str, part: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text.format(".".join([part] * 50_000)))
    with pytest.raises(InvalidInput, match="a key has more than 16 parts"):
        read_sweep_file(path)


@pytest.mark.parametrize("value", ["1" * 10**6, '"' + r"\"" * 20_000, "a  " * 300_000])
def test_long_values_are_looked_at_once(value: str, tmp_path: Path) -> None:
    # It would take minutes to look again from every character on.
    path = tmp_path / "s.toml"
    path.write_text(f"seeds = [{value}]")
    with pytest.raises(InvalidInput):
        read_sweep_file(path)


def test_documents_that_are_too_deep_or_hold_too_much(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    for text, complaint in (
        ('{"a":' * 100_000, "recursion limit exceeded"),
        ("[" + "[]," * 5_100_000 + "1]", "at most 10,000,000 are read"),
        ("9" * 5000, "number out of range"),
    ):
        path.write_text(text)
        with pytest.raises(InvalidInput, match=complaint):
            reading.parse_json(path.read_bytes())
        with pytest.raises(InvalidInput, match=str(path)):
            parse_topology(str(path))
        assert main(["plot", str(path), "-o", str(tmp_path / "d.svg")]) == 2


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "zero.csv"
    path.symlink_to("/dev/zero")
    with pytest.raises(InvalidInput, match="larger than 1,000 bytes"):
        reading.read_file(path, "matrix", 1000)
    with pytest.raises(InvalidInput, match=r"2,001,001 lines; at most 2,001,000 are read"):
        reading.lines_of(b"\n" * 2_001_001)


def test_a_large_text_with_a_rare_character() -> None:
    # All of its characters would take four bytes each, as text and once more as lines.
    plain = b"x" * (32 << 20)
    assert reading.lines_of(plain + b"\nx") == [plain.decode(), "x"]
    for read in (reading.lines_of, reading.parse_json):
        with pytest.raises(InvalidInput, match="larger than 33,554,432 bytes and not plain ASCII"):
            read(plain + "\U0001f600".encode())


def test_compressed_data_that_are_damaged() -> None:
    packed = zlib.compress(b"abc")
    assert reading.inflated(packed, 3) == b"abc"
    for damaged in (b"", packed[:-1], packed + b"x", b"x" + packed):
        with pytest.raises(InvalidInput, match="damaged compressed data"):
            reading.inflated(damaged, 100)


# Who parses by other means: results and requests that tvlb itself has written and keeps, what a
# server or the kernel answers, and the documents that are part of the package.
_OWN = ("jobs/", "search/", "client/", "report/", "requests/examples/", "processes/hang.py")
_OTHERS = {
    *("json.loads", "json.load", "tomllib.loads", "tomllib.load", "zlib.decompress"),
    *("csv.reader", "csv.DictReader", "Path.read_bytes", "Path.read_text"),
}


def test_every_reader_keeps_the_bounds() -> None:
    modules = {str(path.relative_to(_PACKAGE)): path for path in _PACKAGE.rglob("*.py")}
    readers = {
        name: _names(ast.parse(path.read_text())) & _OTHERS
        for name, path in modules.items()
        if not name.startswith(_OWN)
    }
    assert {name for name, found in readers.items() if found} == {"documents/reading.py"}


def _names(module: ast.Module) -> set[str]:
    """Return what a module calls or imports, in full; methods that read are taken for a path's."""
    found = set[str]()
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute):
            whose = "Path" if node.attr.startswith("read_") else ast.unparse(node.value)
            found.add(f"{whose}.{node.attr}")
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{one.name}" for one in node.names}
    return found
