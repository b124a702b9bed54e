"""Settings, each declared once: name, kind, default and text.

A field of a dataclass declares one with `setting`. From it come the check of its value, the fields
of requests, sweeps and documents (`tvlb.requests.settings`) and the option of a command
(`tvlb.cli.settings`).
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, SupportsFloat, TypeVar

from tvlb.errors import InvalidInput
from tvlb.languages.choices import choose

_Made = TypeVar("_Made")


class Kind:
    """What values a setting takes; this one takes any."""

    def checked(self, name: str, value: Any) -> Any:
        """Return the value, names as members; raise InvalidInput if it is out of range."""
        return value

    def made(self, asked: Any) -> Any:
        """Return the value for what a request or a command asks for."""
        return asked

    def asked(self, value: Any) -> Any:
        """Return what a request asks for to have the value, as plain data."""
        return value


class Flag(Kind):
    """Yes or no."""


@dataclass(frozen=True)
class Whole(Kind):
    """An integer, `low <= value <= high`."""

    low: int
    high: float = math.inf

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise InvalidInput(f"{name} {value!r} is not an integer: {self}")
        if not self.low <= value <= self.high:
            raise InvalidInput(f"{name} {value} is out of range: {self}")
        return value

    def __str__(self) -> str:
        return f"{self.low} or more" if math.isinf(self.high) else f"{self.low}..{self.high}"


@dataclass(frozen=True)
class WholeOrText(Whole):
    """An integer that commands read as a text, `symbol`, since other routers take words there."""

    symbol: str = "N"

    def made(self, asked: Any) -> Any:
        """See `Kind.made`."""
        is_text = isinstance(asked, str) and re.fullmatch("-?[0-9]{1,20}", asked) is not None
        return int(asked) if is_text else asked


@dataclass(frozen=True)
class Number(Kind):
    """A finite number, `low <= value <= high`.

    Attributes
    ----------
    above, below : whether `low` itself is too little, and `high` too much.
    """

    low: float
    high: float = math.inf
    above: bool = False
    below: bool = False

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`."""
        if isinstance(value, bool) or not isinstance(value, SupportsFloat):
            raise InvalidInput(f"{name} {value!r} is not a number: {self}")
        try:
            number = float(value)
        except OverflowError:  # of a whole number of hundreds of digits
            number = math.inf
        is_end = (self.above and number == self.low) or (self.below and number == self.high)
        if is_end or not (self.low <= number <= self.high and math.isfinite(number)):
            raise InvalidInput(f"{name} {value} is out of range: {self}")
        return value

    def __str__(self) -> str:
        least = f"above {self.low:g}" if self.above else f"{self.low:g}"
        if math.isinf(self.high):
            return least if self.above else f"{least} or more"
        most = ", at most " if self.above else " to below " if self.below else ".."
        return f"{least}{most}{self.high:g}"


@dataclass(frozen=True)
class Names(Kind):
    """One of these names; the members of an enumeration may be given as text."""

    names: type[StrEnum] | tuple[str, ...]

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`."""
        if isinstance(self.names, type):
            return choose(self.names, name, str(value))
        if value not in self.names:
            raise InvalidInput(f"{name} {value!r}: choose one of {', '.join(self.names)}")
        return value


@dataclass(frozen=True)
class NamesOrWhole(Kind):
    """The text of one of these names, or of an integer, `low <= value <= high`.

    What it means depends on the network, and is checked where that is known.

    Attributes
    ----------
    number : what the integer is a number of.
    """

    names: Iterable[str]
    low: int
    high: int
    number: str
    symbol: str | None = None

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`."""
        return str(value)

    def refused(self, name: str, value: Any, high: int | None = None) -> InvalidInput:
        """Return the error for another value; `high` is the largest on a network."""
        most = self.high if high is None else high
        return InvalidInput(
            f"{name} {value!r}: expected {', '.join(self.names)} or a number of {self.number}, "
            f"{self.low}..{most:,}"
        )

    def made(self, asked: Any) -> Any:
        """See `Kind.made`."""
        return str(asked)

    def asked(self, value: Any) -> Any:
        """See `Kind.asked`."""
        return int(value) if value.isdecimal() else value


@dataclass(frozen=True)
class Text(Kind):
    """A text in a small language, which has a parser; `symbol` stands for it.

    Attributes
    ----------
    values : the type of what requests have, with its description, where it is declared with the
        setting.
    """

    symbol: str
    values: Any = None

    def asked(self, value: Any) -> Any:
        """See `Kind.asked`; no text at all is left open."""
        return value or None


@dataclass(frozen=True)
class TextOrTexts(Text):
    """One such text, or several in an order."""

    def asked(self, value: Any) -> Any:
        """See `Kind.asked`; one alone is a text."""
        return value if isinstance(value, str) or len(value) > 1 else value[0]


@dataclass(frozen=True)
class Texts(Kind):
    """Several of such texts, at most `most`."""

    symbol: str
    most: int

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`; one text may be given alone."""
        return (value,) if isinstance(value, str) else tuple(value)

    def made(self, asked: Any) -> Any:
        """See `Kind.made`."""
        return tuple(asked or ())


