"""The queue as those who submit and watch jobs see it; workers use `tvlb.jobs.lease`."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tvlb.jobs.accounting import EndedJob, count_ended
from tvlb.jobs.database import Database, now
from tvlb.jobs.job import Event, Job, read_jobs
from tvlb.jobs.labels import mentions
from tvlb.jobs.moves import move, record
from tvlb.jobs.results import Result, find_result
from tvlb.jobs.schema import events, jobs
from tvlb.jobs.status import ENDED, JobStatus, Move

_ACTIVE = (JobStatus.QUEUED, JobStatus.RUNNING)


class _Answered(Exception):
    """The result of a request appeared while a job was made for it."""


class JobCancelling(Exception):
    """The job of a request is being cancelled; a moment later there may be another one."""


class QueueFull(Exception):
    """A limit on waiting jobs is reached; the text names it."""


@dataclass(frozen=True)
class QueueLimits:
    """Most jobs that may be queued or running: of one owner, and of all."""

    per_owner: int = 100
    total: int = 1000


@dataclass(frozen=True)
class Submission:
    """What to compute.

    Attributes
    ----------
    kind, key : of the request; the key identifies it, whoever asks.
    request : the resolved request.
    owner : who asks, None without tokens.
    replaces : number of a result that is no answer, because it is to be computed again.
    attempts : how often it was begun elsewhere, and its process died; they count.
    """

    kind: str
    key: str
    request: Mapping[str, object]
    owner: str | None = None
    replaces: int | None = None
    attempts: int = 0


# See `Workspace.sweep`.
_CANCELLING = (
    "cancellation was requested; finished pieces of work are kept for seven days, and the same "
    "request goes on from them"
)


class JobQueue:
    """Submits, shows, cancels and deletes jobs."""

    def __init__(self, database: Database, limits: QueueLimits | None = None) -> None:
        self._database = database
        self._limits = limits or QueueLimits()

    def submit(self, submission: Submission) -> Result | Job:
        """Return the result of a request, or the job that computes it, made if there is none.

        Raises
        ------
        QueueFull : a new job would exceed a limit.
        JobCancelling : the job of the same request is being cancelled.
        """
        while True:
            try:
                with self._database.writing() as connection:
                    return self._submit(connection, submission)
            except (IntegrityError, _Answered):
                # Another process submitted the same request in this moment, or finished it.
                continue

    def _submit(self, connection: Connection, submission: Submission) -> Result | Job:
        # In this order: a job that ends in between leaves its result.
        known = read_jobs(connection, jobs.c.key == submission.key, jobs.c.status.in_(_ACTIVE))
        if known and known[0].cancel_requested:
            raise JobCancelling(f"the job {known[0].id} of this request is being cancelled")
        if known:
            return known[0]
        result = _answer(connection, submission)
        if result is not None:
            return result
        self._check_limits(connection, submission.owner)
        identifier = uuid.uuid4().hex
        connection.execute(
            insert(jobs).values(
                id=identifier,
                kind=submission.kind,
                key=submission.key,
                request=json.dumps(submission.request, separators=(",", ":")),
                owner=submission.owner,
                status=JobStatus.QUEUED,
                attempt=submission.attempts,
                created_at=now(connection),
            )
        )
        if _answer(connection, submission) is not None:
            raise _Answered
        record(connection, identifier, "state", {"status": str(JobStatus.QUEUED)})
        return read_jobs(connection, jobs.c.id == identifier)[0]

    def _check_limits(self, connection: Connection, owner: str | None) -> None:
        waiting = select(func.count()).select_from(jobs).where(jobs.c.status.in_(_ACTIVE))
        if connection.execute(waiting).scalar_one() >= self._limits.total:
            raise QueueFull(f"{self._limits.total} jobs are waiting, the most for this server")
        own = waiting.where(jobs.c.owner == owner)
        if owner is not None and connection.execute(own).scalar_one() >= self._limits.per_owner:
            raise QueueFull(f"{self._limits.per_owner} jobs are waiting, the most for one token")

    def get(self, job_id: str) -> Job | None:
        """Return a job, None if there is none."""
        with self._database.reading() as connection:
            return _job(connection, job_id)

    def newest(
        self,
        *,
        before: int | None = None,
        status: str | None = None,
        search: str | None = None,
        limit: int = 20,
    ) -> list[Job]:
        """Return jobs, newest first.

        Parameters
        ----------
        before : only jobs with a smaller number.
        status : only jobs with this status.
        search : only jobs whose label or request has this text, whatever its case.
        """
        conditions: list[Any] = []
        if before is not None:
            conditions.append(jobs.c.number < before)
        if status is not None:
            conditions.append(jobs.c.status == status)
        if search is not None:
            conditions.append(mentions(jobs.c.request, search))
        with self._database.reading() as connection:
            return read_jobs(connection, *conditions, limit=limit)

    def events(self, job_id: str, after: int = 0, limit: int = 1000) -> list[Event]:
        """Return the events of a job after a number, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(events)
                .where(events.c.job == job_id, events.c.number > after)
                .order_by(events.c.number)
                .limit(limit)
            )
            return [Event(*row) for row in rows]

    def cancel(self, job_id: str) -> tuple[Job | None, EndedJob | None]:
        """Cancel a job that has not ended.

        Returns
        -------
        The job as it is then, None if there is none; and what is to be logged if this ended it.

        Notes
        -----
        A queued job is cancelled at once, a running one as soon as its worker has stopped it.
        """
        ended: EndedJob | None = None
        with self._database.writing() as connection:
            if move(connection, job_id, Move.CANCEL, cancel_requested=True):
                ended = count_ended(connection, job_id)
            else:
                asked = connection.execute(
                    update(jobs)
                    .where(
                        jobs.c.id == job_id,
                        jobs.c.status == JobStatus.RUNNING,
                        jobs.c.cancel_requested.is_(False),
                    )
                    .values(cancel_requested=True)
                )
                if asked.rowcount:
                    record(connection, job_id, "log", {"message": _CANCELLING})
            return _job(connection, job_id), ended

    def delete(self, job_id: str) -> tuple[Job | None, bool]:
        """Delete a job if it has ended; return it as it was, None without, and whether it is gone.

        Its result, which belongs to the request and not to the job, stays.
        """
        with self._database.writing() as connection:
            found = _job(connection, job_id)
            gone = connection.execute(
                delete(jobs).where(jobs.c.id == job_id, jobs.c.status.in_(ENDED))
            )
            return found, gone.rowcount > 0

    def depth(self) -> dict[str, int]:
        """Count jobs by status."""
        with self._database.reading() as connection:
            rows = connection.execute(
                select(jobs.c.status, func.count().label("waiting")).group_by(jobs.c.status)
            )
            counted = {str(row.status): int(row.waiting) for row in rows}
        return {str(status): counted.get(status, 0) for status in JobStatus}


def _job(connection: Connection, job_id: str) -> Job | None:
    return next(iter(read_jobs(connection, jobs.c.id == job_id)), None)


def _answer(connection: Connection, submission: Submission) -> Result | None:
    found = find_result(connection, submission.key)
    return None if found is None or found.number == submission.replaces else found
