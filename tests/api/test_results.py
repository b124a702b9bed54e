"""Tables, models and simulations over HTTP."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.jobs.processes import until
from tests.service import Server
from tvlb.schemas import Estimate, TableBody, TableResource
from tvlb.search import optimize
from tvlb.table import read_stream, write_stream

SHORT = {"warmup": 300, "measured": 300, "grid": 0.05}
TABLE: dict[str, Any] = {
    "topology": "2,4,2,5",
    "method": "paper",
    "patterns": 4,
    "screening": SHORT,
    "confirmation": {"warmup": 600, "measured": 400, "grid": 0.02},
    "finalists": 1,
    "data_points": 3,
    "simulated_patterns": 2,
}

FRONT: dict[str, Any] = {
    "topology": "1,2,2,3",
    "objective": "front",
    "budget": 0,
    "traffic": ["type2(seed=1)", "shift(1,0)"],
    "patterns": 1,
    "screening": {"warmup": 200, "measured": 200, "grid": 0.05},
    "confirmation": {"warmup": 200, "measured": 200, "grid": 0.05},
    "data_points": 1,
}


@pytest.fixture
def table(http: httpx.Client) -> dict[str, Any]:
    answer = http.post("/v1/tables", json=TABLE, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_table_is_computed_and_then_answered_from_the_store(http: httpx.Client) -> None:
    body = TABLE | {"seed": 17}
    first = http.post("/v1/tables", json=body)
    assert first.status_code == 202
    assert first.headers["retry-after"].isdecimal()
    job = http.get(first.headers["location"]).json()
    assert job["request"] == json.loads(TableBody.model_validate(body).resolved().model_dump_json())
    joined = http.post("/v1/tables", json=body)
    assert joined.json()["id"] == job["id"]
    held = http.post("/v1/tables", json=body, headers={"Prefer": "respond-async, wait=60"})
    assert held.status_code == 200
    assert held.headers["preference-applied"] == "wait=60"
    TableResource.model_validate_json(held.content)
    again = http.post("/v1/tables", json=body)
    assert (again.status_code, again.content) == (200, held.content)
    done = http.get(job["url"]).json()
    assert done["result_url"] == again.headers["content-location"]
    assert http.get(done["result_url"]).content == again.content


def test_the_parquet_file_is_to_the_byte_what_the_library_writes(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    answer = http.get(table["download_url"])
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    body = TableBody.model_validate(TABLE)
    stream = BytesIO()
    expected = optimize(body.network(), body.options())
    write_stream(expected.table, ".parquet", stream)
    assert answer.content == stream.getvalue()
    assert answer.headers["etag"].strip('"') == (
        hashlib.sha256(answer.content).hexdigest() + "-parquet"
    )
    assert table["table"]["id"] == expected.table.id


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_the_other_formats_hold_the_same_table(
    http: httpx.Client, table: dict[str, Any], suffix: str
) -> None:
    url = f"{table['url']}/download"
    answer = http.get(url, params={"format": suffix})
    assert read_stream(f".{suffix}", BytesIO(answer.content)).id == table["table"]["id"]
    known = {"If-None-Match": answer.headers["etag"]}
    assert http.get(url, params={"format": suffix}, headers=known).status_code == 304


def test_etags_spare_the_body(http: httpx.Client, table: dict[str, Any]) -> None:
    first = http.get(table["url"])
    etag = first.headers["etag"]
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = http.get(table["url"], headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
    assert http.get(table["url"], headers={"If-None-Match": '"other"'}).status_code == 200


def test_head_tells_what_get_would_without_the_body(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    for path in (table["url"], f"{table['url']}/download?format=parquet"):
        asked, got = http.head(path), http.get(path)
        assert (asked.status_code, asked.content) == (200, b"")
        for name in ("content-length", "content-type", "etag"):
            assert asked.headers.get(name) == got.headers.get(name)
    assert http.head(f"/v1/tables/{'0' * 64}").status_code == 404


def test_the_paths_of_a_pair(http: httpx.Client, table: dict[str, Any]) -> None:
    pair = http.get(table["paths_url"], params={"src": 0, "dst": 17}).json()
    assert (pair["src"], pair["dst"]) == (0, 17)
    assert sum(path["weight"] for path in pair["paths"]) == pytest.approx(1.0, abs=1e-12)
    assert all(path["switches"][0] == 0 and path["switches"][-1] == 17 for path in pair["paths"])
    outside = http.get(table["paths_url"], params={"src": 0, "dst": 20})
    assert outside.status_code == 422
    assert "20" in outside.json()["detail"]


@pytest.fixture
def front(http: httpx.Client) -> dict[str, Any]:
    answer = http.post("/v1/tables", json=FRONT, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_table_of_a_front_can_be_had(http: httpx.Client, front: dict[str, Any]) -> None:
    TableResource.model_validate(front)
    points = front["search"]["front"]
    assert len(points) == len(front["front_urls"]) >= 2
    for point, url in zip(points, front["front_urls"], strict=True):
        answer = http.get(url)
        assert answer.headers["content-type"] == "application/vnd.apache.parquet"
        table = read_stream(".parquet", BytesIO(answer.content))
        assert (table.id, table.header.expression) == (point["table_id"], point["path_set"])
        known = {"If-None-Match": answer.headers["etag"]}
        assert http.get(url, headers=known).status_code == 304
        text = http.get(url.replace("parquet", "csv"))
        assert read_stream(".csv", BytesIO(text.content)).id == point["table_id"]
    # The hashes of the files are the store's own.
    assert "front_files" not in front
    beyond = http.get(f"{front['url']}/front/{len(points) + 1}/download")
    assert beyond.status_code == 404
    assert f"has {len(points)}" in beyond.json()["detail"]
    assert http.get(f"{front['url']}/front/0/download").status_code == 422


def test_a_damaged_table_of_a_front_is_computed_anew(
    http: httpx.Client, front: dict[str, Any], server: Server
) -> None:
    file = http.get(front["front_urls"][0])
    name = file.headers["etag"].strip('"').removesuffix("-parquet")
    (server.data / "blobs" / name[:2] / name).write_bytes(b"rows of another table")
    assert http.get(front["front_urls"][0]).status_code == 503
    anew = http.post("/v1/tables", json=FRONT, headers={"Prefer": "wait=60"})
    assert anew.status_code == 200
    assert http.get(anew.json()["front_urls"][0]).content == file.content


def test_other_tables_have_no_front(http: httpx.Client, table: dict[str, Any]) -> None:
    assert (table["search"], table["front_urls"]) == (None, [])
    assert http.get(f"{table['url']}/front/1/download").status_code == 404


def test_tables_are_listed_page_by_page(http: httpx.Client, table: dict[str, Any]) -> None:
    http.post("/v1/tables", json=TABLE | {"seed": 18}, headers={"Prefer": "wait=60"})
    seen: list[str] = []
    url = "/v1/tables?limit=1"
    while url is not None:
        page = http.get(url).json()
        seen += [one["id"] for one in page["tables"]]
        url = page["next"]
    assert table["id"] in seen
    assert len(seen) == len(set(seen)) >= 2
    same = http.get("/v1/tables", params={"table_id": table["table"]["id"]}).json()["tables"]
    assert table["id"] in [one["id"] for one in same]


def test_validate_only_computes_nothing(http: httpx.Client) -> None:
    body = TABLE | {"seed": 99, "topology": " 2, 4,2 ,5"}
    answer = http.post("/v1/tables", params={"validate_only": "true"}, json=body)
    estimate = Estimate.model_validate_json(answer.content)
    assert estimate.request["topology"] == "dfly(2,4,2,5)"
    assert estimate.request["routing"] == "ugal-l"
    assert not estimate.known
    assert estimate.cost.cpu_seconds > 0
    assert set(estimate.cost.stages) >= {"probe", "simulate"}
    assert http.get(f"/v1/tables/{estimate.result_id}").status_code == 404


def test_equal_questions_in_other_words_are_one_request(http: httpx.Client) -> None:
    first = http.post("/v1/models", json={"topology": "2,4,2,5", "vlb": "<=6"}).json()
    for body in (
        {"topology": "dfly(2,4,2,5)", "vlb": "all"},
        {"topology": "dfly( 2,4, 2,5,absolute)", "pattern": "shift( 1,0)", "solver": "highs"},
    ):
        assert http.post("/v1/models", json=body).json()["id"] == first["id"]
    assert http.get(first["url"]).json() == first


def test_small_simulations_are_answered_at_once_and_long_ones_become_jobs(
    http: httpx.Client,
) -> None:
    small = {"topology": "2,4,2,5", "load": [0.1, 0.2], "warmup": 500, "cycles": 500}
    answer = http.post("/v1/simulations", json=small)
    assert answer.status_code == 200
    assert [row["load"] for row in answer.json()["rows"]] == [0.1, 0.2]
    long = http.post("/v1/simulations", json=small | {"cycles": 50_000_000})
    assert long.status_code == 202
    job = http.post(f"{long.headers['location']}/cancel").json()
    assert job["kind"] == "simulation"


def test_sets_by_shape_and_sets_that_meet(http: httpx.Client) -> None:
    model = {"topology": "2,4,2,5", "vlb": "shape( g.?:1 )&short(2, 3)"}
    answer = http.post("/v1/models", json=model)
    assert answer.status_code == 200, answer.text
    assert answer.json()["request"]["vlb"] == "shape(g.?) & short(2,3)"
    simulation = {"topology": "2,4,2,5", "load": [0.1], "warmup": 500, "cycles": 500}
    answer = http.post("/v1/simulations", json=simulation | {"vlb": "shape(g.?, lg.g:2.5) & <=4"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["path_set"] == "shape(g.?, lg.g:2.5) & <=4"


def test_a_wiring_of_its_own(http: httpx.Client) -> None:
    links = [[0, 2], [1, 4], [3, 5]]
    wiring = {"p": 1, "a": 2, "h": 1, "g": 3, "links": links}
    first = http.post("/v1/models", json={"topology": wiring})
    assert first.status_code == 200, first.text
    turned = wiring | {"links": [[y, x] for x, y in reversed(links)]}
    assert http.post("/v1/models", json={"topology": turned}).json()["id"] == first.json()["id"]


@pytest.mark.parametrize(
    ("path", "body", "kind", "named"),
    [
        ("tables", {"topology": "4,8,4,34"}, "unsatisfiable", "g=34"),
        ("tables", {"topology": "4,8,4,2"}, "unsatisfiable", "g=2"),
        ("tables", {"topology": "8,16,8,128"}, "beyond-limits", "2,048 switches"),
        ("tables", {"topology": "999999999,8,4,9"}, "beyond-limits", "nodes"),
        ("tables", {"topology": "/etc/passwd.json"}, "invalid-request", "topology"),
        ("tables", {"topology": "4,8,4,9", "routing": "min"}, "invalid-request", "routing"),
        ("tables", {"topology": "4,8,4,9", "tolerance": 1}, "invalid-request", "tolerance"),
        ("tables", {"topology": "4,8,4,9", "patterns": 1000}, "unsatisfiable", "1000"),
        ("tables", {"topology": "4,8,4,9", "workers": 2}, "invalid-request", "workers"),
        ("tables", {"topology": "4,8,4,9", "method": "random"}, "invalid-request", "method"),
        ("tables", {"topology": "4,8,4,9", "objective": "x"}, "unsatisfiable", "objective 'x'"),
        ("tables", {"topology": "4,8,4,9", "objective": "latency@7"}, "unsatisfiable", "0.001..1"),
        ("tables", {"topology": "4,8,4,9", "budget": "huge"}, "invalid-request", "budget"),
        ("tables", {"topology": "4,8,4,9", "budget": -1}, "invalid-request", "budget"),
        ("tables", {"topology": "4,8,4,9", "budget": 10**15}, "beyond-limits", "CPU seconds"),
        ("tables", {"topology": "4,8,4,9", "traffic": ["m.csv"]}, "unsatisfiable", "m.csv"),
        ("tables", {"topology": "4,8,4,9", "traffic": ["shift(9,0)"]}, "unsatisfiable", "9"),
        ("tables", {"topology": "4,8,4,9", "finalists": 2}, "unsatisfiable", "finalists 2"),
        (
            "tables",
            {"topology": "4,8,4,9", "method": "paper", "traffic": ["uniform"]},
            "unsatisfiable",
            "traffic uniform",
        ),
        ("models", {"topology": "2,4,2,5", "vlb": "table.parquet"}, "invalid-request", "vlb"),
        (
            "models",
            {"topology": "2,4,2,5", "vlb": "<=4 & t.parquet"},
            "invalid-request",
            "vlb",
        ),
        (
            "simulations",
            {"topology": "2,4,2,5", "load": [0.1], "vlb": "shape(g.g, g.?)"},
            "unsatisfiable",
            "g.g is named twice",
        ),
        ("models", {"topology": "2,4,2,5", "pattern": "m.csv"}, "invalid-request", "pattern"),
        ("models", {"topology": "2,4,2,5", "pattern": "shift(7,0)"}, "unsatisfiable", "shift(7,0)"),
        ("simulations", {"topology": "2,4,2,5"}, "unsatisfiable", "load"),
        ("simulations", {"topology": "2,4,2,5", "load": [1.5]}, "invalid-request", "load"),
        (
            "simulations",
            {"topology": "4,8,4,9", "load": [0.1], "cycles": 100_000_000, "seeds": 1000},
            "beyond-limits",
            "CPU seconds",
        ),
    ],
)
def test_bad_requests_are_refused_with_the_reason(
    http: httpx.Client, path: str, body: dict[str, Any], kind: str, named: str
) -> None:
    answer = http.post(f"/v1/{path}", json=body)
    problem = answer.json()
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["type"] == f"urn:tvlb:problem:{kind}"
    assert named in problem["detail"]


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"[1e999999]", {}, 422),
        (b'{"topology": "\xff"}', {}, 400),
        (b"[" * 100_000, {}, 400),
        (b'{"topology": "\\ud800"}', {}, 400),
        (b'{"topology": "2,4,2,5", "seed": ' + b"9" * 5000 + b"}", {}, 400),
        (b'{"topology": "2,4,2,5"}', {"Content-Type": "text/plain"}, 415),
        (b'"' + b"x" * (5 << 20) + b'"', {}, 413),
    ],
)
def test_malformed_bodies(
    http: httpx.Client, content: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {"Content-Type": "application/json"} | headers
    answer = http.post("/v1/tables", content=content, headers=sent)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status


def test_a_body_without_a_length_is_bounded_too(http: httpx.Client) -> None:
    def chunks() -> Any:
        for _ in range(100):
            yield b" " * 65_536

    answer = http.post("/v1/tables", content=chunks(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("GET", f"/v1/tables/{'0' * 64}", 404),
        ("GET", f"/v1/jobs/{'0' * 32}", 404),
        ("GET", f"/v1/jobs/{'0' * 32}/events", 404),
        ("POST", f"/v1/jobs/{'0' * 32}/cancel", 404),
        ("DELETE", f"/v1/jobs/{'0' * 32}", 404),
        ("GET", "/v1/tables/..%2f..%2fetc%2fpasswd", 404),
        ("GET", "/v1/tables/short", 422),
        ("GET", "/v1/jobs?limit=0", 422),
        ("GET", "/v1/jobs?limit=1_0", 422),
        ("GET", "/v1/jobs?nonsense=1", 422),
        ("PUT", "/v1/tables", 405),
        ("PATCH", f"/v1/jobs/{'0' * 32}", 405),
    ],
)
def test_errors_are_problems(http: httpx.Client, method: str, path: str, status: int) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    if status == 405:
        allowed = {"/v1/tables": "GET, POST"}.get(path, "DELETE, GET")
        assert answer.headers["allow"] == allowed


def test_a_store_that_is_away_loses_nothing(
    http: httpx.Client, table: dict[str, Any], server: Server
) -> None:
    blobs = server.data / "blobs"
    away = blobs.rename(blobs.with_name("away"))
    answer = http.get(table["download_url"])
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:tvlb:problem:store-down")
    assert http.get("/readyz").status_code == 503
    away.rename(blobs)
    assert http.get(table["download_url"]).status_code == 200
    assert http.get("/readyz").status_code == 200


@pytest.mark.parametrize("wanted", ["bytes=abc", "bytes=99999999-"])
def test_bad_ranges_are_problems(http: httpx.Client, table: dict[str, Any], wanted: str) -> None:
    answer = http.get(table["download_url"], headers={"Range": wanted})
    assert answer.status_code in (400, 416)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    part = http.get(table["download_url"], headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"PAR1")


def test_equal_small_requests_are_computed_once(server: Server) -> None:
    """All of them get the bytes of one computation, its CPU time included."""
    body = {"topology": "2,4,2,5", "load": [0.2], "warmup": 0, "cycles": 30_000, "seed": 55}

    def ask(_: int) -> bytes:
        return httpx.post(f"{server.url}/v1/simulations", json=body, timeout=60).content

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1


def test_many_small_requests_become_jobs_rather_than_wait(server: Server) -> None:
    body = {"topology": "2,4,2,5", "load": [0.2], "warmup": 0, "cycles": 60_000}

    def ask(seed: int) -> httpx.Response:
        return httpx.post(
            f"{server.url}/v1/simulations", json=body | {"seed": 1000 + seed}, timeout=90
        )

    with ThreadPoolExecutor(24) as threads:
        answers = list(threads.map(ask, range(24)))
    assert {answer.status_code for answer in answers} == {200, 202}
    for answer in answers:
        if answer.status_code == 202:
            url = f"{server.url}{answer.headers['location']}"
            until(lambda url=url: httpx.get(url).json()["status"] == "succeeded")


def test_a_damaged_file_is_noticed_and_computed_anew(http: httpx.Client, server: Server) -> None:
    body = TABLE | {"seed": 21}
    table = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"}).json()
    file = http.get(table["download_url"])
    name = file.headers["etag"].strip('"').removesuffix("-parquet")
    path: Path = server.data / "blobs" / name[:2] / name
    path.write_bytes(file.content[:-1] + b"x")
    damaged = http.get(table["download_url"])
    assert damaged.status_code == 503
    assert damaged.json()["type"] == "urn:tvlb:problem:damaged-result"
    anew = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"})
    assert anew.status_code == 200
    assert http.get(table["download_url"]).content == file.content


def test_a_store_that_cannot_be_written_is_not_ready(http: httpx.Client, server: Server) -> None:
    """Of a model that is answered at once."""
    incoming = server.data / "blobs" / "incoming"
    aside = incoming.with_name("aside")
    incoming.rename(aside)
    incoming.touch()
    try:
        answer = http.post("/v1/models", json={"topology": "2,4,2,9", "seed": 1807})
    finally:
        incoming.unlink()
        aside.rename(incoming)
    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:tvlb:problem:store-down"
    assert answer.headers["retry-after"] == "5"


def test_a_body_with_countless_errors_gets_a_short_answer(http: httpx.Client) -> None:
    body = {"topology": "2,4,2,9"} | {f"key{number}": 0 for number in range(5000)}
    answer = http.post("/v1/models", json=body)
    assert answer.status_code == 422
    assert "5,000 errors" in answer.json()["detail"]