@dataclass(frozen=True)
class Group(Kind):
    """A dataclass of settings.

    Attributes
    ----------
    declaring : the dataclass.
    parse, symbol : what makes one of a text on a command line, and what stands for that.
    """

    declaring: Callable[..., object]
    parse: Callable[[str], Any] = str
    symbol: str | None = None

    def checked(self, name: str, value: Any) -> Any:
        """See `Kind.checked`; the text of a command line will do."""
        return self.parse(value) if isinstance(value, str) else value

    def made(self, asked: Any) -> Any:
        """See `Kind.made`."""
        return None if asked is None else self.declaring(**vars(asked))

    def asked(self, value: Any) -> Any:
        """See `Kind.asked`."""
        return None if value is None else asdict(value)


@dataclass(frozen=True)
class Switch(Group):
    """A dataclass of settings with their defaults, or None; asked for by yes or no."""

    def made(self, asked: Any) -> Any:
        """See `Kind.made`."""
        return self.declaring() if asked else None

    def asked(self, value: Any) -> Any:
        """See `Kind.asked`."""
        return value is not None


@dataclass(frozen=True)
class SpreadGroup(Group):
    """A dataclass of settings that are asked for one by one, beside those around it.

    Attributes
    ----------
    without : the options of it that are not offered there.
    """

    without: tuple[str, ...] = ()

    @property
    def inner(self) -> "Mapping[str, Setting]":
        """The settings that are offered, by their names."""
        return {
            name: one
            for name, one in settings(self.declaring).items()
            if one.option is not None and one.option not in self.without
        }


@dataclass(frozen=True)
class Setting:
    """What is known of a setting.

    Attributes
    ----------
    text : what it is, without a full stop.
    option : its name in requests and on the command line; None if it is not offered there.
    unset : what None, or no text at all, stands for; None where there has to be a value.
    null : the same in a document, where most of what was left open is filled in.
    is_later : whether documents of earlier versions lack it.
    """

    default: Any
    text: str
    kind: Kind
    option: str | None
    unset: str | None
    null: str | None
    is_later: bool = False
    name: str = ""

    def checked(self, value: Any) -> Any:
        """Return the value, names as members; raise InvalidInput if it is out of range."""
        if value is None and self.unset:
            return value
        return self.kind.checked(self.option or self.name, value)


def setting(
    default: Any,
    text: str,
    kind: Kind,
    *,
    option: str | None = "",
    unset: str | None = None,
    null: str | None = None,
    is_later: bool = False,
) -> Any:
    """Declare a setting as a field of a dataclass; see `Setting`.

    Parameters
    ----------
    option : the name of the field without one.
    """
    return field(
        default=default,
        metadata={"setting": Setting(default, text, kind, option, unset, null, is_later)},
    )


@cache
def settings(declaring: Any) -> Mapping[str, Setting]:
    """Return the settings that a dataclass declares by name, in the order of its arguments."""
    known = sorted(fields(declaring), key=lambda one: one.kw_only is True)
    declared = {one.name: one.metadata.get("setting") for one in known}
    return {
        name: replace(one, name=name, option=name if one.option == "" else one.option)
        for name, one in declared.items()
        if one is not None
    }


def with_default(declaring: Any, name: str, default: Any, **more: Any) -> Any:
    """Declare a setting of a class once more, with another default, or `more` of a `Setting`."""
    known = replace(settings(declaring)[name], default=default, **more)
    return field(default=default, metadata={"setting": known})


@cache
def offered(declaring: Any) -> Mapping[str, Setting]:
    """Return what can be asked for, by the names of the options, in the order of declaration."""
    spread = (
        one.kind.inner.values() if isinstance(one.kind, SpreadGroup) else (one,)
        for one in settings(declaring).values()
    )
    return {one.option: one for some in spread for one in some if one.option is not None}


def check_settings(instance: object) -> None:
    """Check the settings of a frozen dataclass that is being made; names become members.

    Raises
    ------
    InvalidInput : a value is out of range.
    """
    for name, one in settings(type(instance)).items():
        object.__setattr__(instance, name, one.checked(getattr(instance, name)))


def made(declaring: Callable[..., _Made], given: Mapping[str, Any], **more: Any) -> _Made:
    """Make a dataclass of what is asked for by the names of its options, and of more fields.

    Raises
    ------
    InvalidInput : a value is out of range.
    """
    values: dict[str, Any] = {}
    for name, one in settings(declaring).items():
        if isinstance(one.kind, SpreadGroup):
            inner = one.kind.inner.items()
            values[name] = one.kind.declaring(
                **{each: part.kind.made(given[str(part.option)]) for each, part in inner}
            )
        elif one.option is not None:
            values[name] = one.kind.made(given[one.option])
    return declaring(**values, **more)


def asked(instance: object) -> dict[str, Any]:
    """Return what a request asks for to have these settings, by option, as plain data."""
    found: dict[str, Any] = {}
    for name, one in settings(type(instance)).items():
        value = getattr(instance, name)
        if isinstance(one.kind, SpreadGroup):
            inner = one.kind.inner.items()
            found |= {
                str(part.option): part.kind.asked(getattr(value, each)) for each, part in inner
            }
        elif one.option is not None:
            found[one.option] = one.kind.asked(value)
    return found
