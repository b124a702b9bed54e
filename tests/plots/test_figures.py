"""Figures: one panel per kind of data, clear complaints, nothing half-written."""

from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from tests.plots.made_documents import documents_of, harder
from tests.plots.made_search import ANSWERS, made_search
from tvlb.errors import InvalidInput
from tvlb.plots import figure_of, save_figure, stability_bands
from tvlb.plots.figures import PANELS
from tvlb.requests import example
from tvlb.requests.found import FoundSearch
from tvlb.statistics import judged_sets, shortened
from tvlb.topology import families

POINTS = [
    {"expression": f"point {index}", "theta_mean": 0.5, "theta_sem": None} for index in range(31)
]
PROBE = {"probe": POINTS, "cut": 0.46}
CURVE = [{"load": 0.1, "latency_mean": 50.0, "latency_ci95": 3.0},
         {"load": 0.2, "latency_mean": None, "latency_ci95": None}]  # fmt: skip
KIND = {f"{name}_{when}": [1.0] * 101 for name in ("percentiles",) for when in ("before", "after")}
ROW = {"latency_ci95": 0.5, "load": 0.1, "latency_mean": 40.0, "saturated": False}
LOADS = {"rows": [ROW, ROW | {"load": 0.2, "saturated": True}], "routing": "min", "seeds": 1,
         "path_set": "none", "topology": "dfly(2,4,2,3)", "pattern": "uniform"}  # fmt: skip
VCT_LOADS = {
    "rows": [
        {"load": load, "latency_mean": 30.0, "latency_ci95": half, "accepted": load,
         "accepted_ci95": half}
        for load, half in ((0.1, None), (0.4, 0.01))
    ],
    "load_unit": "phits/cycle/node", "routing": "valiant(minfirst)", "seeds": 2,
    "topology": "hyperx(2,3,3)", "pattern": "dshift(1)",
}  # fmt: skip
FOUND = ["Saturation against latency", "Anytime curve", "Detours by shape"]


def found(**made: Any) -> dict[str, Any]:
    """Return a document of a search for weighted sets."""
    return {
        "search": made_search(**made),
        "decision": {"expression": ANSWERS[0]},
        "verdict": {
            "judgements": [
                {
                    "expression": ANSWERS[0],
                    "against": "all",
                    "saturation": {"half_width": 0.1},
                    "latency": [{"half_width": 0.02}, None],
                }
            ]
        },
        "baseline": {
            "expression": "all",
            "per_pattern": [{"pattern": name} for name in ("uniform", "a", "b")],
        },
    }


@pytest.mark.parametrize(
    ("document", "titles"),
    [
        (PROBE, ["Probe curve"]),
        (PROBE | {"curves": {"all": CURVE}}, ["Probe curve", "Latency against load"]),
        ({"local": KIND, "global": KIND}, ["Link usage"]),
        (LOADS, ["Latency against load"]),
        (VCT_LOADS, ["Latency against load", "Accepted against load"]),
        (PROBE | {"search": None}, ["Probe curve"]),
        (PROBE | found(), ["Probe curve", *FOUND]),
    ],
)
def test_panels(document: dict[str, object], titles: list[str]) -> None:
    assert [axis.get_title() for axis in figure_of(document).axes] == titles


def suptitle(figure: Any) -> str:
    return figure.get_suptitle()


