"""The HTML of reports: content, escapes, equal bytes, and nothing from elsewhere."""

import base64
import copy
import hashlib
import html.parser
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests.report.synthetic import made_up_sweep
from tvlb.errors import InvalidInput
from tvlb.report import report_html
from tvlb.report.data import drawn_data, script_text
from tvlb.report.points import LATER_COLUMNS, ROW_COLUMNS, points_of
from tvlb.statistics import change_text
from tvlb.sweeps.columns import columns_of
from tvlb.topology import families

ROWS, DOCUMENTS = made_up_sweep(["2,4,2,5", "2,4,2,9"], failures=1)
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \"quoted\" 'text'"


class Reader(html.parser.HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._in_script = False
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        self.text += " "
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.text += data


@pytest.fixture(scope="module")
def page() -> bytes:
    return report_html("A sweep", ROWS, DOCUMENTS)


def test_equal_input_gives_equal_bytes(page: bytes) -> None:
    turned = dict(reversed(DOCUMENTS.items()))
    assert report_html("A sweep", [dict(row) for row in ROWS], turned) == page


def test_networks_without_groups() -> None:
    none = dict.fromkeys(["p", "a", "h", "g", "arrangement", "links_per_pair", "radix"])
    rows = [
        row | none | {"topology": f"ring({5 + number // 4})"} for number, row in enumerate(ROWS)
    ]
    text = " ".join(Reader(report_html("A sweep", rows, DOCUMENTS)).text.split())
    assert "ugal-l, no groups, 2 sizes: " in text
    assert " ring(5) ugal-l " in text


def test_means_have_half_of_their_95_intervals(page: bytes) -> None:
    text = " ".join(Reader(page).text.split())
    assert "; +- is half of a 95% interval" in text
    first = ROWS[0]
    for figure, digits in (("saturation_all", 4), ("latency_all", 2), ("theta_all", 4)):
        mean, high = float(str(first[figure])), float(str(first[f"{figure}_high"]))
        assert f" {mean:.{digits}f} +- {high - mean:.{digits}f} " in text


def test_rows_of_earlier_versions_have_means_alone() -> None:
    ends = {f"{name}_{end}" for name in ("theta_all", "latency_all") for end in ("low", "high")}
    earlier = [{name: row[name] for name in row if name not in ends} for row in ROWS]
    text = " ".join(Reader(report_html("A sweep", earlier, DOCUMENTS)).text.split())
    assert f" {ROWS[0]['theta_all']:.4f} " in text
    assert f" {ROWS[0]['theta_all']:.4f} +- " not in text


def test_the_overview_says_what_there_is(page: bytes) -> None:
    read = Reader(page)
    text = " ".join(read.text.split())
    for part in (
        "Points 8 Succeeded 7 Failed 1 their errors Sizes 2",
        "Topologies (sizes with wirings) 4",
        # The made-up sets of dfly(2,4,2,9), one link per group pair, were kept.
        "Of 7 computed points, a T-VLB table is chosen in 4: undecided in 4. The conventional set "
        "is kept in 3; the best candidate there: undecided in 3.",
        "par, 2 links per group pair, 1 size: undecided. ",
        "Simulate more patterns: of 5 instead of 3 alike an interval is at least 2.0 times shorter",
        "One link per group pair: the paper (Rahman et al., SC'19) expects",
        "SolverFailed: <b>the LP</b> & more",
    ):
        assert part in text
    links = {attributes.get("href") for tag, attributes in read.elements if tag == "a"}
    assert {"#size=2,4,2,5", "#size=2,4,2,9&point=7"} <= links


def test_nothing_is_loaded_from_elsewhere(page: bytes) -> None:
    for tag, attributes in Reader(page).elements:
        for name in ("src", "href", "data", "action", "srcset", "poster"):
            target = attributes.get(name) or "#"
            assert target.startswith("#") or target == "data:,", (tag, target)
    style = page[page.index(b"<style>") : page.index(b"</style>")]
    assert b"url(" not in style
    assert b"@import" not in style


def test_the_policy_allows_these_scripts_alone(page: bytes) -> None:
    read = Reader(page)
    policy = next(
        attributes["content"]
        for _, attributes in read.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in read.scripts[1:]
    ]
    assert rules["script-src"].split() == hashes
    assert len(hashes) == 2


def test_texts_of_users_stay_texts() -> None:
    rows = [dict(row) for row in ROWS]
    rows[-1]["error"] = EVIL
    rows[0]["chosen"] = EVIL
    plain = Reader(report_html("A sweep", ROWS, DOCUMENTS))
    evil = Reader(report_html(EVIL, rows, DOCUMENTS))
    assert [tag for tag, _ in evil.elements] == [tag for tag, _ in plain.elements]
    assert evil.text.count(EVIL) >= 3
    assert evil.scripts[1:] == plain.scripts[1:]
    data = json.loads(evil.scripts[0])
    assert data["rows"][-1][data["columns"].index("error")] == EVIL


def test_text_that_utf8_cannot_say_does_no_harm() -> None:
    assert "A ? sweep" in Reader(report_html("A \udcff sweep", [], {})).text


def test_script_text_can_stand_in_an_element() -> None:
    text = script_text({"name": "</script><!-- \u2028 &"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"name": "</script><!-- \u2028 &"}


def data_of(rows: Any, documents: Any = DOCUMENTS) -> dict[str, Any]:
    return drawn_data(points_of(rows), documents)


def test_details_are_those_of_the_documents() -> None:
    data = data_of(ROWS)
    assert list(data["details"]) == [str(number) for number in range(7)]
    document = DOCUMENTS[str(ROWS[3]["key"])]
    detail = data["details"]["3"]
    assert [one["expression"] for one in detail["simulated"]] == [
        "all",
        *(one["expression"] for one in document["candidates"]),
    ]
    first = document["candidates"][0]
    assert detail["simulated"][1]["saturation"][0] == pytest.approx(
        first["saturation_mean"], rel=1e-5
    )
    assert [expression for expression, _, _ in detail["curves"]] == ["all", "short(2,3)"]
    assert detail["search"] is None
    changes = first["comparison"]
    assert detail["simulated"][1]["changes"] == [
        change_text(one["mean"], one["half_width"])
        for one in (changes["saturation"], changes["latency"][0])
    ]
    assert detail["simulated"][1]["verdict"] == changes["verdict"]
    assert detail["simulated"][0]["changes"] is None
    local_before = document["balance"]["local"]["percentiles_before"]
    assert detail["usage"][0] == ["local", "before", local_before]


def test_the_held_out_gains_of_searches_are_told() -> None:
    rows, documents = made_up_sweep(["2,4,2,5"], method="search")
    text = " ".join(Reader(report_html("A sweep", rows, documents)).text.split())
    # 12.3% more saturation and 11.1% less latency, 4% either way, over either set.
    told = "+12.3% +8.3% to +16.3% -11.1% -15.1% to -7.1%"
    assert f"ugal-l 0 front shape(g.g:4, g.lgl) {told} {told}" in text
    for part in (
        "mean over 3 runs of held-out traffic, paired with conventional UGAL run by run",
        "the best of all sets that were judged (up to 3 a point",
    ):
        assert part in text
    assert "All patterns are adversarial" not in text


def test_details_of_searches_have_their_sets_and_shapes() -> None:
    rows, documents = made_up_sweep(["2,4,2,5"], method="search")
    search = data_of(rows, documents)["details"]["0"]["search"]
    assert [one["name"] for one in search["judged"]] == [
        "found 1",
        "found 2",
        "conventional UGAL",
        "published",
        "Algorithm 1",
    ]
    assert [(one["shape"], one["weight"], one["share"]) for one in search["shapes"]] == [
        ("g.g", 4.0, 0.25),
        ("g.lgl", 1.0, 0.75),
        ("lgl.lgl", None, 0.0),
    ]
    detail = data_of(rows, documents)["details"]["0"]
    assert "judgements" not in search
    assert detail["judgements"][0] == [
        "shape(g.g:4, g.lgl)", "all", "+12.3% +- 4.0", "-11.1% +- 4.0", "none"
    ]  # fmt: skip
    assert len(detail["judgements"]) == 7
    document = documents[str(rows[0]["key"])]
    assert detail["verdict"] == document["verdict"]["text"]
    assert detail["verdict"][0] == (
        "Use the table of shape(g.g:4, g.lgl): higher saturation throughput and lower latency."
    )


def test_details_of_searches_say_what_sets_were_judged_on() -> None:
    rows, documents = made_up_sweep(["2,4,2,5"], method="search")
    _, second, *_ = documents.values()
    # The pattern that was searched, three times.
    for one in (second["baseline"], *second["candidates"]):
        one["per_pattern"] = [one["per_pattern"][0] | {"pattern": "shift(2,3)"}] * 3
    details = data_of(rows, documents)["details"]
    assert [(details[key]["search"]["cases"], details[key]["search"]["case"]) for key in "01"] == [
        ("3 held-out patterns", "pattern"),
        ("3 runs of 1 given pattern", "run"),
    ]


def test_rows_and_documents_of_earlier_versions_are_enough() -> None:
    lacking = set(LATER_COLUMNS) | {"path_set"}
    rows = [{name: row[name] for name in row if name not in lacking} for row in ROWS]
    documents = copy.deepcopy(DOCUMENTS)
    for document in documents.values():
        del document["search"], document["table"]["balancing"], document["verdict"]
        document["candidates"][0]["comparison"] = {
            "expression": "<=4+60%", "saturation_gain": 0.02, "saturation_sem": 0.001,
            "latency_change": -1.0, "latency_sem": 0.1, "verdict": "higher saturation throughput",
        }  # fmt: skip
    read = Reader(report_html("A sweep", rows, documents))
    assert "Held-out gains" not in read.text
    details = json.loads(read.scripts[0])["details"]
    assert list(details) == [str(number) for number in range(7)]
    assert (details["0"]["verdict"], details["0"]["judgements"]) == (None, [])
    assert details["0"]["simulated"][1]["changes"] is None


def test_prices_are_shown_where_there_are_any(page: bytes) -> None:
    assert "cost-money" not in {
        attributes.get("data-plot") for _, attributes in Reader(page).elements
    }
    costs = {"currency": "EUR", "cost_per_node": 1234.5, "watts": 99.0, "cost_per_flit_all": 5000.0}
    rows = [dict(row) | costs for row in ROWS]
    read = Reader(report_html("A sweep", rows, DOCUMENTS))
    assert "cost-money" in {attributes.get("data-plot") for _, attributes in read.elements}
    text = " ".join(read.text.split())
    assert "Cost per node (EUR) Watts Cost per accepted packet/cycle, chosen" in text
    assert "0 dfly(2,4,2,5) ugal-l 0 1,234 99 none 5,000 Not shown to be worth it:" in text
    # All cost the same, so that the front is that of the saturation throughput alone.
    fronts = data_of(rows)["fronts"]
    assert sorted(fronts["cost_per_node"]) == sorted(fronts["switches_per_node"])


def test_equal_probe_curves_are_there_once() -> None:
    data = data_of(ROWS)
    # Routings share the probe of their topology and arrangement.
    assert [probe["points"] for probe in data["probes"]] == [[0, 1], [2, 3], [4, 5], [6]]
    assert data["details"]["3"]["probe"] == 1
    assert len(data["probes"][0]["table1"]) == 31


def test_fronts_are_of_computed_points() -> None:
    computed = [row for row in points_of(ROWS) if row["status"] == "succeeded"]
    # All have two nodes per switch, so none is dearer.
    best = max(row["saturation_chosen_low"] for row in computed)
    reaching = [row["point"] for row in computed if row["saturation_chosen_high"] >= best]
    assert 1 < len(reaching) < len(computed)
    assert sorted(data_of(ROWS)["fronts"]["switches_per_node"]) == reaching


def test_numbers_stay_what_scripts_can_hold() -> None:
    row = dict(ROWS[0]) | {"seed": 2**63 - 1, "latency_chosen": math.nan}
    data = data_of([row])
    shown = dict(zip(data["columns"], data["rows"][0], strict=True))
    assert shown["seed"] == str(2**63 - 1)
    assert shown["latency_chosen"] is None
    gain = ROWS[0]["best_saturation_gain"]
    assert isinstance(gain, float)
    assert shown["best_saturation_gain"] == float(f"{gain:.6g}")


def test_families_are_settings_where_points_differ_in_them() -> None:
    rows = [dict(row) for row in ROWS[:2]]
    rows[1] |= {"topology": "slimfly(5)", "links_per_pair": None}
    assert [one["settings"] for one in points_of(rows)] == ["family dfly", "family slimfly"]
    text = Reader(report_html("A sweep", rows, DOCUMENTS)).text
    assert f"{rows[1]['routing']}, family slimfly, no groups" in text
    assert "have no groups, so nothing" not in text


def test_settings_are_the_options_in_which_points_differ() -> None:
    rows = [dict(row) for row in ROWS[:3]]
    assert {point["settings"] for point in points_of(rows)} == {""}
    options = json.loads(str(rows[1]["options"]))
    options["confirmation"]["grid"] = 0.01
    rows[1]["options"] = json.dumps(options | {"balance": False})
    assert [point["settings"] for point in points_of(rows)] == [
        "balance true, confirmation.grid 0.002",
        "balance false, confirmation.grid 0.01",
        "balance true, confirmation.grid 0.002",
    ]
    text = Reader(report_html("A sweep", rows, DOCUMENTS)).text
    assert "par, balance false, confirmation.grid 0.01, 2 links per group pair" in text
    data = data_of(rows)
    assert "settings" in data["columns"]
    assert "options" not in data["columns"]


def test_points_without_documents_keep_their_rows() -> None:
    read = Reader(report_html("A sweep", ROWS, {}))
    assert "probes" not in {attributes.get("id") for _, attributes in read.elements}
    assert json.loads(read.scripts[0])["details"] == {}


@pytest.mark.parametrize("rows", [[], [ROWS[-1]], [ROWS[0]]])
def test_few_points_are_enough(rows: list[Any]) -> None:
    assert "Finding" in Reader(report_html("Few", rows, DOCUMENTS)).text


def test_wrong_input_is_refused() -> None:
    short = {name: value for name, value in ROWS[0].items() if name != "nodes"}
    with pytest.raises(InvalidInput, match="row of point 0: column 'nodes' is missing"):
        report_html("A sweep", [short], {})
    with pytest.raises(InvalidInput, match="row of point 0: options are no JSON object"):
        report_html("A sweep", [ROWS[0] | {"options": "[1]"}], {})
    with pytest.raises(InvalidInput, match="point 0 is there twice"):
        report_html("A sweep", [ROWS[0], ROWS[0]], DOCUMENTS)
    key = str(ROWS[0]["key"])
    with pytest.raises(InvalidInput, match=r"point 0: no document of a table: .*cut"):
        report_html("A sweep", ROWS[:1], {key: {"probe": []}})


def test_the_columns_are_those_of_result_rows() -> None:
    assert {*ROW_COLUMNS, *LATER_COLUMNS} <= {column.name for column in columns_of(families())}


def test_colours_are_those_of_the_pages() -> None:
    root = Path(__file__).parents[2]
    sheets = [root / "api/static/style.css", root / "tvlb/report/assets/style.css"]
    ours, theirs = (
        set(re.findall(r"--(\w+): (#\w{6})", sheet.read_text())) for sheet in reversed(sheets)
    )
    # Pages have others of their own.
    assert ours <= theirs
