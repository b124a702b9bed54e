"""Figures: one panel per kind of data, clear complaints, nothing half-written."""

from pathlib import Path

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.plots import figure_of, save_figure

POINTS = [
    {"expression": f"point {index}", "theta_mean": 0.5, "theta_sem": None} for index in range(31)
]
PROBE = {"probe": POINTS, "cut": 0.46}
CURVE = [{"load": 0.1, "latency_mean": 50.0, "latency_sem": 1.0},
         {"load": 0.2, "latency_mean": None, "latency_sem": None}]  # fmt: skip
KIND = {f"{name}_{when}": [1.0] * 101 for name in ("percentiles",) for when in ("before", "after")}
ROW = {"latency_ci95": 0.5, "load": 0.1, "latency_mean": 40.0, "saturated": False}
LOADS = {"rows": [ROW, ROW | {"load": 0.2, "saturated": True}], "routing": "min", "seeds": 1,
         "path_set": "none", "topology": "dfly(2,4,2,3)", "pattern": "uniform"}  # fmt: skip


@pytest.mark.parametrize(
    ("document", "titles"),
    [
        (PROBE, ["Probe curve"]),
        (PROBE | {"curves": {"all": CURVE}}, ["Probe curve", "Latency against load"]),
        ({"local": KIND, "global": KIND}, ["Link usage"]),
        (LOADS, ["dfly(2,4,2,3), uniform (dotted: saturated)"]),
    ],
)
def test_panels(document: dict[str, object], titles: list[str]) -> None:
    assert [axis.get_title() for axis in figure_of(document).axes] == titles


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


def test_foreign_and_malformed_documents_are_refused() -> None:
    with pytest.raises(InvalidInput, match="nothing to draw"):
        figure_of({"hello": 1})
    with pytest.raises(InvalidInput, match="malformed"):
        figure_of({"probe": [{}], "cut": 1})


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_formats(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"figure{suffix}"
    save_figure(PROBE, path)
    assert path.stat().st_size > 1000


def test_unknown_suffix_and_failed_drawing_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.bmp"):
        save_figure(PROBE, tmp_path / "figure.bmp")
    with pytest.raises(InvalidInput):
        save_figure({"probe": [{}], "cut": 1}, tmp_path / "figure.svg")
    assert list(tmp_path.iterdir()) == []
