"""The pattern language: `shift(2,0)`, `mixed(75,25,shift(1,0))`, or a traffic-matrix file."""

import re
from dataclasses import dataclass
from typing import cast

from tvlb.errors import InvalidInput
from tvlb.randomness import MAX_SEED
from tvlb.traffic.matrix import MatrixPattern
from tvlb.traffic.patterns import (
    DestinationPattern,
    Mixed,
    Pattern,
    Permutation,
    Shift,
    TimeMixed,
    Type2,
    Uniform,
)

__all__ = ["parse_named_pattern", "parse_pattern"]

_GRAMMAR = (
    "expected uniform, shift(DG,DS), type2(seed=N), permutation(seed=N), "
    "mixed(U,V,PATTERN[,seed=N]), tmixed(U,V,PATTERN) or the path of a .csv traffic matrix"
)
_CALL = re.compile(r"([a-z0-9]+)(?:\((.*)\))?", re.DOTALL)


@dataclass(frozen=True)
class _Call:
    """`name(arguments, key=value)` taken apart; arguments are still text."""

    text: str
    name: str
    arguments: tuple[str, ...]
    seed: int | None


def parse_pattern(text: str) -> Pattern:
    """Parse the pattern language.

    Raises
    ------
    InvalidInput : the text is no pattern; the message shows the grammar.

    Examples
    --------
    >>> str(parse_pattern("mixed(75, 25, shift(1, 0))"))
    'mixed(75,25,shift(1,0))'
    """
    stripped = text.strip()
    if stripped.endswith(".csv"):
        return MatrixPattern.read(stripped)
    return parse_named_pattern(text)


def parse_named_pattern(text: str) -> Pattern:
    """Parse a pattern that is given by its name and never by a file.

    Raises
    ------
    InvalidInput : the text is no such pattern; the message shows the grammar.
    """
    return _build(_take_apart(text.strip()))


def _build(call: _Call) -> Pattern:
    match (call.name, len(call.arguments)):
        case ("uniform", 0) if call.seed is None:
            return Uniform()
        case ("shift", 2) if call.seed is None:
            return Shift(_integer(call, 0), _integer(call, 1))
        case ("type2", 0):
            return Type2(call.seed)
        case ("permutation", 0):
            return Permutation(call.seed)
        case ("mixed", 3):
            return Mixed(_integer(call, 0), _integer(call, 1), _fixed(call, 2), call.seed)
        case ("tmixed", 3) if call.seed is None:
            return TimeMixed(_integer(call, 0), _integer(call, 1), _fixed(call, 2))
        case _:
            raise _unknown(call.text)


def _fixed(call: _Call, position: int) -> DestinationPattern:
    inner = _take_apart(call.arguments[position])
    if inner.name in ("shift", "type2", "permutation"):
        return cast("DestinationPattern", _build(inner))
    raise InvalidInput(f"{call.text!r}: the adversarial part must be shift, type2 or permutation")


def _take_apart(text: str) -> _Call:
    match = _CALL.fullmatch(text)
    if match is None:
        raise _unknown(text)
    name, inside = match.group(1), match.group(2)
    parts = _split(inside, text) if inside is not None else []
    seed: int | None = None
    if parts and parts[-1].startswith("seed="):
        seed = _seed(parts.pop()[len("seed=") :], text)
    return _Call(text, name, tuple(parts), seed)


def _split(inside: str, text: str) -> list[str]:
    """Split at commas outside parentheses."""
    parts, depth, current = list[str](), 0, ""
    for character in inside:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            raise _unknown(text)
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    if depth != 0 or not current.strip():
        raise _unknown(text)
    return [*parts, current.strip()]


def _integer(call: _Call, position: int) -> int:
    argument = call.arguments[position]
    if re.fullmatch(r"-?[0-9]{1,9}", argument) is None:
        raise InvalidInput(f"{call.text!r}: {argument!r} is not an integer; {_GRAMMAR}")
    return int(argument)


def _seed(value: str, text: str) -> int:
    if re.fullmatch(r"[0-9]{1,19}", value) is None or int(value) > MAX_SEED:
        raise InvalidInput(f"{text!r}: seed {value!r} is out of range: 0..2^63-1")
    return int(value)


def _unknown(text: str) -> InvalidInput:
    return InvalidInput(f"unknown pattern {text!r}: {_GRAMMAR}")
