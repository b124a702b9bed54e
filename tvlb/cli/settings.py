"""The simulator's settings as options of a command, from their one declaration."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tvlb.choices import one_of
from tvlb.cli.options import integer
from tvlb.search import Setting, SimulationConfig, settings

__all__ = ["takes_settings"]


def takes_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command the options of the settings in place of its parameter ``config``."""
    options = {
        setting.option: name for name, setting in settings().items() if setting.option is not None
    }

    @functools.wraps(command)
    def with_config(**given: Any) -> None:
        asked = {name: given.pop(option) for option, name in options.items()}
        command(config=SimulationConfig(**asked), **given)

    parameters: list[inspect.Parameter] = []
    signature = inspect.signature(command)
    for parameter in signature.parameters.values():
        if parameter.name == "config":
            parameters += [_parameter(option, name) for option, name in options.items()]
        else:
            parameters.append(parameter)
    # What typer reads; the first parameters of a command may have no default.
    with_config.__dict__["__signature__"] = signature.replace(parameters=parameters)
    return with_config


def _parameter(option: str, name: str) -> inspect.Parameter:
    default = getattr(SimulationConfig(), name)
    return inspect.Parameter(
        option,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=str(default) if isinstance(default, str) else default,
        annotation=_option(settings()[name]),
    )


def _option(setting: Setting) -> Any:
    if isinstance(setting.values, type):
        name = typer.Option(
            help=f"{setting.text}: {one_of(setting.values)}.", show_default=setting.unset or True
        )
        return Annotated[str if setting.unset is None else str | None, name]
    if setting.unset is None:
        number = typer.Option(parser=integer, metavar="INTEGER", help=f"{setting.text}.")
        return Annotated[int, number]
    unset = typer.Option(
        parser=integer, metavar="INTEGER", help=f"{setting.text}.", show_default=setting.unset
    )
    return Annotated[int | None, unset]
