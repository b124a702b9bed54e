"""Forwarding tables by every way in, with the figures of an independent prototype."""

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

import tvlb
from tests.plugins import installed, tvlb_each
from tests.service import Server, answered
from tvlb.cli import main
from tvlb.client import Client
from tvlb.errors import InvalidInput
from tvlb.forwarding import MeasureOptions, RouteOptions
from tvlb.requests import Question, resource_of
from tvlb.requests.kinds.measure import MeasureBody, MeasureDocument
from tvlb.requests.kinds.route import RouteBody

DATA = Path(__file__).parent / "data"
NETWORK = "dfly(2,4,2,9)"
EXACT = {("psssp", "id"), ("psssp", "interleave"), ("p2sssp", "id"), ("minhop", "id")}
ROWS = [
    row
    for row in csv.DictReader((DATA / "sssp.csv").read_text().splitlines())
    if row["network"] == NETWORK and (row["algorithm"], row["endpoint_order"]) in EXACT
]
every_row = pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row['algorithm']} {row['endpoint_order']}"
)
# As many as the reference drew.
BISECTIONS = "10000"
BODIES: dict[str, type[Question]] = {"route": RouteBody, "measure": MeasureBody}
INTERLEAVED = next(row for row in ROWS if row["endpoint_order"] == "interleave")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def asked(row: Mapping[str, str]) -> dict[str, Any]:
    return {"engine": row["algorithm"], "order": row["endpoint_order"]}


def check_loads(document: Mapping[str, Any], row: Mapping[str, str]) -> None:
    """Compare what routes load links with, to the digits of the reference."""
    assert (document["efi"], document["efi_links"]) == (
        int(row["efi_max"]),
        int(row["links_at_efi"]),
    )
    for name, column, tolerance in (
        ("mean_load", "mean_link_load", 0.005),
        ("hops_mean", "mean_hops", 0.00005),
        ("minimal_share", "minimal_share", 0.00005),
    ):
        assert document[name] == pytest.approx(float(row[column]), abs=tolerance), name


def check_measures(document: Mapping[str, Any], row: Mapping[str, str]) -> None:
    """Compare loads and EBB; means of two independent drawings differ by their errors."""
    check_loads(document, row)
    error = math.hypot(float(row["ebb_stderr"]), document["ebb_se"])
    assert abs(document["ebb"] - float(row["ebb_mean"])) <= 4 * error
    # Of one size of job, all nodes.
    (job,) = document["jobs"]
    assert (job["nodes"], job["ebb"]) == (72, document["ebb"])
    least, *_, most = job["bandwidth_percentiles"]
    assert (least, most) == (document["ebb_min"], document["ebb_max"])
    assert document["load_percentiles"][-1] == document["efi"]


@every_row
def test_on_the_command_line(row: dict[str, str], ran: Any) -> None:
    options = [f"--{name}={value}" for name, value in asked(row).items()]
    document = ran("route", NETWORK, *options, "-o", "made.json")
    check_loads(document, row)
    # 11,928 hops of shortest routes over 180 links: 66.3.
    assert document["efi_bound"] >= 66
    table = document["table"]
    assert {name: table[name] for name in asked(row)} == asked(row)
    assert (table["endpoints"], table["switches"], table["layers"]) == (72, 36, 1)
    shown = ran("show", "made.json")
    check_loads(shown, row)
    assert shown["id"] == table["id"]
    ran("export", "made.json", "--to", "parquet", "-o", "made.parquet")
    assert ran("show", "made.parquet") == shown
    measured = ran("measure", "--table", "made.parquet", "--bisections", BISECTIONS)
    check_measures(measured, row)
    assert measured["table"] == table
    Path("measured.json").write_text(json.dumps(measured))
    assert main(["plot", "measured.json", "-o", "measured.svg"]) == 0
    assert "Bandwidth of bisections" in Path("measured.svg").read_text()