def labels(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_strategic_choices_are_drawn_and_the_chosen_set_is_marked() -> None:
    strategic = [{"expression": "short(2,3)", "theta_mean": 0.55, "theta_sem": 0.01, "patterns": 4}]
    document = PROBE | {"strategic": strategic, "table": {"expression": "short(2,3)"}}
    (axis,) = figure_of(document).axes
    assert labels(axis) == ["chosen: short(2,3)", "cut", "data points", "strategic choices"]
    star = next(line for line in axis.lines if line.get_marker() == "*")
    assert [list(one) for one in (star.get_xdata(), star.get_ydata())] == [[31], [0.55]]  # pyright: ignore[reportArgumentType]
    cast("Any", axis.figure).canvas.draw()
    # Every set has its name.
    assert [tick.get_text() for tick in axis.get_xticklabels()][-2:] == ["point 30", "short(2,3)"]


def test_several_results_are_told_apart_by_colour_and_name() -> None:
    one = PROBE | {"curves": {"<=4": CURVE, "all": CURVE}} | {"search": made_search()} | found()
    figure = figure_of(one, one, names=("first", "second"))
    # What is about one search is not overlaid.
    assert [axis.get_title() for axis in figure.axes] == ["Probe curve", "Latency against load"]
    assert labels(figure.axes[1]) == ["first: <=4", "first: all", "second: <=4", "second: all"]
    colours = [line.get_color() for line in figure.axes[1].lines if line.get_label() != ""]
    assert len(set(colours)) == 2
    (loads,) = figure_of(LOADS, LOADS, names=("a", "b")).axes
    assert labels(loads) == [f"{name}: min, none" for name in "ab"]
    assert suptitle(figure_of(LOADS, LOADS, names=("a", "b"))).splitlines() == [
        f"{name}: dfly(2,4,2,3), uniform" for name in "ab"
    ]


def test_results_without_a_common_figure_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no figure in common: overlay results of the same"):
        figure_of(PROBE, LOADS, names=("a", "b"))
    with pytest.raises(InvalidInput, match="nothing to draw"):
        figure_of(PROBE, {}, names=("a", "b"))
    with pytest.raises(InvalidInput, match="7 results: one figure overlays at most 6"):
        figure_of(*[PROBE] * 7, names="abcdefg")


def test_routers_that_tell_no_saturation_and_their_units() -> None:
    latency, accepted = figure_of(VCT_LOADS).axes
    assert labels(accepted) == ["valiant(minfirst)"]
    for axis in (latency, accepted):
        assert axis.get_xlabel() == "offered load (phits/cycle/node)"
        assert np.asarray(axis.lines[0].get_xdata()).tolist() == [0.1, 0.4]
    (both,) = figure_of(LOADS, VCT_LOADS, names=("a", "b")).axes
    assert both.get_xlabel() == "offered load (packets/cycle/node or phits/cycle/node)"


def test_saturated_loads_are_left_out_of_the_line() -> None:
    line = figure_of(LOADS).axes[0].lines[0]
    assert list(line.get_xdata()) == [0.1]  # pyright: ignore[reportArgumentType]  # an array here


def test_an_unknown_interval_has_no_band() -> None:
    unknown = ROW | {"load": 0.05, "latency_ci95": None}
    (axis,) = figure_of(LOADS | {"rows": [unknown, ROW]}).axes
    (band,) = axis.collections
    corners = np.asarray(band.get_paths()[0].vertices)
    assert corners[:, 0].min() == 0.1


@pytest.mark.parametrize(("seeds", "style"), [(1, "-"), (3, "None")])
def test_searches_with_several_seeds_are_points(seeds: int, style: str) -> None:
    searched = LOADS | {"rows": [], "seeds": seeds, "saturation_runs": [ROW, ROW]}
    assert figure_of(searched).axes[0].lines[0].get_linestyle() == style


def test_runs_that_ended_at_different_times_have_lines_of_their_own() -> None:
    document = example("stability")
    (case,) = document["stability"]
    (run,) = case["runs"]
    case["category"] = 3
    case["runs"] = [
        run | {"seed": 3, "series": [0.4, 0.5, 0.6]},
        run | {"seed": 4, "series": [0.2, 0.1], "category": 3},
    ]
    # No two lie on each other.
    document["stability"] = [
        case | {"runs": [one | {"series": [more + value for value in one["series"]]}
                         for one in case["runs"]]}
        for more in (0.0, 0.01, 0.02, 0.03)
    ]  # fmt: skip
    bands = stability_bands(document)[:2]
    name = "valiant(minfirst), ladder, 4 VCs"
    assert [one.label for one in bands] == [
        f"{name}, seed 3: category 1",
        f"{name}, seed 4: category 3",
    ]
    assert [one.mean for one in bands] == [(0.4, 0.5, 0.6), (0.2, 0.1)]
    assert bands[1].cycles == (500.0, 1500.0)
    # More than there are colours.
    (axis,) = figure_of(document).axes
    looks = {(line.get_color(), line.get_linestyle()) for line in axis.get_lines()}
    assert len(looks) == 8
    assert not axis.collections


def test_runs_that_last_equally_long_are_a_band() -> None:
    document = example("stability")
    (case,) = document["stability"]
    (run,) = case["runs"]
    case["runs"] = [run | {"series": [0.4, 0.5]}, run | {"series": [0.2, 0.1]}]
    (band,) = stability_bands(document)
    assert band.mean == pytest.approx((0.3, 0.3))
    assert (band.lowest, band.highest) == ((0.2, 0.1), (0.4, 0.5))
    (axis,) = figure_of(document).axes
    assert len(axis.collections) == 1


@pytest.mark.parametrize("pattern", ["uniform", "step(uniform,120,0.4)"])
def test_the_course_of_runs_is_drawn_by_its_intervals(pattern: str) -> None:
    series = [
        {"cycle": [0, 50, 100], "accepted": [0.0, 0.1, 0.3], "latency_mean": [None, 40.0, 44.0]},
        {"cycle": [0, 50], "accepted": [0.2, 0.3], "latency_mean": [None, None]},
    ]
    rows = [ROW | {"runs": [{"series": one} for one in series]}]
    asked = LOADS | {"rows": rows, "pattern": pattern, "config": {"interval": 50}}
    # Means over the window are of no load where that changes.
    *by_load, accepted, latency = figure_of(asked).axes
    assert len(by_load) == ("step" not in pattern)
    assert accepted.get_ylabel() == "accepted (packets/cycle/node)"
    (cycles, values), *steps = (
        (np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()))
        for line in accepted.lines
    )
    # As far as both runs go, in the middle of each interval.
    assert cycles == [25.0, 75.0]
    assert values == pytest.approx(np.array([0.1, 0.2]))
    assert len(accepted.collections) == 1
    assert np.asarray(latency.lines[0].get_ydata()) == pytest.approx(
        np.array([np.nan, 40.0]), nan_ok=True
    )
    assert [at[0] for at, _ in steps] == [120] * ("step" in pattern)
    # Where neither intervals nor a step were asked for, there is no such figure.
    usual = asked | {"pattern": "uniform", "config": {"interval": 1000}}
    assert len(figure_of(usual).axes) == 1


