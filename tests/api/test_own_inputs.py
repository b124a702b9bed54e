"""Networks, traffic and tables of one's own over HTTP."""

import json
import zipfile
from collections.abc import Mapping
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service import QUICK_REPAIR, TABLE, WAIT, Server, answered
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.jobs.database import Database
from tvlb.jobs.tasks import run_task
from tvlb.jobs.workspace import Task, Workspace
from tvlb.processes import silent
from tvlb.requests import SimulationBody, request_key, resource_of

_RING = "# level=switch\nsrc,dst,rate\n1,6,0.5\n0,4,1\n"
_SORTED = "# level=switch\nsrc,dst,rate\n0,4,1.0\n1,6,0.5\n"
_SIMULATION: Mapping[str, Any] = {
    "topology": "2,4,2,5", "load": [0.2], "warmup": 300, "cycles": 500,
}  # fmt: skip
_MODEL: Mapping[str, Any] = {"topology": "2,4,2,5", "pattern": "shift(1,0)"}
_RING_CABLES = [[0, 1], [1, 2], [2, 3], [3, 0]]
_EDGES = "0 1\n1 2\n2 3\n3 0\n"


@pytest.fixture(scope="module")
def table(server: Server) -> dict[str, Any]:
    return answered(server, "/v1/tables", TABLE)


@pytest.mark.parametrize(
    ("path", "body"),
    [("/v1/simulations", _SIMULATION), ("/v1/models", _MODEL), ("/v1/stabilities", {})],
)
def test_a_matrix_is_known_by_what_it_holds(
    path: str, body: Mapping[str, Any], http: httpx.Client
) -> None:
    asked = {"topology": "2,4,2,5", **body}
    written = [_RING, "# Level = switch\r\nsrc, dst, rate\r\n0,4,1.0\r\n\r\n1,6,5e-1"]
    found = [
        http.post(f"{path}?validate_only=true", json=asked | {"pattern": text}).json()
        for text in written
    ]
    assert found[0] == found[1]
    assert found[0]["request"]["pattern"] == _SORTED
    assert "--pattern MATRIX.csv" in found[0]["command"]
    if body:
        answer = http.post(path, json=asked | {"pattern": _RING}, headers=WAIT).json()
        assert answer["pattern"].startswith("matrix(")
        assert answer["id"] == found[0]["result_id"]


@pytest.mark.slow
def test_tables_sweeps_and_repairs_take_matrices(http: httpx.Client, table: dict[str, Any]) -> None:
    traffic = [f"{_RING}:3", "uniform"]
    down = {"links": [[0, 1]]}
    for path, body in {
        "tables": {"topology": "2,4,2,5", "traffic": traffic},
        "sweeps": {"topologies": ["2,4,2,5"], "options": {"traffic": traffic}},
        "repairs": {"table": table["id"], "without": down, "traffic": traffic},
    }.items():
        found = http.post(f"/v1/{path}?validate_only=true", json=body).json()
        request = found["request"]
        shares = request["options" if path == "sweeps" else "traffic"]
        shares = shares["traffic"] if path == "sweeps" else shares
        assert shares == [f"{_SORTED}:3", "uniform:1"]
        if path != "sweeps":
            assert "--traffic MATRIX.csv:3 --traffic uniform:1" in found["command"]


@pytest.mark.parametrize(
    ("pattern", "detail"),
    [
        ("# level=rack\nsrc,dst,rate\n", "line 1: expected '# level=node' or '# level=switch'"),
        ("# level=node\n0,1,1\n", "line 2: expected the header src,dst,rate"),
        ("# level=node\nsrc,dst,rate\n0,1\n", "line 3: expected src,dst,rate, got '0,1'"),
        ("# level=node\nsrc,dst,rate\n0,1,-1\n", "line 3: '0,1,-1' is out of range"),
        ("# level=switch\nsrc,dst,rate\n0,20,1\n", "switch 20 is not in dfly(2,4,2,5)"),
        ("# level=node\nsrc,dst,rate\n0,1,1.5\n", "sends 1.5 packets/cycle; a row may sum to"),
        (f"# level=node{' ' * (1 << 20)}", "a body may have at most 1,048,576 bytes"),
    ],
)
def test_a_matrix_is_refused_in_the_words_for_files(
    pattern: str, detail: str, http: httpx.Client
) -> None:
    answer = http.post("/v1/simulations", json={**_SIMULATION, "pattern": pattern})
    assert answer.status_code in (413, 422)
    assert detail in answer.json()["detail"]