@every_row
def test_in_python(row: dict[str, str]) -> None:
    found = tvlb.route(NETWORK, RouteOptions(**asked(row)))
    loads = found.table.forwarding.loads
    names = ("efi", "efi_links", "mean_load", "hops_mean", "minimal_share")
    check_loads({name: getattr(loads, name) for name in names}, row)
    assert f"EFI {row['efi_max']} " in repr(found)
    options = MeasureOptions(bisections=int(BISECTIONS))
    measured = tvlb.measure(NETWORK, options, table=found.table)
    check_measures(MeasureDocument.of(measured).plain(), row)
    assert f"EFI {row['efi_max']}, EBB " in repr(measured)
    assert next(axis.get_title() for axis in tvlb.plot(measured).axes) == "Link loads"


@every_row
def test_over_rest(row: dict[str, str], server: Server) -> None:
    document = answered(server, "/v1/routes", {"topology": NETWORK, **asked(row)})
    check_loads(document, row)
    with Client(server.url) as client:
        assert document["id"] in [one.id for one in client.results("route")]
        links = client.links(document["id"], "route")
    # Loads are told over the mean of their kind.
    assert len(links.usage) == 180
    assert max(links.usage) > 1
    body = {"table": document["table"]["id"][:16], "bisections": int(BISECTIONS)}
    measured = answered(server, "/v1/measures", body)
    check_measures(measured, row)
    assert measured["request"]["table"] == document["table"]["id"]
    assert measured["request"]["topology"] == NETWORK


def test_a_server_makes_the_same_file(ran: Any, server: Server) -> None:
    given = ("route", NETWORK, "--order", "auto", "--passes", "1", "-o")
    here = ran(*given, "here.parquet")
    there = ran(*given, "there.parquet", "--server", server.url)
    for one in (here, there):
        one.pop("timings")
    assert here == there
    assert Path("here.parquet").read_bytes() == Path("there.parquet").read_bytes()
    assert here["parameters"] == {**here["parameters"], "order": "auto", "passes": 1}
    # Passes keep the best that there was.
    assert here["efi"] <= int(INTERLEAVED["efi_max"])


def test_on_the_page(server: Server) -> None:
    made = answered(server, "/v1/routes", {"topology": NETWORK, **asked(INTERLEAVED)})
    with httpx.Client(base_url=server.url, timeout=60) as http:
        page = http.get(f"/routes/{made['id']}").text
        for told in (f"<dd>{INTERLEAVED['efi_max']}<small>", made["table"]["id"], "65.42"):
            assert told in page
        assert "--order interleave -o forwarding.parquet" in page
        form = http.get("/routes/new").text
        for told in ('name="passes"', "<option>p2sssp</option>", made["id"]):
            assert told in form
        for suffix in ("parquet", "json"):
            assert f"{made['url']}/download?format={suffix}" in page
            got = http.get(f"{made['url']}/download?format={suffix}")
            Path(f"got.{suffix}").write_bytes(got.raise_for_status().content)
            assert main(["show", f"got.{suffix}"]) == 0


