"""Sweeps that compute other things than tables: routes with their measures, models, and so on."""

import csv
import json
import re
from itertools import chain
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from sim_bridge import simulate_request
from tests.search.here import Memory
from tests.sweeps.here import MemoryTables, Serial
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.processes import UnitCache
from tvlb.requests import SweepBody, request_kinds, simulation_body
from tvlb.requests.routers import routers
from tvlb.requests.swept import swept_kinds
from tvlb.sweeps import Swept, engine, points_of, rows_of, run_points
from tvlb.sweeps.columns import columns_of
from tvlb.sweeps.requested import requested_columns
from tvlb.topology import families

FILE = """
topologies = ["2,4,2,9"]
[compute.route]
engine = ["psssp", "minhop"]
order = ["id", "interleave"]
[compute.measure]
bisections = 50
"""
SWEEP: dict[str, Any] = {
    "topologies": ["2,4,2,9"],
    "compute": {
        "route": {"engine": ["psssp", "minhop"], "order": ["id", "interleave"]},
        "measure": {"bisections": 50},
    },
}


def swept(asked: dict[str, Any], tables: MemoryTables | None = None) -> Swept:
    points = points_of(SweepBody.model_validate(asked).expanded())
    cache = UnitCache(Serial(), Memory())
    return Swept("", tuple(run_points(points, tables or MemoryTables(), cache, workers=2)))


def test_rows_have_the_figures_of_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sweep.toml").write_text(FILE)
    assert main(["sweep", "sweep.toml", "-o", "out", "--data", "data", "--workers", "1"]) == 0
    assert "EFI" not in capsys.readouterr().err
    with Path("out/results.csv").open(newline="") as stream:
        rows = [*csv.DictReader(stream)]
    asked = [(row["engine"], row["order"]) for row in rows]
    assert asked == [(e, o) for e in ("psssp", "minhop") for o in ("id", "interleave")]
    # By the reference of these routes.
    assert [row["efi"] for row in rows[:2]] == ["102", "86"]
    page = Path("out/report.html").read_text()
    assert all(told in page for told in ("minhop", "efi bound", "ebb"))
    for row in rows:
        given = ["--engine", row["engine"], "--order", row["order"], "-o", "t.parquet", "--json"]
        assert main(["route", row["topology"], *given]) == 0
        routed = json.loads(capsys.readouterr().out)
        assert main(["measure", "--table", "t.parquet", "--bisections", "50", "--json"]) == 0
        measured = json.loads(capsys.readouterr().out)
        for name in ("efi", "efi_links", "efi_bound", "mean_load", "ebb", "ebb_se", "ebb_min"):
            assert float(row[name]) == measured[name], name
        assert (row["table_id"], int(row["efi"])) == (routed["table"]["id"], routed["efi"])
    # All is in the store: nothing is computed again, and files are the same to the byte.
    again = ["sweep", "sweep.toml", "-o", "again", "--data", "data", "--workers", "1", "--json"]
    assert main(again) == 0
    for name in ("results.csv", "results.parquet", "report.html"):
        assert Path("again", name).read_bytes() == Path("out", name).read_bytes()


def test_what_is_in_the_store_is_taken_from_there() -> None:
    tables = MemoryTables()
    first = swept(SWEEP, tables)
    assert len(tables.added) == len(set(tables.added)) == 8
    again = swept(SWEEP, tables)
    assert len(tables.added) == 8
    assert [one.attempts for one in again.results] == [0] * 4
    assert rows_of(again.results) == rows_of(first.results)


def test_models_and_simulations_are_swept() -> None:
    models = swept({"topologies": ["2,4,2,5"], "compute": {"model": {"vlb": ["all", "<=4"]}}})
    # Adversarial traffic on two links between groups of 8 nodes: 5/8 with all paths.
    assert [row["theta"] for row in models.records()] == pytest.approx([0.625, 0.625])
    load = {"load": [0.1], "routing": ["table"], "warmup": 500, "cycles": 500}
    both = {"route": {"layers": True}, "simulation": load}
    (row,) = swept({"topologies": ["2,4,2,5"], "compute": both}).records()
    assert row["accepted"] == pytest.approx(0.1, abs=0.02)
    assert row["table"] is not None


@pytest.mark.parametrize("router", routers())
def test_simulations_by_every_router_are_swept(router: str) -> None:
    """Points have the figures of the same requests alone, for several values of an option."""
    windows = {"warmup": 100, "cycles": 300}
    usual = {name: value for name, value in windows.items() if name in routers()[router].options}
    section = {"router": router, "load": [0.1], "seed": [1, 2], **usual}
    rows = swept({"topologies": ["2,4,2,5"], "compute": {"simulation": section}}).records()
    assert [row["seed"] for row in rows] == [1, 2]
    for row in rows:
        body = simulation_body(router)(topology="2,4,2,5", **(section | {"seed": row["seed"]}))
        (result,) = simulate_request(body.simulation(body.network())).runs
        assert (row["status"], row["router"]) == ("succeeded", router)
        assert (row["accepted"], row["latency_mean"]) == (result.accepted, result.latency_mean)