def test_a_group_is_drawn_switch_by_switch() -> None:
    """The last of the three groups of dfly(2,4,2,3): what its nodes generate, and its levels."""
    runs: list[dict[str, Any]] = [
        {
            "series": {"cycle": [0, 50], "level_mean": [1.0, level], "levels": levels},
            "switch_injected": {"by_switch": [0.9] * 8 + [load, 0.2, 0.3, 0.4]},
        }
        for load, level, levels in (
            (0.1, 1.5, [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 2.0]]),
            (0.3, 2.5, [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 3.0, 2.0]]),
        )
    ]
    asked: dict[str, Any] = LOADS | {
        "rows": [ROW | {"runs": runs}],
        "config": {"levels_group": 2},
    }
    _, mean, levels, _, loads = figure_of(asked).axes
    assert np.asarray(mean.lines[0].get_ydata()) == pytest.approx(np.array([1.0, 2.0]))
    (mesh,) = levels.collections
    assert np.asarray(mesh.get_array()) == pytest.approx(
        np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]])
    )
    assert [text.get_text() for text in levels.get_yticklabels()] == ["8", "9", "10", "11"]
    (line,) = loads.lines
    assert np.asarray(line.get_xydata()) == pytest.approx(
        np.array([[8, 0.2], [9, 0.2], [10, 0.3], [11, 0.4]])
    )
    assert (loads.get_xlabel(), len(loads.collections)) == ("switch", 1)
    # A map has one load, and one result.
    for several in ([asked | {"rows": asked["rows"] * 2}], [asked, asked]):
        titles = [axis.get_title() for axis in figure_of(*several, names=("a", "b")).axes]
        assert titles[1:] == ["Mean level over time", "Load of each switch of the group"]


def test_the_made_up_search_is_one() -> None:
    for answers in (1, 2):
        FoundSearch.model_validate(made_search(answers=answers))


def test_every_judged_set_is_a_named_point() -> None:
    front = figure_of(found()).axes[0]
    legend = front.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "front of what was found",
        "found 1, chosen: shape(g.g:4, g.lgl)",
        "found 2: shape(g.g:4, g.lgl), by weights",
        "conventional UGAL: all",
        "published: short(2,3)",
        "Algorithm 1: <=4, by removal",
    ]
    line = np.asarray(front.lines[0].get_xydata())
    # Neither answer beats the other: more saturation against less latency.
    assert line.tolist() == [[46.0, 0.39], [48.0, 0.40]]


def test_a_front_says_what_sets_were_judged_on() -> None:
    # What was searched, three times.
    given = {"expression": "all", "per_pattern": [{"pattern": "shift(2,3)"}] * 3}
    front = figure_of(found() | {"baseline": given}).axes[0]
    assert front.get_xlabel().endswith("(cycles), 3 runs of 1 given pattern")
    legend = front.get_legend()
    assert legend is not None
    assert legend.get_title().get_text().endswith("the changes against conventional UGAL")


