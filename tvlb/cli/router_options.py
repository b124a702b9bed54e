"""Options of a command that takes any model of routers: those of all of them."""

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from tvlb.cli.settings import default_of, option_of, read_by_typer, told
from tvlb.languages import Setting
from tvlb.requests.routers import Router, routers


def takes_router_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command the options of all routers, in place of its parameter ``given``.

    That becomes the values by name, None for options that are not given.
    """
    signature = inspect.signature(command, eval_str=True)
    options = {
        name: inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_of_routers(
                [one for one in routers().values() if name in one.options], name
            ),
        )
        for name in dict.fromkeys(name for one in routers().values() for name in one.options)
    }

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        values = {name: given.pop(name) for name in options}
        command(given=values, **given)

    read_by_typer(with_options, signature, {"given": options})
    return with_options


def _of_routers(having: Sequence[Router], name: str) -> Any:
    """Return the annotation of an option of some routers; help says where these differ."""
    ours = {one.name: one.options[name] for one in having}
    text = _by_router({router: told(one) for router, one in ours.items()}, "; ", ": ")
    shown = _by_router({router: _shown(one) for router, one in ours.items()}, ", ", " ")
    more: dict[str, Any] = {"show_default": shown}
    if len(having) < len(routers()):
        more["rich_help_panel"] = f"Options of router {', '.join(ours)}"
    values, option = option_of(next(iter(ours.values())), f"{text}.", **more)
    return Annotated[values | None, option]


def _by_router(texts: dict[str, str], between: str, after: str) -> str:
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    # What they all say first is said once.
    first = f"{next(iter(texts.values())).partition(': ')[0]}: "
    is_shared = after == ": " and all(text.startswith(first) for text in texts.values())
    shared = first if is_shared else ""
    told = {router: text.removeprefix(shared) for router, text in texts.items()}
    return shared + between.join(f"{router}{after}{text}" for router, text in told.items())


def _shown(setting: Setting) -> str:
    value = default_of(setting)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return setting.unset or str(value)
