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
    text = _texts({router: told(one) for router, one in ours.items()})
    usual = {router: _shown(one) for router, one in ours.items()}
    shown = ", ".join(_alike(usual) or [f"{router} {value}" for router, value in usual.items()])
    more: dict[str, Any] = {"show_default": shown}
    if len(having) < len(routers()):
        more["rich_help_panel"] = f"Options of router {', '.join(ours)}"
    values, option = option_of(next(iter(ours.values())), f"{text}.", **more)
    return Annotated[values | None, option]


def _texts(texts: dict[str, str]) -> str:
    if alike := _alike(texts):
        return alike[0]
    # What they all say first is said once.
    first = f"{next(iter(texts.values())).partition(': ')[0]}: "
    shared = first if all(text.startswith(first) for text in texts.values()) else ""
    told = [f"with {router}: {text.removeprefix(shared)}" for router, text in texts.items()]
    start = f"{shared.removesuffix(': ')} " if shared else ""
    found = start + "; ".join(told)
    return found[0].upper() + found[1:]


def _alike(texts: dict[str, str]) -> list[str]:
    """Return the text of all routers, in a list; none where they differ."""
    different = list(dict.fromkeys(texts.values()))
    return different if len(different) == 1 else []


def _shown(setting: Setting) -> str:
    value = default_of(setting)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return setting.unset or str(value)
