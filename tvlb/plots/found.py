"""Panels of a search for weighted sets: the front, the anytime curve, and what shapes carry."""

from collections.abc import Sequence
from itertools import groupby

from tvlb.plots.style import COLOURS, LINE_STYLES, LOAD_UNIT, Axis, Document, from_zero, note
from tvlb.statistics import (
    JudgedSet,
    ShapeRow,
    judged_on,
    judged_sets,
    shape_rows,
    shortened,
)

# Answers and what is known, told apart without their colours.
_FOUND_MARKERS = ("o", "s", "D", "^", "v", "P")
_KNOWN_MARKERS = ("X", "*", "<")
_MILLION = 1e6
MOST_SHAPES = 24
"""That one figure has room for: networks with failures have a hundred."""


def front_panel(axis: Axis, document: Document) -> str:
    """Draw saturation against latency, a point for each judged set."""
    sets = judged_sets(document)
    front = sorted((one for one in sets if one.on_front), key=lambda one: one.saturation)
    axis.plot(
        [one.latency for one in front],
        [one.saturation for one in front],
        color=COLOURS[0],
        linewidth=1,
        zorder=1,
        **({"label": "front of what was found"} if len(front) > 1 else {}),
    )
    for number, one in enumerate(one for one in sets if one.found):
        _point(axis, one, _FOUND_MARKERS[number % len(_FOUND_MARKERS)], COLOURS[0])
    for number, one in enumerate(one for one in sets if not one.found):
        marker, colour = _KNOWN_MARKERS[number % len(_KNOWN_MARKERS)], COLOURS[1 + number % 3]
        _point(axis, one, marker, colour)
    low, cases = document["search"]["loads"][0], judged_on(document)
    axis.set_xlabel(f"latency at load {low:g} (cycles), {cases}")
    axis.set_ylabel(f"saturation load ({LOAD_UNIT})")
    _keep_possible(axis)
    if not any(one.latency is not None for one in sets):
        note(axis, "no set has a latency at this load: all are saturated")
    return "bars: intervals of the changes against conventional UGAL"


def _keep_possible(axis: Axis) -> None:
    """Cut axes where figures end: neither is negative, and no load is more than 1."""
    axis.set_xlim(left=max(axis.get_xlim()[0], 0.0))
    low, high = axis.get_ylim()
    axis.set_ylim(max(low, 0.0), min(high, 1.02))


def _point(axis: Axis, one: JudgedSet, marker: str, colour: str) -> None:
    if one.latency is None:
        return
    axis.errorbar(
        [one.latency],
        [one.saturation],
        xerr=None if one.latency_half is None else [one.latency_half],
        yerr=None if one.saturation_half is None else [one.saturation_half],
        color=colour,
        linestyle="none",
        elinewidth=0.8,
        capsize=2,
    )
    axis.plot(
        [one.latency],
        [one.saturation],
        color=colour,
        linestyle="none",
        marker=marker,
        markersize=9 if one.chosen else 7,
        markerfacecolor=colour if one.found else "white",
        markeredgecolor="black" if one.chosen else colour,
        markeredgewidth=1.5 if one.chosen else 1.2,
        label=f"{one.name}{', chosen' if one.chosen else ''}: {shortened(one.expression)}",
    )


def anytime_panel(axis: Axis, document: Document) -> str:
    """Draw the score of the incumbent against what was simulated until then."""
    search = document["search"]
    end = max([search["flit_hops"], *(step["flit_hops"] for step in search["steps"])])
    curves = _by_weight(search["steps"])
    for number, (weight, steps) in enumerate(curves):
        colour = COLOURS[number % len(COLOURS)]
        # Before the first step the reference is the incumbent.
        hops = [0.0, *(step["flit_hops"] / _MILLION for step in steps), end / _MILLION]
        scores = [0.0, *(step["score"] for step in steps), steps[-1]["score"]]
        axis.plot(
            hops,
            scores,
            color=colour,
            linestyle=LINE_STYLES[number % 3],
            drawstyle="steps-post",
            label="best set so far"
            if len(curves) == 1
            else f"best set so far where latency counts {weight:g}",
        )
        axis.plot(hops[1:-1], scores[1:-1], "o", color=colour, markersize=4)
    axis.axhline(
        0.0, color="black", linewidth=0.8, label=f"reference: {shortened(search['reference'])}"
    )
    if search["budget"]:
        axis.axvline(
            search["budget"] / _MILLION,
            color="grey",
            linestyle="-.",
            linewidth=1,
            label="budget",
        )
    if not curves:
        note(axis, "no set was better than the reference")
        axis.set_ylim(-0.1, 0.1)
    axis.set_xlim(*from_zero([end / _MILLION, (search["budget"] or 0) / _MILLION]))
    axis.set_xlabel("simulated by the search (million flit-hops)")
    axis.set_ylabel("score of the best set so far")
    return f"{search['sets']} sets, objective {search['objective']}"


def _by_weight(steps: Sequence[Document]) -> list[tuple[float, list[Document]]]:
    ordered = sorted(steps, key=lambda step: step["latency_weight"])
    return [
        (weight, list(members))
        for weight, members in groupby(ordered, key=lambda step: step["latency_weight"])
    ]


def has_shapes(document: Document) -> bool:
    """Whether a document knows how often the chosen set draws each shape."""
    return document.get("search") is not None and bool(shape_rows(document))


def shapes_panel(axis: Axis, document: Document) -> str:
    """Draw the share of the detours that each shape carries, and the weights of the shapes."""
    every = shape_rows(document)
    often = sorted(every, key=lambda one: -max(one.share, one.conventional or 0.0))[:MOST_SHAPES]
    rows = [one for one in every if one in often]
    places = range(len(rows))
    name, others = document["decision"]["expression"], _conventional_shares(rows)
    axis.barh(
        places,
        [100 * one.share for one in rows],
        color=COLOURS[0],
        height=0.7,
        label=f"chosen set: {shortened(name)}",
    )
    if others:
        axis.plot(
            others,
            places,
            linestyle="none",
            marker="|",
            markersize=11,
            markeredgewidth=2,
            color=COLOURS[1],
            label=f"conventional UGAL: {shortened(document['baseline']['expression'])}",
        )
    for place, one in enumerate(rows):
        if one.weight is not None:
            axis.annotate(
                f"weight {one.weight:g}",
                (100 * max(one.share, one.conventional or 0.0), place),
                xytext=(6, 0),
                textcoords="offset points",
                verticalalignment="center",
                fontsize="small",
            )
    axis.set_yticks(places, [shortened(one.shape) for one in rows], family="monospace")
    axis.tick_params(axis="y", labelsize="small")
    axis.invert_yaxis()
    axis.set_xlim(0, 1.25 * max([100 * one.share for one in rows] + others))
    axis.set_xlabel("share of the drawn detours (%)")
    axis.set_ylabel("shape (kinds of links of both halves)")
    axis.set_axisbelow(True)
    return f"the {len(rows)} most frequent of {len(every)} shapes" if rows != list(every) else ""


def _conventional_shares(rows: Sequence[ShapeRow]) -> list[float]:
    """Return the shares in percent; none where they are not known."""
    return [100 * one.conventional for one in rows if one.conventional is not None]
