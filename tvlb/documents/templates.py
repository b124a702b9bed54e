"""HTML templates of a package, and how numbers look in all of them."""

import math
from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined

UNKNOWN = "none"
"""In place of a number that does not exist."""


def templates(package: str, **filters: Callable[..., str]) -> Environment:
    """Return the templates of a package, with filters by their names, `count` and `figures`."""
    made = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    every: dict[str, Callable[..., str]] = {"count": _count, "figures": _figures, **filters}
    for name, written in every.items():
        made.filters[name] = written
    return made


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"


def _figures(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None or math.isnan(value) else f"{value:.{digits}f}"
