"""The rows of one switch in a file of their own, for the fabric manager that programs it.

The columns are those of a table file. The header tells which table and switch they belong to; it
is not that of a table, so that a part is never taken for the whole.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from tvlb import files
from tvlb.errors import InvalidInput
from tvlb.table.columns import COLUMN_TYPES, Columns
from tvlb.table.compact import CompactTable, check_switch
from tvlb.table.stored import AnyTable
from tvlb.table.structure import first_invalid_row
from tvlb.table.text_rows import check_text_rows, iterate_rows

__all__ = ["SWITCH_FORMATS", "switch_columns", "write_switch"]


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
    files.check_writable(path, SWITCH_FORMATS)
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
        return SWITCH_FORMATS[Path(path).suffix](header, columns, stream)


Header = Mapping[str, object]


def _write_parquet(header: Header, parts: Iterator[Columns], stream: BinaryIO) -> int:
    # Loaded here: most processes write no files.
    from tvlb.table.switch_parquet import write

    return write(header, parts, stream)


def _write_csv(header: Header, parts: Iterator[Columns], stream: BinaryIO) -> int:
    stream.write(b"# tvlb switch\n")
    for name, value in header.items():
        stream.write(f"# {name}: {json.dumps(value)}\n".encode())
    stream.write(f"{','.join(COLUMN_TYPES)}\n".encode())
    rows = 0
    for part in parts:
        rows += len(part)
        check_text_rows(rows)
        for row in iterate_rows(part):
            stream.write((",".join(map(repr, row)) + "\n").encode())
    stream.write(b"# end of switch\n")
    return rows


def _write_json(header: Header, parts: Iterator[Columns], stream: BinaryIO) -> int:
    stream.write(f'{{"switch": {json.dumps(dict(header))},\n'.encode())
    stream.write(f'"columns": {json.dumps(list(COLUMN_TYPES))},\n"rows": ['.encode())
    rows = 0
    separator = "\n"
    for part in parts:
        rows += len(part)
        check_text_rows(rows)
        for row in iterate_rows(part):
            stream.write(f"{separator}{json.dumps(row)}".encode())
            separator = ",\n"
    stream.write(b"\n]}\n")
    return rows


SWITCH_FORMATS: dict[str, Callable[[Header, Iterator[Columns], BinaryIO], int]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".json": _write_json,
}
