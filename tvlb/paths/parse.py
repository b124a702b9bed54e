"""The path-set language, from `all` to `shape(g.?) & <=4`, and the data points.

Paths of saved tables belong to the same language and are added by `tvlb.table`.
"""

import re

from tvlb.calls import Call, Whole, parse_call
from tvlb.errors import InvalidInput
from tvlb.paths.meet_set import MeetSet
from tvlb.paths.path_set import EmptySet, LengthSet, PathSet, ShapeSet, ShortSet
from tvlb.paths.shapes import shapes_of
from tvlb.topology import Topology

__all__ = ["PATH_SET_GRAMMAR", "data_points", "parse_expression", "strategic_choices"]

PATH_SET_GRAMMAR = (
    "expected all, none, <=L (L = 2..6), <=L+F% (F = 1..99), <=L+(M,N) with M+N = L+1, "
    "short(M,N), short(<=L), short(all), shape(HALF.HALF[:WEIGHT], ...) with halves g, gl, lg, lgl "
    "or ?, or up to 8 of these other than none, joined by &"
)
_LENGTH = re.compile(r"<=([0-9]{1,3})(?:\+(?:([0-9]{1,3})%|\(([0-9]),([0-9])\)))?")
_HOPS = Whole("HOPS", 0, 9)
_MOST_PARTS = 8


def parse_expression(text: str, topology: Topology, seed: int = 0) -> PathSet:
    """Parse a path-set expression.

    Parameters
    ----------
    seed : keys the random fractions.

    Raises
    ------
    InvalidInput : the text is no expression or a number is out of range; shows the grammar.

    Examples
    --------
    >>> from tvlb.topology import Dragonfly
    >>> topology = Dragonfly(2, 4, 2, 9)
    >>> [str(parse_expression(text, topology)) for text in ("<=6", "<=4 + 60%", "short(2, 3)")]
    ['all', '<=4+60%', 'short(2,3)']
    >>> str(parse_expression("shape(g.g:2,g.gl)&<=4", topology))
    'shape(g.g:2, g.gl) & <=4'
    """
    parts = "".join(text.split()).split("&")
    try:
        if len(parts) > _MOST_PARTS:
            raise InvalidInput(f"{len(parts)} sets are too many to meet")
        found = tuple(_parse_one(part, topology, seed) for part in parts)
        return found[0] if len(found) == 1 else MeetSet(found)
    except InvalidInput as error:
        raise InvalidInput(f"path set {text!r}: {error}; {PATH_SET_GRAMMAR}") from error


def _parse_one(text: str, topology: Topology, seed: int) -> PathSet:
    if text.startswith("<="):
        return _parse_length(text, topology, seed)
    match parse_call(text):
        case Call("all", (), ()):
            return LengthSet(topology, seed=seed)
        case Call("none", (), ()):
            return EmptySet(topology)
        case Call("short", limits, ()) if limits:
            return _short(topology, limits)
        case Call("shape", entries, ()) if entries:
            return ShapeSet(topology, shapes_of(topology).parse_weights(entries))
        case _:
            raise InvalidInput(f"{text!r} is unknown")


def _parse_length(text: str, topology: Topology, seed: int) -> PathSet:
    match = _LENGTH.fullmatch(text)
    if match is None:
        raise InvalidInput(f"{text!r} is unknown")
    length, percent, first, second = (
        None if part is None else int(part) for part in match.groups()
    )
    assert length is not None
    if percent == 0:
        raise InvalidInput("0%: percentages are 1..99")
    composition = None if first is None or second is None else (first, second)
    return LengthSet(topology, length, percent or 0, composition, seed)


def _short(topology: Topology, limits: tuple[str, ...]) -> ShortSet:
    match limits:
        case ("all",):
            return ShortSet(topology)
        case (total,) if total.startswith("<="):
            return ShortSet(topology, max_total=_HOPS.parse(total.removeprefix("<=")))
        case (first, second):
            return ShortSet(topology, max_first=_HOPS.parse(first), max_second=_HOPS.parse(second))
        case _:
            raise InvalidInput(f"short({','.join(limits)}) is unknown")


def data_points(topology: Topology, seed: int = 0) -> list[PathSet]:
    """Return the sets that Step 1 probes, shortest first; on a Dragonfly those of Table 1."""
    return [parse_expression(text, topology, seed) for text in topology.data_points()]


def strategic_choices(topology: Topology, seed: int = 0) -> list[PathSet]:
    """Return the deterministic choices that Step 2 adds to the data points."""
    return [parse_expression(text, topology, seed) for text in topology.strategic_choices()]
