"""The call syntax `name(argument, key=value)` of every small language, and declared arguments.

A function or class says by its parameters what a name takes: each is annotated with the kind of
text it is made of, an `Argument`. A `Signature` reads them, so that an argument is declared once.
"""

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, TypeVar, cast, get_type_hints

from tvlb.errors import InvalidInput

_Value = TypeVar("_Value")

_MAX_TEXT = 4000
_MAX_DEPTH = 8
_SHOWN = 80
_CALL = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)\s*(?:\((.*)\))?", re.DOTALL | re.ASCII)
_KEYWORD = re.compile(r"([a-z][a-z0-9_]*)\s*=\s*(.*)", re.DOTALL | re.ASCII)
_LARGEST_WHOLE = 999_999_999
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?([0-9]{1,30}\.?|[0-9]{0,30}\.[0-9]{1,30})(e[+-]?[0-9]{1,3})?")


@dataclass(frozen=True)
class Call:
    """`name(argument, key=value)` taken apart; `str` gives a text that parses back to it.

    Attributes
    ----------
    name : lower case, with digits and hyphens.
    arguments : texts without surrounding blanks; a nested call is such a text.
    keywords : pairs of a key and its text, in the order given.
    """

    name: str
    arguments: tuple[str, ...] = ()
    keywords: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        inside = [*self.arguments, *(f"{key}={value}" for key, value in self.keywords)]
        return f"{self.name}({','.join(inside)})" if inside else self.name


def parse_call(text: str, longest: int = _MAX_TEXT) -> Call:
    """Take a call apart.

    Parameters
    ----------
    longest : characters that the text may have.

    Raises
    ------
    InvalidInput : the text is no call, is too long, is nested more than 8 deep, or names a key
        twice.

    Examples
    --------
    >>> parse_call("mixed(75, 25, shift(1, 0), seed=2)")
    Call(name='mixed', arguments=('75', '25', 'shift(1, 0)'), keywords=(('seed', '2'),))
    """
    if len(text) > longest:
        raise InvalidInput(f"{text[:_SHOWN]!r}... is longer than {longest:,} characters")
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise InvalidInput(f"{text[:_SHOWN]!r} is no name with arguments in brackets")
    arguments: list[str] = []
    keywords: dict[str, str] = {}
    for part in [] if match[2] is None else _split(match[2]):
        keyword = _KEYWORD.fullmatch(part)
        if keyword is None:
            arguments.append(part)
        elif keyword[1] in keywords:
            raise InvalidInput(f"{text[:_SHOWN]!r} gives {keyword[1]} twice")
        else:
            keywords[keyword[1]] = keyword[2]
    return Call(match[1], tuple(arguments), tuple(keywords.items()))


def read_as(value: _Value | str, kind: type[_Value], parse: Callable[[str], _Value]) -> _Value:
    """Return what is given as itself, or as a text that is parsed.

    Raises
    ------
    InvalidInput : it is neither; or as `parse`.
    """
    if isinstance(value, str):
        return parse(value)
    if not isinstance(value, kind):
        shown = " ".join(f"{value!r:.{_SHOWN}}".split())
        raise InvalidInput(f"{shown} is no {kind.__name__}, nor the text of one")
    return value


def _split(inside: str) -> list[str]:
    """Split at commas outside brackets."""
    parts, depth = [""], 0
    for character in inside:
        depth += (character == "(") - (character == ")")
        if not 0 <= depth < _MAX_DEPTH:
            raise InvalidInput(f"the brackets of ({inside[:_SHOWN]}) do not match or are too deep")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    stripped = [part.strip() for part in parts]
    if depth != 0 or not all(stripped):
        raise InvalidInput(f"({inside[:_SHOWN]}) has an open bracket or an empty argument")
    return stripped


@dataclass(frozen=True)
class Argument(ABC):
    """The kind of one argument.

    Attributes
    ----------
    symbol : what stands for it in the form of a call, such as `DG` in `shift(DG,DS)`.
    keyword : whether it is given as `key=value`, with the name of the parameter as the key.
    """

    symbol: str
    keyword: bool = field(default=False, kw_only=True)

    @abstractmethod
    def parse(self, text: str) -> object:
        """Return the value; raise InvalidInput that quotes the text and says what is allowed."""

    @property
    @abstractmethod
    def regex(self) -> str:
        """Regular expression of the texts, as in JSON Schema; numbers may still be too large."""

    def text(self, value: object) -> str:
        """Write a value as `parse` reads it."""
        return str(value)


