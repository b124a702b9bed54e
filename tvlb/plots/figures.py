"""Figures drawn from result documents; nothing is computed here that the document does not hold."""

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tvlb.documents import link_kinds
from tvlb.errors import InvalidInput
from tvlb.files import atomic_file, check_writable
from tvlb.judged import shortened
from tvlb.plots.found import anytime_panel, front_panel, has_shapes, shapes_panel
from tvlb.plots.style import COLOURS, Axis, Document

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_SUFFIXES", "figure_of", "save_figure"]

FIGURE_SUFFIXES = (".svg", ".png", ".pdf")
_PANEL = (6.4, 4.2)
# Of panels with long legends below.
_TALL = 5.6
_COLUMNS = 3
_MOST_LETTERS = 500


def figure_of(document: Document) -> "Figure":
    """Draw every panel that the document has data for, up to three side by side.

    Parameters
    ----------
    document : a result of `tvlb table`, `probe`, `simulate` or `balance` with ``--json``.

    Raises
    ------
    InvalidInput : the document is none of these.
    """
    try:
        panels = [draw for applies, draw in _PANELS if applies(document)]
        if not panels:
            raise InvalidInput(
                "the document holds nothing to draw: expected the JSON of tvlb table, probe, "
                "simulate or balance"
            )
        return _drawn(document, panels)
    except (KeyError, TypeError, ValueError, IndexError, StopIteration) as error:
        raise InvalidInput(f"the document is malformed: {error!r}") from error


def _drawn(document: Document, panels: Sequence[Callable[[Axis, Document], None]]) -> "Figure":
    # Loaded here: commands that can draw should not wait for it before they compute.
    from matplotlib.figure import Figure

    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    heights = [_PANEL[1], *[_TALL] * (rows - 1)]
    size = (_PANEL[0] * columns, sum(heights))
    figure = Figure(figsize=size, layout="constrained")
    grid = cast("Any", figure).add_gridspec(rows, columns, height_ratios=heights)
    for draw, place in zip(panels, itertools.product(range(rows), range(columns)), strict=False):
        axis = cast("Axis", figure.add_subplot(grid[place]))
        draw(axis, document)
        axis.grid(alpha=0.3)
    _shorten(figure)
    return figure


def _shorten(figure: "Figure") -> None:
    """Cut texts that fit nowhere: their letters would be laid out for minutes."""
    from matplotlib.text import Text

    for text in cast("list[Text]", cast("Any", figure).findobj(Text)):
        if len(text.get_text()) > _MOST_LETTERS:
            text.set_text(shortened(text.get_text(), _MOST_LETTERS))


def save_figure(document: Document, path: Path | str) -> None:
    """Draw a document into a file; equal documents give equal SVG bytes.

    Raises
    ------
    InvalidInput : the file cannot be written, or the document cannot be drawn.
    """
    import matplotlib

    check_writable(path, FIGURE_SUFFIXES)
    suffix = Path(path).suffix
    figure = figure_of(document)
    with (
        cast("Any", matplotlib).rc_context({"svg.hashsalt": "tvlb", "svg.fonttype": "none"}),
        atomic_file(Path(path)) as stream,
    ):
        cast("Any", figure).savefig(stream, format=suffix[1:], metadata=_UNDATED[suffix])


_UNDATED = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


def _probe_panel(axis: Axis, document: Document) -> None:
    points = document["probe"]
    positions = range(len(points))
    axis.errorbar(
        positions,
        [point["theta_mean"] for point in points],
        yerr=[point["theta_sem"] or 0.0 for point in points],
        color=COLOURS[0],
        marker="o",
        markersize=3,
        capsize=2,
        label="modelled throughput",
    )
    axis.axhline(document["cut"], color=COLOURS[1], linestyle="--", label="candidate cut")
    named = [index for index in positions if index % 5 == 0]
    axis.set_xticks(named, [shortened(points[index]["expression"]) for index in named], rotation=35)
    axis.set_xlabel("VLB path set")
    axis.set_ylabel("theta (flits/cycle/node)")
    axis.set_title("Probe curve")
    axis.legend()


def _curves_panel(axis: Axis, document: Document) -> None:
    for colour, (expression, curve) in zip(COLOURS, document["curves"].items(), strict=False):
        shown = [point for point in curve if point["latency_mean"] is not None]
        axis.errorbar(
            [point["load"] for point in shown],
            [point["latency_mean"] for point in shown],
            yerr=[point["latency_sem"] or 0.0 for point in shown],
            color=colour,
            marker="o",
            markersize=3,
            capsize=2,
            label=shortened(expression),
        )
    axis.set_xlabel("offered load (packets/cycle/node)")
    axis.set_ylabel("latency (cycles)")
    axis.set_title("Latency against load")
    axis.legend()


def _usage_panel(axis: Axis, document: Document) -> None:
    usage = document["balance"] if "table" in document else document
    for colour, kind in zip(COLOURS, link_kinds(usage), strict=False):
        before, after = (usage[kind][f"percentiles_{when}"] for when in ("before", "after"))
        if before == after:
            axis.plot(range(len(after)), after, color=colour, label=f"{kind}, not balanced")
            continue
        for when, style, values in (("before", "--", before), ("after", "-", after)):
            axis.plot(
                range(len(values)), values, style, color=colour, label=f"{kind}, {when} balancing"
            )
    axis.set_xlabel("percentile of the links in use")
    axis.set_ylabel("usage / mean")
    axis.set_title("Link usage")
    axis.legend()


def _loads_panel(axis: Axis, document: Document) -> None:
    searched = [row | {"searched": True} for row in document.get("saturation_runs", [])]
    rows = sorted([*document["rows"], *searched], key=lambda row: row["load"])
    shown = [row for row in rows if not row["saturated"] and row["latency_mean"] is not None]
    swept = [row for row in shown if "searched" not in row] or shown
    loads = [row["load"] for row in swept]
    means = [row["latency_mean"] for row in swept]
    # Searches with several seeds visit a load more than once, or only some of them do.
    one_curve = bool(document["rows"]) or document["seeds"] == 1
    axis.plot(
        loads, means, "o-" if one_curve else "o", color=COLOURS[0], markersize=3,
        label=f"{document['routing']}, {document['path_set']}",
    )  # fmt: skip
    if one_curve:
        widths = [math.nan if row["latency_ci95"] is None else row["latency_ci95"] for row in swept]
        axis.fill_between(
            loads,
            [mean - width for mean, width in zip(means, widths, strict=True)],
            [mean + width for mean, width in zip(means, widths, strict=True)],
            color=COLOURS[0],
            alpha=0.25,
            label="95% confidence",
        )
    for load in {row["load"] for row in rows if row["saturated"]}:
        axis.axvline(load, color=COLOURS[1], linestyle=":", linewidth=1)
    axis.set_xlabel("offered load (packets/cycle/node)")
    axis.set_ylabel("latency (cycles)")
    axis.set_title(f"{document['topology']}, {document['pattern']} (dotted: saturated)")
    axis.legend()


_PANELS: tuple[tuple[Callable[[Document], bool], Callable[[Axis, Document], None]], ...] = (
    (lambda document: "probe" in document, _probe_panel),
    (lambda document: "curves" in document, _curves_panel),
    (lambda document: "balance" in document or bool(link_kinds(document)), _usage_panel),
    (lambda document: document.get("search") is not None, front_panel),
    (lambda document: document.get("search") is not None, anytime_panel),
    (has_shapes, shapes_panel),
    (lambda document: "rows" in document and "routing" in document, _loads_panel),
)
