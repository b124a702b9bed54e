"""Sweep files: a `SweepBody` in TOML, with errors in the file's own terms."""

import re
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, cast

from pydantic import ValidationError

from tvlb.documents import parse_toml, read_file
from tvlb.errors import InvalidInput
from tvlb.requests.problems import FoundProblem, first_problem
from tvlb.requests.sweep import SweepBody
from tvlb.requests.toml_lines import find_line
from tvlb.topology import described, is_network_file, read_network

MAX_BYTES = 1 << 20
_MOST_BITS = 128
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_sweep_file(path: Path) -> SweepBody:
    """Read a sweep file, and the files of networks that it names, from its folder on.

    Raises
    ------
    InvalidInput : a file cannot be read, this one is larger than 1 MiB, is no UTF-8 or no TOML, or
        is no sweep. The text is one line: the file, the line where that is known, the key, and what
        was expected.
    """
    text = _text(path)
    try:
        document = parse_toml(text)
    except TOMLDecodeError as error:
        raise InvalidInput(_syntax_problem(path, text, str(error))) from error
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from error
    if _has_huge_number(document):
        raise InvalidInput(f"{path}: a number has too many digits")
    problem = _read_networks(path.parent, document)
    if problem is None:
        try:
            return SweepBody.model_validate(document)
        except ValidationError as error:
            problem = first_problem(SweepBody, error)
    line = find_line(text, problem.place)
    where = f"{path}" if line is None else f"{path}:{line}"
    raise InvalidInput(f"{where}: {problem}")


def _read_networks(folder: Path, document: dict[str, Any]) -> FoundProblem | None:
    """Put networks in place of the names of their files, and return the first problem."""
    listed = document.get("topologies")
    for number, one in enumerate(cast("list[object]", listed) if isinstance(listed, list) else ()):
        if isinstance(one, str) and is_network_file(one):
            try:
                document["topologies"][number] = described(read_network(folder / one))
            except InvalidInput as error:
                return FoundProblem(("topologies", number), str(error))
    return None


def _has_huge_number(value: object) -> bool:
    """Whether there is an integer that no field takes, and that Python may refuse to print."""
    if isinstance(value, dict):
        return any(map(_has_huge_number, cast("dict[str, object]", value).values()))
    if isinstance(value, list):
        return any(map(_has_huge_number, cast("list[object]", value)))
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def _text(path: Path) -> str:
    content = read_file(path, "sweep file", MAX_BYTES)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{path}:{line}: the file is not UTF-8") from error


def _syntax_problem(path: Path, text: str, message: str) -> str:
    """Name a TOML error as compilers do: file, line, column."""
    match = _POSITION.search(message)
    what = message if match is None else message[: match.start()]
    if match is None:
        return f"{path}: the file is not TOML: {what}"
    if match.group(1) is None:
        return f"{path}:{text.count(chr(10)) + 1}: the file is not TOML: {what}, at its end"
    return f"{path}:{match.group(1)}:{match.group(2)}: the file is not TOML: {what}"
