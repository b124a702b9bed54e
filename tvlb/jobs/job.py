"""A job as its readers see it."""

import json
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, func, select

from tvlb.jobs.database import now
from tvlb.jobs.schema import jobs, labels
from tvlb.jobs.status import ENDED, JobStatus

# A worker without a heartbeat for so long has lost its job. Heartbeats come every 0.4 seconds.
LEASE_SECONDS = 3.0
# Below this progress the time so far says nothing about the time to come.
_LEAST_PROGRESS = 0.03


def _with_position() -> Select[Any]:
    ahead = jobs.alias("ahead")
    position = (
        select(func.count())
        .select_from(ahead)
        .where(ahead.c.status == JobStatus.QUEUED, ahead.c.number <= jobs.c.number)
        .scalar_subquery()
    )
    labelled = labels.c.key == jobs.c.key
    return select(jobs, position.label("position"), labels.c.label).outerjoin(labels, labelled)


# Made once: making it takes as long as asking the database.
_WITH_POSITION = _with_position()


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes
    ----------
    number : order of submission.
    id : 32 hexadecimal digits.
    kind : of the request, see `tvlb.requests.request_kinds`.
    key : of the request; equal requests have equal keys, see `tvlb.requests.request_key`.
    request : the resolved request.
    owner : id of the token that submitted it, None without tokens.
    status, cancel_requested : where it stands.
    stalled : running, but without a heartbeat for longer than the lease.
    stage, progress : what it is doing, and how much is done, 0..1.
    attempt : times that a process began, less the times that a worker handed it back.
    created_at, started_at, heartbeat_at, ended_at : seconds since 1970.
    queue_position : 1 for the next; None unless queued.
    eta_seconds : expected time to the end; None where nothing can be said.
    timings : seconds by stage, of finished stages.
    error : what went wrong, as in `tvlb.jobs.failure`.
    label : what people call it, None if nothing.
    """

    number: int
    id: str
    kind: str
    key: str
    request: dict[str, Any]
    owner: str | None
    status: JobStatus
    cancel_requested: bool
    stalled: bool
    stage: str | None
    progress: float
    attempt: int
    created_at: float
    started_at: float | None
    heartbeat_at: float | None
    ended_at: float | None
    queue_position: int | None
    eta_seconds: float | None
    timings: dict[str, float]
    error: dict[str, Any] | None
    last_event: int
    label: str | None

    @property
    def ended(self) -> bool:
        """Whether nothing will change any more."""
        return self.status in ENDED


@dataclass(frozen=True)
class Event:
    """Something that happened to a job.

    Attributes
    ----------
    job : id of the job.
    number : 1, 2, ... without gaps.
    at : seconds since 1970.
    type : state, progress or log.
    data : JSON text.
    """

    job: str
    number: int
    at: float
    type: str
    data: str


def read_jobs(connection: Connection, *conditions: Any, limit: int = 1) -> list[Job]:
    """Read the newest jobs that fulfil the conditions."""
    rows = connection.execute(
        _WITH_POSITION.where(*conditions).order_by(jobs.c.number.desc()).limit(limit)
    ).mappings()
    moment = now(connection)
    return [_job(row, moment) for row in rows]


def _job(row: RowMapping, moment: float) -> Job:
    status = JobStatus(row["status"])
    running = status is JobStatus.RUNNING
    stored = {one.name: row[one.name] for one in fields(Job) if one.name in row}
    told: dict[str, Any] = {
        "request": json.loads(row["request"]),
        "status": status,
        "stalled": running and not is_alive(row["heartbeat_at"], moment),
        "queue_position": row["position"] if status is JobStatus.QUEUED else None,
        "eta_seconds": _eta(row, moment) if running else None,
        "timings": json.loads(row["timings"]),
        "error": None if row["error"] is None else json.loads(row["error"]),
    }
    return Job(**stored | told)


def is_alive(heartbeat: float | None, moment: float) -> bool:
    """Whether a heartbeat is recent enough."""
    return heartbeat is not None and heartbeat >= moment - LEASE_SECONDS


def _eta(row: RowMapping, moment: float) -> float | None:
    progress, started = row["progress"], row["started_at"]
    if progress < _LEAST_PROGRESS or started is None:
        return None
    return round((moment - started) * (1.0 - progress) / progress, 1)
