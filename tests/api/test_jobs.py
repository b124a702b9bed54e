"""Jobs over HTTP: state, events, cancelling, deleting."""

import json
import os
import signal
import sqlite3
from collections.abc import Generator
from typing import Any

import httpx
import pytest
from httpx_sse import connect_sse

from tests.jobs.processes import until
from tests.service import SHORT_JOB, Server, events_of, running_server
from tvlb.processes import JobStatus
from tvlb.requests import JobList, JobResource

# Minutes of simulation, within one call of the compiled core.
ENDLESS: dict[str, Any] = {"topology": "2,4,2,5", "load": [0.2], "cycles": 100_000_000}


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """A server without a worker; the last test ends it."""
    data = tmp_path_factory.mktemp("idle") / "data"
    with running_server(data, "--no-worker", "--max-jobs", "2") as running:
        yield running


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """A server whose worker is killed; the last test ends it."""
    with running_server(tmp_path_factory.mktemp("working") / "data") as running:
        yield running


def start(http: httpx.Client, **changes: Any) -> JobResource:
    answer = http.post("/v1/simulations", json=ENDLESS | changes)
    assert answer.status_code == 202, answer.text
    return JobResource.model_validate_json(answer.content)


def read(http: httpx.Client, job: JobResource) -> JobResource:
    return JobResource.model_validate_json(http.get(job.url).content)


def cancel(http: httpx.Client, job: JobResource) -> None:
    http.post(f"{job.url}/cancel")
    until(lambda: read(http, job).status is JobStatus.CANCELLED)


def test_a_running_job_tells_where_it_is(http: httpx.Client) -> None:
    job = start(http, seed=1)
    until(lambda: read(http, job).progress > 0)
    running = read(http, job)
    assert (running.status, running.stage, running.stalled) == ("running", "simulate", False)
    assert running.heartbeat_at is not None
    listed = JobList.model_validate_json(http.get("/v1/jobs?status=running").content)
    assert job.id in [one.id for one in listed.jobs]
    refused = http.delete(job.url)
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:tvlb:problem:job-not-ended")
    cancel(http, job)
    again = http.post(f"{job.url}/cancel")
    assert (again.status_code, again.json()["status"]) == (200, "cancelled")
    assert http.delete(job.url).status_code == 204
    assert http.get(job.url).status_code == 404


def test_queued_jobs_know_their_place(http: httpx.Client) -> None:
    first, second, third = (start(http, seed=seed) for seed in (2, 3, 4))
    until(lambda: read(http, first).status is JobStatus.RUNNING)
    assert read(http, second).queue_position == 1
    assert read(http, third).queue_position == 2
    answer = http.post(f"{second.url}/cancel")
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert read(http, third).queue_position == 1
    cancel(http, third)
    cancel(http, first)


def test_events_are_followed_from_anywhere(http: httpx.Client) -> None:
    job = start(http, **SHORT_JOB, seed=5)
    with connect_sse(http, "GET", job.events_url) as stream:
        seen = [(int(event.id), event.event) for event in events_of(stream)]
    numbers = [number for number, _ in seen]
    assert numbers == list(range(1, len(seen) + 1))
    assert seen[0] == (1, "state")
    assert seen[-1][1] == "state"
    assert "progress" in {kind for _, kind in seen}
    with connect_sse(http, "GET", job.events_url, headers={"Last-Event-ID": "2"}) as stream:
        events = list(events_of(stream))
    assert [int(event.id) for event in events] == numbers[2:]
    assert json.loads(events[-1].data)["status"] == "succeeded"


def test_a_wait_ends(http: httpx.Client) -> None:
    """Somebody who waited in vain gets the state of the job."""
    held = http.post("/v1/simulations", json=ENDLESS | {"seed": 7}, headers={"Prefer": "wait=1"})
    assert held.status_code == 202
    assert held.headers["preference-applied"] == "wait=1"
    cancel(http, JobResource.model_validate_json(held.content))


def test_the_full_queue_says_so(idle: Server) -> None:
    with httpx.Client(base_url=idle.url) as http:
        first = start(http, seed=1)
        second = start(http, seed=2)
        assert start(http, seed=2).id == second.id
        refused = http.post("/v1/simulations", json=ENDLESS | {"seed": 3})
        assert refused.status_code == 429
        assert refused.json()["type"] == "urn:tvlb:problem:queue-full"
        assert int(refused.headers["retry-after"]) > 0
        cancel(http, first)
        cancel(http, second)


@pytest.mark.slow
def test_the_worker_of_a_server_is_started_again(working: Server) -> None:
    """Its job goes on as a second attempt."""
    with httpx.Client(base_url=working.url) as http:
        job = start(http, seed=1)
        until(lambda: read(http, job).progress > 0)
        os.kill(_worker_of(working), signal.SIGKILL)
        until(lambda: read(http, job).attempt == 2)
        until(lambda: read(http, job).status is JobStatus.RUNNING)
        cancel(http, job)


@pytest.mark.slow
def test_a_server_ends_even_when_its_worker_has_just_died(working: Server) -> None:
    said = "another one is started"
    before = working.log.read_text().count(said)
    os.kill(_worker_of(working), signal.SIGKILL)
    until(lambda: working.log.read_text().count(said) > before)
    working.process.terminate()
    assert working.process.wait(20) == 0


