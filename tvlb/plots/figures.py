"""Figures drawn from result documents; nothing is computed here that the document does not hold."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tvlb.documents import atomic_file, check_writable, link_kinds
from tvlb.errors import InvalidInput
from tvlb.languages import in_turn
from tvlb.plots.found import MOST_SHAPES, anytime_panel, front_panel, has_shapes, shapes_panel
from tvlb.plots.style import (
    COLOURS,
    LINE_STYLES,
    LOAD_UNIT,
    Axis,
    Document,
    bars,
    from_zero,
    note,
    tell_apart,
)
from tvlb.statistics import modelled_half, shape_rows, shortened
from tvlb.topology import parse_topology
from tvlb.traffic import LoadStep, parse_named_pattern

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_SUFFIXES = (".svg", ".png", ".pdf")
MOST_RESULTS = len(COLOURS)
"""That one figure overlays."""

# Inches, without the legends below.
_WIDTH, _HEIGHT, _PER_SHAPE = 6.4, 4.2, 0.2
_COLUMNS = 3
_MOST_LETTERS = 500
_LONGEST_TICK = 24
_FULL = 1.02  # the top of an axis of shares
# Letters of a title above a panel.
_TITLE_LETTERS = 72
# Names along an axis, and what one takes, points.
_MOST_TICKS, _TICK_SIZE = 44, 7.0
_LEVEL_TICKS = 10.0
_BARS = "bars: 95% intervals"
_INTERVAL = 1000  # cycles of a series where nothing else was asked for


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


_Draw = Callable[[Axis, Sequence[_Result]], str]


@dataclass(frozen=True)
class Panel:
    """A figure of result documents.

    Attributes
    ----------
    title : what it shows.
    applies : whether a document has data for it.
    draw : into an axis; returns the title of the legend, which stands below.
    overlays : whether it takes several results.
    ticks : height of the labels along the axis, points.
    height : without the legend, inches.
    """

    title: str
    applies: Callable[[Document], bool]
    draw: _Draw
    overlays: bool = True
    ticks: Callable[[Sequence[_Result]], float] = lambda _: _LEVEL_TICKS
    height: Callable[[Sequence[_Result]], float] = lambda _: _HEIGHT


def figure_of(*documents: Document, names: Sequence[str] = ()) -> "Figure":
    """Draw every panel that all documents have data for, up to three side by side.

    Parameters
    ----------
    documents : results of `tvlb table`, `probe`, `simulate`, `stability`, `balance`, `route`,
        `measure` or `static` with ``--json``. Several are drawn into the same panels, without those
        that are about one search.
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
            one
            for one in PANELS
            if all(map(one.applies, documents)) and (one.overlays or len(documents) == 1)
        ]
        if not panels:
            raise InvalidInput(_nothing(documents))
        return _drawn(results, panels)
    except (LookupError, TypeError, ValueError, ArithmeticError, StopIteration) as error:
        raise InvalidInput(f"the document is malformed: {error!r}") from error


def _nothing(documents: Sequence[Document]) -> str:
    known = all(any(panel.applies(one) for panel in PANELS) for one in documents)
    if known and len(documents) > 1:
        return "the results have no figure in common: overlay results of the same command"
    return (
        "the document holds nothing to draw: expected the JSON of tvlb table, probe, simulate, "
        "stability, balance, route, measure or static"
    )


def _drawn(results: Sequence[_Result], panels: Sequence["Panel"]) -> "Figure":
    # Loaded here: commands that can draw should not wait for it before they compute.
    from tvlb.plots.notebook import legend_below, new_figure

    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    heights = [0.0] * rows
    figure, grid = new_figure(rows, columns)
    for panel, (row, column) in zip(
        panels, itertools.product(range(rows), range(columns)), strict=False
    ):
        axis = figure.add_subplot(grid[row, column])
        legend = panel.draw(axis, results)
        axis.set_title(panel.title)
        axis.grid(alpha=0.3)
        below = legend_below(axis, legend, panel.ticks(results))
        tell_apart(axis)
        heights[row] = max(heights[row], panel.height(results) + below)
    _shorten(figure)
    titles = [shortened(one, _TITLE_LETTERS * columns) for one in map(_title, results) if one]
    figure.suptitle("\n".join(titles), fontsize="medium")
    grid.set_height_ratios(heights)
    figure.set_size_inches(_WIDTH * columns, sum(heights) + 0.25 * len(titles))
    return figure


