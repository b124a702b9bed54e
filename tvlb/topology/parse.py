"""The topology language: `4,8,4,9`, `dfly(4,8,4,9,palmtree)` or the path of a JSON file."""

import re

from pydantic import BaseModel, ConfigDict, ValidationError

from tvlb.errors import InvalidInput
from tvlb.reading import read_json
from tvlb.topology.dragonfly import Dragonfly

__all__ = ["TopologyFile", "parse_named_topology", "parse_sizes", "parse_topology"]

_GRAMMAR = (
    "expected p,a,h,g or dfly(p,a,h,g) with an optional arrangement, such as "
    "dfly(4,8,4,9,palmtree), or the path of a topology JSON file"
)
_SIZES = r"\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*"
_INSIDE = rf"{_SIZES}(?:,\s*([a-z]+)\s*)?"
_BARE = re.compile(_INSIDE, re.ASCII)
_NAMED = re.compile(rf"dfly\s*\({_INSIDE}\)", re.ASCII)


class TopologyFile(BaseModel):
    """Schema of a topology JSON file: sizes and the undirected global links."""

    model_config = ConfigDict(strict=True, extra="forbid")

    p: int
    a: int
    h: int
    g: int
    links: list[tuple[int, int]]


def parse_topology(text: str) -> Dragonfly:
    """Parse the topology language.

    Raises
    ------
    InvalidInput : the text is no topology, or the topology is out of range.

    Examples
    --------
    >>> str(parse_topology("4,8,4,9"))
    'dfly(4,8,4,9)'
    >>> str(parse_topology("dfly(2, 4, 2, 9, palmtree)"))
    'dfly(2,4,2,9,palmtree)'
    """
    stripped = text.strip()
    if stripped.endswith(".json"):
        return _load(stripped)
    return parse_named_topology(text)


def parse_named_topology(text: str) -> Dragonfly:
    """Parse a topology that is given by its sizes and never by a file.

    Raises
    ------
    InvalidInput : the text is no such topology, or the topology is out of range.
    """
    match = _match(text)
    return Dragonfly(*parse_sizes(text), arrangement=match.group(5) or "absolute")


def parse_sizes(text: str) -> tuple[int, int, int, int]:
    """Return p, a, h and g of a topology that is given by its sizes; builds nothing.

    Raises
    ------
    InvalidInput : the text is no such topology.
    """
    p, a, h, g = (_bounded(number) for number in _match(text).groups()[:4])
    return p, a, h, g


def _match(text: str) -> re.Match[str]:
    stripped = text.strip()
    match = _BARE.fullmatch(stripped) or _NAMED.fullmatch(stripped)
    if match is None:
        raise InvalidInput(f"unknown topology {text!r}: {_GRAMMAR}")
    return match


def _bounded(number: str) -> int:
    if len(number) > 9:
        raise InvalidInput(f"{number[:12]}... is out of range for a topology parameter")
    return int(number)


def _load(path: str) -> Dragonfly:
    text = read_json(path, "topology file")
    try:
        content = TopologyFile.model_validate_json(text)
    except ValueError as error:
        raise InvalidInput(f"topology file {path} is malformed: {first_problem(error)}") from error
    try:
        return Dragonfly.from_cables(
            content.p, content.a, content.h, content.g, content.links, path=path
        )
    except InvalidInput as error:
        raise InvalidInput(f"topology file {path}: {error}") from error


def first_problem(error: Exception) -> str:
    """Say in one line what a validation error found first."""
    if isinstance(error, ValidationError):
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        return f"{where}: {problem['msg']}" if where else problem["msg"]
    return str(error)