def test_files_are_of_formats_that_hold_such_tables(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    made = answered(server, "/v1/routes", {"topology": NETWORK, **asked(INTERLEAVED)})
    url = f"{server.url}{made['url']}/download?format=csv"
    refused = httpx.get(url)
    assert refused.status_code == 422
    told = "format csv: a forwarding table is written as parquet or json"
    assert told in refused.json()["detail"]
    assert "format=csv" not in httpx.get(f"{server.url}/routes/{made['id']}").text
    told = "t.csv: the name must end in one of .parquet, .json, not '.csv'"
    with pytest.raises(InvalidInput, match=told):
        tvlb.write_table(tvlb.route(NETWORK).table, "t.csv")
    tvlb.write_table(tvlb.route(NETWORK).table, "t.json")
    Path("down.json").write_text('{"links": [[0, 4]]}')
    for command in (
        ("route", NETWORK),
        ("repair", "t.json", "--without", "down.json"),
        ("export", "t.json", "--to", "csv"),
    ):
        assert main([*command, "-o", "t.csv"]) == 2
        assert told in capsys.readouterr().err
    assert not Path("t.csv").exists()


def test_measures_on_the_page(server: Server) -> None:
    body = {"topology": NETWORK, "vlb": "<=4", "min_share": 0.5, "bisections": 100}
    more = {"job": "8,72", "pattern": "shift(1,0)", "bound": "lp"}
    made = answered(server, "/v1/measures", body | more)
    assert [job["nodes"] for job in made["jobs"]] == [8, 72]
    assert made["efi_lp"] == pytest.approx(made["efi_lp_high"])
    with httpx.Client(base_url=server.url, timeout=60) as http:
        page = http.get(f"/measures/{made['id']}").text
        for told in (f"{made['ebb']:.4f}", "MIN paths with a share of 0.5", 'id="bandwidth-plot"'):
            assert told in page
        assert "--min-share 0.5 --bisections 100 --job 8,72" in page
        form = http.get("/measures/new").text
        for told in ('name="table"', 'name="bound"', "<option>lp</option>", made["id"]):
            assert told in form


def test_paths_are_measured_by_their_shares(ran: Any) -> None:
    # Of the 20 switches of dfly(2,4,2,5) every two nodes have a route, whatever it splits into.
    minimal = ran("measure", "2,4,2,5", "--bisections", "10")
    assert (minimal["table"], minimal["path_set"], minimal["min_share"]) == (None, "none", 1.0)
    assert minimal["mean_load"] * 100 == pytest.approx(minimal["hops_mean"] * 40 * 39)
    split = ran("measure", "2,4,2,5", "--vlb", "<=4", "--min-share", "0.5", "--bisections", "10")
    assert split["hops_mean"] > minimal["hops_mean"]
    found = tvlb.measure("2,4,2,5", MeasureOptions(bisections=10), vlb="<=4", min_share=0.5)
    document = MeasureDocument.of(found).plain()
    assert {**document, "timings": None} == {**split, "timings": None}


def test_only_a_forwarding_table_is_measured_as_one() -> None:
    split: Any = tvlb.static("2,4,2,3").table
    with pytest.raises(InvalidInput, match="is a split table, where a forwarding table is needed"):
        tvlb.measure(table=split)


def test_a_server_measures_the_table_of_a_file(ran: Any, server: Server) -> None:
    ran("route", NETWORK, "-o", "t.parquet", "--server", server.url)
    given = ("measure", "--table", "t.parquet", "--both", "--job", "16", "--bisections", "50")
    here, there = ran(*given, "--workers", "2"), ran(*given, "--server", server.url)
    assert {**here, "timings": None} == {**there, "timings": None}


def test_an_order_prints_as_it_is_parsed() -> None:
    body = RouteBody(topology="2,4,2,9", order="random(7)")
    assert body.resolved().order == "random(seed=7)"


@pytest.mark.parametrize(
    ("command", "options", "sentence"),
    [
        ("measure", {"job": "x"}, "job 'x': expected a number of nodes, 2 or more"),
        ("measure", {"job": "99"}, "job 99 is out of range: dfly(2,4,2,9) has nodes for 2..72"),
        ("measure", {"bisections": 0}, "bisections 0 is out of range: 1..10000000"),
        ("measure", {"pattern": "uniform"}, "pattern uniform: streams need one destination"),
        ("measure", {"vlb": "all"}, "vlb all: give min_share, the share of MIN paths, 0..1"),
        ("measure", {"min_share": 0.5}, "min_share 0.5 has no meaning without vlb"),
        ("measure", {"bound": "cut"}, "bound 'cut': choose one of lp"),
        (
            "route",
            {"order": "random"},
            "order 'random': a random order needs a seed: random(seed=N)",
        ),
        ("route", {"order": "random(seed=x)"}, "a random order needs a seed"),
        (
            "route",
            {"order": "sorted"},
            "order 'sorted': expected id, interleave, random(seed=N) or auto",
        ),
        ("route", {"engine": "ospf"}, "engine 'ospf': choose one of psssp, "),
        ("route", {"passes": -1}, "passes -1 is out of range: 0..1000"),
        ("route", {"passes": "many"}, "'many' is not an integer"),
    ],
)
def test_bad_input_is_refused_in_the_same_words(
    command: str,
    options: dict[str, Any],
    sentence: str,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    output = ("-o", "made.parquet") if command == "route" else ()
    assert main([command, NETWORK, *given, *output]) == 2
    printed = capsys.readouterr()
    written = sentence.replace("min_share", "--min-share")
    assert (written in printed.err, printed.out) == (True, ""), printed.err
    assert not Path("made.parquet").exists()
    body = {"topology": NETWORK, **options}
    answer = httpx.post(f"{server.url}/v1/{command}s", json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert sentence in answer.json()["detail"]
    with pytest.raises(InvalidInput):
        BODIES[command](**body).examined()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "nothing to measure: give a network or a forwarding table"),
        (("--without", "down.json"), "--without down.json: of which network is not said"),
        (("2,4,2,5", "--table", "t.json"), "table t.json: the table is of dfly(2,4,2,9), not of"),
        (("--table", "no.json"), "cannot read no.json"),
        (("--table", "t.json", "--vlb", "all"), "a forwarding table has routes of its own"),
        (
            ("--vlb", "t.json", "--min-share", "0"),
            "vlb t.json is a forwarding table, where a T-VLB",
        ),
    ],
)
def test_what_cannot_be_measured(
    arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tvlb.write_table(tvlb.route(NETWORK).table, "t.json")
    assert main(["measure", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_damaged_table_is_not_measured(capsys: pytest.CaptureFixture[str]) -> None:
    table = tvlb.route("2,4,2,5").table
    # No switch sends on what is for node 0: 38 nodes of other switches lose it.
    port = table.port.copy()
    port[:20] = 255
    tvlb.write_table(replace(table, port=port), "t.parquet")
    assert main(["measure", "--table", "t.parquet"]) == 2
    assert "packets of 38 pairs of nodes do not arrive; see tvlb verify" in capsys.readouterr().err


@pytest.mark.parametrize("options", [{}, {"rebalance": 0.02}], ids=str)
def test_a_repair_is_the_same_everywhere(
    options: dict[str, Any], ran: Any, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    made = answered(server, "/v1/routes", {"topology": NETWORK, **asked(INTERLEAVED)})
    down = {"links": [[0, 4], [8, 9]], "switches": [33]}
    Path("down.json").write_text(json.dumps(down))
    ran("route", NETWORK, "--order", "interleave", "-o", "t.parquet")
    more = [f"--{name}={value}" for name, value in options.items()]
    given = ("--without", "down.json", *more)
    here = ran("repair", "t.parquet", *given, "-o", "here.parquet")
    there = ran("repair", made["id"], *given, "-o", "there.parquet", "--server", server.url)
    assert {**here, "seconds": 0} == {**there, "seconds": 0}
    assert Path("here.parquet").read_bytes() == Path("there.parquet").read_bytes()
    assert 0 < here["must_change"] <= here["changed"] < here["entries"]
    assert main(["repair", made["id"], *given, "-o", "x.json", "--server", server.url]) == 0
    assert "entries change" in capsys.readouterr().out
    body = {"table": made["id"], "without": down, **options}
    document = answered(server, "/v1/repairs", body)
    resource_of("repair", tables="forwarding table").model_validate_json(json.dumps(document))
    # The new table is one to measure, but not to draw paths from.
    named = {"table": document["table_id"], "bisections": 10}
    assert answered(server, "/v1/measures", named)["efi"] == document["efi"]
    with httpx.Client(base_url=server.url, timeout=60) as http:
        refused = http.post("/v1/models", json={"topology": NETWORK, "vlb": document["table_id"]})
        assert "is a forwarding table" in refused.json()["detail"]
        for key, value, sentence in (
            ("strike_only", True, "strike_only is given, which has no meaning for a forwarding"),
            ("rebalance", 1.5, "rebalance 1.5 is out of range: 0..1"),
            ("topology", "2,4,2,5", "the table is of dfly(2,4,2,9)"),
            ("without", {"links": [[0, 35]]}, "1 cable [0,35] cannot be down"),
        ):
            refused = http.post("/v1/repairs", json=body | {key: value})
            assert (refused.status_code, sentence in refused.text) == (422, True), refused.text
        # When the next cable fails, the new table is repaired: all that is down is listed.
        again = {"table": document["id"], **options}
        refused = http.post("/v1/repairs", json=again | {"without": {"links": [[0, 8]]}})
        assert "is down in dfly(2,4,2,9) without 2 cables" in refused.json()["detail"]
        more = down | {"links": [*down["links"], [0, 8]]}
        second = answered(server, "/v1/repairs", again | {"without": more})
        assert second["old_table_id"] == document["table_id"]
        Path("more.json").write_text(json.dumps(more))
        given = ("--without", "more.json", *given[2:])
        assert ran("repair", "here.parquet", *given, "-o", "2.parquet") | {"seconds": 0} == {
            name: 0 if name == "seconds" else value
            for name, value in second.items()
            if name in here
        }
        named = {"table": second["table_id"], "bisections": 10}
        assert answered(server, "/v1/measures", named)["topology"] == second["topology"]
        page = http.get(f"/repairs/{document['id']}").text
        told_by_form = ('name="rebalance"', "repair.js", f'href="/repairs/{second["id"]}"')
        told_by_page = (f"{document['changed']}<small> of ", 'href="/routes/', "format=json")
        for told in (*told_by_page, *told_by_form):
            assert told in page
        page = http.get(f"/routes/{made['id']}").text
        for told in ('name="rebalance"', f'href="/repairs/{document["id"]}"', "repair.js"):
            assert told in page
        listed = http.get("/v1/repairs").json()["repairs"]
        assert document["changed"] in [one.get("changed") for one in listed]


def test_it_is_told_from_a_table_of_paths(server: Server) -> None:
    made = answered(server, "/v1/routes", {"topology": NETWORK})
    with httpx.Client(base_url=server.url, timeout=60) as http:
        for path, body, sentence in (
            ("models", {"vlb": made["table"]["id"]}, "is a forwarding table, where a T-VLB table"),
            ("simulations", {"vlb": made["id"][:12], "load": [0.1]}, "is a forwarding table, "),
        ):
            refused = http.post(f"/v1/{path}", json={"topology": NETWORK, **body})
            assert refused.status_code == 422, refused.text
            assert sentence in refused.json()["detail"]
        assert http.get(f"/v1/tables/{made['id']}").status_code == 404
        assert http.get(f"/v1/tables/{made['id']}/paths?src=0&dst=1").status_code == 404
        listed = http.get("/v1/tables").json()["tables"]
        assert made["id"] not in [one["id"] for one in listed]
        by_table = http.get(f"/v1/routes?table_id={made['table']['id']}").json()["routes"]
        assert [one["table"]["id"] for one in by_table] == [made["table"]["id"]] * len(by_table)
        paths = http.get(f"{made['url']}/download?format=sequences")
        assert paths.text.startswith("# tvlb switch sequences")


@pytest.mark.slow
def test_an_engine_of_another_package(tmp_path: Path) -> None:
    source = (DATA / "last_link.py").read_text()
    assert len(source.splitlines()) <= 40
    environment = installed(source, "[tvlb.engines] last = toy:ENGINE", tmp_path / "packages")
    routed, verified, measured, told = tvlb_each(
        environment,
        tmp_path,
        [
            ("route", NETWORK, "--engine", "last-link", "--layers", "-o", "t.parquet", "--json"),
            ("verify", "t.parquet", "--json"),
            ("measure", "--table", "t.parquet", "--bisections", "10", "--json"),
            ("route", "--help"),
        ],
    )
    document = json.loads(routed)
    # Shortest routes have the same hops, whichever they are.
    assert (document["table"]["engine"], document["minimal_share"]) == ("last-link", 1.0)
    assert document["mean_load"] == pytest.approx(float(INTERLEAVED["mean_link_load"]), abs=0.005)
    assert json.loads(verified)["ok"]
    assert json.loads(measured)["efi"] == document["efi"]
    assert "last-link" in told
