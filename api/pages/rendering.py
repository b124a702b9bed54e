"""Templates, and how numbers and times look in them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from starlette.responses import HTMLResponse

from tvlb.documents.templates import UNKNOWN, templates
from tvlb.requests import request_kinds, shown_subject
from tvlb.search import shown_traffic
from tvlb.statistics import change_text, shortened


def _signed(value: float | None, digits: int) -> str:
    return UNKNOWN if value is None else f"{value:+.{digits}f}"


def _percent(value: float | None) -> str:
    return UNKNOWN if value is None else f"{100 * value:.0f}%"


def _changed(change: Mapping[str, Any] | None) -> str:
    """Write a change with its interval as the sentences of verdicts do."""
    return "none" if change is None else change_text(change["mean"], change["half_width"])


def _gain(verdict: Mapping[str, Any] | None) -> str:
    """Write what the choice of a verdict gains in saturation throughput."""
    if verdict is None:
        return UNKNOWN
    first = verdict["judgements"][:1]
    own = first and first[0]["expression"] == verdict["expression"]
    return _changed(first[0]["saturation"]) if own else "kept"


def _row_gain(row: Mapping[str, Any]) -> str:
    """Write the same of a row of a sweep."""
    if not row["replaces_all"]:
        return "kept"
    mean, high = row["saturation_gain"], row["saturation_gain_high"]
    return UNKNOWN if mean is None else change_text(mean, None if high is None else high - mean)


def _plus_minus(half: float | None, digits: int) -> str:
    """Write half of a 95% interval after a mean; nothing without one."""
    return "" if half is None else f" +- {half:.{digits}f}"


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _room(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


def _clock(text: str) -> str:
    return datetime.fromisoformat(text).strftime("%Y-%m-%d %H:%M:%S UTC")


def _fact(value: float | str, name: str) -> str:
    """Write a figure of a document as people do, by its name there."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return _clock(value) if name == "created_at" else value
    return str(value) if name == "seed" else f"{value:,}"


def _page(url: str) -> str:
    """Return the page of a resource."""
    return url.removeprefix("/v1")


_TEMPLATES = templates(
    "api.pages",
    changed=_changed,
    clock=_clock,
    duration=_duration,
    fact=_fact,
    gain=_gain,
    page=_page,
    percent=_percent,
    plus_minus=_plus_minus,
    room=_room,
    row_gain=_row_gain,
    shortened=shortened,
    signed=_signed,
    subject=shown_subject,
    traffic=shown_traffic,
)


def render(template: str | list[Any], **shown: Any) -> str:
    """Return a template with values filled in; of several the first that there is."""
    menu = {kind.menu: kind.form_url for kind in request_kinds().values() if kind.menu}
    return _TEMPLATES.get_or_select_template(template).render(menu=sorted(menu.items()), **shown)


def page(html: str) -> HTMLResponse:
    """Answer with a page."""
    return HTMLResponse(html, headers={"Cache-Control": "no-store"})