@dataclass(frozen=True)
class WholeArgument(Argument):
    """An integer, `low <= value <= high`, in ASCII digits; nine where only a network says more."""

    low: int = -_LARGEST_WHOLE
    high: int = _LARGEST_WHOLE

    def parse(self, text: str) -> int:
        """See `Argument.parse`."""
        if _WHOLE.fullmatch(text) is None or not self.low <= int(text) <= self.high:
            raise InvalidInput(
                f"{text[:_SHOWN]!r} is out of range: integers {self.low}..{self.high}"
            )
        return int(text)

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        digits = len(str(self.high))
        if self.low > 0:
            return f"[1-9][0-9]{{0,{digits - 1}}}"
        return f"{'-?' * (self.low < 0)}[0-9]{{1,{digits}}}"


@dataclass(frozen=True)
class NumberArgument(Argument):
    """A decimal number, `low <= value <= high`."""

    low: float
    high: float

    def parse(self, text: str) -> float:
        """See `Argument.parse`."""
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not self.low <= value <= self.high:
            raise InvalidInput(
                f"{text[:_SHOWN]!r} is out of range: numbers {self.low:g}..{self.high:g}"
            )
        return value

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        return _NUMBER.pattern


@dataclass(frozen=True)
class Choice(Argument):
    """One of a few words."""

    words: tuple[str, ...]

    def parse(self, text: str) -> str:
        """See `Argument.parse`."""
        if text not in self.words:
            raise InvalidInput(
                f"{text[:_SHOWN]!r} is unknown; choose one of {', '.join(self.words)}"
            )
        return text

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        return f"({'|'.join(self.words)})"


@dataclass(frozen=True)
class Several(Argument):
    """A tuple of arguments of one kind: all that come behind those of the other parameters.

    Attributes
    ----------
    symbol : of all, such as `K1,K2,...`.
    each : what each of them is.
    least, most : how many there may be, from 1.
    """

    each: Argument
    least: int
    most: int

    def parse(self, text: str) -> tuple[object, ...]:
        """See `Argument.parse`."""
        texts = _split(text)
        if not self.least <= len(texts) <= self.most:
            raise InvalidInput(f"has {len(texts)} values; allowed are {self.least}..{self.most}")
        return tuple(map(self.each.parse, texts))

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        each = self.each.regex
        return f"{each}( *, *{each}){{{self.least - 1},{self.most - 1}}}"

    def text(self, value: object) -> str:
        """See `Argument.text`."""
        assert isinstance(value, tuple)
        return ",".join(map(self.each.text, cast("tuple[object, ...]", value)))


@dataclass(frozen=True)
class _Parameter:
    """A parameter of a function or class, and the `Argument` that annotates it."""

    key: str
    argument: Argument
    default: object

    @property
    def is_optional(self) -> bool:
        return self.default is not inspect.Parameter.empty

    @property
    def form(self) -> str:
        return self._prefix + self.argument.symbol

    @property
    def regex(self) -> str:
        return f" *{self._prefix}{self.argument.regex} *"

    def parse(self, text: str) -> object:
        try:
            return self.argument.parse(text)
        except InvalidInput as error:
            name = self.key if self.argument.keyword else self.argument.symbol
            raise InvalidInput(f"{name} {error}") from error

    def text(self, value: object) -> str:
        return self._prefix + self.argument.text(value)

    @property
    def _prefix(self) -> str:
        return f"{self.key}=" if self.argument.keyword else ""


