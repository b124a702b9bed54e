"""Fixed splits by the command line, over REST, on the page, in sweeps and as figures."""

import csv
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service import Server, answered
from tvlb.cli import main
from tvlb.guarantee import static
from tvlb.requests.kinds.static import SplitBody, SplitDocument
from tvlb.table import read_any_table

NETWORK = "dfly(2,4,2,3)"
BODY: dict[str, Any] = {"topology": NETWORK, "throughput": 0.6}


def figures(document: dict[str, Any]) -> dict[str, Any]:
    names = ("table", "hops_mean", "floor", "floor_bound", "gap", "frontier", "orbits", "path_set")
    return {name: document[name] for name in names}


def test_the_command_writes_the_split_that_it_tells(
    tmp_path: Path, ran: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path, figure = tmp_path / "split.parquet", tmp_path / "frontier.svg"
    document = ran("static", NETWORK, "--throughput", "0.6", "-o", str(path))
    SplitDocument.model_validate(document, strict=False)
    assert 0.6 <= document["floor"] <= document["floor_bound"] < 0.6001
    assert document["gap"] < 1e-3
    assert len(document["frontier"]) == 9
    assert sum(document["table"]["classes"].values()) == pytest.approx(1.0)
    table = read_any_table(path)
    assert table.id == document["table"]["id"] == static(NETWORK, throughput=0.6).table.id
    assert main(["verify", str(path)]) == 0
    (tmp_path / "d.json").write_text(SplitDocument.model_validate(document).model_dump_json())
    assert main(["plot", str(tmp_path / "d.json"), "-o", str(figure)]) == 0
    assert "throughput for any traffic" in figure.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["2,4,2,3", "--hops", "1.5"], "--hops 1.5 is out of range: shortest paths of dfly(2,4,"),
        (["2,4,2,3", "--throughput", "1.5"], "throughput"),
        (["2,4,2,3", "--throughput", "0.9"], "throughput 0.9 is out of range: the best fixed"),
        (["2,4,2,3", "--throughput", "0.4", "--hops", "2"], "--hops 2 and --throughput 0.4: give"),
        (["2,4,2,3", "--vlb", "<=9"], "<=9"),
        (["4,8,4,9"], "has too little symmetry"),
        (["star.json"], "has nodes at one switch only"),
        (["2,4,2,3", "--vlb", "t.parquet"], "t.parquet': a request cannot name a file"),
        (["2,4,2,3", "--vlb", "0" * 8], "path set '00000000': '00000000' is unknown"),
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
    assert main(["static", *arguments, "-o", "s.parquet"]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("tvlb: error: ")
    assert said in error
    assert not Path("s.parquet").exists()


def test_a_server_and_its_page_have_what_the_command_prints(
    server: Server, tmp_path: Path, ran: Any
) -> None:
    printed = ran("static", NETWORK, "--throughput", "0.6", "-o", str(tmp_path / "t.parquet"))
    made = answered(server, "/v1/splits", BODY)
    assert figures(made) == figures(printed)
    with httpx.Client(base_url=server.url, timeout=60) as http:
        file = http.get(made["download_url"])
        assert file.content == (tmp_path / "t.parquet").read_bytes()
        links = http.get(made["links_url"]).json()
        assert links
        page = http.get(f"/splits/{made['id']}", headers={"Accept": "text/html"}).text
        assert f"{made['floor']:.4f}" in page
        assert "What shorter splits guarantee" in page
        refused = http.post("/v1/splits", json=BODY | {"throughput": None, "hops": 1.5})
        assert refused.status_code == 422
        assert "hops 1.5 is out of range" in refused.json()["detail"]


@pytest.mark.slow
def test_failures_are_told_by_commands_servers_and_pages(
    server: Server, ran: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"topology": "hyperx(2,3)", "failures": "both", "protected": True}
    to = ["--failures", "both", "--protected", "-o", str(tmp_path / "s.parquet")]
    printed = ran("static", "hyperx(2,3)", *to)
    made = answered(server, "/v1/splits", asked)
    for name in ("failures", "protected", "floor", "table"):
        assert made[name] == printed[name]
    headers = {"Accept": "text/html"}
    page = httpx.get(f"{server.url}/splits/{made['id']}", headers=headers, timeout=60).text
    assert "What single failures leave" in page
    assert main(["static", "hyperx(2,3)", *to]) == 0
    assert "x cable 0 to 1" in capsys.readouterr().out


def test_sweeps_have_the_figures_in_columns(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(f'topologies = ["{NETWORK}"]\n[compute.split]\nvlb = ["<=3", "none"]\n')
    to = ["-o", str(tmp_path / "out"), "--data", str(tmp_path / "data"), "--workers", "1"]
    assert main(["sweep", str(file), *to]) == 0
    with (tmp_path / "out" / "results.csv").open() as stream:
        rows = [(float(row["floor"]), float(row["hops_mean"])) for row in csv.DictReader(stream)]
    assert rows[0] > rows[1]


def test_sweeps_simulate_the_splits_that_they_find(tmp_path: Path) -> None:
    file, network = tmp_path / "sweep.toml", "hyperx(2,3,3)"
    simulation = 'routing = "static"\nload = [0.3]\nwarmup = 100\ncycles = 300\n'
    for router in ("iq", "vct"):
        file.write_text(
            f'topologies = ["{network}"]\n[compute.split]\nhops = [2.0, 2.2]\n'
            f'[compute.simulation]\nrouter = "{router}"\n{simulation}'
        )
        to = ["-o", str(tmp_path / router), "--data", str(tmp_path / "data"), "--workers", "1"]
        assert main(["sweep", str(file), *to]) == 0
        with (tmp_path / router / "results.csv").open() as stream:
            rows = [*csv.DictReader(stream)]
        assert [float(row["accepted"]) for row in rows] == pytest.approx([0.3, 0.3], abs=0.05)
        assert len({row["table_id"] for row in rows}) == 2
    file.write_text(file.read_text().replace('"static"', '"min"'))
    assert main(["sweep", str(file), "-o", str(tmp_path / "none")]) == 2


def test_costs_grow_with_the_network() -> None:
    small, large = (SplitBody(topology=one).cost() for one in (NETWORK, "4,8,4,9,palmtree"))
    assert 0.0 < small.cpu_seconds < 3.0 < large.cpu_seconds < 30.0
