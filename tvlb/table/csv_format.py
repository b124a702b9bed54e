"""Tables as CSV files: the header in comment lines, one line per row, a closing comment.

The closing comment tells a complete file from one that was cut at the end of a line.
"""

import json
import re
from typing import BinaryIO

from tvlb.errors import InvalidInput
from tvlb.reading import bounded, decimal_number, lines_of, parse_json
from tvlb.table.columns import COLUMN_TYPES
from tvlb.table.header import join, split
from tvlb.table.stored import AnyTable, stored_table
from tvlb.table.text_rows import Row, check_text_rows, columns_of, iterate_rows

__all__ = ["read", "write"]

_TITLE = "# tvlb table"
_END = "# end of table"
_NAMES = ",".join(COLUMN_TYPES)
_ENTRY = re.compile(r"# (\w+): (.*)")
_ROW = re.compile(
    r"(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),([^,\s]+)",
    re.ASCII,
)


def write(table: AnyTable, stream: BinaryIO) -> None:
    """Write a table; see `tvlb.table.write_table`."""
    stream.write(f"{_TITLE}\n".encode())
    for name, value in join(table.header, table.removed).items():
        stream.write(f"# {name}: {json.dumps(value)}\n".encode())
    stream.write(f"{_NAMES}\n".encode())
    for row in iterate_rows(table.columns):
        stream.write((",".join(map(repr, row)) + "\n").encode())
    stream.write(f"{_END}\n".encode())


def read(stream: BinaryIO) -> AnyTable:
    """Read a table; see `tvlb.table.read_table`."""
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
    return stored_table(header, removed, columns_of(rows))


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