_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Signature(Generic[_Made]):
    """What a name takes, as the parameters of a function or class declare it.

    Attributes
    ----------
    make : what is called with the values; optional ones have a default.

    Examples
    --------
    >>> from typing import Annotated
    >>> def area(
    ...     width: Annotated[int, WholeArgument("W", 1, 9)],
    ...     height: Annotated[int, WholeArgument("H", 1, 9, keyword=True)] = 1,
    ... ) -> int:
    ...     return width * height
    >>> signature = Signature("area", area)
    >>> signature.form
    'area(W[,height=H])'
    >>> signature.bind(parse_call("area(3, height=2)"))
    6
    """

    name: str
    make: Callable[..., _Made]

    @cached_property
    def parameters(self) -> tuple[_Parameter, ...]:
        """The parameters of `make`, in its order; each is annotated with an `Argument`."""
        # Of a class, the fields of a dataclass are parameters of its constructor as well.
        called = self.make.__init__ if isinstance(self.make, type) else self.make
        hints = get_type_hints(called, include_extras=True)
        return tuple(
            _Parameter(key, next(iter(hints[key].__metadata__)), parameter.default)
            for key, parameter in inspect.signature(self.make).parameters.items()
        )

    @property
    def _positional(self) -> list[_Parameter]:
        return [one for one in self.parameters if not one.argument.keyword]

    @property
    def _keywords(self) -> list[_Parameter]:
        return [one for one in self.parameters if one.argument.keyword]

    @property
    def arguments(self) -> dict[str, Argument]:
        """What the parameters are made of, by their names and in their order."""
        return {one.key: one.argument for one in self.parameters}

    def bind(self, call: Call) -> _Made:
        """Return what is made of the arguments of a call.

        Raises
        ------
        InvalidInput : see `values`.
        """
        return self.make(**self.values(call))

    def values(self, call: Call) -> dict[str, object]:
        """Return the arguments of a call by the names of the parameters; what is left out is not.

        Raises
        ------
        InvalidInput : the name is another, or an argument is missing, unknown or out of range.
        """
        keywords, texts, positional = dict(call.keywords), [*call.arguments], self._positional
        if positional and isinstance(positional[-1].argument, Several):
            before = len(positional) - 1
            texts[before:] = [",".join(texts[before:])] if texts[before:] else []
        given = dict(zip((one.key for one in positional), texts, strict=False)) | keywords
        required = {one.key for one in self.parameters if not one.is_optional}
        if (
            call.name != self.name
            or len(texts) > len(positional)
            or not keywords.keys() <= {one.key for one in self._keywords}
            or not required <= given.keys()
        ):
            raise InvalidInput(f"{str(call)[:_SHOWN]!r} is not {self.form}")
        return {one.key: one.parse(given[one.key]) for one in self.parameters if one.key in given}

    def text(self, made: object) -> str:
        """Write the call that makes a value whose attributes have the names of the parameters."""
        values = [(one, getattr(made, one.key)) for one in self._positional]
        while values and values[-1][0].default == values[-1][1]:  # only the last can be left out
            values.pop()
        keywords = [(one, getattr(made, one.key)) for one in self._keywords]
        values += [(one, value) for one, value in keywords if value != one.default]
        inside = ",".join(one.text(value) for one, value in values)
        return f"{self.name}({inside})" if inside else self.name

    @property
    def form(self) -> str:
        """How it is written, with symbols for the arguments: `mixed(U,V,PATTERN[,seed=N])`."""
        if not self.parameters:
            return self.name
        if all(one.is_optional for one in self.parameters):
            return f"{self.name}({','.join(one.form for one in self.parameters)})"
        inside = [
            f"[,{one.form}]" if one.is_optional else f",{one.form}" for one in self.parameters
        ]
        return f"{self.name}({''.join(inside)[1:]})"

    @property
    def regex(self) -> str:
        """Regular expression of the calls, as in JSON Schema; keywords in the order declared."""
        optional = [one.regex for one in self.parameters if one.is_optional]
        tails = [f"(,{one})?" for one in optional]
        if len(optional) < len(self.parameters):
            return rf"{self.name} *\({self.inner_regex}\)"
        starts = [
            one.regex + "".join(tails[position + 1 :])
            for position, one in enumerate(self.parameters)
            if position == 0 or one.argument.keyword
        ]
        some = f"({'|'.join(starts)})" if len(starts) > 1 else "".join(starts)
        return rf"{self.name}( *\({some}\))?" if some else self.name

    @property
    def inner_regex(self) -> str:
        """What is between the brackets of calls, where an argument is needed; see `regex`."""
        required = [one.regex for one in self.parameters if not one.is_optional]
        tails = [f"(,{one.regex})?" for one in self.parameters if one.is_optional]
        return ",".join(required) + "".join(tails)
