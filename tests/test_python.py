"""The library as people use it: docs/python.md, texts for values, data frames, notebooks."""

import doctest
import sys
from pathlib import Path

import pytest

import tvlb
from tests.sweeps.here import small_sweep
from tvlb.balance import balance, balance_weights
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput, TvlbError
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Shift

_DOCUMENT = Path(__file__).parents[1] / "docs" / "python.md"


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_examples_of_the_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(
        str(_DOCUMENT), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert tried > 15
    assert failed == 0
    assert (tmp_path / "search.png").stat().st_size > 10_000


def test_every_name_is_there() -> None:
    assert tvlb.__version__ == VERSION
    for name in tvlb.__all__:
        assert getattr(tvlb, name) is not None


# A text and the value that it stands for are the same question.
def test_texts_mean_values(tmp_path: Path) -> None:
    network = Dragonfly(2, 4, 2, 5)
    paths = parse_expression("<=4", network)
    asked = tvlb.throughput("2,4,2,5", "<=4", "shift(1,0)")
    assert asked.theta == tvlb.throughput(network, paths, Shift(1, 0)).theta
    assert balance("<=4", topology="2,4,2,5").records() == balance(paths).records()
    assert balance_weights("<=4", topology=network).records() == balance_weights(paths).records()
    config = tvlb.SimulationConfig(warmup_cycles=200, measured_cycles=200)
    by_text = tvlb.simulate(
        "2,4,2,5", path_set="<=4", pattern="shift(1,0)", load=0.1, config=config
    )
    by_value = tvlb.simulate(network, path_set=paths, pattern=Shift(1, 0), load=0.1, config=config)
    assert by_text.latency_mean == by_value.latency_mean


def test_path_sets_of_saved_tables(tmp_path: Path) -> None:
    network = Dragonfly(2, 4, 2, 3)
    rows = parse_expression("<=4", network)
    table = tvlb.table.Table.from_rows(rows, rows.all_rows(), version=VERSION)
    path = tmp_path / "saved.parquet"
    tvlb.write_table(table, path)
    assert tvlb.read_table(path).id == table.id
    asked = tvlb.throughput(network, str(path), "shift(1,0)")
    assert asked.theta == tvlb.throughput(network, "<=4", "shift(1,0)").theta
    frame = table.to_arrow()
    assert (frame.num_rows, frame["hops"].to_pylist()) == (len(table), table.columns.hops.tolist())


def test_the_text_of_a_path_set_needs_a_network() -> None:
    with pytest.raises(InvalidInput, match="the text of one needs a topology"):
        balance("<=4")


def test_pandas_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(TvlbError, match=r"pip install pandas, or use to_arrow"):
        balance("<=4", topology="2,4,2,3").to_pandas()


def test_pandas_is_there() -> None:
    pytest.importorskip("pandas")
    frame = balance("<=4", topology="2,4,2,3").to_pandas()
    assert list(frame["kind"]) == ["local", "global"]


def test_notebooks_show_records_and_figures() -> None:
    balanced = balance("<=4", topology="2,4,2,3")
    shown = balanced._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert shown.startswith("<p>&lt;Balanced &lt;=4 on dfly(2,4,2,3) by removal: ")
    assert shown.count("<tr>") == 3
    assert "<td>global</td>" in shown
    figure = tvlb.plot(balanced)
    assert "<svg" in figure._repr_svg_()  # pyright: ignore


def test_a_document_without_anything_to_draw() -> None:
    with pytest.raises(InvalidInput, match="nothing to draw"):
        tvlb.plot({})


def test_several_loads_are_one_frame_and_one_figure() -> None:
    config = tvlb.SimulationConfig(warmup_cycles=200, measured_cycles=200)
    found = tvlb.simulate("2,4,2,5", load=[0.1, 0.2], config=config)
    frame = found.to_arrow()
    assert frame["load"].to_pylist() == [0.1, 0.2]
    assert frame["topology"].to_pylist() == ["dfly(2,4,2,5)"] * 2
    alone = tvlb.simulate("2,4,2,5", load=0.2, config=config)
    assert frame["latency_mean"].to_pylist()[1] == alone.latency_mean
    virtual = tvlb.simulate("2,4,2,5", load=0.2, config=tvlb.VctConfig(200, 200))
    for result in (found, alone, virtual):
        figure = tvlb.plot(result)
        _, accepted = figure.axes
        assert "dfly(2,4,2,5), uniform" in figure.get_suptitle()
        assert accepted.get_ylabel().startswith("accepted (")
    with pytest.raises(InvalidInput, match="path_set <=4 has no meaning for routing min"):
        tvlb.simulate("2,4,2,5", load=0.2, routing="min", path_set="<=4")


@pytest.mark.usefixtures("in_process")
def test_studies_sweeps_and_repairs(tmp_path: Path) -> None:
    run = tvlb.LongRun(measured_cycles=100_000)
    study = tvlb.stability("hyperx(1,2,2)", vcs=["ladder", "reuse"], config=run, workers=1)
    assert study.to_arrow()["vc_policy"].to_pylist() == ["ladder", "reuse"]
    assert tvlb.plot(study).axes

    swept = tvlb.sweep(small_sweep("1,3,1,4"), workers=1)
    assert swept.to_arrow().num_rows == 1
    assert {path.name for path in swept.write(tmp_path)} >= {"results.csv", "report.html"}

    paths = parse_expression("short(2,3)", Dragonfly(2, 4, 2, 5))
    old = tvlb.table.Table.from_rows(paths, paths.all_rows(), version=VERSION)
    tvlb.write_table(old, tmp_path / "old.parquet")
    (tmp_path / "down.json").write_text('{"links": [[0, 1]]}')
    windows = tvlb.search.Windows(100, 100, 0.1)
    options = tvlb.RepairOptions(traffic=("uniform",), windows=windows, workers=1)
    new = tvlb.repair(str(tmp_path / "old.parquet"), str(tmp_path / "down.json"), options)
    assert new.report.ok
