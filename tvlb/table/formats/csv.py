"""CSV: the header in comment lines, one line per row, a closing comment.

The closing comment tells a complete file from one that was cut at the end of a line.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import BinaryIO

from tvlb.documents import bounded, decimal_number, lines_of, parse_json
from tvlb.errors import InvalidInput
from tvlb.table.columns import COLUMN_TYPES, Columns, Row
from tvlb.table.compact import AnyTable, stored_table
from tvlb.table.formats import MAX_TEXT_ROWS, Format, check_text_rows
from tvlb.table.header import join, split

_TITLE = "# tvlb table"
_END = "# end of table"
_NAMES = ",".join(COLUMN_TYPES)
_ENTRY = re.compile(r"# (\w+): (.*)")
_ROW = re.compile(
    r"(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),([^,\s]+)",
    re.ASCII,
)


def _write(table: AnyTable, stream: BinaryIO) -> None:
    _write_rows("table", join(table.header, table.removed), [table.columns], stream)


def _write_rows(
    what: str, header: Mapping[str, object], parts: Iterable[Columns], stream: BinaryIO
) -> int:
    """Write rows below a header, and name what they are in the first and the last line."""
    stream.write(f"# tvlb {what}\n".encode())
    for name, value in header.items():
        stream.write(f"# {name}: {json.dumps(value)}\n".encode())
    stream.write(f"{_NAMES}\n".encode())
    rows = 0
    for part in parts:
        rows += len(part)
        check_text_rows(rows)
        for row in part.numbers():
            stream.write((",".join(map(repr, row)) + "\n").encode())
    stream.write(f"# end of {what}\n".encode())
    return rows


def _read(stream: BinaryIO) -> AnyTable:
    lines = lines_of(bounded(stream))
    if not lines or lines[0].rstrip() != _TITLE:
        raise InvalidInput(f"line 1: expected {_TITLE!r}; this is not a tvlb table")
    names = _line_of_names(lines)
    header, removed = split(_document(lines[1:names]))
    if lines[-1].rstrip() != _END:
        raise InvalidInput(f"the last line is not {_END!r}; the file is cut short")
    check_text_rows(len(lines) - names - 2)
    rows = [
        _row(number, line) for number, line in enumerate(lines[names + 1 : -1], start=names + 2)
    ]
    return stored_table(header, removed, Columns.from_numbers(rows))


def _line_of_names(lines: list[str]) -> int:
    """Find the line of column names, which ends the header."""
    for position, line in enumerate(lines):
        if not line.startswith("#"):
            if line.strip() != _NAMES:
                raise InvalidInput(f"line {position + 1}: expected {_NAMES}")
            return position
    raise InvalidInput(f"the line {_NAMES} is missing; the file is cut short")


def _document(lines: list[str]) -> dict[str, object]:
    """Put the header entries of lines 2, 3, ... together."""
    document: dict[str, object] = {}
    for number, line in enumerate(lines, start=2):
        match = _ENTRY.fullmatch(line.rstrip())
        if match is None or match[1] in document:
            raise InvalidInput(f"line {number}: expected one header entry, '# name: value'")
        try:
            document[match[1]] = parse_json(match[2])
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return document


def _row(number: int, line: str) -> Row:
    match = _ROW.fullmatch(line)
    if match is None:
        raise InvalidInput(f"line {number}: expected {_NAMES}, got {line[:80]!r}")
    *integers, weight = match.groups()
    source, target, intermediate, first, second, hops = (int(text) for text in integers)
    try:
        return source, target, intermediate, first, second, hops, decimal_number(weight)
    except ValueError as error:
        raise InvalidInput(f"line {number}: {error}") from error


FORMAT = Format(
    name="csv",
    suffixes=(".csv",),
    media_type="text/csv",
    max_rows=MAX_TEXT_ROWS,
    read=_read,
    write=_write,
    write_switch=partial(_write_rows, "switch"),
)
