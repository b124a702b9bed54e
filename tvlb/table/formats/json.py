"""JSON: one document of header, column names, and one array per row."""

import json
from itertools import product
from typing import Any, BinaryIO, cast

from tvlb.documents import bounded, parse_unique_json
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.table.formats import (
    MAX_TEXT_ROWS,
    Format,
    check_text_rows,
    kind_called,
    numbers_of,
    rows_in,
)
from tvlb.table.kinds import Content, StoredTable, TableKind, marks

_KEYS = {"table": "header"}
_TYPES = {"i": (int,), "u": (int,), "f": (int, float)}


def _key(mark: str) -> str:
    """Return the key of the header: the mark, but for files that are older than it."""
    return _KEYS.get(mark, mark)


def _write(content: Content, stream: BinaryIO) -> int:
    stream.write(f'{{"{_key(content.mark)}": {json.dumps(content.document)},\n'.encode())
    stream.write(f'"columns": {json.dumps(list(content.columns))},\n"rows": ['.encode())
    rows, separator = 0, "\n"
    for part in content.parts:
        rows += rows_in(part)
        check_text_rows(rows)
        for row in numbers_of(part):
            stream.write(f"{separator}{json.dumps(row)}".encode())
            separator = ",\n"
    stream.write(b"\n]}\n")
    return rows


def _read(stream: BinaryIO) -> StoredTable:
    document: object = parse_unique_json(bounded(stream))
    if not isinstance(document, dict):
        raise InvalidInput("a JSON document, but not a tvlb table")
    entries = cast("dict[str, object]", document)
    kind = kind_called(lambda mark: entries.keys() == {_key(mark), "columns", "rows"})
    if kind is None:
        expected = f"{one_of(map(_key, marks()))}, columns, rows"
        raise InvalidInput(f"a JSON document, but not a tvlb table (expected {expected})")
    if entries["columns"] != list(kind.columns):
        raise InvalidInput(f"columns: expected {', '.join(kind.columns)}")
    header, lists = kind.split(entries[_key(kind.mark)])
    rows = _rows(entries["rows"], kind)
    values = zip(*rows, strict=True) if rows else [()] * len(kind.columns)
    return kind.load(header, lists, kind.narrowed(dict(zip(kind.columns, values, strict=True))))


def _rows(value: object, kind: TableKind[Any]) -> list[list[Any]]:
    if not isinstance(value, list):
        raise InvalidInput("rows: expected a list of rows")
    rows = cast("list[object]", value)
    check_text_rows(len(rows))
    allowed = set(product(*(_TYPES[one.kind] for one in kind.columns.values())))
    for position, row in enumerate(rows):
        if not isinstance(row, list) or tuple(map(type, cast("list[object]", row))) not in allowed:
            raise InvalidInput(f"rows, row {position}: expected {kind.row}")
    return cast("list[list[Any]]", rows)


FORMAT = Format(
    name="json",
    suffixes=(".json",),
    media_type="application/json",
    max_rows=MAX_TEXT_ROWS,
    read=_read,
    write=_write,
)
