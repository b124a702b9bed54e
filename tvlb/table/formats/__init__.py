"""File formats of tables: a module each, found by looking into this folder.

A module declares ``FORMAT``: what the format is called and what it can hold. The command line, the
service and the parser of path sets offer what is declared. Formats know no kind of table: they hold
a header and columns, see `tvlb.table.kinds`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, BinaryIO, TypeVar

from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import declared
from tvlb.table.kinds import Content, StoredTable, TableKind, kind_marked, marks

__all__ = [
    "MAX_TEXT_ROWS",
    "Format",
    "by_suffix",
    "check_text_rows",
    "kind_called",
    "numbers_of",
    "rows_in",
    "table_formats",
    "written_formats",
]

MAX_TEXT_ROWS = 1_000_000

_Ability = TypeVar("_Ability")


@dataclass(frozen=True)
class Format:
    """A file format, and functions for what it can hold; None where it cannot.

    Attributes
    ----------
    name : what `tvlb export --to` and the service call it.
    suffixes : of its files, with their dots; the usual one first.
    media_type : of its files, for HTTP.
    max_rows : the most rows and entries of lists together that it takes.
    read : reads a table from a binary stream; raises InvalidInput naming the first problem.
    write : writes a header and columns to a binary stream, and returns the number of rows; equal
        contents give equal bytes.
    """

    name: str
    suffixes: tuple[str, ...]
    media_type: str
    max_rows: int
    read: Callable[[BinaryIO], StoredTable] | None = None
    write: Callable[[Content, BinaryIO], int] | None = None


@cache
def table_formats() -> dict[str, Format]:
    """Return the formats by name; those that hold most come first, and the first any table."""
    found = declared(__name__, "FORMAT", Format)
    found.sort(key=lambda each: (each.max_rows, each.name), reverse=True)
    return {each.name: each for each in found}


def written_formats(kind: TableKind[Any] | None = None) -> dict[str, Format]:
    """Return the formats by name in which tables are written, those of a kind or of any."""
    names = None if kind is None else kind.formats
    return {
        name: each
        for name, each in table_formats().items()
        if each.write is not None and (names is None or name in names)
    }


def by_suffix(ability: Callable[[Format], _Ability | None]) -> dict[str, _Ability]:
    """Return by suffix what the formats can do, without those that cannot.

    Examples
    --------
    >>> ".csv" in by_suffix(lambda each: each.read)
    True
    """
    able = ((each.suffixes, ability(each)) for each in table_formats().values())
    return {suffix: can for suffixes, can in able if can is not None for suffix in suffixes}


def check_text_rows(rows: int) -> None:
    """Raise InvalidInput if a text file has more rows than it may."""
    if rows > MAX_TEXT_ROWS:
        largest, *_ = table_formats().values()
        raise InvalidInput(f"more than {MAX_TEXT_ROWS:,} rows; use a {largest.suffixes[0]} file")


def numbers_of(part: Mapping[str, NDArray[Any]]) -> Iterator[tuple[float, ...]]:
    """Yield rows; `repr` of a float is its shortest text that reads back bit for bit."""
    return zip(*(values.tolist() for values in part.values()), strict=True)


def rows_in(part: Mapping[str, NDArray[Any]]) -> int:
    """Return the number of rows of columns."""
    return len(next(iter(part.values())))


def kind_called(calls: Callable[[str], bool]) -> TableKind[Any] | None:
    """Return the kind of whose mark something is true, None if there is none."""
    return next((kind_marked(mark) for mark in marks() if calls(mark)), None)
