"""Names of which one is to be chosen."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from tvlb.errors import InvalidInput

_Member = TypeVar("_Member", bound=StrEnum)


def choose(kind: type[_Member], name: str, value: str) -> _Member:
    """Return the member of `kind` that `value` names; raise InvalidInput listing all of them."""
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(f"{name} {value!r}: choose one of {', '.join(kind)}") from None


def members(names: Iterable[str]) -> dict[str, str]:
    """Return the members of an enumeration of these texts, ``per-hop`` as ``PER_HOP``.

    Examples
    --------
    >>> class Fruit(StrEnum):
    ...     vars().update(members(["apple", "star-fruit"]))
    >>> Fruit("star-fruit")
    <Fruit.STAR_FRUIT: 'star-fruit'>
    """
    return {name.upper().replace("-", "_"): name for name in names}


def one_of(names: Iterable[str]) -> str:
    """List alternatives in names.

    Examples
    --------
    >>> one_of(["parquet", "json", "csv"])
    'parquet, json or csv'
    """
    return _joined(names, "or")


def in_turn(names: Iterable[str]) -> str:
    """List what is taken one after the other.

    Examples
    --------
    >>> in_turn(["shape(g.?)", "all"])
    'shape(g.?), then all'
    """
    return ", then ".join(names)


def all_of(names: Iterable[str]) -> str:
    """List names that belong together.

    Examples
    --------
    >>> all_of(["p", "a", "h"])
    'p, a and h'
    """
    return _joined(names, "and")


def _joined(names: Iterable[str], conjunction: str) -> str:
    *others, last = names
    return f"{', '.join(others)} {conjunction} {last}" if others else last
