"""Options of a command from their declaration: the fields of the dataclasses that it takes."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from tvlb.choices import one_of
from tvlb.cli.options import integer, number
from tvlb.settings import (
    Group,
    Names,
    NamesOrWhole,
    Number,
    Setting,
    Switch,
    Text,
    Texts,
    Whole,
    made,
    settings,
)

__all__ = ["takes_settings"]


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command the fields of its dataclasses as options, in place of these parameters.

    These are the settings that a dataclass declares (`tvlb.settings`); of one that declares none,
    all fields, which are annotated as parameters of commands are.
    """
    signature = inspect.signature(command, eval_str=True)
    kinds: dict[str, Any] = {
        parameter.name: parameter.annotation
        for parameter in signature.parameters.values()
        if is_dataclass(parameter.annotation)
    }
    options = {name: _options(kind) for name, kind in kinds.items()}

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        values = {
            name: _made(kind, {option: given.pop(option) for option in options[name]})
            for name, kind in kinds.items()
        }
        command(**values, **given)

    # What typer reads, and calls by keywords only.
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in signature.parameters.values()
        for one in options.get(parameter.name, {parameter.name: parameter}).values()
    ]
    with_options.__dict__["__signature__"] = signature.replace(parameters=parameters)
    return with_options


def _made(kind: Any, given: dict[str, Any]) -> Any:
    return made(kind, given) if settings(kind) else kind(**given)


def _options(kind: Any) -> dict[str, inspect.Parameter]:
    """Return the options of a dataclass by name."""
    hints = get_type_hints(kind, include_extras=True)
    declared = [
        (one.option, _default(one), _annotation(one))
        for one in settings(kind).values()
        if one.option is not None
    ]
    options = declared or [(one.name, one.default, hints[one.name]) for one in fields(kind)]
    return {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, default, annotation in options
    }


def _default(setting: Setting) -> Any:
    value, kind = setting.default, setting.kind
    # What is parsed is parsed from its text, and shown as that.
    parsed = isinstance(kind, Group) and kind.symbol is not None and value is not None
    return str(value) if parsed else kind.asked(value)


def _annotation(setting: Setting) -> Any:
    text, kind, shown = setting.text, setting.kind, setting.unset or True
    match kind:
        case Whole():
            values, option = int, integer(f"{text}, {kind}.", show_default=shown)
        case Number():
            values, option = float, number(f"{text}, {kind}.", show_default=shown)
        case Names(names):
            values = str
            option = typer.Option(help=f"{text}: {one_of(names)}.", show_default=shown)
        case NamesOrWhole(symbol=symbol) | Text(symbol):
            values, option = str, typer.Option(metavar=symbol, help=f"{text}.")
        case Texts(symbol):
            told = f"{text}; may be repeated."
            values, option = list[str], typer.Option(metavar=symbol, help=told, show_default=shown)
        case Group(values, parse, symbol) if not isinstance(kind, Switch):
            told = f"{text}."
            option = typer.Option(parser=parse, metavar=symbol, help=told, show_default=shown)
        case _:
            values, option = bool, typer.Option(help=f"{text}.")
    return Annotated[values | None if setting.unset else values, option]
