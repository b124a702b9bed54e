"""The one place that changes a job's status, and the one that records its events."""

import json
from collections.abc import Mapping

from sqlalchemy import ColumnElement, Connection, insert, not_, or_, select, update

from tvlb.jobs.database import now
from tvlb.jobs.schema import events, jobs
from tvlb.jobs.status import ENDED, JobStatus, Move

# Longer than anybody has to wait.
_FAR_SECONDS = 60.0


def move(
    connection: Connection,
    job_id: str,
    kind: Move,
    *conditions: ColumnElement[bool],
    told: Mapping[str, object] | None = None,
    **values: object,
) -> bool:
    """Carry out a move if the job is where it starts and the conditions hold.

    Parameters
    ----------
    conditions : further conditions on the job, such as its claim.
    told : what the event says besides.
    values : columns to set along with the status.

    Returns
    -------
    Whether the job moved. Of two processes that try, one moves it.
    """
    if kind.target in ENDED:
        values["ended_at"] = now(connection)
    if kind.target is not JobStatus.RUNNING:
        values |= {"claim": None, "worker": None, "heartbeat_at": None}
    values.setdefault("retry_at", None)
    moved = connection.execute(
        update(jobs)
        .where(jobs.c.id == job_id, jobs.c.status == kind.source, *conditions)
        .values(status=kind.target, **values)
    )
    if moved.rowcount == 0:
        return False
    state = {"status": str(kind.target), "move": str(kind), **(told or {})}
    record(connection, job_id, "state", state)
    return True


def may_be_claimed(connection: Connection) -> ColumnElement[bool]:
    """Return the condition on a queued job that it need not wait for its next attempt."""
    moment = now(connection)
    # What is far ahead was written by a clock that is.
    return or_(
        jobs.c.retry_at.is_(None),
        not_(jobs.c.retry_at.between(moment, moment + _FAR_SECONDS)),
    )


def log_of(connection: Connection, job_id: str) -> tuple[str, ...]:
    """Return the lines of a job's log, oldest first."""
    found = connection.execute(
        select(events.c.data)
        .where(events.c.job == job_id, events.c.type == "log")
        .order_by(events.c.number)
    ).scalars()
    return tuple(line for data in found for line in json.loads(data)["message"].splitlines())


def record(connection: Connection, job_id: str, kind: str, data: object) -> int:
    """Append an event to a job and return its number, 1, 2, ...

    `kind` is state, progress or log.
    """
    # The row of the job is locked by this, so numbers have no gaps and no doubles.
    number = connection.execute(
        update(jobs)
        .where(jobs.c.id == job_id)
        .values(last_event=jobs.c.last_event + 1)
        .returning(jobs.c.last_event)
    ).scalar_one()
    connection.execute(
        insert(events).values(
            job=job_id,
            number=number,
            at=now(connection),
            type=kind,
            data=json.dumps(data, separators=(",", ":")),
        )
    )
    return number
