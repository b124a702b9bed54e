"""How UGAL compares, as settings of routers: what is left open follows from a rule."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from sim_bridge.routing import takes_of_rule
from tvlb.errors import InvalidInput
from tvlb.languages import one_of, with_default
from tvlb.paths import PUBLISHED_RULE, RULE_SETTINGS, UgalRule

_Config = TypeVar("_Config", bound=Any)


def rule_setting(name: str, **more: Any) -> Any:
    """Declare a setting of `UgalRule` that may be left open; `more` are of a `Setting`."""
    usual = getattr(PUBLISHED_RULE, name)
    shown = f"{usual:g}" if isinstance(usual, float) else usual
    unset = f"what a search chooses, or a given T-VLB table was made for, else {shown}"
    told = {"unset": unset, "null": "what a search chooses", **more}
    return with_default(UgalRule, name, None, **told)


def ruled(config: _Config, rule: UgalRule, takes: Callable[[str], bool]) -> _Config:
    """Return settings with what is left open of UGAL's comparison as a rule has it.

    What has no meaning for the routing, as `takes` tells of a setting, is as published.
    """
    filled = {
        name: getattr(rule if takes(name) else PUBLISHED_RULE, name)
        for name in RULE_SETTINGS
        if getattr(config, name) is None
    }
    return replace(config, **filled)


def rule_of(config: Any) -> UgalRule:
    """Return how UGAL compares with these settings; what is left open as published."""
    return UgalRule.of({name: getattr(config, name) for name in RULE_SETTINGS})


def check_rule(config: Any, routing: str, routings: Iterable[str]) -> None:
    """Raise InvalidInput if a setting of the rule has no meaning for a routing.

    That of the published rule changes nothing where paths are drawn.

    Parameters
    ----------
    routings : those of the router that draw paths.
    """
    known = [str(one) for one in routings]
    draws = str(routing).partition("(")[0] in {one.partition("(")[0] for one in known}
    for name in RULE_SETTINGS:
        value = getattr(config, name)
        if value is None or (draws and value == getattr(PUBLISHED_RULE, name)):
            continue
        if not (draws and takes_of_rule(routing, name)):
            takes = (one.partition("(")[0] for one in known if takes_of_rule(one, name))
            raise InvalidInput(
                f"{name} {value} is of the routings {one_of(dict.fromkeys(takes))}, not of "
                f"{routing}"
            )
