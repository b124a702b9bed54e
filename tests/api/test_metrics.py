"""Prometheus metrics."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.jobs.processes import until
from tests.service import SHORT_JOB


def samples(http: httpx.Client) -> dict[tuple[str, ...], float]:
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_the_room_of_the_store_is_told(http: httpx.Client) -> None:
    found = samples(http)
    assert found["tvlb_store_free_bytes",] > 0
    assert min(found["tvlb_store_bytes", part] for part in ("results", "units")) >= 0


def is_idle(http: httpx.Client) -> bool:
    return not any(
        http.get(f"/v1/jobs?status={one}").json()["jobs"] for one in ("queued", "running")
    )


def test_jobs_and_work_are_counted(http: httpx.Client) -> None:
    # Other tests of the server may have left jobs that end meanwhile.
    until(lambda: is_idle(http))
    before = samples(http)
    job = http.post("/v1/simulations", json=SHORT_JOB | {"seed": 77}).headers["location"]
    until(lambda: http.get(job).json()["status"] == "succeeded")
    after = samples(http)

    def grown(*name: str) -> float:
        return after[name] - before.get(name, 0.0)

    row = http.get(http.get(job).json()["result_url"]).json()["rows"][0]
    assert grown("tvlb_jobs", "succeeded") == 1
    assert grown("tvlb_jobs_ended_total", "simulation", "succeeded") == 1
    assert grown("tvlb_flit_hops_total") == row["flit_hops"]
    assert grown("tvlb_job_stage_seconds_count", "simulation", "simulate") == 1
    assert grown("tvlb_simulator_seconds_total") > 0
    assert after["tvlb_workers",] == 1
    assert grown("tvlb_http_requests_total", "POST", "/v1/simulations", "202") == 1
    assert grown("tvlb_http_request_seconds_count", "GET", "/v1/jobs/{job_id}") >= 1
