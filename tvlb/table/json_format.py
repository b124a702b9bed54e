"""Tables as JSON documents: header, column names, and one array per row."""

import json
from typing import BinaryIO, cast

from tvlb.errors import InvalidInput
from tvlb.reading import bounded, parse_json
from tvlb.table.columns import COLUMN_TYPES
from tvlb.table.header import join, split
from tvlb.table.stored import AnyTable, stored_table
from tvlb.table.text_rows import Row, check_text_rows, columns_of, iterate_rows

__all__ = ["read", "write"]

_KEYS = ("header", "columns", "rows")


def write(table: AnyTable, stream: BinaryIO) -> None:
    """Write a table; see `tvlb.table.write_table`."""
    header = json.dumps(join(table.header, table.removed))
    stream.write(f'{{"header": {header},\n'.encode())
    stream.write(f'"columns": {json.dumps(list(COLUMN_TYPES))},\n"rows": ['.encode())
    separator = "\n"
    for row in iterate_rows(table.columns):
        stream.write(f"{separator}{json.dumps(row)}".encode())
        separator = ",\n"
    stream.write(b"\n]}\n")


def read(stream: BinaryIO) -> AnyTable:
    """Read a table; see `tvlb.table.read_table`."""
    document: object = parse_json(bounded(stream))
    if not isinstance(document, dict):
        raise InvalidInput("a JSON document, but not a tvlb table")
    entries = cast("dict[str, object]", document)
    if entries.keys() != set(_KEYS):
        raise InvalidInput(f"a JSON document, but not a tvlb table (expected {', '.join(_KEYS)})")
    if entries["columns"] != list(COLUMN_TYPES):
        raise InvalidInput(f"columns: expected {', '.join(COLUMN_TYPES)}")
    header, removed = split(entries["header"])
    return stored_table(header, removed, columns_of(_rows(entries["rows"])))


def _rows(value: object) -> list[Row]:
    if not isinstance(value, list):
        raise InvalidInput("rows: expected a list of rows")
    rows = cast("list[object]", value)
    check_text_rows(len(rows))
    for position, row in enumerate(rows):
        if not _is_row(row):
            raise InvalidInput(f"rows, row {position}: expected six integers and a weight")
    return cast("list[Row]", rows)


def _is_row(row: object) -> bool:
    if not isinstance(row, list):
        return False
    types = [type(value) for value in cast("list[object]", row)]
    return (
        len(types) == len(COLUMN_TYPES) and set(types[:-1]) == {int} and types[-1] in (int, float)
    )
