"""Figures drawn from result documents; nothing is computed here that the document does not hold."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tvlb.documents import atomic_file, check_writable, link_kinds
from tvlb.errors import InvalidInput
from tvlb.plots.found import anytime_panel, front_panel, has_shapes, shapes_panel
from tvlb.plots.style import COLOURS, Axis, Document
from tvlb.statistics import modelled_half, shortened

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_SUFFIXES = (".svg", ".png", ".pdf")
MOST_RESULTS = len(COLOURS)
"""That one figure overlays."""

_PANEL = (6.4, 4.2)
# Of panels with long legends below.
_TALL = 5.6
_COLUMNS = 3
_MOST_LETTERS = 500
_LONGEST_TICK = 24


@dataclass(frozen=True)
class _Result:
    """A document, and how it is told from the others of a figure.

    Attributes
    ----------
    document : the document.
    name : of the document; empty if it is the only one.
    colour : of all that is drawn of it, if it is not.
    """

    document: Document
    name: str
    colour: str

    def label(self, text: str) -> str:
        return f"{self.name}: {text}" if self.name else text


_Draw = Callable[[Axis, Sequence[_Result]], None]


def figure_of(*documents: Document, names: Sequence[str] = ()) -> "Figure":
    """Draw every panel that all documents have data for, up to three side by side.

    Parameters
    ----------
    documents : results of `tvlb table`, `probe`, `simulate`, `stability` or `balance` with
        ``--json``. Several are drawn into the same panels, without those that are about one
        search.
    names : of several documents.

    Raises
    ------
    InvalidInput : a document is none of these, there are more than `MOST_RESULTS`, or no panel is
        for all of them.
    """
    if len(documents) > MOST_RESULTS:
        raise InvalidInput(f"{len(documents)} results: one figure overlays at most {MOST_RESULTS}")
    told = names if len(documents) > 1 else ("",)
    results = [_Result(*each) for each in zip(documents, told, COLOURS, strict=False)]
    try:
        panels = [
            draw
            for applies, draw, overlays in _PANELS
            if all(map(applies, documents)) and (overlays or len(documents) == 1)
        ]
        if not panels:
            raise InvalidInput(_nothing(documents))
        return _drawn(results, panels)
    except (KeyError, TypeError, ValueError, IndexError, StopIteration) as error:
        raise InvalidInput(f"the document is malformed: {error!r}") from error


def _nothing(documents: Sequence[Document]) -> str:
    known = all(any(applies(one) for applies, _, _ in _PANELS) for one in documents)
    if known and len(documents) > 1:
        return "the results have no figure in common: overlay results of the same command"
    return (
        "the document holds nothing to draw: expected the JSON of tvlb table, probe, simulate, "
        "stability or balance"
    )


def _drawn(results: Sequence[_Result], panels: Sequence[_Draw]) -> "Figure":
    # Loaded here: commands that can draw should not wait for it before they compute.
    from tvlb.plots.notebook import NotebookFigure

    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    heights = [_PANEL[1], *[_TALL] * (rows - 1)]
    size = (_PANEL[0] * columns, sum(heights))
    figure = NotebookFigure(figsize=size, layout="constrained")
    grid = cast("Any", figure).add_gridspec(rows, columns, height_ratios=heights)
    for draw, place in zip(panels, itertools.product(range(rows), range(columns)), strict=False):
        axis = cast("Axis", figure.add_subplot(grid[place]))
        draw(axis, results)
        axis.grid(alpha=0.3)
    _shorten(figure)
    return figure


def _shorten(figure: "Figure") -> None:
    """Cut texts that fit nowhere: their letters would be laid out for minutes."""
    from matplotlib.text import Text

    for text in cast("list[Text]", cast("Any", figure).findobj(Text)):
        if len(text.get_text()) > _MOST_LETTERS:
            text.set_text(shortened(text.get_text(), _MOST_LETTERS))


def save_figure(path: Path | str, *documents: Document, names: Sequence[str] = ()) -> None:
    """Draw documents into a file; equal documents give equal SVG bytes.

    Parameters
    ----------
    documents, names : see `figure_of`.

    Raises
    ------
    InvalidInput : the file cannot be written, or the documents cannot be drawn.
    """
    import matplotlib

    check_writable(path, FIGURE_SUFFIXES)
    suffix = Path(path).suffix
    figure = figure_of(*documents, names=names)
    with (
        cast("Any", matplotlib).rc_context({"svg.hashsalt": "tvlb", "svg.fonttype": "none"}),
        atomic_file(Path(path)) as stream,
    ):
        cast("Any", figure).savefig(stream, format=suffix[1:], metadata=_UNDATED[suffix])


_UNDATED = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


def _probe_panel(axis: Axis, results: Sequence[_Result]) -> None:
    for result in results:
        document, colour = result.document, result.colour
        strategic: Sequence[Document] = document.get("strategic", [])
        for points, marker, line, label in (
            (document["probe"], "o", "-", "data points"),
            (strategic, "D", "none", "strategic choices"),
        ):
            axis.errorbar(
                [_short(point) for point in points],
                [point["theta_mean"] for point in points],
                yerr=[modelled_half(point) or 0.0 for point in points],
                color=colour,
                marker=marker,
                markersize=4,
                linestyle=line,
                capsize=2,
                label=result.label(label) if points else None,
            )
        chosen = document["table"]["expression"] if "table" in document else None
        for point in (*document["probe"], *strategic):
            if point["expression"] == chosen:
                axis.plot(
                    [_short(point)], [point["theta_mean"]], "*", color=colour, markersize=15,
                    markeredgecolor="black", label=result.label(f"chosen: {_short(point)}"),
                )  # fmt: skip
        axis.axhline(document["cut"], color=colour, linestyle="--", label=result.label("cut"))
    axis.tick_params(axis="x", rotation=90, labelsize=7)
    axis.set_xlabel("VLB path set")
    axis.set_ylabel("theta (flits/cycle/node), bars: 95% intervals")
    axis.set_title("Probe curve")
    axis.legend(fontsize=8)


def _short(point: Document) -> str:
    return shortened(point["expression"], _LONGEST_TICK)


def _curves_panel(axis: Axis, results: Sequence[_Result]) -> None:
    for result in results:
        curves: Mapping[str, Sequence[Document]] = result.document["curves"]
        for colour, (expression, curve) in zip(COLOURS, curves.items(), strict=False):
            shown = [point for point in curve if point["latency_mean"] is not None]
            axis.errorbar(
                [point["load"] for point in shown],
                [point["latency_mean"] for point in shown],
                yerr=[point.get("latency_ci95") or 0.0 for point in shown],
                color=result.colour if result.name else colour,
                linestyle="--" if result.name and expression == "all" else "-",
                marker="o",
                markersize=3,
                capsize=2,
                label=result.label(shortened(expression)),
            )
    axis.set_xlabel("offered load (packets/cycle/node)")
    axis.set_ylabel("latency (cycles), bars: 95% intervals")
    axis.set_title("Latency against load")
    axis.legend()


def _usage_panel(axis: Axis, results: Sequence[_Result]) -> None:
    for result in results:
        document = result.document
        usage = document["balance"] if "table" in document else document
        kinds = link_kinds(usage)
        for number, (colour, kind) in enumerate(zip(COLOURS, kinds, strict=False)):
            before, after = (usage[kind][f"percentiles_{when}"] for when in ("before", "after"))
            if result.name:
                axis.plot(
                    range(len(after)), after, ("-", "--", ":", "-.")[number % 4],
                    color=result.colour, label=result.label(kind),
                )  # fmt: skip
                continue
            if before == after:
                axis.plot(range(len(after)), after, color=colour, label=f"{kind}, not balanced")
                continue
            for when, style, values in (("before", "--", before), ("after", "-", after)):
                axis.plot(
                    range(len(values)), values, style, color=colour,
                    label=f"{kind}, {when} balancing",
                )  # fmt: skip
    axis.set_xlabel("percentile of the links in use")
    axis.set_ylabel("usage / mean")
    axis.set_title("Link usage")
    axis.legend()


def _loads_panel(axis: Axis, results: Sequence[_Result]) -> None:
    for result in results:
        _loads(axis, result, result.colour if result.name else COLOURS[1])
    first = results[0].document
    title = f"{first['topology']}, {first['pattern']}"
    if len(results) > 1:
        title = "Latency against load"
    if any("saturated" in row for result in results for row in _simulated(result.document)):
        title += " (dotted: saturated)"
    axis.set_xlabel(f"offered load ({_load_unit(results)})")
    axis.set_ylabel("latency (cycles)")
    axis.set_title(title)
    axis.legend()


def _accepted_panel(axis: Axis, results: Sequence[_Result]) -> None:
    for result in results:
        rows = sorted(result.document["rows"], key=lambda row: row["load"])
        axis.errorbar(
            [row["load"] for row in rows],
            [row["accepted"] for row in rows],
            yerr=[row["accepted_ci95"] or 0.0 for row in rows],
            color=result.colour,
            marker="o",
            markersize=3,
            capsize=2,
            label=result.label(_set_up(result.document)),
        )
    axis.set_xlabel(f"offered load ({_load_unit(results)})")
    axis.set_ylabel(f"accepted ({_load_unit(results)}), bars: 95% intervals")
    axis.set_title("Accepted against load")
    axis.legend()


def _load_unit(results: Sequence[_Result]) -> str:
    """Units of the loads; earlier documents do not tell theirs."""
    units = (result.document.get("load_unit", "packets/cycle/node") for result in results)
    return " or ".join(dict.fromkeys(units))


def _set_up(document: Document) -> str:
    """Tell the routing, and the path set of routers that draw paths from one."""
    given = (document["routing"], document.get("path_set"))
    return ", ".join(part for part in given if part is not None)


def _simulated(document: Document) -> list[Document]:
    """Rows, and the runs of searches with a mark of that."""
    searched = [row | {"searched": True} for row in document.get("saturation_runs", [])]
    return [*document["rows"], *searched]


def _loads(axis: Axis, result: _Result, saturated: str) -> None:
    document = result.document
    rows = sorted(_simulated(document), key=lambda row: row["load"])
    # Not all routers tell whether a load is saturated.
    beyond = {row["load"] for row in rows if row.get("saturated", False)}
    shown = [row for row in rows if not row.get("saturated") and row["latency_mean"] is not None]
    swept = [row for row in shown if "searched" not in row] or shown
    loads = [row["load"] for row in swept]
    means = [row["latency_mean"] for row in swept]
    # Searches with several seeds visit a load more than once, or only some of them do.
    one_curve = bool(document["rows"]) or document["seeds"] == 1
    text = _set_up(document)
    if result.name:
        text += f" on {document['topology']}, {document['pattern']}"
    axis.plot(
        loads, means, "o-" if one_curve else "o", color=result.colour, markersize=3,
        label=result.label(text),
    )  # fmt: skip
    if one_curve:
        widths = [math.nan if row["latency_ci95"] is None else row["latency_ci95"] for row in swept]
        axis.fill_between(
            loads,
            [mean - width for mean, width in zip(means, widths, strict=True)],
            [mean + width for mean, width in zip(means, widths, strict=True)],
            color=result.colour,
            alpha=0.25,
            label="95% confidence" if not result.name and np.isfinite(widths).any() else None,
        )
    for load in beyond:
        axis.axvline(load, color=saturated, linestyle=":", linewidth=1)


@dataclass(frozen=True)
class StabilityBand:
    """Accepted load of a case over time, phits/cycle/node.

    Attributes
    ----------
    label : of the case, with its category.
    cycles : middle of every 1,000 cycles.
    mean, lowest, highest : over the runs, in these.
    """

    label: str
    cycles: tuple[float, ...]
    mean: tuple[float, ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]


def stability_bands(document: Document) -> list[StabilityBand]:
    """Return what the figure of a stability study shows.

    A band for each case, or for each run of a case whose runs ended at different times.
    """
    return [band for case in document["stability"] for band in _bands(case)]


def _bands(case: Document) -> list[StabilityBand]:
    runs = case["runs"]
    name = f"{case['routing']}, {case['config']['vc_policy']}, {case['config']['vc_count']} VCs"
    if len({len(run["series"]) for run in runs}) == 1:
        series = [run["series"] for run in runs]
        return [_band(f"{name}: category {case['category']}", series)]
    return [
        _band(f"{name}, seed {run['seed']}: category {run['category']}", [run["series"]])
        for run in runs
    ]


def _band(label: str, series: Sequence[Sequence[float]]) -> StabilityBand:
    at_once = list(zip(*series, strict=True))
    return StabilityBand(
        label,
        tuple(1000 * (place + 0.5) for place in range(len(at_once))),
        tuple(sum(values) / len(values) for values in at_once),
        tuple(map(min, at_once)),
        tuple(map(max, at_once)),
    )


def _stability_panel(axis: Axis, results: Sequence[_Result]) -> None:
    document = results[0].document
    looks = itertools.cycle(itertools.product(("-", "--", ":"), COLOURS))
    for band, (line, colour) in zip(stability_bands(document), looks, strict=False):
        axis.plot(
            band.cycles, band.mean, color=colour, linestyle=line, linewidth=1, label=band.label
        )
        if band.lowest != band.highest:
            axis.fill_between(band.cycles, band.lowest, band.highest, color=colour, alpha=0.25)
    axis.set_xlabel("cycle")
    axis.set_ylabel("accepted (phits/cycle/node)")
    axis.set_ylim(bottom=0)
    axis.set_title(f"{document['topology']}, {document['pattern']}, load {document['load']:g}")
    axis.legend()


def _of_one(draw: Callable[[Axis, Document], None]) -> _Draw:
    return lambda axis, results: draw(axis, results[0].document)


def _has_search(document: Document) -> bool:
    return document.get("search") is not None


# When a panel applies, what draws it, and whether it takes several results.
_PANELS: tuple[tuple[Callable[[Document], bool], _Draw, bool], ...] = (
    (lambda document: "probe" in document, _probe_panel, True),
    (lambda document: "curves" in document, _curves_panel, True),
    (
        lambda document: "balance" in document or bool(link_kinds(document)),
        _usage_panel,
        True,
    ),
    (_has_search, _of_one(front_panel), False),
    (_has_search, _of_one(anytime_panel), False),
    (has_shapes, _of_one(shapes_panel), False),
    (lambda document: "rows" in document and "routing" in document, _loads_panel, True),
    (lambda document: "stability" in document, _stability_panel, False),
    (lambda document: "load_unit" in document and bool(document["rows"]), _accepted_panel, True),
)
