"""The pattern language: `shift(2,0)`, `mixed(75,25,shift(1,0))`, or a traffic-matrix file."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tvlb.errors import InvalidInput
from tvlb.languages import Argument, declared, one_of, parse_call, read_as
from tvlb.traffic.matrix import MatrixPattern, is_matrix
from tvlb.traffic.pattern import NamedPattern, Pattern, signature_of

_FOLDER = "tvlb.traffic.patterns"
_ENTRY_POINTS = "tvlb.patterns"
_SHOWN = 80


@cache
def named_patterns() -> tuple[type[NamedPattern], ...]:
    """Return the patterns that are given by a name, as lists name them."""
    every = declared(_FOLDER, "PATTERN", type, _ENTRY_POINTS)
    found = [one for one in every if issubclass(one, NamedPattern)]
    return tuple(sorted(found, key=lambda one: (one.place, one.name)))


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
    try:
        return parse_asked_pattern(text)
    except InvalidInput as error:
        raise InvalidInput(f"{error}, or the path of a .csv traffic matrix") from error


def as_pattern(value: Pattern | str) -> Pattern:
    """Return a pattern, given as itself or as the text that commands take; see `parse_pattern`."""
    return read_as(value, Pattern, parse_pattern)


def parse_asked_pattern(text: str) -> Pattern:
    r"""Parse a pattern as requests have it: by its name, or what the file of a matrix holds.

    Raises
    ------
    InvalidInput : the text is neither; the message shows the grammar.

    Examples
    --------
    >>> ring = parse_asked_pattern("# level=switch\nsrc,dst,rate\n0,1,1\n1,0,1")
    >>> str(ring), ring.asked
    ('matrix(1c8161f1)', '# level=switch\nsrc,dst,rate\n0,1,1.0\n1,0,1.0\n')
    """
    return MatrixPattern.of(text) if is_matrix(text) else parse_named_pattern(text)


def parse_named_pattern(text: str) -> NamedPattern:
    """Parse a pattern that is given by its name and never by a file.

    Raises
    ------
    InvalidInput : the text is no such pattern; the message shows the grammar.
    """
    try:
        return _parse(text, named_patterns())
    except InvalidInput as error:
        forms = ", ".join(signature_of(one).form for one in named_patterns())
        raise InvalidInput(f"pattern {text[:_SHOWN]!r}: {error}; expected {forms}") from error


def _parse(text: str, accepted: Iterable[type[NamedPattern]]) -> NamedPattern:
    call = parse_call(text)
    signatures = {one.name: signature_of(one) for one in accepted}
    if call.name not in signatures:
        raise InvalidInput(f"{call.name!r} is not {one_of(signatures)}")
    return signatures[call.name].bind(call)


def pattern_regex() -> str:
    """Regular expression of the named patterns, as in JSON Schema."""
    return _regex(named_patterns())


def _regex(accepted: Iterable[type[NamedPattern]]) -> str:
    return f"({'|'.join(signature_of(one).regex for one in accepted)})"


@dataclass(frozen=True)
class PatternArgument(Argument):
    """A pattern as an argument of another.

    Attributes
    ----------
    kind : class of the patterns; not among them are those that take a pattern of this kind.
    """

    kind: type[NamedPattern]

    def parse(self, text: str) -> NamedPattern:
        """See `Argument.parse`."""
        return _parse(text, self._accepted())

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        return _regex(self._accepted())

    def _accepted(self) -> list[type[NamedPattern]]:
        return [
            one
            for one in named_patterns()
            if issubclass(one, self.kind) and self not in signature_of(one).arguments.values()
        ]
