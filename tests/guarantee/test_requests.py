"""Guarantees over REST, on the page, by tables and in sweeps: as the command line has them."""

import csv
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service import Server, answered
from tvlb.cli import main
from tvlb.guarantee import worst_traffic
from tvlb.paths import as_path_set
from tvlb.requests.kinds.worst import GuaranteeBody
from tvlb.table import Table, write_table
from tvlb.topology import as_topology

NETWORK = "dfly(2,4,2,3)"
BODY: dict[str, Any] = {"topology": NETWORK, "vlb": "<=3", "starts": 1}


def figures(document: dict[str, Any]) -> dict[str, Any]:
    names = ("floor", "floor_bound", "floor_split", "ceiling", "witness", "witness_loads", "orbits")
    return {name: document[name] for name in names}


def test_the_command_writes_a_witness_that_the_model_confirms(
    tmp_path: Path, ran: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "witness.csv"
    asked = [NETWORK, "--vlb", "<=3"]

    document = ran("worst", *asked, "--starts", "2", "-o", str(path))
    assert path.read_text() == document["witness"]
    assert ran("model", *asked, "--pattern", str(path))["theta"] == pytest.approx(
        document["ceiling"]
    )
    assert main(["model", "2,4,2,5", "--pattern", str(path)]) == 2
    assert "witness.csv: made for another network than dfly(2,4,2,5); " in capsys.readouterr().err
    assert document["floor"] <= document["ceiling"]
    assert sum(one["share"] for one in document["floor_split"]) == pytest.approx(1.0)
    assert len(document["witness_loads"]) == as_topology(NETWORK).num_links


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["2,4,2,3", "--starts", "0"], "--starts 0 is out of range: 1..1000"),
        (["2,4,2,3", "-o", "w.txt"], "w.txt: the name must end in one of .csv"),
        (["2,4,2,3", "--vlb", "<=9"], "<=9"),
        (
            ["2,4,2,3", "--vlb", "all", "--table", "t.json"],
            "--vlb all and --table t.json: give one",
        ),
        (["star.json"], "has nodes at one switch only"),
        (["4,8,4,33"], "has too little symmetry"),
    ],
)
def test_bad_input_is_told_in_a_line(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("star.json").write_text('{"switches": 2, "endpoints": [3, 0], "links": [[0, 1]]}')
    assert main(["worst", *arguments]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("tvlb: error: ")
    assert said in error


def test_a_server_and_its_page_have_what_the_command_prints(server: Server, ran: Any) -> None:
    printed = ran("worst", NETWORK, "--vlb", "<=3", "--starts", "1")
    made = answered(server, "/v1/guarantees", BODY)
    assert figures(made) == figures(printed)
    asked = {"topology": NETWORK, "vlb": "<=3", "pattern": made["witness"]}
    model = answered(server, "/v1/models", asked)
    assert model["theta"] == pytest.approx(made["ceiling"])
    headers = {"Accept": "text/html"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as http:
        page = http.get(f"/guarantees/{made['id']}").text
        assert f"{made['floor']:.4f}" in page
        data = page.partition('id="data">')[2].partition("</script>")[0]
        assert json.loads(data)["links"]["usage"] == pytest.approx(made["witness_loads"], abs=1e-3)
        assert 'name="starts"' in http.get("/guarantees/new").text


@pytest.mark.slow
def test_the_pattern_of_a_set_is_the_same_by_commands_and_servers(
    server: Server, ran: Any, tmp_path: Path
) -> None:
    asked = {"topology": NETWORK, "vlb": "<=3", "pattern": "worst( <= 3 )"}
    printed = ran("model", NETWORK, "--vlb", "<=3", "--pattern", asked["pattern"])
    made = answered(server, "/v1/models", asked)
    path = tmp_path / "witness.csv"
    path.write_text(worst_traffic(as_topology(NETWORK), "<=3", 0).asked)
    read = ran("model", NETWORK, "--vlb", "<=3", "--pattern", str(path))
    assert printed["theta"] == made["theta"] == read["theta"]
    assert printed["pattern"] == made["pattern"] == "worst(<=3)"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"starts": 0}, "starts 0 is out of range: 1..1000"),
        ({"starts": "3"}, "starts '3' is not an integer: 1..1000"),
        ({"topology": "4,8,4,33"}, "has too little symmetry"),
    ],
)
def test_bad_input_is_refused_in_the_same_words(
    options: dict[str, Any], sentence: str, server: Server
) -> None:
    answer = httpx.post(f"{server.url}/v1/guarantees", json=BODY | options, timeout=60)
    assert answer.status_code == 422
    assert sentence in answer.json()["detail"]


def test_tables_are_bounded_with_their_weights(
    tmp_path: Path, ran: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = as_path_set("<=3", as_topology(NETWORK))
    write_table(Table.from_rows(paths, paths.all_rows(), version="0"), "t.parquet")
    table = ran("worst", NETWORK, "--table", "t.parquet", "--starts", "1")
    ruled = ran("worst", NETWORK, "--vlb", "<=3", "--starts", "1")
    assert figures(table) == figures(ruled)
    assert main(["worst", "2,4,2,5", "--vlb", "t.parquet"]) == 2


def test_sweeps_have_the_figures_in_columns(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(f'topologies = ["{NETWORK}"]\n[compute.guarantee]\nvlb = ["<=3", "none"]\n')
    to = ["-o", str(tmp_path / "out"), "--data", str(tmp_path / "data"), "--workers", "1"]
    assert main(["sweep", str(file), *to]) == 0
    with (tmp_path / "out" / "results.csv").open() as stream:
        rows = [(float(row["floor"]), float(row["ceiling"])) for row in csv.DictReader(stream)]
    assert all(floor <= ceiling for floor, ceiling in rows)
    assert rows[0] > rows[1]


def test_costs_grow_with_the_network() -> None:
    small, large = (GuaranteeBody(topology=one).cost() for one in (NETWORK, "4,8,4,9"))
    assert 0.0 < small.cpu_seconds < 5.0 < large.cpu_seconds < 500.0
