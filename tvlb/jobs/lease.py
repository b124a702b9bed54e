"""The queue as workers see it: claims that end when their heartbeat does."""

import json
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from tvlb.jobs.database import Database, now
from tvlb.jobs.failure import Failure, lost_worker
from tvlb.jobs.job import LEASE_SECONDS
from tvlb.jobs.moves import move, record
from tvlb.jobs.results import Outcome, publish
from tvlb.jobs.schema import counters, jobs, workers
from tvlb.jobs.status import JobStatus, Move

__all__ = ["MAX_ATTEMPTS", "Claimed", "Ended", "LeaseLost", "Leases"]

MAX_ATTEMPTS = 3
# Workers that have been silent for so long are no longer listed.
_FORGOTTEN_SECONDS = 600.0


class LeaseLost(Exception):
    """The job was taken away or deleted; whatever was done for it must be dropped."""


@dataclass(frozen=True)
class Claimed:
    """A job in a worker's hands.

    Attributes
    ----------
    id, kind, key, request : of the job, the request as JSON text.
    claim : proves that the job is ours.
    attempt : 1 for the first.
    """

    id: str
    kind: str
    key: str
    request: str
    claim: str
    attempt: int


@dataclass(frozen=True)
class Ended:
    """A job that has just ended, for the audit log."""

    id: str
    kind: str
    key: str
    owner: str | None
    status: str
    attempts: int
    seconds: float | None