def _title(result: _Result) -> str:
    """Tell the network of a result, and what else all of its figures are of."""
    document = result.document
    told = [document.get("topology"), document.get("pattern")]
    if "load" in document:
        told.append(f"load {document['load']:g}")
    if "decision" in document and "table" in document:
        told.append(f"chosen: {shortened(document['decision']['expression'])}")
    text = ", ".join(str(one) for one in told if one is not None)
    return result.label(text) if text else result.name


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


def _probe_panel(axis: Axis, results: Sequence[_Result]) -> str:
    order, in_order = _sets_in_order(results)
    place = {expression: number for number, expression in enumerate(order)}
    for result in results:
        _probe_curve(axis, result, place, "-" if in_order else "none")
    step = math.ceil(len(order) / _MOST_TICKS)
    axis.set_xticks(range(0, len(order), step), [_tick(one) for one in order[::step]])
    axis.tick_params(axis="x", rotation=90, labelsize=_TICK_SIZE)
    axis.set_xlabel("VLB path set")
    axis.set_ylabel(f"theta ({LOAD_UNIT})")
    low, high = axis.get_ylim()
    axis.set_ylim(max(low, 0.0), min(high, 1.02))
    return _BARS


def _probe_curve(axis: Axis, result: _Result, place: Mapping[str, int], line: str) -> None:
    document, colour = result.document, result.colour
    strategic: Sequence[Document] = document.get("strategic", [])
    for points, marker, style, label in (
        (document["probe"], "o", line, "data points"),
        (strategic, "D", "none", "strategic choices"),
    ):
        means = [point["theta_mean"] for point in points]
        axis.errorbar(
            [place[point["expression"]] for point in points],
            means,
            yerr=bars(means, [modelled_half(point) for point in points]),
            color=colour,
            marker=marker,
            markersize=4,
            linestyle=style,
            capsize=2,
            label=result.label(label) if points else None,
        )
    chosen: str = document["table"]["expression"] if "table" in document else ""
    for point in (*document["probe"], *strategic):
        if point["expression"] == chosen:
            axis.plot(
                [place[chosen]], [point["theta_mean"]], "*", color=colour, markersize=15,
                markeredgecolor="black", label=result.label(f"chosen: {_tick(chosen)}"),
            )  # fmt: skip
    axis.axhline(document["cut"], color=colour, linestyle="--", label=result.label("cut"))


def _sets_in_order(results: Sequence[_Result]) -> tuple[list[str], bool]:
    """Return the sets of all results, and whether they stand in the order of each of them."""
    sorter = TopologicalSorter[str]()
    documents = [result.document for result in results]
    chains = [[point["expression"] for point in one["probe"]] for one in documents]
    for chain in chains:
        for number, expression in enumerate(chain):
            sorter.add(expression, *chain[max(number - 1, 0) : number])
    others = [point["expression"] for one in documents for point in one.get("strategic", [])]
    try:
        return list(dict.fromkeys([*sorter.static_order(), *others])), True
    except CycleError:
        return list(dict.fromkeys([*itertools.chain(*chains), *others])), False


def _tick(expression: str) -> str:
    return shortened(expression, _LONGEST_TICK)


def _tick_height(results: Sequence[_Result]) -> float:
    """Letters one above the other, points."""
    longest = max(len(_tick(one)) for one in _sets_in_order(results)[0])
    return 0.65 * _TICK_SIZE * longest


def _probe_height(results: Sequence[_Result]) -> float:
    return _HEIGHT + _tick_height(results) / 72.0


