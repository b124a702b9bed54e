"""Options of a command from their declaration: the fields of the dataclasses that it takes."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from tvlb.cli.numbers import integer, number
from tvlb.errors import InvalidInput
from tvlb.languages import (
    Group,
    Names,
    NamesOrWhole,
    Number,
    Setting,
    Switch,
    Text,
    TextOrTexts,
    Texts,
    Whole,
    WholeOrText,
    made,
    offered,
    one_of,
    settings,
)


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command the fields of its dataclasses as options, in place of these parameters.

    These are the settings that a dataclass declares (`tvlb.languages.settings`); of one that
    declares none, all fields, which are annotated as parameters of commands are.
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

    read_by_typer(with_options, signature, options)
    return with_options


def read_by_typer(
    command: Callable[..., None],
    signature: inspect.Signature,
    options: Mapping[str, Mapping[str, inspect.Parameter]],
) -> None:
    """Give a function that is called by keywords only a signature, options for some parameters."""
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in signature.parameters.values()
        for one in options.get(parameter.name, {parameter.name: parameter}).values()
    ]
    command.__dict__["__signature__"] = signature.replace(parameters=parameters)


def _made(kind: Any, given: dict[str, Any]) -> Any:
    return made(kind, given) if settings(kind) else kind(**given)


def _options(kind: Any) -> dict[str, inspect.Parameter]:
    """Return the options of a dataclass by name."""
    hints = get_type_hints(kind, include_extras=True)
    declared = [(name, default_of(one), _annotation(one)) for name, one in offered(kind).items()]
    options = declared or [(one.name, one.default, hints[one.name]) for one in fields(kind)]
    return {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )
        for name, default, annotation in options
    }


def default_of(setting: Setting) -> Any:
    """Return what a command is given where an option is not."""
    value, kind = setting.default, setting.kind
    # What is parsed is parsed from its text, and shown as that.
    parsed = isinstance(kind, Group) and kind.symbol is not None and value is not None
    return str(value) if parsed else kind.asked(value)


def _annotation(setting: Setting) -> Any:
    values, option = option_of(setting, f"{told(setting)}.", show_default=setting.unset or True)
    return Annotated[values | None if setting.unset else values, option]


def told(setting: Setting) -> str:
    """Return the help of an option, without a full stop."""
    match setting.kind:
        case Whole() | Number():
            return f"{setting.text}, {setting.kind}"
        case Names(names):
            return f"{setting.text}: {one_of(names)}"
        case Texts() | TextOrTexts():
            return f"{setting.text}; may be repeated"
        case _:
            return setting.text


def option_of(setting: Setting, text: str, **more: Any) -> tuple[Any, Any]:
    """Return the type of the values of an option, and what declares it with this help."""
    match setting.kind:
        case WholeOrText(symbol=symbol):
            values, option = str, typer.Option(metavar=symbol, help=text, **more)
        case Whole():
            values, option = int, integer(text, setting.kind, **more)
        case Number():
            values, option = float, number(text, setting.kind, **more)
        case Names():
            values, option = str, typer.Option(help=text, **more)
        case Texts(symbol) | TextOrTexts(symbol):
            values, option = list[str], typer.Option(metavar=symbol, help=text, **more)
        case NamesOrWhole(symbol=symbol) | Text(symbol):
            values, option = str, typer.Option(metavar=symbol, help=text, **more)
        case Group(values, symbol=symbol) if not isinstance(setting.kind, Switch):
            option = typer.Option(parser=_parser(setting), metavar=symbol, help=text, **more)
        case _:
            values, option = bool, typer.Option(help=text, **more)
    return values, option


def _parser(setting: Setting) -> Callable[[str], Any]:
    """Return what parses the text of a group, whose errors name its parts, and names the option."""

    def parsed(text: str) -> Any:
        try:
            return setting.checked(text)
        except InvalidInput as error:
            raise InvalidInput(f"{setting.option or setting.name} {text}: {error}") from error

    return parsed