class Leases:
    """What one worker does to the queue.

    Every write to a job is conditional on the claim, so a worker that was believed dead and comes
    back changes nothing.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.worker = uuid.uuid4().hex

    def register(self, *, draining: bool = False, job: Claimed | None = None) -> bool:
        """Give a sign of life for the worker and its job.

        Returns
        -------
        Whether the job is to be cancelled.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            moment = now(connection)
            self._register(connection, moment, draining)
            if job is None:
                return False
            row = connection.execute(
                update(jobs)
                .where(*_ours(job))
                .values(heartbeat_at=moment)
                .returning(jobs.c.cancel_requested)
            ).first()
        if row is None:
            raise LeaseLost(job.id)
        return bool(row.cancel_requested)

    def _register(self, connection: Connection, moment: float, draining: bool) -> None:
        insert = _insert(connection)
        row = {
            "id": self.worker,
            "host": socket.gethostname()[:255],
            "pid": os.getpid(),
            "started_at": moment,
            "heartbeat_at": moment,
            "draining": draining,
        }
        connection.execute(
            insert(workers)
            .values(row)
            .on_conflict_do_update(
                index_elements=["id"], set_={"heartbeat_at": moment, "draining": draining}
            )
        )

    def leave(self) -> None:
        """Take the worker off the list."""
        with self._database.writing() as connection:
            connection.execute(delete(workers).where(workers.c.id == self.worker))

    def claim(self) -> Claimed | None:
        """Take the job that has waited longest, None if none waits."""
        with self._database.writing() as connection:
            while True:
                row = connection.execute(
                    select(jobs)
                    .where(jobs.c.status == JobStatus.QUEUED)
                    .order_by(jobs.c.number)
                    .limit(1)
                ).first()
                if row is None:
                    return None
                claimed = Claimed(
                    row.id, row.kind, row.key, row.request, uuid.uuid4().hex, row.attempt + 1
                )
                if self._take(connection, claimed):
                    return claimed

    def _take(self, connection: Connection, job: Claimed) -> bool:
        moment = now(connection)
        return move(
            connection,
            job.id,
            Move.CLAIM,
            told={"attempt": job.attempt, "worker": self.worker},
            claim=job.claim,
            attempt=job.attempt,
            started_at=moment,
            heartbeat_at=moment,
        )

    def report(
        self,
        job: Claimed,
        stage: str,
        progress: float,
        timings: Mapping[str, float],
        data: Mapping[str, object],
    ) -> None:
        """Record progress, 0..1, with an event.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            self._set(
                connection, job, stage=stage, progress=progress, timings=json.dumps(dict(timings))
            )
            record(connection, job.id, "progress", {**data, "progress": progress})

    def log(self, job: Claimed, message: str) -> None:
        """Append a line to the job's log; raises LeaseLost if the job is no longer ours."""
        with self._database.writing() as connection:
            self._set(connection, job, heartbeat_at=now(connection))
            record(connection, job.id, "log", {"message": message})

    def _set(self, connection: Connection, job: Claimed, **values: object) -> None:
        if connection.execute(update(jobs).where(*_ours(job)).values(**values)).rowcount == 0:
            raise LeaseLost(job.id)

    def finish(self, job: Claimed, outcome: Outcome) -> Ended:
        """Publish the result and end the job, both or neither.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        timings = outcome.timings or {}
        with self._database.writing() as connection:
            moved = move(
                connection,
                job.id,
                Move.FINISH,
                *_ours(job),
                progress=1.0,
                stage=None,
                timings=json.dumps(timings),
            )
            if not moved:
                raise LeaseLost(job.id)
            publish(connection, job.kind, job.key, job.request, outcome)
            for stage, seconds in timings.items():
                _count(connection, "stage_seconds", f"{job.kind}/{stage}", seconds)
                _count(connection, "stages", f"{job.kind}/{stage}", 1)
            for name, amount in (outcome.work or {}).items():
                _count(connection, "work", name, amount)
            return _ended(connection, job.id)

    def fail(self, job: Claimed, failure: Failure) -> Ended | None:
        """End the job, or queue it again if trying once more may help; None if it is queued.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            again = failure.may_pass and job.attempt < MAX_ATTEMPTS
            kind = Move.RETRY if again else (Move.GIVE_UP if failure.may_pass else Move.FAIL)
            error = None if again else failure.json()
            if not move(connection, job.id, kind, *_ours(job), error=error):
                raise LeaseLost(job.id)
            note = f"attempt {job.attempt} of {MAX_ATTEMPTS} failed: {failure.detail}"
            record(connection, job.id, "log", {"message": note})
            return None if again else _ended(connection, job.id)

    def stop(self, job: Claimed) -> Ended:
        """End a job that was to be cancelled; raises LeaseLost if it is no longer ours."""
        with self._database.writing() as connection:
            if not move(connection, job.id, Move.STOP, *_ours(job)):
                raise LeaseLost(job.id)
            return _ended(connection, job.id)

    def hand_back(self, job: Claimed) -> None:
        """Queue a job again because its worker ends; this attempt does not count.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            if not move(connection, job.id, Move.HAND_BACK, *_ours(job), attempt=job.attempt - 1):
                raise LeaseLost(job.id)
            record(connection, job.id, "log", {"message": "the worker was shut down"})

    def rescue(self) -> list[Ended]:
        """Take jobs from workers that have been silent for longer than the lease.

        Returns
        -------
        The jobs that ended by it; the others are queued again.

        Notes
        -----
        One transaction per job, which any number of processes may try and one carries out; if that
        one dies, the next finds the job as it was.
        """
        with self._database.reading() as connection:
            lost = connection.execute(select(jobs.c.id).where(*_silent(connection))).scalars().all()
        ended: list[Ended] = []
        for job_id in lost:
            with self._database.writing() as connection:
                ended += _rescue(connection, job_id)
        if lost:
            self._forget_workers()
        return ended

    def _forget_workers(self) -> None:
        with self._database.writing() as connection:
            old = now(connection) - _FORGOTTEN_SECONDS
            connection.execute(delete(workers).where(workers.c.heartbeat_at < old))


def _ours(job: Claimed) -> tuple[Any, ...]:
    return jobs.c.id == job.id, jobs.c.status == JobStatus.RUNNING, jobs.c.claim == job.claim


def _silent(connection: Connection) -> tuple[Any, ...]:
    limit = now(connection) - LEASE_SECONDS
    return (
        jobs.c.status == JobStatus.RUNNING,
        or_(jobs.c.heartbeat_at.is_(None), jobs.c.heartbeat_at < limit),
    )


def _rescue(connection: Connection, job_id: str) -> list[Ended]:
    row = connection.execute(
        select(jobs).where(jobs.c.id == job_id, *_silent(connection)).with_for_update()
    ).first()
    if row is None:
        return []
    failure = lost_worker(row.attempt)
    record(connection, job_id, "log", {"message": failure.detail})
    if row.cancel_requested:
        moved = move(connection, job_id, Move.STOP)
    elif row.attempt < MAX_ATTEMPTS:
        move(connection, job_id, Move.RETRY)
        return []
    else:
        moved = move(connection, job_id, Move.GIVE_UP, error=failure.json())
    return [_ended(connection, job_id)] if moved else []


def _ended(connection: Connection, job_id: str) -> Ended:
    row = connection.execute(select(jobs).where(jobs.c.id == job_id)).one()
    _count(connection, "jobs", f"{row.kind}/{row.status}", 1)
    return Ended(
        id=row.id,
        kind=row.kind,
        key=row.key,
        owner=row.owner,
        status=row.status,
        attempts=row.attempt,
        seconds=None if row.started_at is None else row.ended_at - row.started_at,
    )


def _count(connection: Connection, name: str, label: str, amount: float) -> None:
    insert = _insert(connection)
    statement = insert(counters).values(name=name, label=label, value=amount)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name", "label"], set_={"value": counters.c.value + amount}
        )
    )


def _insert(connection: Connection) -> Any:
    return postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
