"""Sweeps over HTTP."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import hashlib
import json
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest
from httpx_sse import connect_sse

from tests.api.tiny_sweep import FILE, OPTIONS, SWEEP, WINDOWS
from tests.jobs.processes import until
from tests.service import Server
from tvlb.cli import main
from tvlb.client import Client
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.results import Results
from tvlb.jobs.tasks import store_answer
from tvlb.requests import (
    Answer,
    Estimate,
    JobResource,
    Resource,
    SweepBody,
    list_of,
    request_key,
    resource_of,
)

WAIT = {"Prefer": "wait=60"}


@pytest.fixture(scope="module")
def sweep(server: Server) -> Resource:
    answer = httpx.post(f"{server.url}/v1/sweeps", json=SWEEP, headers=WAIT, timeout=60)
    assert answer.status_code == 200, answer.text[:500]
    return resource_of("sweep").model_validate_json(answer.content)


def computed_points(server: Server, sweep: Resource) -> list[bool]:
    """Whether each point was computed for this sweep, and not before."""
    timings = BlobStore(server.data / "blobs").read(sweep.files["timings.parquet"])
    attempts = pq.ParquetFile(BytesIO(timings)).read()["attempts"]
    return [count.as_py() > 0 for count in attempts]


def test_a_sweep_has_a_row_and_a_table_for_each_point(http: httpx.Client, sweep: Resource) -> None:
    assert (sweep.name, sweep.points, sweep.failed) == ("two", 2, 0)
    assert [row["topology"] for row in sweep.rows] == ["dfly(1,2,1,3)", "dfly(1,2,2,3)"]
    for row in sweep.rows:
        table = resource_of("table").model_validate_json(
            http.get(f"/v1/tables/{row['key']}").content
        )
        assert table.table.id == row["table_id"]
    again = http.post("/v1/sweeps", json=SWEEP)
    assert (again.status_code, again.headers["content-location"]) == (200, sweep.url)
    assert http.get(sweep.url).content == again.content
    known = {"If-None-Match": again.headers["etag"]}
    assert http.get(sweep.url, headers=known).status_code == 304


@pytest.mark.usefixtures("in_process")
def test_the_files_are_to_the_byte_what_the_command_line_writes(
    http: httpx.Client, sweep: Resource, tmp_path: Path
) -> None:
    (tmp_path / "sweep.toml").write_text(FILE)
    command = ["sweep", str(tmp_path / "sweep.toml"), "-o", str(tmp_path / "out"), "--json"]
    assert main([*command, "--data", str(tmp_path / "data"), "--workers", "1"]) == 0
    for path, name in (
        (f"{sweep.url}/download", "results.parquet"),
        (f"{sweep.url}/download?format=csv", "results.csv"),
        (sweep.report_url, "report.html"),
    ):
        answer = http.get(path)
        assert answer.content == (tmp_path / "out" / name).read_bytes()
        assert hashlib.sha256(answer.content).hexdigest() == sweep.files[name]
        known = {"If-None-Match": answer.headers["etag"]}
        again = http.get(path, headers=known)
        assert again.status_code == 304
        # A browser takes those of the second answer for what it kept of the first.
        policy = "content-security-policy"
        assert again.headers[policy] == answer.headers[policy]
    assert http.get(f"{sweep.url}/download?format=json").status_code == 422


def test_the_report_cannot_act_for_who_reads_it(http: httpx.Client, sweep: Resource) -> None:
    headers = http.get(sweep.report_url).headers
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "content-disposition" not in headers
    sandbox = headers["content-security-policy"].split(";")[0].split()
    assert sandbox == ["sandbox", "allow-scripts", "allow-downloads"]
    assert headers["x-content-type-options"] == "nosniff"


def test_a_larger_sweep_computes_only_what_is_missing(
    http: httpx.Client, server: Server, sweep: Resource
) -> None:
    larger = SWEEP | {"name": "three", "topologies": ["1,2,2,5"]}
    estimate = http.post("/v1/sweeps?validate_only=true", json=larger)
    found = Estimate.model_validate_json(estimate.content)
    assert found.points is not None
    assert (found.points.total, found.points.known) == (3, 2)
    assert (found.known, found.command) == (False, None)
    assert found.request["generators"][0]["h"] == "1..2"
    asked = http.post("/v1/sweeps", json=larger)
    assert asked.status_code == 202
    url = asked.headers["location"]
    with connect_sse(http, "GET", f"{url}/events") as stream:
        events = [json.loads(one.data) for one in stream.iter_sse() if one.event == "progress"]
    assert {event["stage"] for event in events} == {"sweep"}
    assert "of 3 points" in events[0]["note"]
    assert events[-1]["note"] == "3 of 3 points"
    assert [event["progress"] for event in events] == sorted(event["progress"] for event in events)
    job = JobResource.model_validate_json(http.get(url).content)
    assert (job.kind, job.status, job.result_url) == (
        "sweep",
        "succeeded",
        f"/v1/sweeps/{found.result_id}",
    )
    three = resource_of("sweep").model_validate_json(
        http.get(f"/v1/sweeps/{found.result_id}").content
    )
    assert three.points == 3
    assert computed_points(server, three) == [True, False, False]
    listed = list_of("sweep").model_validate_json(http.get("/v1/sweeps?limit=1").content)
    assert [one.id for one in listed.sweeps] == [three.id]
    assert listed.next is not None
    older = list_of("sweep").model_validate_json(http.get(listed.next).content)
    assert [one.id for one in older.sweeps] == [sweep.id]
    home = http.get("/").text
    assert f"/sweeps/{three.id}" in home
    assert "three" in home
    page = http.get(f"/sweeps/{three.id}").text
    assert page.count('<th scope="row">') == 3
    assert three.report_url in page
    assert "tvlb sweep" not in http.get(f"/jobs/{job.id}").text


def test_damaged_files_are_written_again(
    http: httpx.Client, server: Server, sweep: Resource
) -> None:
    name = sweep.files["report.html"]
    (server.data / "blobs" / name[:2] / name).write_bytes(b"<p>damaged")
    assert http.get(sweep.report_url).json()["type"] == "urn:tvlb:problem:damaged-result"
    again = http.post("/v1/sweeps", json=SWEEP, headers=WAIT)
    renewed = resource_of("sweep").model_validate_json(again.content)
    assert computed_points(server, renewed) == [False, False]
    assert hashlib.sha256(http.get(sweep.report_url).content).hexdigest() == name


def publish_failed(server: Server, body: SweepBody, sweep: Resource) -> None:
    """Put a sweep into the store whose points failed."""
    rows = [dict(row) | {"status": "failed"} for row in sweep.rows]
    document = {"name": body.name, "points": 2, "failed": 2, "rows": rows, "files": sweep.files}
    output = store_answer(BlobStore(server.data / "blobs"), Answer(document))
    with closing(Database(f"sqlite:///{server.data / 'jobs.sqlite3'}")) as database:
        Results(database).publish("sweep", request_key(body), body.model_dump_json(), output)


def test_failed_points_are_computed_again_and_the_old_rows_stay_until_then(
    http: httpx.Client, server: Server, sweep: Resource
) -> None:
    body = SweepBody.model_validate(SWEEP | {"name": "failed"})
    publish_failed(server, body, sweep)
    url, sent = f"/v1/sweeps/{request_key(body)}", body.model_dump(mode="json")
    assert not http.post("/v1/sweeps?validate_only=true", json=sent).json()["known"]
    # Nothing else is computed while this runs.
    windows = WINDOWS | {"measured": 50_000_000}
    endless = {"topologies": ["1,2,2,3"], "options": OPTIONS | {"confirmation": windows}}
    job = JobResource.model_validate_json(http.post("/v1/sweeps", json=endless).content)
    until(lambda: http.get(job.url).json()["stage"] == "sweep")
    assert http.post("/v1/sweeps", json=sent).status_code == 202
    assert http.get(url).json()["failed"] == 2
    http.post(f"{job.url}/cancel")
    until(lambda: http.get(job.url).json()["status"] == "cancelled")
    key = request_key(SweepBody.model_validate(endless))
    assert http.get(f"/v1/sweeps/{key}").status_code == 404
    done = http.post("/v1/sweeps", json=sent, headers=WAIT)
    assert (done.status_code, done.json()["failed"]) == (200, 0)
    assert http.get(url).content == done.content
    listed = list_of("sweep").model_validate_json(http.get("/v1/sweeps?limit=100").content)
    assert [one.url for one in listed.sweeps].count(url) == 1


GENERATOR = SWEEP["generators"][0]


@pytest.mark.parametrize(
    ("changes", "kind", "named"),
    [
        ({"topologiez": []}, "invalid-request", "topologiez"),
        ({"options": {"seed": 1}}, "invalid-request", "options.seed"),
        ({"options": {"objective": "x"}}, "unsatisfiable", "options.objective"),
        ({"options": {"traffic": ["m.csv"]}}, "invalid-request", "options.traffic[0]"),
        ({"options": {"finalists": 1}}, "unsatisfiable", "no meaning for method search"),
        ({"options": {"budget": 1.5}}, "invalid-request", "options: budget 1.5"),
        ({"routings": ["min"]}, "invalid-request", "routings[0]"),
        ({"topologies": ["/etc/passwd"]}, "unsatisfiable", "topologies[0]"),
        ({"generators": [GENERATOR | {"p": "5..2"}]}, "unsatisfiable", "generators[0].p"),
        (
            {"generators": [GENERATOR | {"constraints": ["nodez > 1"]}]},
            "unsatisfiable",
            "generators[0].constraints[0]",
        ),
        (
            {"generators": [GENERATOR | {"constraints": ["nodes < 1"]}]},
            "unsatisfiable",
            "generators[0]",
        ),
        ({"generators": []}, "unsatisfiable", "topologies, generators"),
        (
            {"generators": [{"p": "1..1000", "a": "1..1000", "h": "1..1000", "g": 3}]},
            "unsatisfiable",
            "1,000,000,000 combinations",
        ),
        ({"seeds": list(range(501))}, "beyond-limits", "1,002 points"),
        ({"topologies": ["8,16,8,128"]}, "beyond-limits", "dfly(8,16,8,128)"),
        (
            {"topologies": ["4,8,4,33"], "seeds": list(range(300)), "options": {"method": "paper"}},
            "beyond-limits",
            "CPU seconds",
        ),
    ],
)
def test_bad_sweeps_are_refused_with_the_reason(
    http: httpx.Client, changes: dict[str, Any], kind: str, named: str
) -> None:
    answer = http.post("/v1/sweeps", json=SWEEP | changes)
    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, f"urn:tvlb:problem:{kind}")
    assert named in problem["detail"]


def test_the_client_asks_for_sweeps(server: Server, sweep: Resource, tmp_path: Path) -> None:
    body = SweepBody.model_validate(SWEEP)
    with Client(server.url) as client:
        assert client.computed(body) == client.result("sweep", sweep.id)
        assert client.result("sweep", sweep.id).rows == sweep.rows
        assert sweep.id in [one.id for one in client.results("sweep")]
        estimate = client.estimate(body)
        assert estimate.points is not None
        assert estimate.known
        told: list[str] = []
        other = body.model_copy(update={"name": "other words"})
        found = client.computed(other, report=lambda event: told.append(event.note))
        assert found.rows == sweep.rows
        assert told[-1] == "2 of 2 points"
        client.download(sweep, "csv", tmp_path / "rows.csv")
        client.report(sweep, tmp_path / "report.html")
    for path, name in (("rows.csv", "results.csv"), ("report.html", "report.html")):
        content = (tmp_path / path).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sweep.files[name]