def _curves_panel(axis: Axis, results: Sequence[_Result]) -> str:
    shown: list[tuple[Document, ...]] = []
    for result in results:
        document = result.document
        conventional = document.get("baseline", {}).get("expression", "all")
        for colour, (expression, curve) in zip(
            itertools.cycle(COLOURS), document["curves"].items(), strict=False
        ):
            style = {
                "color": result.colour if result.name else colour,
                "linestyle": "--" if expression == conventional else "-",
                "label": result.label(shortened(expression)),
            }
            shown.append(_curve(axis, curve, style))
    points = [point for curve in shown for point in curve]
    _latency_axes(axis, points, LOAD_UNIT)
    partly = any(point.get("saturated_patterns") for point in points)
    return f"{_BARS}; open: of patterns that are not saturated" if partly else _BARS


def _curve(axis: Axis, curve: Sequence[Document], style: dict[str, str]) -> tuple[Document, ...]:
    """Draw a curve as far as it is of all patterns; return all points that are drawn."""
    known = tuple(point for point in curve if point["latency_mean"] is not None)
    partly = [point for point in known if point.get("saturated_patterns")]
    for points, more in (
        ([point for point in known if point not in partly], style),
        (partly, {**style, "linestyle": "none", "label": None, "markerfacecolor": "white"}),
    ):
        means = [point["latency_mean"] for point in points]
        axis.errorbar(
            [point["load"] for point in points],
            means,
            yerr=bars(means, [point.get("latency_ci95") for point in points]),
            marker="o",
            markersize=4,
            capsize=2,
            **more,
        )
    return known


def _latency_axes(axis: Axis, points: Sequence[Document], unit: str) -> None:
    """Label the axes of latency against load, and end them where there may be nothing."""
    if not points:
        note(axis, "no load has a latency: all are saturated")
    axis.set_xlim(*from_zero([point["load"] for point in points], most=1.0))
    means = [point["latency_mean"] for point in points]
    axis.set_ylim(*from_zero(means, [point.get("latency_ci95") for point in points]))
    axis.set_xlabel(f"offered load ({unit})")
    axis.set_ylabel("latency (cycles)")


def _usage_panel(axis: Axis, results: Sequence[_Result]) -> str:
    for result in results:
        document = result.document
        usage = document["balance"] if "table" in document else document
        for number, kind in enumerate(link_kinds(usage)):
            _usage(axis, result, kind, usage[kind], number)
    tops = [max(line.get_ydata()) for line in axis.lines]
    axis.set_ylim(*from_zero(tops))
    axis.set_xlim(0, 100)
    axis.set_xlabel("percentile of the links in use")
    axis.set_ylabel("usage / mean")
    return ""


def _usage(axis: Axis, result: _Result, kind: str, usage: Document, number: int) -> None:
    before, after = (usage[f"percentiles_{when}"] for when in ("before", "after"))
    colour = COLOURS[number % len(COLOURS)]
    if result.name:
        style = LINE_STYLES[number % len(LINE_STYLES)]
        axis.plot(range(len(after)), after, style, color=result.colour, label=result.label(kind))
    elif before == after:
        axis.plot(range(len(after)), after, color=colour, label=f"{kind}, not balanced")
    else:
        for when, style, values in (("before", "--", before), ("after", "-", after)):
            axis.plot(
                range(len(values)), values, style, color=colour, label=f"{kind}, {when} balancing"
            )


def _loads_panel(axis: Axis, results: Sequence[_Result]) -> str:
    shown = [
        point
        for result in results
        for point in _loads(axis, result, result.colour if result.name else COLOURS[1])
    ]
    _latency_axes(axis, shown, _load_unit(results))
    rows = [row for result in results for row in _simulated(result.document)]
    saturated = [row["load"] for row in rows if row.get("saturated")]
    axis.set_xlim(*from_zero([point["load"] for point in shown] + saturated, most=1.0))
    return "dotted: saturated" if saturated else ""


def _accepted_panel(axis: Axis, results: Sequence[_Result]) -> str:
    every: list[Document] = []
    for result in results:
        rows = sorted(result.document["rows"], key=lambda row: row["load"])
        means = [row["accepted"] for row in rows]
        axis.errorbar(
            [row["load"] for row in rows],
            means,
            yerr=bars(means, [row["accepted_ci95"] for row in rows]),
            color=result.colour,
            marker="o",
            markersize=3,
            capsize=2,
            label=result.label(_set_up(result.document)),
        )
        every += rows
    unit = _load_unit(results)
    axis.set_xlim(*from_zero([row["load"] for row in every], most=1.0))
    accepted, halves = ([row[name] for row in every] for name in ("accepted", "accepted_ci95"))
    axis.set_ylim(*from_zero(accepted, halves))
    axis.set_xlabel(f"offered load ({unit})")
    axis.set_ylabel(f"accepted ({unit})")
    return _BARS


