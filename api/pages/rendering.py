"""Templates, and how numbers and times look in them."""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

__all__ = ["page", "render"]

_NONE = "none"


def _figures(value: float | None, digits: int) -> str:
    return _NONE if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int) -> str:
    return _NONE if value is None else f"{value:+.{digits}f}"


def _percent(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:.0f} %"


def _change(value: float | None) -> str:
    return _NONE if value is None else f"{100 * value:+.1f} %"


def _plus_minus(value: float | None) -> str:
    return "no interval" if value is None else f"± {100 * value:.1f}"


def _count(value: int) -> str:
    return f"{value:,}".replace(",", " ")


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _clock(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S UTC")


def _page(url: str) -> str:
    """Return the page of a resource."""
    return url.removeprefix("/v1")


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("api.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Callable[..., str]] = {
        "change": _change,
        "clock": _clock,
        "count": _count,
        "duration": _duration,
        "figures": _figures,
        "page": _page,
        "percent": _percent,
        "plus_minus": _plus_minus,
        "signed": _signed,
    }
    for name, written in filters.items():
        made.filters[name] = written
    return made


_TEMPLATES = _environment()


def render(template: str, **shown: Any) -> str:
    """Return a template with values filled in."""
    return _TEMPLATES.get_template(template).render(**shown)


def page(template: str, **shown: Any) -> HTMLResponse:
    """Answer with a page."""
    return HTMLResponse(render(template, **shown), headers={"Cache-Control": "no-store"})
