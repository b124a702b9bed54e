"""Options of a command from their declaration: the fields of the dataclasses that it takes."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import Field, fields, is_dataclass
from typing import Annotated, Any, get_type_hints

import typer

from tvlb.choices import one_of
from tvlb.cli.options import integer
from tvlb.search import Setting

__all__ = ["takes_settings"]


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command the fields of its dataclasses as options, in place of these parameters.

    A field is annotated as a parameter of a command is, or has a `tvlb.search.Setting`.
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
        made = {
            name: kind(**{field: given.pop(one.name) for field, one in options[name].items()})
            for name, kind in kinds.items()
        }
        command(**made, **given)

    # What typer reads, and calls by keywords only.
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in signature.parameters.values()
        for one in options.get(parameter.name, {parameter.name: parameter}).values()
    ]
    with_options.__dict__["__signature__"] = signature.replace(parameters=parameters)
    return with_options


def _options(kind: Any) -> dict[str, inspect.Parameter]:
    """Return the options of a dataclass by the names of their fields."""
    hints = get_type_hints(kind, include_extras=True)
    options = {one.name: _option(one, hints[one.name]) for one in fields(kind)}
    return {name: option for name, option in options.items() if option is not None}


def _option(field: Field[Any], annotation: Any) -> inspect.Parameter | None:
    setting: Setting | None = field.metadata.get("setting")
    if setting is None:
        option = field.name
    elif setting.option is None:
        return None
    else:
        option, annotation = setting.option, _annotation(setting)
    default = str(field.default) if isinstance(field.default, str) else field.default
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option, kind, default=default, annotation=annotation)


def _annotation(setting: Setting) -> Any:
    if isinstance(setting.values, type):
        name = typer.Option(
            help=f"{setting.text}: {one_of(setting.values)}.", show_default=setting.unset or True
        )
        return Annotated[str if setting.unset is None else str | None, name]
    if setting.unset is None:
        return Annotated[int, integer(f"{setting.text}.")]
    return Annotated[int | None, integer(f"{setting.text}.", show_default=setting.unset)]