def _frontier_panel(axis: Axis, results: Sequence[_Result]) -> str:
    hops, throughputs = list[float](), list[float]()
    for result in results:
        document, colour = result.document, result.colour
        points: Sequence[Document] = document["frontier"]
        shown = [point["hops_mean"] for point in points]
        floors = [point["floor"] for point in points]
        label = result.label(shortened(document["path_set"]))
        axis.plot(shown, floors, "o-", color=colour, markersize=4, label=label)
        axis.plot(
            [document["hops_mean"]], [document["floor"]], "*", color=colour, markersize=13,
            markeredgecolor="black", label=result.label("the split"),
        )  # fmt: skip
        hops += shown
        throughputs += floors
    axis.set_xlim(*from_zero(hops))
    axis.set_ylim(*from_zero(throughputs, most=1.0))
    axis.set_xlabel("mean hops")
    axis.set_ylabel(f"throughput for any traffic ({LOAD_UNIT})")
    return ""


def _load_unit(results: Sequence[_Result]) -> str:
    """Units of the loads; earlier documents do not tell theirs."""
    units = (result.document.get("load_unit", "packets/cycle/node") for result in results)
    return " or ".join(dict.fromkeys(units))


def _set_up(document: Document) -> str:
    """Tell the routing, and the path set of routers that draw paths from one."""
    sets = document.get("path_set")
    drawn = sets if sets is None or isinstance(sets, str) else in_turn(sets)
    return ", ".join(part for part in (document["routing"], drawn) if part is not None)


def _simulated(document: Document) -> list[Document]:
    """Rows, and the runs of searches with a mark of that."""
    searched = [row | {"searched": True} for row in document.get("saturation_runs", [])]
    return [*document["rows"], *searched]


def _loads(axis: Axis, result: _Result, saturated: str) -> list[Document]:
    """Draw a simulation; return the points that are drawn."""
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
    axis.plot(
        loads, means, "o-" if one_curve else "o", color=result.colour, markersize=3,
        label=result.label(_set_up(document)),
    )  # fmt: skip
    if one_curve:
        widths = [math.nan if row["latency_ci95"] is None else row["latency_ci95"] for row in swept]
        axis.fill_between(
            loads,
            [max(mean - width, 0.0) for mean, width in zip(means, widths, strict=True)],
            [mean + width for mean, width in zip(means, widths, strict=True)],
            color=result.colour,
            alpha=0.25,
            label="95% confidence" if not result.name and np.isfinite(widths).any() else None,
        )
    for load in beyond:
        axis.axvline(load, color=saturated, linestyle=":", linewidth=1)
    return swept


@dataclass(frozen=True)
class CourseBand:
    """A figure of some runs over time.

    Attributes
    ----------
    label : of the runs.
    cycles : middle of every interval, or what else the figure runs along.
    mean, lowest, highest : over the runs, in these; None where no run has any.
    """

    label: str
    cycles: tuple[float, ...]
    mean: tuple[float | None, ...]
    lowest: tuple[float | None, ...]
    highest: tuple[float | None, ...]


@dataclass(frozen=True)
class CourseFigure:
    """What the series of a run has by interval.

    Attributes
    ----------
    name : of its key.
    title : of the figure that shows it.
    axis : its name and unit; {} is that of loads.
    along : what it runs along.
    look : of it; "course": lines, "levels": a map of colours.
    note : what its values are of, where that needs a word.
    """

    name: str
    title: str
    axis: str
    along: str = "cycle"
    look: str = "course"
    note: str = ""

    def applies(self, document: Document) -> bool:
        """Whether a simulation asks for the course of its runs: intervals, a step, or levels."""
        rows = document.get("rows")
        if not rows or "series" not in _runs(rows[0])[0]:
            return False
        is_asked = _interval(document) != _INTERVAL or load_step(document) is not None
        if not is_asked and _group(document) is None:
            return False
        values: Sequence[Any] = _runs(rows[0])[0]["series"].get(self.name) or ()
        return any(value is not None for value in np.ravel(values).tolist())

    def bands(self, document: Document) -> list[CourseBand]:
        """Return a band for each load, over its seeds, as far as all of their runs go."""
        return [
            _band(
                f"load {row['load']:g}",
                [run["series"][self.name] for run in _runs(row)],
                _interval(document),
            )
            for row in document["rows"]
        ]


