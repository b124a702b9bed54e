"""JSON: one document of header, column names, and one array per row."""

import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import BinaryIO, cast

from tvlb.documents import bounded, parse_json
from tvlb.errors import InvalidInput
from tvlb.table.columns import COLUMN_TYPES, Columns, Row
from tvlb.table.compact import AnyTable, stored_table
from tvlb.table.formats import MAX_TEXT_ROWS, Format, check_text_rows
from tvlb.table.header import join, split

_KEYS = ("header", "columns", "rows")


def _write(table: AnyTable, stream: BinaryIO) -> None:
    _write_rows("header", join(table.header, table.removed), [table.columns], stream)


def _write_rows(
    key: str, header: Mapping[str, object], parts: Iterable[Columns], stream: BinaryIO
) -> int:
    """Write rows below a header, which stands under a key."""
    stream.write(f'{{"{key}": {json.dumps(dict(header))},\n'.encode())
    stream.write(f'"columns": {json.dumps(list(COLUMN_TYPES))},\n"rows": ['.encode())
    rows, separator = 0, "\n"
    for part in parts:
        rows += len(part)
        check_text_rows(rows)
        for row in part.numbers():
            stream.write(f"{separator}{json.dumps(row)}".encode())
            separator = ",\n"
    stream.write(b"\n]}\n")
    return rows


def _read(stream: BinaryIO) -> AnyTable:
    document: object = parse_json(bounded(stream))
    if not isinstance(document, dict):
        raise InvalidInput("a JSON document, but not a tvlb table")
    entries = cast("dict[str, object]", document)
    if entries.keys() != set(_KEYS):
        raise InvalidInput(f"a JSON document, but not a tvlb table (expected {', '.join(_KEYS)})")
    if entries["columns"] != list(COLUMN_TYPES):
        raise InvalidInput(f"columns: expected {', '.join(COLUMN_TYPES)}")
    header, removed = split(entries["header"])
    return stored_table(header, removed, Columns.from_numbers(_rows(entries["rows"])))


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


FORMAT = Format(
    name="json",
    suffixes=(".json",),
    media_type="application/json",
    max_rows=MAX_TEXT_ROWS,
    read=_read,
    write=_write,
    write_switch=partial(_write_rows, "switch"),
)
