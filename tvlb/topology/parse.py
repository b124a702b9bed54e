"""The topology language: `4,8,4,9`, `dfly(4,8,4,9,palmtree)` or the path of a JSON file."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, ValidationError

from tvlb.calls import Choice, Signature, Whole, parse_call
from tvlb.errors import InvalidInput
from tvlb.reading import read_json
from tvlb.topology.dragonfly import ARRANGEMENTS, Dragonfly

__all__ = ["TopologyFile", "parse_named_topology", "parse_sizes", "parse_topology"]

_GRAMMAR = (
    "expected p,a,h,g or dfly(p,a,h,g) with an optional arrangement, such as "
    "dfly(4,8,4,9,palmtree), or the path of a topology JSON file"
)
_FAMILY = "dfly"
# The topology itself says which sizes make one.
_LARGEST = 999_999_999


def _arguments(
    p: Annotated[int, Whole("p", -_LARGEST, _LARGEST)],
    a: Annotated[int, Whole("a", -_LARGEST, _LARGEST)],
    h: Annotated[int, Whole("h", -_LARGEST, _LARGEST)],
    g: Annotated[int, Whole("g", -_LARGEST, _LARGEST)],
    arrangement: Annotated[str, Choice("arrangement", tuple(ARRANGEMENTS))] = "absolute",
) -> tuple[tuple[int, int, int, int], str]:
    return (p, a, h, g), arrangement


_SIGNATURE = Signature(_FAMILY, _arguments)


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
    sizes, arrangement = _parsed(text)
    return Dragonfly(*sizes, arrangement=arrangement)


def parse_sizes(text: str) -> tuple[int, int, int, int]:
    """Return p, a, h and g of a topology that is given by its sizes; builds nothing.

    Raises
    ------
    InvalidInput : the text is no such topology.
    """
    return _parsed(text)[0]


def _parsed(text: str) -> tuple[tuple[int, int, int, int], str]:
    try:
        return _SIGNATURE.bind(parse_call(text if "(" in text else f"{_FAMILY}({text})"))
    except InvalidInput as error:
        raise InvalidInput(f"topology {text!r}: {error}; {_GRAMMAR}") from error


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