class _LevelsOfGroup(CourseFigure):
    def applies(self, document: Document) -> bool:
        """See `CourseFigure.applies`; a map is of one load."""
        return super().applies(document) and len(document["rows"]) == 1

    def bands(self, document: Document) -> list[CourseBand]:
        """Return a band for each switch of the group that was asked for."""
        runs = [run["series"][self.name] for run in _runs(document["rows"][0])]
        return [
            _band(str(switch), [[step[index] for step in run] for run in runs], _interval(document))
            for index, switch in enumerate(_switches(document))
        ]


class _LoadsOfGroup(CourseFigure):
    def applies(self, document: Document) -> bool:
        """Whether a group was asked for, and a router tells its switches."""
        rows = document.get("rows")
        return _group(document) is not None and bool(rows) and self.name in _runs(rows[0])[0]

    def bands(self, document: Document) -> list[CourseBand]:
        """Return a band for each load, along the switches of the group."""
        switches = tuple(map(float, _switches(document)))
        shown = slice(int(switches[0]), int(switches[-1]) + 1)
        return [
            replace(
                _band(
                    f"load {row['load']:g}",
                    [run[self.name]["by_switch"][shown] for run in _runs(row)],
                    1,
                ),
                cycles=switches,
            )
            for row in document["rows"]
        ]


COURSES = (
    CourseFigure("accepted", "Accepted load over time", "accepted ({})"),
    CourseFigure("latency_mean", "Latency over time", "latency (cycles)"),
    CourseFigure(
        "generated_latency_mean",
        "Latency by cycle of generation",
        "latency (cycles)",
        note="of packets delivered before the end: of the last only the fastest are",
    ),
    CourseFigure("level_mean", "Mean level over time", "level"),
    _LevelsOfGroup("levels", "Level of each switch of the group", "level", look="levels"),
    _LoadsOfGroup(
        "switch_injected", "Load of each switch of the group", "generated ({})", "switch"
    ),
)
"""What is drawn of the course of runs and of a group, each in a figure of its own."""


def _group(document: Document) -> int | None:
    return document.get("config", {}).get("levels_group")


def _switches(document: Document) -> range:
    """Return the switches of the group that a simulation was asked for."""
    size = parse_topology(document["topology"]).layout.switches_per_group
    first = size * (_group(document) or 0)
    return range(first, first + size)


def load_step(document: Document) -> LoadStep | None:
    """Return how the load of a simulation changes in the course of its runs."""
    try:
        return parse_named_pattern(document.get("pattern", "")).load_step
    except InvalidInput:  # of a matrix, or none
        return None


def has_load_curve(document: Document) -> bool:
    """Whether the means of a simulation are of its loads: not where these change in the runs."""
    return "rows" in document and load_step(document) is None


def _runs(row: Document) -> Sequence[Document]:
    return row.get("runs", [row])


def _interval(document: Document) -> int:
    # Of earlier versions all were equal.
    return document.get("config", {}).get("interval") or _INTERVAL


def stability_bands(document: Document) -> list[CourseBand]:
    """Return what the figure of a stability study shows.

    A band for each case, or for each run of a case whose runs ended at different times.
    """
    return [band for case in document["stability"] for band in _bands(case)]


def _bands(case: Document) -> list[CourseBand]:
    runs = case["runs"]
    name = f"{case['routing']}, {case['config']['vc_policy']}, {case['config']['vc_count']} VCs"
    if len({len(run["series"]) for run in runs}) == 1:
        series = [run["series"] for run in runs]
        return [_band(f"{name}: category {case['category']}", series, _INTERVAL)]
    return [
        _band(f"{name}, seed {run['seed']}: category {run['category']}", [run["series"]], _INTERVAL)
        for run in runs
    ]


