"""Table files: one format per suffix, written atomically and read with clear complaints.

Adding a format is adding a module with `write` and `read` and its entry in `FORMATS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from tvlb import files
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, check_rows
from tvlb.table.compact import CompactTable
from tvlb.table.stored import AnyTable
from tvlb.table.text_rows import MAX_TEXT_ROWS

__all__ = [
    "FORMATS",
    "TableFormat",
    "check_writable",
    "format_of",
    "read_stream",
    "read_table",
    "write_stream",
    "write_table",
]


@dataclass(frozen=True)
class TableFormat:
    """A way to store a table.

    Attributes
    ----------
    write : writes a table to a binary stream; equal tables give equal bytes.
    read : reads a table from a binary stream; raises InvalidInput naming the first problem.
    max_rows : the most rows and removed paths together that the format takes.
    """

    write: Callable[[AnyTable, BinaryIO], None]
    read: Callable[[BinaryIO], AnyTable]
    max_rows: int


def _format(name: str, max_rows: int) -> TableFormat:
    """Return the format of a module, loaded on first use: most processes write no files."""

    def write(table: AnyTable, stream: BinaryIO) -> None:
        import_module(name).write(table, stream)

    def read(stream: BinaryIO) -> AnyTable:
        table: AnyTable = import_module(name).read(stream)
        return table

    return TableFormat(write, read, max_rows)


FORMATS: dict[str, TableFormat] = {
    ".parquet": _format("tvlb.table.parquet_format", MAX_ROWS),
    ".json": _format("tvlb.table.json_format", MAX_TEXT_ROWS),
    ".csv": _format("tvlb.table.csv_format", MAX_TEXT_ROWS),
}


def format_of(path: Path | str) -> TableFormat:
    """Return the format that a file's suffix names; raises InvalidInput for any other suffix."""
    suffix = Path(path).suffix
    if suffix not in FORMATS:
        raise InvalidInput(
            f"{path}: table files end in one of {', '.join(FORMATS)}, not {suffix or 'nothing'!r}"
        )
    return FORMATS[suffix]


def check_writable(path: Path | str) -> None:
    """Find out before long work starts whether a table file could be written.

    Raises
    ------
    InvalidInput : unknown suffix, missing directory, directory not writable, or `path` is itself
        a directory.
    """
    files.check_writable(path, FORMATS)


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
        format_of(path).write(table, stream)


def write_stream(table: AnyTable, suffix: str, stream: BinaryIO) -> None:
    """Write a table to an open binary stream in the format of `suffix`, such as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix, or the table is too large for the format.
    """
    name = f"table{suffix}"
    _check_rows(table, name)
    format_of(name).write(table, stream)


def read_table(path: Path | str) -> AnyTable:
    """Read a table file.

    Raises
    ------
    InvalidInput : the file cannot be read or is no complete table file; names the file and the
        first problem. Rows that are well-formed but wrong are left to `tvlb.table.verify`.
    """
    format_of(path)
    try:
        with Path(path).open("rb") as stream:
            return read_stream(Path(path).suffix, stream)
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InvalidInput(f"cannot read {str(path)!r}: {error}") from error


def read_stream(suffix: str, stream: BinaryIO) -> AnyTable:
    """Read a table from an open binary stream in the format of `suffix`, such as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix, or the content is no complete table file.
    """
    table = format_of(f"table{suffix}").read(stream)
    _check_header(table)
    return table


def _check_header(table: AnyTable) -> None:
    """Build what the header describes, so that a bad header is found when it is read."""
    assert table.topology is not None
    assert table.base_set is not None
    if isinstance(table, CompactTable):
        assert table.path_set(table.header.expression) is not None


def _check_rows(table: AnyTable, path: Path | str) -> None:
    rows = len(table.columns)
    check_rows(rows, "the table")
    limit = format_of(path).max_rows
    if rows + len(table.removed) > limit:
        raise InvalidInput(
            f"cannot write {path}: the table has {rows:,} rows and {len(table.removed):,} removed "
            f"paths; {Path(path).suffix} files hold at most {limit:,} of both; write a .parquet "
            "file"
        )
