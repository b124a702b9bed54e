"""File formats of tables: a module each, found by looking into this folder.

A module declares ``FORMAT``: what the format is called and what it can hold. The command line, the
service and the parser of path sets offer what is declared.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import BinaryIO, TypeVar

from tvlb.errors import InvalidInput
from tvlb.languages import declared
from tvlb.table.columns import Columns
from tvlb.table.compact import AnyTable

__all__ = ["MAX_TEXT_ROWS", "Format", "by_suffix", "check_text_rows", "table_formats"]

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
    max_rows : the most rows and removed paths together that it takes.
    read : reads a table from a binary stream; raises InvalidInput naming the first problem.
    write : writes a table to a binary stream; equal tables give equal bytes.
    write_switch : writes the rows of one switch below a header, and returns their number.
    """

    name: str
    suffixes: tuple[str, ...]
    media_type: str
    max_rows: int
    read: Callable[[BinaryIO], AnyTable] | None = None
    write: Callable[[AnyTable, BinaryIO], None] | None = None
    write_switch: Callable[[Mapping[str, object], Iterator[Columns], BinaryIO], int] | None = None


@cache
def table_formats() -> dict[str, Format]:
    """Return the formats by name; those that hold most come first, and the first any table."""
    found = declared(__name__, "FORMAT", Format)
    found.sort(key=lambda each: (each.max_rows, each.name), reverse=True)
    return {each.name: each for each in found}


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
