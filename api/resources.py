"""Jobs and results as the JSON that `tvlb.schemas` describes."""

import json
from datetime import UTC, datetime
from typing import Any

from tvlb.jobs.job import Job
from tvlb.jobs.results import Result
from tvlb.jobs.status import JobStatus
from tvlb.schemas import JobResource, SweepItem, TableItem
from tvlb.schemas.resources import urls_of

__all__ = ["identity", "job_resource", "listed", "moment"]


def moment(seconds: float) -> str:
    """Return a time as text, UTC."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _moment_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else moment(seconds)


def identity(result: Result, front: int = 0) -> dict[str, Any]:
    """Return what a result has besides its document.

    Parameters
    ----------
    front : number of the points of a table's front.
    """
    urls = urls_of(result.kind, result.key, front)
    own = {
        "id": result.key,
        "url": urls["url"],
        "created_at": moment(result.created_at),
        "request": result.request,
    }
    return own | urls


def listed(item: type[TableItem] | type[SweepItem], resource: bytes) -> dict[str, Any]:
    """Return what a list shows of a resource, which is given as JSON."""
    document = json.loads(resource)
    return {name: document[name] for name in item.model_fields}


def job_resource(job: Job) -> dict[str, Any]:
    """Return a job as JSON."""
    url = f"/v1/jobs/{job.id}"
    done = job.status is JobStatus.SUCCEEDED
    values = vars(job) | {
        "created_at": moment(job.created_at),
        "started_at": _moment_or_none(job.started_at),
        "heartbeat_at": _moment_or_none(job.heartbeat_at),
        "ended_at": _moment_or_none(job.ended_at),
        "url": url,
        "events_url": f"{url}/events",
        "result_url": urls_of(job.kind, job.key)["url"] if done else None,
    }
    return {name: values[name] for name in JobResource.model_fields}
