"""Jobs and results as the JSON that `tvlb.schemas` describes."""

from datetime import UTC, datetime
from typing import Any

from tvlb.jobs.job import Job
from tvlb.jobs.results import Result
from tvlb.jobs.status import JobStatus
from tvlb.schemas import REQUESTS, SweepItem, TableItem

__all__ = ["identity", "job_resource", "moment", "result_url", "sweep_item", "table_item"]


def moment(seconds: float) -> str:
    """Return a time as text, UTC."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _moment_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else moment(seconds)


def result_url(kind: str, key: str) -> str:
    """Return the URL of a result."""
    assert kind in REQUESTS
    return f"/v1/{kind}s/{key}"


def identity(result: Result, front: int = 0) -> dict[str, Any]:
    """Return what a result has besides its document.

    Parameters
    ----------
    front : tables of a front.
    """
    url = result_url(result.kind, result.key)
    more = {
        "id": result.key,
        "url": url,
        "created_at": moment(result.created_at),
        "request": result.request,
    }
    if result.kind == "table":
        more |= {
            "download_url": f"{url}/download?format=parquet",
            "paths_url": f"{url}/paths",
            "front_urls": [f"{url}/front/{1 + i}/download?format=parquet" for i in range(front)],
        }
    if result.kind == "sweep":
        more |= {
            "download_url": f"{url}/download?format=parquet",
            "report_url": f"{url}/report",
        }
    return more


def table_item(resource: dict[str, Any]) -> dict[str, Any]:
    """Return what a list shows of a table."""
    return {name: resource[name] for name in TableItem.model_fields}


def sweep_item(resource: dict[str, Any]) -> dict[str, Any]:
    """Return what a list shows of a sweep."""
    return {name: resource[name] for name in SweepItem.model_fields}


def job_resource(job: Job) -> dict[str, Any]:
    """Return a job as JSON."""
    url = f"/v1/jobs/{job.id}"
    done = job.status is JobStatus.SUCCEEDED
    return {
        "id": job.id,
        "kind": job.kind,
        "status": str(job.status),
        "cancel_requested": job.cancel_requested,
        "stalled": job.stalled,
        "stage": job.stage,
        "progress": job.progress,
        "attempt": job.attempt,
        "created_at": moment(job.created_at),
        "started_at": _moment_or_none(job.started_at),
        "heartbeat_at": _moment_or_none(job.heartbeat_at),
        "ended_at": _moment_or_none(job.ended_at),
        "queue_position": job.queue_position,
        "eta_seconds": job.eta_seconds,
        "timings": job.timings,
        "url": url,
        "events_url": f"{url}/events",
        "result_url": result_url(job.kind, job.key) if done else None,
        "error": job.error,
        "request": job.request,
    }