def test_texts_that_fit_nowhere_are_cut() -> None:
    figure = figure_of(example("simulation") | {"topology": "x" * 200_000})
    found: list[Any] = figure.findobj(import_module("matplotlib.text").Text)
    texts = [text.get_text() for text in found]
    assert max(map(len, texts)) <= 500
    assert any(" ..." in text for text in texts)


def test_a_beaten_answer_is_not_on_the_front() -> None:
    document = found()
    document["search"]["held_out"][1]["saturation_mean"] = 0.35
    document["search"]["held_out"][1]["latency_mean"] = [49.0, None]
    assert [one.on_front for one in judged_sets(document)] == [True, False, False, False, False]


def test_bars_are_the_intervals_of_the_verdict() -> None:
    chosen, _, conventional, *_ = judged_sets(found())
    assert conventional.latency is not None
    assert chosen.saturation_half == pytest.approx(0.1 * conventional.saturation)
    assert chosen.latency_half == pytest.approx(0.02 * conventional.latency)
    assert conventional.saturation_half is None


def test_sets_that_are_saturated_at_the_lower_load_have_no_point() -> None:
    document = found(answers=1)
    document["search"]["held_out"][1] |= {"latency_mean": [None, None], "latency": [[None] * 3] * 2}
    legend = figure_of(document).axes[0].get_legend()
    assert legend is not None
    assert "conventional UGAL: all" not in [text.get_text() for text in legend.get_texts()]


def test_the_anytime_curve_begins_at_the_reference() -> None:
    anytime = figure_of(found()).axes[1]
    first = np.asarray(anytime.lines[0].get_xydata())
    assert first.tolist() == [[0.0, 0.0], [1.0, 0.02], [2.0, 0.04], [4.0, 0.04]]
    # Points of the first curve, those of the second, the reference and the budget.
    assert len(figure_of(found(steps=0)).axes[1].lines) == 2


def test_shapes_are_bars_with_their_weights() -> None:
    shapes: Any = figure_of(found()).axes[2]
    assert [tick.get_text() for tick in shapes.get_yticklabels()] == ["g.g", "g.lgl", "lgl.lgl"]
    assert [bar.get_width() for bar in shapes.patches] == [25.0, 75.0, 0.0]
    assert [text.get_text() for text in shapes.texts] == ["weight 4", "weight 1"]


def test_sets_too_large_to_be_listed_have_no_bars() -> None:
    document = found()
    document["search"]["held_out"][0]["shares"] = None
    assert len(figure_of(document).axes) == 2


def test_long_expressions_keep_their_end() -> None:
    long = "shape(g.g:100, g.gl:33, g.lg:57, g.lgl:8.8, lg.g:35), by removal"
    assert shortened(long, 40) == "shape(g.g:100, g.gl:33, ..., by removal"
    assert shortened("short(2,3)") == "short(2,3)"