def _band(label: str, series: Sequence[Sequence[float | None]], interval: int) -> CourseBand:
    at_once = list(zip(*series, strict=False))
    known = [[value for value in values if value is not None] for values in at_once]
    return CourseBand(
        label,
        tuple(interval * (place + 0.5) for place in range(len(at_once))),
        tuple(sum(values) / len(values) if values else None for values in known),
        tuple(min(values, default=None) for values in known),
        tuple(max(values, default=None) for values in known),
    )


def _stability_panel(axis: Axis, results: Sequence[_Result]) -> str:
    bands = stability_bands(results[0].document)
    _draw_bands(axis, bands)
    if not any(band.mean for band in bands):
        note(axis, "no run lasted 1,000 cycles")
    axis.set_ylabel("accepted (phits/cycle/node)")
    return ""


def _course_panel(shown: CourseFigure) -> Panel:
    def draw(axis: Axis, results: Sequence[_Result]) -> str:
        bands = [
            replace(band, label=result.label(band.label))
            for result in results
            for band in shown.bands(result.document)
        ]
        if shown.look == "levels":
            _draw_levels(axis, bands)
        else:
            _draw_bands(axis, bands)
            axis.set_ylabel(shown.axis.format(_load_unit(results)))
        steps = [step for one in results if (step := load_step(one.document)) is not None]
        axis.set_xlabel(shown.along)
        if shown.along != "cycle":
            places = [cycle for band in bands for cycle in band.cycles]
            axis.set_xlim(min(places) - 0.5, max(places) + 0.5)
            for line in axis.lines:
                line.set(marker="o", markersize=3)
            steps = []
        for step in dict.fromkeys(steps):
            label = f"load becomes {step.load:g}"
            # Of a colour that is no level's.
            colour = COLOURS[1] if shown.look == "levels" else "black"
            axis.axvline(step.cycle, color=colour, linestyle=":", linewidth=1, label=label)
        return shown.note

    return Panel(shown.title, shown.applies, draw, overlays=shown.look == "course")


def _draw_levels(axis: Axis, bands: Sequence[CourseBand]) -> None:
    levels = np.array([band.mean for band in bands], dtype=np.float64)
    most = max(2.0, float(np.nanmax(levels)))
    drawn = axis.pcolormesh(
        bands[0].cycles, range(len(bands)), levels, cmap="Blues", vmin=1.0, vmax=most,
        rasterized=True,
    )  # fmt: skip
    axis.get_figure().colorbar(drawn, ax=axis, label="level")
    axis.set_yticks(range(len(bands)), [band.label for band in bands])
    axis.set_ylabel("switch")


def _draw_bands(axis: Axis, bands: Sequence[CourseBand]) -> None:
    looks = itertools.cycle(itertools.product(LINE_STYLES[:3], COLOURS))
    for band, (line, colour) in zip(bands, looks, strict=False):
        mean, lowest, highest = (
            np.array(one, dtype=np.float64) for one in (band.mean, band.lowest, band.highest)
        )
        # One value is a point, which no line has.
        axis.plot(
            band.cycles, mean, color=colour, linestyle=line, linewidth=1, label=band.label,
            marker="o" if len(mean) == 1 else "",
        )  # fmt: skip
        if band.lowest != band.highest:
            axis.fill_between(band.cycles, lowest, highest, color=colour, alpha=0.25)
    axis.set_xlabel("cycle")
    axis.set_xlim(left=0)
    highest = [value for band in bands for value in band.highest if value is not None]
    axis.set_ylim(*from_zero(highest))


def _load_spread_panel(axis: Axis, results: Sequence[_Result]) -> str:
    for result in results:
        document = result.document
        loads = document["load_percentiles"]
        axis.plot(range(len(loads)), loads, color=result.colour, label=result.label("links"))
        bound = document.get("efi_lp", document["efi_bound"])
        axis.axhline(bound, color=result.colour, linestyle="--", label=result.label("bound"))
    axis.set_xlim(0, 100)
    axis.set_ylim(*from_zero([max(result.document["load_percentiles"]) for result in results]))
    axis.set_xlabel("percentile of the links")
    axis.set_ylabel("pairs of nodes routed over a link")
    return "bound: no routes have a lower highest load"