def test_nothing_more_is_said_of_what_has_ended(http: httpx.Client) -> None:
    """A browser would take an empty stream for a lost connection, and come back for ever."""
    job = start(http, **SHORT_JOB, seed=8)
    until(lambda: read(http, job).status is JobStatus.SUCCEEDED)
    last = len(http.get(job.events_url).text.split("\n\n")) - 1
    for seen in (last, 999_999_999):
        answer = http.get(job.events_url, headers={"Last-Event-ID": str(seen)})
        assert (answer.status_code, answer.content) == (204, b"")


def _worker_of(server: Server) -> int:
    until(lambda: '"worker started"' in server.log.read_text())
    lines = [line for line in server.log.read_text().splitlines() if '"worker started"' in line]
    return int(json.loads(lines[-1])["pid"])


def test_one_audit_line_per_job(server: Server, http: httpx.Client) -> None:
    running = start(http, seed=11)
    queued = start(http, seed=12)
    until(lambda: read(http, running).progress > 0)
    cancel(http, queued)
    cancel(http, running)
    done = start(http, **SHORT_JOB, seed=13)
    until(lambda: read(http, done).status is JobStatus.SUCCEEDED)
    jobs = {running.id, queued.id, done.id}
    # Lines are in the order in which jobs end.
    until(lambda: done.id in [job for job, _ in _audit(server)])
    assert sorted((job, status) for job, status in _audit(server) if job in jobs) == sorted(
        [(running.id, "cancelled"), (queued.id, "cancelled"), (done.id, "succeeded")]
    )


def _audit(server: Server) -> list[tuple[str, str]]:
    """Return the jobs of the audit, and what they ended with."""
    lines = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
    return [
        (line["job"], line["status"])
        for line in map(json.loads, lines)
        if line.get("part") == "audit"
    ]


def test_a_database_or_a_store_that_is_gone_takes_no_jobs(idle: Server) -> None:
    """Deleted or replaced under the server, which is ready again when the first one is back."""
    data = idle.data
    with httpx.Client(base_url=idle.url, timeout=60) as http:
        for name in ("jobs.sqlite3", "blobs"):
            away = (data / name).rename(data / "away")
            _check_refusals(http, f"{name} is gone (No such file or directory)")
            (data / name).mkdir()
            _check_refusals(http, f"{name} was replaced by another")
            (data / name).rmdir()
            away.rename(data / name)
            assert http.get("/readyz").status_code == 200
        cancel(http, start(http))


def _check_refusals(http: httpx.Client, why: str) -> None:
    for answer in (
        http.get("/readyz"),
        http.post("/v1/tables", json={"topology": "2,4,2,5"}),
        http.post("/v1/models", json={"topology": "2,4,2,5"}),
    ):
        assert answer.status_code == 503, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert why in answer.json()["detail"]


def test_costs_are_told_for_the_machines_of_the_server(idle: Server) -> None:
    with httpx.Client(base_url=idle.url, timeout=90) as http:
        usual = http.post("/v1/models?validate_only=true", json={"topology": "2,4,2,5"}).json()
        with sqlite3.connect(idle.data / "jobs.sqlite3") as connection:
            for name, value in (("estimated_seconds", 1000.0), ("cpu_seconds", 4000.0)):
                connection.execute("INSERT INTO counters VALUES ('work', ?, ?)", (name, value))
        slow = http.post("/v1/models?validate_only=true", json={"topology": "2,4,2,5"}).json()
    assert slow["cost"]["cpu_seconds"] == 4 * usual["cost"]["cpu_seconds"]
    assert slow["cost"]["stages"]["solve"] == 4 * usual["cost"]["stages"]["solve"]
    assert slow["cost"]["memory_bytes"] == usual["cost"]["memory_bytes"]


def test_readiness_tells_the_truth(idle: Server) -> None:
    """With a database that does not answer the process lives, and is not ready."""
    with httpx.Client(base_url=idle.url, timeout=90) as http:
        assert http.get("/readyz").status_code == 200
        with sqlite3.connect(idle.data / "jobs.sqlite3") as connection:
            connection.execute("ALTER TABLE jobs RENAME TO away")
        try:
            assert http.get("/readyz").status_code == 503
            assert http.get("/readyz").headers["content-type"] == "application/problem+json"
            assert http.get("/healthz").status_code == 200
            assert http.get("/v1/jobs").status_code == 503
        finally:
            with sqlite3.connect(idle.data / "jobs.sqlite3") as connection:
                connection.execute("ALTER TABLE away RENAME TO jobs")
        assert http.get("/readyz").status_code == 200


def test_streams_end_when_the_server_does(idle: Server) -> None:
    with httpx.Client(base_url=idle.url) as http:
        job = start(http, seed=1)
        asked = http.head(job.events_url)
        assert (asked.status_code, asked.content) == (200, b"")
        with connect_sse(http, "GET", job.events_url) as stream:
            events = events_of(stream)
            assert next(events).event == "state"
            idle.process.terminate()
            assert list(events) == []
        assert idle.process.wait(20) == 0
