"""Where a key of a TOML document is written; the parser of the standard library does not say."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from tomllib import TOMLDecodeError
from typing import Any, cast

from tvlb.documents import parse_toml

# Every look parses the document up to a line.
_MOST_LOOKS = 300
_MOST_CHARACTERS = 20_000
_STATEMENT = re.compile(r"\s*(\[|[A-Za-z0-9_\"'.\- ]+=)")


def find_line(text: str, place: Sequence[str | int]) -> int | None:
    """Return the number of the line, from 1, on which the statement begins that makes a place.

    Parameters
    ----------
    text : a TOML document.
    place : keys and list indices, as in ``("generators", 1, "p")``.

    Returns
    -------
    None if the place is not in the document, or the document is too long to look.

    Notes
    -----
    A line is where a statement begins if all lines before it are a document of their own. The
    place is made by the first statement with which the document up to its end has the place.
    """
    if not place or len(text) > _MOST_CHARACTERS:
        return None
    beginning = None
    lines = [f"{line}\n" for line in text.split("\n")]
    for line in islice(_ends_of_statements(lines), _MOST_LOOKS):
        document = _parsed("".join(lines[:line]))
        if document is None:
            continue
        if _has(document, place):
            return beginning
        beginning = line + 1
    return None


def _ends_of_statements(lines: list[str]) -> Iterator[int]:
    """Return the numbers of lines after which the next may begin a statement, and the last."""
    for number, line in enumerate(lines):
        if _STATEMENT.match(line) is not None:
            yield number
    yield len(lines)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return parse_toml(text)
    except TOMLDecodeError:
        return None


def _has(document: object, place: Sequence[str | int]) -> bool:
    for part in place:
        if isinstance(part, int) and isinstance(document, list):
            items = cast("list[object]", document)
            if part >= len(items):
                return False
            document = items[part]
        elif isinstance(document, dict) and part in document:
            document = cast("dict[object, object]", document)[part]
        else:
            return False
    return True
