"""Forwarding tables by every way in, with the figures of an independent prototype."""

import csv
import json
from collections.abc import Mapping
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
from tvlb.forwarding import RouteOptions
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
INTERLEAVED = next(row for row in ROWS if row["endpoint_order"] == "interleave")


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def ran(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command that succeeds, and return what it prints."""

    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


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
    assert ran("verify", "made.json")["ok"]
    ran("export", "made.json", "--to", "parquet", "-o", "made.parquet")
    assert ran("show", "made.parquet") == shown


@every_row
def test_in_python(row: dict[str, str]) -> None:
    found = tvlb.route(NETWORK, RouteOptions(**asked(row)))
    tvlb.write_table(found.table, "made.csv")
    loads = found.table.forwarding.loads
    names = ("efi", "efi_links", "mean_load", "hops_mean", "minimal_share")
    check_loads({name: getattr(loads, name) for name in names}, row)
    assert f"EFI {row['efi_max']} " in repr(found)


@every_row
def test_over_rest(row: dict[str, str], server: Server) -> None:
    document = answered(server, "/v1/routes", {"topology": NETWORK, **asked(row)})
    check_loads(document, row)
    with Client(server.url) as client:
        assert document["id"] in [one.id for one in client.results("route")]
        links = client.links(document["id"], "route")
    # A load is told over the mean of its kind: 72 links in groups carry 36 x 2 nodes' traffic.
    assert len(links.usage) == 180
    assert max(links.usage) > 1


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
        for suffix in ("parquet", "json", "csv"):
            got = http.get(f"{made['url']}/download?format={suffix}")
            Path(f"got.{suffix}").write_bytes(got.raise_for_status().content)
            assert main(["show", f"got.{suffix}"]) == 0


def test_an_order_prints_as_it_is_parsed() -> None:
    body = RouteBody(topology="2,4,2,9", order="random(7)")
    assert body.resolved().order == "random(seed=7)"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"order": "random"}, "order 'random': a random order needs a seed: random(seed=N)"),
        ({"order": "random(seed=x)"}, "a random order needs a seed"),
        ({"order": "sorted"}, "order 'sorted': expected id, interleave, random(seed=N) or auto"),
        ({"engine": "ospf"}, "engine 'ospf': choose one of psssp, "),
        ({"passes": -1}, "passes -1 is out of range: 0..1000"),
        ({"passes": "many"}, "'many' is not an integer"),
    ],
)
def test_bad_input_is_refused_in_the_same_words(
    options: dict[str, Any], sentence: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [f"--{name}={value}" for name, value in options.items()]
    assert main(["route", NETWORK, *given, "-o", "made.parquet"]) == 2
    assert sentence in capsys.readouterr().err
    assert not Path("made.parquet").exists()
    answer = httpx.post(f"{server.url}/v1/routes", json={"topology": NETWORK, **options})
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert sentence in answer.json()["detail"]
    with pytest.raises(InvalidInput):
        RouteBody(topology=NETWORK, **options)


def test_it_is_told_from_a_table_of_paths(server: Server) -> None:
    made = answered(server, "/v1/routes", {"topology": NETWORK})
    down = {"links": [[0, 4]], "switches": []}
    with httpx.Client(base_url=server.url, timeout=60) as http:
        for path, body, sentence in (
            ("models", {"vlb": made["table"]["id"]}, "is a forwarding table, where a T-VLB table"),
            ("simulations", {"vlb": made["id"][:12], "load": [0.1]}, "is a forwarding table, "),
        ):
            refused = http.post(f"/v1/{path}", json={"topology": NETWORK, **body})
            assert refused.status_code == 422, refused.text
            assert sentence in refused.json()["detail"]
        refused = http.post("/v1/repairs", json={"table": made["id"], "without": down})
        assert "is the id of a forwarding table, where that of a table is" in refused.text
        assert http.get(f"/v1/tables/{made['id']}").status_code == 404
        assert http.get(f"/v1/tables/{made['id']}/paths?src=0&dst=1").status_code == 404
        listed = http.get("/v1/tables").json()["tables"]
        assert made["id"] not in [one["id"] for one in listed]
        by_table = http.get(f"/v1/routes?table_id={made['table']['id']}").json()["routes"]
        assert [one["table"]["id"] for one in by_table] == [made["table"]["id"]] * len(by_table)
        paths = http.get(f"{made['url']}/download?format=sequences")
        assert "is a forwarding table, which gives no VLB paths" in paths.json()["detail"]


def test_an_engine_of_another_package(tmp_path: Path) -> None:
    source = (DATA / "last_link.py").read_text()
    assert len(source.splitlines()) <= 40
    environment = installed(source, "[tvlb.engines] last = toy:ENGINE", tmp_path / "packages")
    routed, verified, told = tvlb_each(
        environment,
        tmp_path,
        [
            ("route", NETWORK, "--engine", "last-link", "-o", "t.parquet", "--json"),
            ("verify", "t.parquet", "--json"),
            ("route", "--help"),
        ],
    )
    document = json.loads(routed)
    # Shortest routes have the same hops, whichever they are.
    assert (document["table"]["engine"], document["minimal_share"]) == ("last-link", 1.0)
    assert document["mean_load"] == pytest.approx(float(INTERLEAVED["mean_link_load"]), abs=0.005)
    assert json.loads(verified)["ok"]
    assert "last-link" in told