def test_as_many_simulations_go_on_as_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two points of one run each meet, and one of two runs has both processors."""
    monkeypatch.setattr(engine, "available_cores", lambda: 2)
    form = request_kinds()["simulation"].form_by("iq")
    compute, both, held = form.compute, Barrier(2), list[int]()

    def meets(body: Any, context: Any, *more: Any) -> Any:
        held.append(context.cores)
        if context.cores == 1:
            both.wait(timeout=60)
        return compute(body, context, *more)

    object.__setattr__(form, "compute", meets)
    try:
        for loads in ([0.1], [0.1, 0.2]):
            section = {"load": loads, "seed": [1, 2], "warmup": 100, "cycles": 300}
            rows = swept({"topologies": ["2,4,2,5"], "compute": {"simulation": section}}).records()
            assert [row["status"] for row in rows] == ["succeeded"] * 2
    finally:
        object.__setattr__(form, "compute", compute)
    assert held == [1, 1, 2, 2]


def test_a_list_of_path_sets_is_one_value() -> None:
    levels = {"routing": "acor-switch(sets)", "vlb": [["shape(g.?)", "all"]]}
    section = {"load": [0.1], "warmup": 100, "cycles": 300, **levels}
    (row,) = swept({"topologies": ["2,4,2,5"], "compute": {"simulation": section}}).records()
    assert row["vlb"] == '["shape(g.?)","all"]'


def test_a_point_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"topologies": ["2,4,2,5"], "compute": {"route": {"engine": ["psssp", "updn"]}}}
    expansion = SweepBody.model_validate(asked).expanded()
    points = points_of(expansion)
    kind = request_kinds()["route"]
    compute = kind.forms[0].compute

    def fails(body: Any, *more: Any) -> Any:
        if body.engine == "updn":
            raise InvalidInput("no way up")
        return compute(body, *more)

    object.__setattr__(kind.forms[0], "compute", fails)
    try:
        found = run_points(points, MemoryTables(), UnitCache(Serial(), Memory()), workers=1)
    finally:
        object.__setattr__(kind.forms[0], "compute", compute)
    rows = rows_of(found)
    assert [row["status"] for row in rows] == ["succeeded", "failed"]
    assert (rows[1]["error"], rows[1]["engine"], rows[1]["efi"]) == ("no way up", "updn", None)


_BY_SPLIT = {"router": "vct", "load": [0.1], "routing": "static"}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"compute": {"route": {"engine": ["psssp", "x"]}}}, "engine 'x': choose one of psssp"),
        ({"compute": {"route": {"engin": "psssp"}}}, "engin: unknown key; use one of engine"),
        ({"compute": {}}, "nothing is to be computed: give one of "),
        ({"compute": {"table": {}}}, "unknown key; use one of model, "),
        ({"compute": {"route": {}, "model": {}}}, "route and model have nothing to do with"),
        ({"compute": {"model": {}, "measure": {}}}, "model and measure have nothing to do"),
        ({"compute": {"split": {}, "measure": {}}}, "split and measure have nothing to do"),
        ({"compute": {"route": {}}, "seeds": [1]}, "seeds: they are of tables"),
        ({"compute": {"route": {"order": ["random"]}}}, "a random order needs a seed"),
        ({"compute": {"measure": {"min_share": 0.5}}}, "min_share 0.5 has no meaning without vlb"),
        ({"compute": {"model": {"vlb": "0" * 64}}}, "a sweep has path sets, and no stored tables"),
        ({"compute": {"measure": {"job": "99"}}}, "job 99 is out of range"),
        ({"compute": {"simulation": {"router": "x"}}}, "router 'x': choose one of iq, vct"),
        ({"compute": {"simulation": 5}}, "compute.simulation: expected keys with values, not 5"),
        (
            {"compute": {"simulation": {"router": "vct", "load": [0.1], "table": "x"}}},
            "compute.simulation.table: unknown key; use one of pattern, load",
        ),
        (
            {"compute": {"route": {}, "simulation": {"router": "vct", "load": [0.1]}}},
            "table is of routing static, not of min",
        ),
        (
            {"compute": {"route": {}, "simulation": _BY_SPLIT}},
            "route and simulation by router vct have nothing to do with each other",
        ),
        ({"compute": {"route": {"passes": [*range(1000)], "max_layers": [*range(1, 16)]}}}, "at m"),
    ],
)
def test_bad_input_is_told_before_any_work(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        SweepBody(topologies=("2,4,2,9",), **more).expanded()


def test_columns_are_unique_and_say_what_they_mean() -> None:
    for form in chain(*(kind.forms for kind in swept_kinds().values())):
        bodies = (form.body,)
        columns = columns_of(families(), requested_columns(bodies))
        names = [column.name for column in columns]
        assert len(names) == len(set(names))
        assert not any(name.endswith("seconds") for name in names)


def test_equal_sweeps_are_equal_requests() -> None:
    body = SweepBody.model_validate(SWEEP)
    assert SweepBody.model_validate_json(body.model_dump_json()) == body
    usual = {"route": {"engine": ["psssp"], "passes": 0}}
    same = SweepBody.model_validate({"topologies": ["2,4,2,9"], "compute": usual})
    plain = SweepBody.model_validate({"topologies": ["2,4,2,9"], "compute": {"route": {}}})
    assert same.model_dump(mode="json") == plain.model_dump(mode="json")
    assert "compute" not in SweepBody.model_validate({"topologies": ["2,4,2,9"]}).model_dump()
