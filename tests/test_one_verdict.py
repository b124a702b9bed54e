"""What a table or a repair gains: the same sentences and digits wherever they are read."""

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any

import httpx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.search.here import Inline, Memory
from tests.service import QUICK_REPAIR, Server, answered, quick_options
from tests.sweeps.here import MemoryTables
from tvlb.cli import repair, sweep, table_summary
from tvlb.processes import UnitCache
from tvlb.report import report_html
from tvlb.requests import SweepBody, TableBody, TableDocument
from tvlb.search import TableResult, optimize
from tvlb.search.common_traffic import common_patterns
from tvlb.search.simulation_units import SaturationUnit
from tvlb.statistics import (
    ChangeInterval,
    Pairing,
    SetFigures,
    Verdict,
    change_text,
    judgements,
    verdict_of,
)
from tvlb.sweeps import PointResult, points_of, rows_of, run_points

OPTIONS = quick_options(100, 100, 0.1) | {
    "confirmation": {"warmup": 400, "measured": 400, "grid": 0.02},
    "simulated_patterns": 5,
}
BODY = {"topology": "2,4,2,5"} | OPTIONS


@dataclass(frozen=True)
class Computed:
    """A table in Python, and a sweep of the same design alone."""

    result: TableResult
    points: list[PointResult]


@pytest.fixture(scope="module")
def computed() -> Computed:
    memory = Memory()
    body = TableBody.model_validate(BODY)
    found = optimize(body.network(), body.options(), unit_cache=UnitCache(Inline(), memory))
    designs = SweepBody.model_validate({"topologies": ["2,4,2,5"], "options": OPTIONS})
    # What both need is computed once; a sweep adds what all its networks carry.
    executor = Inline()
    cache = UnitCache(executor, memory)
    points = run_points(points_of(designs.expanded()), MemoryTables(), cache, workers=1)
    common = set(common_patterns(found.topology))
    units = [unit for unit in executor.computed if isinstance(unit, SaturationUnit)]
    assert {unit.recipe.pattern for unit in units} == common
    assert len(units) == len(executor.computed)
    return Computed(found, points)


def printed(show: Callable[[Mapping[str, Any], Console], None], document: dict[str, Any]) -> str:
    console = Console(file=StringIO(), width=200)
    show(document, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def page(server: Server, path: str) -> str:
    answer = httpx.get(f"{server.url}{path}", headers={"Accept": "text/html"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return html.unescape(answer.text)


def test_a_table_gains_the_same_everywhere(computed: Computed, server: Server) -> None:
    result = computed.result
    said = result.verdict.text
    gain = result.verdict.own[0].saturation
    told = change_text(gain.mean, gain.half_width)
    # There is a gain to be told: neither nothing, nor anything that one might read by chance.
    assert result.verdict.verdict is Verdict.HIGHER
    use = f"Use the table of {result.verdict.expression}: higher saturation throughput"
    assert said[0].startswith(use)
    assert f"saturation throughput {told} " in said[1]

    document = TableDocument.of(result).plain()
    rest = answered(server, "/v1/tables", BODY)
    assert rest["verdict"] == json.loads(json.dumps(document["verdict"]))
    assert tuple(rest["verdict"]["text"]) == said

    terminal = printed(table_summary.print_document, document)
    shown = page(server, f"/tables/{rest['id']}")
    (row,) = rows_of(computed.points)
    made = report_html("One", [row], documents_of(computed.points)).decode()
    report = html.unescape(made)
    drawn = re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", made, re.DOTALL)
    assert drawn is not None
    assert tuple(json.loads(drawn[1])["details"]["0"]["verdict"]) == said
    for sentence in said:
        assert sentence in terminal
        assert sentence in shown
    for surface in (terminal, shown, page(server, "/"), report):
        assert told in surface
    # Rows, whence the summary of a sweep and the line of a report.
    assert row["saturation_gain"] == gain.mean
    assert row["saturation_gain_high"] == gain.mean + gain.half_width
    assert row["verdict"] == result.verdict.verdict
    assert f"Worth it: {result.verdict.verdict} (saturation throughput {told};" in report
    assert told in printed(lambda _, console: sweep.print_results(computed.points, console), {})


def documents_of(points: list[PointResult]) -> dict[str, Any]:
    return {one.point.key: one.stored.document for one in points if one.stored is not None}


def test_a_repair_gains_the_same_everywhere(server: Server) -> None:
    table = answered(server, "/v1/tables", BODY)
    asked = QUICK_REPAIR | {"table": table["id"], "without": {"links": [[0, 4]]}}
    found = answered(server, "/v1/repairs", asked)
    said = found["verdict"]["text"]
    assert said[0].startswith(("Use the new table", "Keep the old table without its dead paths"))
    terminal = printed(repair.print_document, found)
    shown = page(server, f"/repairs/{found['id']}")
    for sentence in said:
        assert sentence in terminal
        assert sentence in shown
    (first, *_) = found["verdict"]["judgements"]
    told = change_text(first["saturation"]["mean"], first["saturation"]["half_width"])
    for surface in (terminal, shown, page(server, f"/tables/{table['id']}")):
        assert told in surface


def ends(told: str) -> tuple[float, float]:
    """Return the ends of an interval in the digits that are printed of it, tenths of a percent."""
    mean, half = (round(10 * float(one.strip("%"))) for one in told.split(" +- "))
    return mean - half, mean + half


shares = st.floats(-0.5, 0.5) | st.integers(-500, 500).map(lambda tenths: tenths / 1000)


@given(shares, st.floats(0.0, 0.5) | st.integers(0, 500).map(lambda tenths: tenths / 1000))
def test_higher_is_said_only_where_the_printed_interval_excludes_0(
    mean: float, half: float
) -> None:
    interval = ChangeInterval(mean, mean - half, mean + half)
    low, high = ends(change_text(mean, half))
    assert low > 0 or verdict_of(interval, None) is not Verdict.HIGHER
    assert high < 0 or verdict_of(interval, None) is not Verdict.LOWER


figures = st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6)


@given(figures, figures)
def test_whatever_was_measured_the_word_and_the_digits_agree(
    first: list[float], second: list[float]
) -> None:
    runs = min(len(first), len(second))
    pairing = Pairing(tuple(map(str, range(runs))), np.full(runs, 1.0 / runs), 1, 0.002)
    sets = [
        SetFigures(name, np.array(values[:runs]), np.full((1, runs), 50.0))
        for name, values in (("all", first), ("a", second))
    ]
    (found,) = judgements(sets, ["all"], pairing)
    low, high = ends(str(found.saturation))
    assert low > 0 or found.verdict is not Verdict.HIGHER
    assert high < 0 or found.verdict is not Verdict.LOWER