def test_a_table_is_simulated_and_modelled_by_any_id(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    content = table["table"]["id"]
    for path, body in {"/v1/simulations": _SIMULATION, "/v1/models": _MODEL}.items():
        found = [
            http.post(path, json={**body, "vlb": digits}, headers=WAIT)
            for digits in (content, content[:8], table["id"], table["id"][:20])
        ]
        assert {one.status_code for one in found} == {200}
        assert len({one.content for one in found}) == 1
        answer = found[0].json()
        kind = path.removeprefix("/v1/")[:-1]
        resource_of(kind).model_validate_json(found[0].content)
        assert answer["request"]["vlb"] == content
        assert answer["path_set"] == f"table {content[:12]}"
        told = http.post(f"{path}?validate_only=true", json={**body, "vlb": content}).json()
        assert "--vlb TABLE.parquet" in told["command"]


@pytest.mark.slow
def test_a_repaired_table_is_simulated(http: httpx.Client, table: dict[str, Any]) -> None:
    down = {"links": [[0, 1]]}
    asked = QUICK_REPAIR | {"table": table["id"], "without": down}
    repair = http.post("/v1/repairs", json=asked, headers=WAIT).json()
    left = {"network": "2,4,2,5", "without": down}
    body = {**_SIMULATION, "vlb": repair["table_id"]}
    answer = http.post("/v1/simulations", json=body | {"topology": left}, headers=WAIT).json()
    assert answer["path_set"] == f"table {repair['table_id'][:12]}"
    refused = http.post("/v1/simulations", json=body).json()["detail"]
    assert "the table is of dfly(2,4,2,5) without 1 cable" in refused
    assert refused.endswith("not of dfly(2,4,2,5)")


@pytest.mark.parametrize("vlb", ["0" * 64, "0123456789", "abc"])
def test_a_table_that_is_not_there_is_refused(vlb: str, http: httpx.Client) -> None:
    answer = http.post("/v1/simulations", json={**_SIMULATION, "vlb": vlb})
    assert answer.status_code == 422
    told = answer.json()["detail"]
    assert vlb in told
    assert ("id of a table" if vlb == "abc" else "there is no table") in told


def test_a_network_is_the_content_of_any_file(http: httpx.Client) -> None:
    networks = [
        {"file": "ring.edges", "content": _EDGES, "endpoints": 2},
        {"content": json.dumps({"switches": 4, "endpoints": [2] * 4, "links": _RING_CABLES})},
    ]
    found = [
        http.post("/v1/models?validate_only=true", json={"topology": one}).json()
        for one in networks
    ]
    assert found[0]["request"]["topology"]["links"] == [[0, 1], [0, 3], [1, 2], [2, 3]]
    assert found[0]["request"]["topology"]["endpoints"] == [2, 2, 2, 2]
    left = {"network": networks[0], "without": {"links": [[0, 1]]}}
    answer = http.post("/v1/models?validate_only=true", json={"topology": left}).json()
    assert answer["request"]["topology"]["network"] == found[0]["request"]["topology"]
    huge = {"content": "".join(f"{i} {i + 1}\n" for i in range(1500)), "endpoints": 1}
    for wrong, detail in [
        (networks[0] | {"content": "0 1\n0 x y z\n"}, "topology file ring.edges: "),
        ({"content": "nothing"}, "topology file: its content is not "),
        (huge | {"file": "a.edges"}, "has 1,501 switches; this server computes at most 1,024"),
    ]:
        refused = http.post("/v1/sweeps", json={"topologies": [wrong]})
        assert refused.status_code == 422
        assert detail in refused.json()["detail"]


def test_a_job_whose_table_is_gone_says_so(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/jobs.sqlite"
    with closing(Database(url)) as database:
        database.upgrade()
    body = SimulationBody(**{**_SIMULATION, "load": (0.2,), "vlb": "0" * 64}).resolved()
    task = Task(body.kind, request_key(body), body.model_dump_json())
    with pytest.raises(InvalidInput, match=r"there is no table 0{64}; it may have been deleted"):
        run_task(task, Workspace(tmp_path, 1, url), silent)


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("sequences", {"loop_free": "true"}),
        ("sst", {"min_share": 0.25}),
        ("booksim-anynet", {}),
        ("codes", {}),
        ("srv6", {"min_share": 0.25, "entries": 8, "decapsulation": "dt46"}),
    ],
)
def test_a_download_for_other_tools_is_what_the_command_line_writes(
    form: str,
    options: dict[str, Any],
    http: httpx.Client,
    table: dict[str, Any],
    tmp_path: Path,
) -> None:
    source = tmp_path / "t.parquet"
    source.write_bytes(http.get(table["download_url"]).content)
    url = f"{table['url']}/download"
    answer = http.get(url, params={"format": form, **options})
    assert answer.status_code == 200, answer.text
    stem = answer.headers["content-disposition"].partition('="')[2].partition(".")[0]
    here = tmp_path / "here"
    here.mkdir()
    endings = {"sequences": ".csv", "booksim-anynet": ".anynet", "srv6": ".srv6"}
    target = here / f"{stem}{endings.get(form, '')}"
    more = [part for name, value in options.items() for part in _option(name, value)]
    assert main(["export", str(source), "--to", form, "-o", str(target), *more]) == 0
    written = {one.name: one.read_bytes() for one in here.iterdir()}
    if form in endings:
        assert {target.name: answer.content} == written
    else:
        with zipfile.ZipFile(BytesIO(answer.content)) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == written
    known = {"If-None-Match": answer.headers["etag"]}
    assert http.get(url, params={"format": form, **options}, headers=known).status_code == 304


def _option(name: str, value: object) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    return [option] if value == "true" else [option, str(value)]


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("format=sst", "give min_share, the share of MIN paths, 0..1"),
        ("format=codes&min_share=0.5", "min_share has no meaning for format codes"),
        ("format=csv&loop_free=true", "loop_free has no meaning for format csv"),
        ("format=sst&min_share=0.5&entries=8", "entries has no meaning for format sst"),
        ("format=srv6&min_share=0.5&entries=0", "entries 0 is out of range: 1..65535"),
        ("format=srv6&min_share=0.5&identifier_bits=4", "identifier_bits 4 name at most 13"),
        ("format=sst&min_share=2", "expected at most 1.0, not '2'"),
        ("format=tape", "expected 'parquet'"),
    ],
)
def test_a_download_that_no_format_holds_is_refused(
    query: str, detail: str, http: httpx.Client, table: dict[str, Any]
) -> None:
    answer = http.get(f"{table['url']}/download?{query}")
    assert answer.status_code == 422
    assert detail in answer.text.replace('\\"', "'")