def _bandwidth_panel(axis: Axis, results: Sequence[_Result]) -> str:
    looks = itertools.cycle(itertools.product(LINE_STYLES, COLOURS))
    for result in results:
        for (line, colour), job in zip(looks, result.document["jobs"], strict=False):
            spread = job["bandwidth_percentiles"]
            label = result.label(f"{job['nodes']:,} nodes")
            axis.plot(range(len(spread)), spread, line, color=colour, label=label)
    axis.set_xlim(0, 100)
    axis.set_ylim(0, _FULL)
    axis.set_xlabel("percentile of the bisections")
    axis.set_ylabel("mean rate of the streams (share of full)")
    return ""


def _jobs_panel(axis: Axis, results: Sequence[_Result]) -> str:
    for result in results:
        jobs = sorted(result.document["jobs"], key=lambda job: job["nodes"])
        nodes = [job["nodes"] for job in jobs]
        ends = ([job[name] for job in jobs] for name in ("ebb_min", "ebb_max"))
        look = {"color": result.colour}
        axis.plot(nodes, [job["ebb"] for job in jobs], "o-", label=result.label("mean"), **look)
        axis.fill_between(nodes, *ends, alpha=0.25, label=result.label("all bisections"), **look)
        worst = [job["worst_stream_mean"] for job in jobs]
        axis.plot(nodes, worst, "s:", label=result.label("worst stream"), **look)
    axis.set_ylim(0, _FULL)
    axis.set_xlim(left=0)
    axis.set_xlabel("nodes of a job")
    axis.set_ylabel("rate (share of full)")
    return ""


def _of_one(draw: Callable[[Axis, Document], str]) -> _Draw:
    return lambda axis, results: draw(axis, results[0].document)


def _shapes_height(results: Sequence[_Result]) -> float:
    rows = min(len(shape_rows(results[0].document)), MOST_SHAPES)
    return max(_HEIGHT, _PER_SHAPE * (rows + 5))


def _has_search(document: Document) -> bool:
    return document.get("search") is not None


def _has_jobs(least: int) -> Callable[[Document], bool]:
    return lambda document: "ebb" in document and len(document["jobs"]) >= least


PANELS = (
    Panel(
        "Probe curve",
        lambda document: "probe" in document,
        _probe_panel,
        ticks=_tick_height,
        height=_probe_height,
    ),
    Panel("Latency against load", lambda document: "curves" in document, _curves_panel),
    Panel(
        "Link usage",
        lambda document: "balance" in document or bool(link_kinds(document)),
        _usage_panel,
    ),
    Panel("Saturation against latency", _has_search, _of_one(front_panel), overlays=False),
    Panel("Anytime curve", _has_search, _of_one(anytime_panel), overlays=False),
    Panel(
        "Detours by shape",
        has_shapes,
        _of_one(shapes_panel),
        overlays=False,
        height=_shapes_height,
    ),
    Panel(
        "Latency against load",
        lambda document: "routing" in document and has_load_curve(document),
        _loads_panel,
    ),
    Panel(
        "Accepted load over time",
        lambda document: "stability" in document,
        _stability_panel,
        overlays=False,
    ),
    Panel(
        "Accepted against load",
        lambda document: (
            "load_unit" in document and bool(document["rows"]) and has_load_curve(document)
        ),
        _accepted_panel,
    ),
    *map(_course_panel, COURSES),
    Panel("Link loads", lambda document: "load_percentiles" in document, _load_spread_panel),
    Panel("Guaranteed throughput", lambda document: "frontier" in document, _frontier_panel),
    Panel("Bandwidth of bisections", _has_jobs(1), _bandwidth_panel),
    Panel("Bandwidth by size of job", _has_jobs(2), _jobs_panel),
)
"""Every figure, in the order in which a document's are drawn."""
