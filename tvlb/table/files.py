"""Table files: one format per suffix, written atomically and read with clear complaints.

The rows of one switch also come in a file of their own, for the fabric manager that programs it.
Its columns are those of a table file. Its header tells which table and switch they belong to; it is
not that of a table, so that a part is never taken for the whole.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, TypeVar

from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.paths import check_rows
from tvlb.table.columns import Columns
from tvlb.table.compact import AnyTable, CompactTable, check_switch
from tvlb.table.formats import Format, by_suffix, table_formats
from tvlb.table.structure import first_invalid_row

_Ability = TypeVar("_Ability")


def format_of(path: Path | str) -> Format:
    """Return the format in which a file is written; raises InvalidInput for an unknown suffix."""
    return _by_suffix_of(path, by_suffix(lambda each: each if each.write else None))


def _by_suffix_of(path: Path | str, able: Mapping[str, _Ability]) -> _Ability:
    suffix = Path(path).suffix
    if suffix not in able:
        raise InvalidInput(
            f"{path}: table files end in one of {', '.join(able)}, not {suffix or 'nothing'!r}"
        )
    return able[suffix]


def check_writable(path: Path | str) -> None:
    """Find out before long work starts whether a table file could be written.

    Raises
    ------
    InvalidInput : unknown suffix, missing directory, directory not writable, or `path` is itself
        a directory.
    """
    files.check_writable(path, by_suffix(lambda each: each.write))


def write_table(table: AnyTable, path: Path | str) -> None:
    """Write a table file; the old file, if any, stays until the new one is complete.

    Raises
    ------
    InvalidInput : the path cannot be written, or the table is too large for the format.
    OSError : the disk failed or filled up; nothing is left behind.
    """
    check_writable(path)
    _check_rows(table, path)
    with files.atomic_file(Path(path)) as stream:
        _write(table, path, stream)


def write_stream(table: AnyTable, suffix: str, stream: BinaryIO) -> None:
    """Write a table to an open binary stream in the format of `suffix`, such as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix, or the table is too large for the format.
    """
    name = f"table{suffix}"
    _check_rows(table, name)
    _write(table, name, stream)


def _write(table: AnyTable, path: Path | str, stream: BinaryIO) -> None:
    _by_suffix_of(path, by_suffix(lambda each: each.write))(table, stream)


def _check_rows(table: AnyTable, path: Path | str) -> None:
    rows = len(table.columns)
    check_rows(rows, "the table")
    limit, (largest, *_) = format_of(path).max_rows, table_formats().values()
    if rows + len(table.removed) > limit:
        raise InvalidInput(
            f"cannot write {path}: the table has {rows:,} rows and {len(table.removed):,} removed "
            f"paths; {Path(path).suffix} files hold at most {limit:,} of both; write a "
            f"{largest.suffixes[0]} file"
        )


def read_table(path: Path | str) -> AnyTable:
    """Read a table file.

    Raises
    ------
    InvalidInput : the file cannot be read or is no complete table file; names the file and the
        first problem. Rows that are well-formed but wrong are left to `tvlb.table.verify`.
    """
    read = _by_suffix_of(path, by_suffix(lambda each: each.read))
    with files.explained("cannot read", path), Path(path).open("rb") as stream:
        try:
            return _checked(read(stream))
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from error


def read_stream(suffix: str, stream: BinaryIO) -> AnyTable:
    """Read a table from an open binary stream in the format of `suffix`, such as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix, or the content is no complete table file.
    """
    return _checked(_by_suffix_of(f"table{suffix}", by_suffix(lambda each: each.read))(stream))


def _checked(table: AnyTable) -> AnyTable:
    """Build what the header describes, so that a bad header is found when it is read."""
    assert table.topology is not None
    assert table.base_set is not None
    if isinstance(table, CompactTable):
        assert table.path_set(table.header.expression) is not None
    return table


def switch_columns(table: AnyTable, switch: int) -> Iterator[Columns]:
    """Return the rows of one source switch in table order, some destinations at a time.

    Raises
    ------
    InvalidInput : no such switch, or a row of the table is no path or out of order.
    """
    check_switch(table.topology, switch)
    if isinstance(table, CompactTable):
        return (Columns.from_rows(rows) for rows in table.rows_from(switch))
    if (invalid := first_invalid_row(table.rows)) is not None:
        raise InvalidInput(f"{invalid}; see tvlb verify")
    return iter([table.columns.of_source(switch)])


def write_switch(table: AnyTable, switch: int, path: Path | str) -> int:
    """Write the rows of one switch to a file; returns their number.

    Raises
    ------
    InvalidInput : no such switch, the file cannot be written, or a text format cannot hold it.
    """
    writers = by_suffix(lambda each: each.write_switch)
    files.check_writable(path, writers)
    columns = switch_columns(table, switch)
    header = {
        "table": table.id,
        "topology": str(table.topology),
        "expression": table.header.expression,
        "seed": table.header.seed,
        "version": table.header.version,
        "switch": switch,
    }
    with files.atomic_file(Path(path)) as stream:
        return writers[Path(path).suffix](header, columns, stream)
