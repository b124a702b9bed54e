"""The Idempotency-Key header."""

import threading
from typing import Any

import httpx
import pytest

from tests.jobs.processes import until
from tests.service import SHORT_JOB, Server

MODEL = {"topology": "2,4,2,5", "vlb": "<=3"}
ENDLESS: dict[str, Any] = {"topology": "2,4,2,5", "load": [0.2], "cycles": 100_000_000, "seed": 31}


def post(http: httpx.Client, path: str, body: object, key: str, **headers: str) -> httpx.Response:
    return http.post(path, json=body, headers={"Idempotency-Key": key} | headers)


def test_a_replay_gives_the_same_answer(http: httpx.Client) -> None:
    body = SHORT_JOB | {"seed": 31}
    first = post(http, "/v1/simulations", body, "once")
    assert first.status_code == 202
    until(lambda: http.get(first.headers["location"]).json()["status"] == "succeeded")
    again = post(http, "/v1/simulations", body, "once")
    assert (again.status_code, again.content) == (202, first.content)
    assert again.headers["location"] == first.headers["location"]
    assert post(http, "/v1/simulations", body, "twice").status_code == 200


def test_another_body_with_the_same_key_is_refused(http: httpx.Client) -> None:
    assert post(http, "/v1/models", MODEL, "mine").status_code == 200
    refused = post(http, "/v1/models", MODEL | {"vlb": "<=4"}, "mine")
    assert refused.status_code == 422
    assert refused.json()["type"] == "urn:tvlb:problem:idempotency-key-reused"
    assert post(http, "/v1/tables", {"topology": "2,4,2,5"}, "mine").status_code == 422


def test_a_key_in_flight_conflicts(http: httpx.Client, server: Server) -> None:
    body = ENDLESS | {"seed": 32}
    held: list[httpx.Response] = []

    def wait() -> None:
        with httpx.Client(base_url=server.url, timeout=400) as other:
            held.append(post(other, "/v1/simulations", body, "flying", Prefer="wait=300"))

    thread = threading.Thread(target=wait)
    thread.start()
    answers: list[httpx.Response] = []

    def conflicts() -> bool:
        answers.append(post(http, "/v1/simulations", body, "flying"))
        return answers[-1].status_code == 409

    def runs() -> bool:
        jobs = http.get("/v1/jobs?status=running").json()["jobs"]
        return any(job["request"].get("seed") == body["seed"] for job in jobs)

    until(runs)
    assert conflicts()
    assert answers[-1].json()["type"] == "urn:tvlb:problem:idempotency-key-in-flight"
    # Without the key it is joined.
    http.post(f"{http.post('/v1/simulations', json=body).headers['location']}/cancel")
    thread.join()
    assert held[0].status_code == 202
    assert post(http, "/v1/simulations", body, "flying").content == held[0].content


@pytest.mark.parametrize("status", [422])
def test_refusals_are_not_kept(http: httpx.Client, status: int) -> None:
    bad = {"topology": "2,4,2,99"}
    assert post(http, "/v1/models", bad, "retry").status_code == status
    assert post(http, "/v1/models", MODEL, "retry").status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256, "a b"])
def test_malformed_keys(http: httpx.Client, key: str) -> None:
    assert post(http, "/v1/models", MODEL, key).status_code == 422