def test_foreign_and_malformed_documents_are_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to draw"):
        figure_of({"hello": 1})
    with pytest.raises(InvalidInput, match="malformed"):
        figure_of({"probe": [{}], "cut": 1})
    with pytest.raises(InvalidInput, match="malformed"):
        figure_of({"search": {"held_out": []}, "decision": {"expression": "all"}})
    no_patterns = [POINTS[0] | {"theta_sem": 0.1, "patterns": 0}]
    with pytest.raises(InvalidInput, match="malformed: ZeroDivisionError"):
        figure_of(PROBE | {"probe": no_patterns})


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_formats(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    save_figure(path, PROBE)
    assert path.stat().st_size > 1000


def test_unknown_suffix_and_failed_drawing_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.bmp"):
        save_figure(tmp_path / "figure.bmp", PROBE)
    with pytest.raises(InvalidInput):
        save_figure(tmp_path / "figure.svg", {"probe": [{}], "cut": 1})
    assert list(tmp_path.iterdir()) == []


FAMILIES = [name for name, family in families().items() if family.sizes is not None]


def overlaps(boxes: list[Any]) -> bool:
    """Whether two boxes have more than an edge in common."""
    return any(
        min(one.x1, other.x1) - max(one.x0, other.x0) > 1
        and min(one.y1, other.y1) - max(one.y0, other.y0) > 1
        for number, one in enumerate(boxes)
        for other in boxes[:number]
    )


def check_axis(axis: Any) -> None:
    """Every axis has its unit, ends where figures end, and labels beside each other."""
    assert axis.has_data() or axis.texts, "an empty figure"
    for one, (low, high) in ((axis.xaxis, axis.get_xlim()), (axis.yaxis, axis.get_ylim())):
        label = one.get_label().get_text()
        assert label
        assert one.get_offset_text().get_text() == ""
        if not any(word in label for word in ("score", "shape", "path set", "switch")):
            assert low >= 0, label
        if ("load" in label and "latency" not in label) or "theta" in label:
            assert max(low, high) <= 1.02, label
        if any(word in label for word in ("theta", "load (", "accepted")):
            assert "/cycle/node" in label
        shown = [tick for tick in one.get_ticklabels() if tick.get_text()]
        inside = [tick for tick in shown if tick.get_window_extent().width > 0]
        assert not overlaps([tick.get_window_extent() for tick in inside]), label


def check_figure(figure: Any, *networks: str) -> None:
    # All texts get their places; nothing is painted.
    import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    for name in networks:
        assert name in figure.get_suptitle()
    texts = [axis.title for axis in figure.axes]
    for axis in figure.axes:
        if axis.get_label() != "<colorbar>":
            check_axis(axis)
        legend = axis.get_legend()
        texts += [] if legend is None else legend.get_texts()
    boxes = [text.get_window_extent() for text in [*texts, *figure.texts] if text.get_text()]
    boxes += [
        one.label.get_window_extent() for axis in figure.axes for one in (axis.xaxis, axis.yaxis)
    ]
    assert not overlaps(boxes), [text.get_text() for text in texts]
    whole = figure.bbox
    assert all(whole.x0 <= box.x0 and whole.y0 <= box.y0 for box in boxes), "cut at the frame"
    assert all(box.x1 <= whole.x1 and box.y1 <= whole.y1 for box in boxes), "cut at the frame"


# The first of them draws all that there is.
@pytest.mark.parametrize(
    "family", [FAMILIES[0], *(pytest.param(one, marks=pytest.mark.slow) for one in FAMILIES[1:])]
)
def test_every_figure_of_every_family(family: str) -> None:
    network, documents = documents_of(family)
    drawn = {panel for one in documents for panel in PANELS if panel.applies(one)}
    assert drawn == set(PANELS)
    # The first has all that tables have; the others are of other commands.
    for document in documents if family == FAMILIES[0] else documents[:1]:
        check_figure(figure_of(document), network)


@pytest.mark.slow
@pytest.mark.parametrize("change", harder())
def test_every_figure_with_little_and_with_much(change: str) -> None:
    table, _, _, *simulated = documents_of("slimfly")[1]
    documents = [table, *simulated]
    # What a change does not change is drawn above, of another family where it is no table.
    changed = [one for one in map(harder()[change], documents) if one not in documents]
    assert changed
    for document in changed:
        check_figure(figure_of(document))


@pytest.mark.slow
def test_every_figure_of_several_results_with_long_names() -> None:
    names = [f"{which} of two results, with forty letters" for which in ("first", "other")]
    changed = harder()["names of 40 letters, many shapes"]
    one, other = (documents_of(family)[1] for family in ("slimfly", "hyperx"))
    for number in (0, 3, 5):
        both = (changed(each[number]) for each in (one, other))
        check_figure(figure_of(*both, names=names), *names)


def test_lines_on_each_other_are_drawn_in_turns() -> None:
    (axis,) = figure_of({"local": KIND, "global": KIND, "topology": "slimfly(3)"}).axes
    assert [line.get_linestyle() for line in axis.lines] == ["--", "--"]


def test_curves_of_several_results_never_go_back() -> None:
    """Sets of different networks stand in the order of each of them."""
    chains = [["<=2", "<=2+80%", "all"], ["<=3", "<=3+30%", "all"]]
    documents = [
        {"cut": 0.4, "probe": [POINTS[0] | {"expression": one} for one in chain]}
        for chain in chains
    ]
    (axis,) = figure_of(*documents, names=("a", "b")).axes
    curves = [np.asarray(line.get_xdata()) for line in axis.lines]
    assert sum(len(curve) == 3 for curve in curves) >= 2
    assert all((np.diff(curve) > 0).all() for curve in curves)


def test_the_conventional_set_is_called_by_its_name() -> None:
    document = documents_of("slimfly")[1][0]
    texts = [text for axis in figure_of(document).axes for text in labels(axis)]
    assert "conventional UGAL: ori" in texts
    assert not any(text.endswith(": all") for text in texts)
