"""CSV: the header in comment lines, one line per row, a closing comment.

The closing comment tells a complete file from one that was cut at the end of a line.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from tvlb.documents import bounded, decimal_number, lines_of, parse_unique_json
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

_ENTRY = re.compile(r"# (\w+): (.*)")
_VALUES = {"i": r"(-?\d{1,10})", "u": r"(\d{1,10})", "f": r"([^,\s]+)"}


def _title(mark: str) -> str:
    return f"# tvlb {mark}"


def _write(content: Content, stream: BinaryIO) -> int:
    stream.write(f"{_title(content.mark)}\n".encode())
    for name, value in content.document.items():
        stream.write(f"# {name}: {json.dumps(value)}\n".encode())
    stream.write(f"{','.join(content.columns)}\n".encode())
    rows = 0
    for part in content.parts:
        rows += rows_in(part)
        check_text_rows(rows)
        for row in numbers_of(part):
            stream.write((",".join(map(repr, row)) + "\n").encode())
    stream.write(f"# end of {content.mark}\n".encode())
    return rows


def _read(stream: BinaryIO) -> StoredTable:
    lines = lines_of(bounded(stream))
    kind = kind_called(lambda mark: bool(lines) and lines[0].rstrip() == _title(mark))
    if kind is None:
        titles = one_of(repr(_title(mark)) for mark in marks())
        raise InvalidInput(f"line 1: expected {titles}; this is not a tvlb table")
    names = _line_of_names(lines, ",".join(kind.columns))
    header, lists = kind.split(_document(lines[1:names]))
    end = f"# end of {kind.mark}"
    if lines[-1].rstrip() != end:
        raise InvalidInput(f"the last line is not {end!r}; the file is cut short")
    check_text_rows(len(lines) - names - 2)
    columns = _columns(lines[names + 1 : -1], names + 2, kind)
    return kind.load(header, lists, kind.narrowed(columns))


def _line_of_names(lines: list[str], names: str) -> int:
    """Find the line of column names, which ends the header."""
    for position, line in enumerate(lines):
        if not line.startswith("#"):
            if line.strip() != names:
                raise InvalidInput(f"line {position + 1}: expected {names}")
            return position
    raise InvalidInput(f"the line {names} is missing; the file is cut short")


def _document(lines: list[str]) -> dict[str, object]:
    """Put the header entries of lines 2, 3, ... together."""
    document: dict[str, object] = {}
    for number, line in enumerate(lines, start=2):
        match = _ENTRY.fullmatch(line.rstrip())
        if match is None or match[1] in document:
            raise InvalidInput(f"line {number}: expected one header entry, '# name: value'")
        try:
            document[match[1]] = parse_unique_json(match[2])
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return document


def _columns(lines: list[str], start: int, kind: TableKind[Any]) -> dict[str, list[Any]]:
    """Take the rows apart; the first line has the number `start`."""
    types, names = [one.kind for one in kind.columns.values()], ",".join(kind.columns)
    pattern = re.compile(",".join(_VALUES[one] for one in types), re.ASCII)
    parsers = [int if one in "iu" else decimal_number for one in types]
    rows: list[Sequence[Any]] = []
    for number, line in enumerate(lines, start):
        match = pattern.fullmatch(line)
        if match is None:
            raise InvalidInput(f"line {number}: expected {names}, got {line[:80]!r}")
        try:
            rows.append([parse(text) for parse, text in zip(parsers, match.groups(), strict=True)])
        except ValueError as error:
            raise InvalidInput(f"line {number}: {error}") from error
    values = zip(*rows, strict=True) if rows else [()] * len(types)
    return {name: list(one) for name, one in zip(kind.columns, values, strict=True)}


FORMAT = Format(
    name="csv",
    suffixes=(".csv",),
    media_type="text/csv",
    max_rows=MAX_TEXT_ROWS,
    read=_read,
    write=_write,
)
