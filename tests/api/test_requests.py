"""What is asked over HTTP: which requests are one, are answered at once, or are refused."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.jobs.processes import until
from tests.service import WAIT, Server
from tvlb.requests import Estimate


def test_validate_only_computes_nothing(http: httpx.Client) -> None:
    body = {"seed": 99, "topology": " 2, 4,2 ,5", "method": "paper"}
    answer = http.post("/v1/tables", params={"validate_only": "true"}, json=body)
    estimate = Estimate.model_validate_json(answer.content)
    assert estimate.request["topology"] == "dfly(2,4,2,5)"
    assert estimate.request["routing"] == "ugal-l"
    assert not estimate.known
    assert estimate.cost.cpu_seconds > 0
    assert set(estimate.cost.stages) >= {"probe", "simulate"}
    assert http.get(f"/v1/tables/{estimate.result_id}").status_code == 404


def test_equal_questions_in_other_words_are_one_request(http: httpx.Client) -> None:
    first = http.post("/v1/models", json={"topology": "2,4,2,5", "vlb": "<=6"}, headers=WAIT).json()
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
    answer = http.post("/v1/models", json=model, headers=WAIT)
    assert answer.status_code == 200, answer.text
    assert answer.json()["request"]["vlb"] == "shape(g.?) & short(2,3)"
    simulation = {"topology": "2,4,2,5", "load": [0.1], "warmup": 500, "cycles": 500}
    by_shape = {"vlb": "shape(g.?, lg.g:2.5) & <=4"}
    answer = http.post("/v1/simulations", json=simulation | by_shape, headers=WAIT)
    assert answer.status_code == 200, answer.text
    assert answer.json()["path_set"] == "shape(g.?, lg.g:2.5) & <=4"


def test_a_wiring_of_its_own(http: httpx.Client) -> None:
    links = [[0, 2], [1, 4], [3, 5]]
    wiring = {"p": 1, "a": 2, "h": 1, "g": 3, "links": links}
    first = http.post("/v1/models", json={"topology": wiring}, headers=WAIT)
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
        ("tables", {"topology": "4,8,4,9", "traffic": ["m.csv"]}, "invalid-request", "m.csv"),
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
        ("PUT", f"/v1/jobs/{'0' * 32}", 405),
    ],
)
def test_errors_are_problems(http: httpx.Client, method: str, path: str, status: int) -> None:
    answer = http.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    if status == 405:
        allowed = {"/v1/tables": "GET, POST"}.get(path, "DELETE, GET, PATCH")
        assert answer.headers["allow"] == allowed


def test_equal_small_requests_are_computed_once(server: Server) -> None:
    """All of them get the bytes of one computation, its CPU time included."""
    body = {"topology": "2,4,2,5", "load": [0.2], "warmup": 0, "cycles": 30_000, "seed": 55}

    def ask(_: int) -> bytes:
        return httpx.post(f"{server.url}/v1/simulations", json=body, timeout=60).content

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(ask, range(8)))) == 1


@pytest.mark.slow
def test_many_small_requests_become_jobs_rather_than_wait(server: Server) -> None:
    body = {"topology": "2,4,2,5", "load": [0.2], "warmup": 0, "cycles": 60_000}

    def ask(seed: int) -> httpx.Response:
        return httpx.post(
            f"{server.url}/v1/simulations", json=body | {"seed": 1000 + seed}, timeout=90
        )

    with ThreadPoolExecutor(14) as threads:
        answers = list(threads.map(ask, range(14)))
    assert {answer.status_code for answer in answers} == {200, 202}
    for answer in answers:
        if answer.status_code == 202:
            url = f"{server.url}{answer.headers['location']}"
            until(lambda url=url: httpx.get(url).json()["status"] == "succeeded")


def test_a_body_with_countless_errors_gets_a_short_answer(http: httpx.Client) -> None:
    body = {"topology": "2,4,2,9"} | {f"key{number}": 0 for number in range(5000)}
    answer = http.post("/v1/models", json=body)
    assert answer.status_code == 422
    assert "5,000 errors" in answer.json()["detail"]
