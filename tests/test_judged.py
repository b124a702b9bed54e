"""What people are told that sets were judged on; summaries, figures, pages and reports say it."""

import math
from typing import Any

import pytest

from api.pages.rendering import render
from api.pages.views import shown_table
from tvlb.requests import example
from tvlb.statistics import half_widths, judged_on, modelled_half


def searched(traffic: list[str], judged: list[str]) -> dict[str, Any]:
    """Return a document of a search on some patterns, judged on others."""
    document = example("search")
    pattern, figures = document["search"]["traffic"][0], document["baseline"]["per_pattern"][0]
    document["search"]["traffic"] = [pattern | {"pattern": name} for name in traffic]
    for one in (document["baseline"], *document["candidates"]):
        one["per_pattern"] = [figures | {"pattern": name} for name in judged]
    for one in document["search"]["held_out"]:
        for runs in (one["saturation"], *one["latency"]):
            runs[:] = [runs[number % len(runs)] for number in range(len(judged))]
    return document


@pytest.mark.parametrize(
    ("traffic", "judged", "told", "case"),
    [
        (["a", "b"], ["c", "d", "e"], "3 held-out patterns", "pattern"),
        (["a", "b", "c"], ["c", "a", "b"], "3 given patterns", "pattern"),
        (["a", "b"], ["b", "a"] * 4, "8 runs of 2 given patterns", "run"),
        (["a"], ["a"] * 8, "8 runs of 1 given pattern", "run"),
        # Some of what was searched is not what was searched.
        (["a", "b"], ["a", "c"], "2 held-out patterns", "pattern"),
        (["a", "b"], ["a"], "1 held-out pattern", "pattern"),
    ],
)
def test_patterns_are_told_from_runs(
    traffic: list[str], judged: list[str], told: str, case: str
) -> None:
    found = judged_on(searched(traffic, judged))
    assert (str(found), found.case) == (told, case)


def page(document: dict[str, Any]) -> str:
    asked = {"topology": "2,4,2,5", "routing": "ugal-l", "seed": 0}
    table = document | {"id": "0" * 64, "url": "/v1/tables/0", "request": asked}
    texts = {"line": "", "curl": "", "download": ""}
    shown = shown_table(table) | {"signed_in": False, "label": None, "repairs": ()}
    return render("table.html", **shown, commands=texts)


def test_the_page_of_a_table_tells_patterns_from_runs() -> None:
    shown = page(searched(["uniform", "a"], ["uniform", "a"] * 4))
    for part in (
        "<caption>Sets on 8 runs of 2 given patterns; saturation",
        'aria-label="Sets on 8 runs of 2 given patterns"',
        "On 8 runs of 2 given patterns, latency at load",
        "error bars are the intervals of the changes against conventional UGAL.",
        "<caption>Changes, paired run by run; with 95% confidence, all intervals hold at once",
        "+- is half of a 95% interval over the runs.",
        "with 95% intervals over the runs; the line",
    ):
        assert part in shown
    assert "8 patterns" not in shown
    assert "Means are over uniform, a." in shown
    other = page(searched(["uniform", "a"], ["b", "c"]))
    for part in ("Sets on 2 held-out patterns;", "half of a 95% interval over the patterns."):
        assert part in other
    assert "over the runs" not in other


def test_the_page_of_the_paper_s_method_has_patterns_only() -> None:
    shown = page(example("table"))
    assert "+- is half of a 95% interval over the patterns." in shown
    assert "with 95% intervals over the patterns; the line" in shown


def test_head_and_foot_of_a_table_have_the_same_units() -> None:
    document = example("table")
    text = " ".join(document["verdict"]["text"])
    assert document["decision"]["reason"] in text
    assert "flits" not in text
    assert "saturation throughput 0.4480 (0.4000) packets/cycle/node," in text
    assert "flits/cycle/node" not in page(document)


def test_half_widths_are_by_pattern() -> None:
    document = example("table")
    base, one = document["baseline"], document["candidates"][0]
    for figures, values in ((base, (0.20, 0.30, 0.25)), (one, (0.26, 0.34, 0.30))):
        figures["per_pattern"] = [
            {"pattern": str(number), "saturation": value, "latency": latency}
            for number, (value, latency) in enumerate(zip(values, (50.0, 52.0, None), strict=True))
        ]
    halves = half_widths(one, document)
    # Of 0.26, 0.34, 0.30 the deviation is 0.04; t(2) = 4.302653. Of the latencies 50, 52 it is
    # sqrt(2); t(1) = 12.706205.
    assert halves["saturation"] == pytest.approx(4.302653 * 0.04 / math.sqrt(3))
    assert halves["latency"] == pytest.approx(12.706205)


def test_a_modelled_mean_without_error_has_no_half_width() -> None:
    point = example("table")["probe"][0]
    assert modelled_half(point | {"theta_sem": None}) is None
    # Of four patterns: t(3) = 3.182446.
    assert modelled_half(point | {"theta_sem": 0.01}) == pytest.approx(0.03182446)
