"""The path-set language: `all`, `none`, `<=4+60%`, `<=4+(2,3)`, `short(2,3)`, and the data points.

Paths of saved tables belong to the same language and are added by `tvlb.table`.
"""

import re

from tvlb.errors import InvalidInput
from tvlb.paths.path_set import EmptySet, LengthSet, PathSet, ShortSet
from tvlb.topology import Dragonfly

__all__ = ["PATH_SET_GRAMMAR", "parse_expression", "strategic_choices", "table1_points"]

PATH_SET_GRAMMAR = (
    "expected all, none, <=L (L = 2..6), <=L+F% (F = 1..99), <=L+(M,N) with M+N = L+1, "
    "short(M,N), short(<=L), short(all)"
)
_LENGTH = re.compile(r"<=([0-9]{1,3})(?:\+(?:([0-9]{1,3})%|\(([0-9]),([0-9])\)))?")
_SHORT = re.compile(r"short\((?:([0-9]),([0-9])|<=([0-9])|all)\)")


def parse_expression(text: str, topology: Dragonfly, seed: int = 0) -> PathSet:
    """Parse a path-set expression.

    Parameters
    ----------
    seed : keys the random fractions.

    Raises
    ------
    InvalidInput : the text is no expression or a number is out of range; shows the grammar.

    Examples
    --------
    >>> topology = Dragonfly(2, 4, 2, 9)
    >>> [str(parse_expression(text, topology)) for text in ("<=6", "<=4 + 60%", "short(2, 3)")]
    ['all', '<=4+60%', 'short(2,3)']
    """
    compact = "".join(text.split())
    if compact == "all":
        return LengthSet(topology, seed=seed)
    if compact == "none":
        return EmptySet(topology)
    try:
        found = _parse_length(compact, topology, seed) or _parse_short(compact, topology)
    except InvalidInput as error:
        raise InvalidInput(f"path set {text!r}: {error}; {PATH_SET_GRAMMAR}") from error
    if found is None:
        raise InvalidInput(f"unknown path set {text!r}: {PATH_SET_GRAMMAR}")
    return found


def _parse_length(text: str, topology: Dragonfly, seed: int) -> PathSet | None:
    match = _LENGTH.fullmatch(text)
    if match is None:
        return None
    length, percent, first, second = (
        None if part is None else int(part) for part in match.groups()
    )
    assert length is not None
    if percent == 0:
        raise InvalidInput("0%: percentages are 1..99")
    composition = None if first is None or second is None else (first, second)
    return LengthSet(topology, length, percent or 0, composition, seed)


def _parse_short(text: str, topology: Dragonfly) -> PathSet | None:
    match = _SHORT.fullmatch(text)
    if match is None:
        return None
    first, second, total = (None if part is None else int(part) for part in match.groups())
    if first is not None and second is not None:
        return ShortSet(topology, max_first=first, max_second=second)
    return ShortSet(topology) if total is None else ShortSet(topology, max_total=total)


def table1_points(topology: Dragonfly, seed: int = 0) -> list[PathSet]:
    """Return the 31 data points of Table 1 of the T-UGAL paper, shortest first."""
    points: list[PathSet] = []
    for length in range(3, 6):
        points.append(LengthSet(topology, length, seed=seed))
        points += [LengthSet(topology, length, 10 * tenth, seed=seed) for tenth in range(1, 10)]
    return [*points, LengthSet(topology, seed=seed)]


def strategic_choices(topology: Dragonfly, seed: int = 0) -> list[PathSet]:
    """Return the deterministic choices that Step 2 adds to the data points."""
    return [
        LengthSet(topology, 4, composition=(2, 3), seed=seed),
        LengthSet(topology, 4, composition=(3, 2), seed=seed),
        ShortSet(topology, max_first=2),
        ShortSet(topology, max_second=2),
        ShortSet(topology, max_total=4),
        ShortSet(topology, max_total=5),
        ShortSet(topology),
    ]
