"""The queue as workers see it: claims that end when their heartbeat does."""

import json
import os
import socket
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, delete, select, update

from tvlb.jobs.accounting import EndedJob, count_ended, count_work
from tvlb.jobs.database import Database, insert, now
from tvlb.jobs.failure import Failure
from tvlb.jobs.job import is_alive
from tvlb.jobs.moves import log_of, may_be_claimed, move, record
from tvlb.jobs.results import publish
from tvlb.jobs.schema import jobs, workers
from tvlb.jobs.status import JobStatus, Move
from tvlb.jobs.workspace import TaskOutput
from tvlb.processes import MAX_ATTEMPTS, Progress, pause_seconds


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
        row = {
            "id": self.worker,
            "host": socket.gethostname()[:255],
            "pid": os.getpid(),
            "started_at": moment,
            "heartbeat_at": moment,
            "draining": draining,
        }
        connection.execute(
            insert(connection, workers)
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
        """Take the job that has waited longest; None if none waits but for its next attempt."""
        with self._database.writing() as connection:
            while True:
                row = connection.execute(
                    select(jobs)
                    .where(jobs.c.status == JobStatus.QUEUED, may_be_claimed(connection))
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
            worker=self.worker,
            attempt=job.attempt,
            started_at=moment,
            heartbeat_at=moment,
            stage=None,
            progress=0.0,
            timings="{}",
        )

    def report(
        self, job: Claimed, event: Progress, progress: float, timings: Mapping[str, float]
    ) -> None:
        """Record progress, 0..1 of the whole, with an event.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            spent = json.dumps(dict(timings))
            self._set(connection, job, stage=event.stage, progress=progress, timings=spent)
            record(connection, job.id, "progress", {**asdict(event), "progress": progress})

    def _set(self, connection: Connection, job: Claimed, **values: object) -> None:
        # A sign of life at any rate, and the row is locked by it.
        values["heartbeat_at"] = now(connection)
        if connection.execute(update(jobs).where(*_ours(job)).values(**values)).rowcount == 0:
            raise LeaseLost(job.id)

    def finish(self, job: Claimed, output: TaskOutput) -> EndedJob:
        """Publish the result and end the job, both or neither.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        timings = output.timings or {}
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
            publish(connection, job.kind, job.key, job.request, output)
            count_work(connection, job.kind, timings, output.work or {})
            return count_ended(connection, job.id)

    def fail(self, job: Claimed, failure: Failure) -> EndedJob | None:
        """End the job, or queue it again if trying once more may help; None if it is queued.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            if _stopped(connection, job):
                return count_ended(connection, job.id)
            again = failure.may_pass and job.attempt < MAX_ATTEMPTS
            kind = Move.RETRY if again else (Move.GIVE_UP if failure.may_pass else Move.FAIL)
            note = f"attempt {job.attempt} of {MAX_ATTEMPTS} failed: {failure.detail}"
            self._set(connection, job)
            record(connection, job.id, "log", {"message": "\n".join([*failure.log, note])})
            told = failure.with_log(log_of(connection, job.id))
            values: dict[str, Any] = {"error": told.json()}
            if again:
                values = {"retry_at": now(connection) + pause_seconds(job.attempt)}
            if not move(connection, job.id, kind, *_ours(job), **values):
                raise LeaseLost(job.id)
            return None if again else count_ended(connection, job.id)

    def stop(self, job: Claimed) -> EndedJob:
        """End a job that was to be cancelled; raises LeaseLost if it is no longer ours."""
        with self._database.writing() as connection:
            if not _stopped(connection, job):
                raise LeaseLost(job.id)
            return count_ended(connection, job.id)

    def hand_back(self, job: Claimed) -> EndedJob | None:
        """Queue a job again because its worker ends; this attempt does not count.

        Returns
        -------
        None, or the job if it was to be cancelled, which it is now.

        Raises
        ------
        LeaseLost : the job is no longer ours.
        """
        with self._database.writing() as connection:
            if _stopped(connection, job):
                return count_ended(connection, job.id)
            if not move(connection, job.id, Move.HAND_BACK, *_ours(job), attempt=job.attempt - 1):
                raise LeaseLost(job.id)
            record(connection, job.id, "log", {"message": "the worker was shut down"})
            return None


def is_working(database: Database, host: str) -> bool:
    """Whether a worker of a host has given a sign of life within a lease."""
    with database.reading() as connection:
        beats = connection.execute(select(workers.c.heartbeat_at).where(workers.c.host == host))
        moment = now(connection)
        return any(is_alive(beat, moment) for beat in beats.scalars())


def _stopped(connection: Connection, job: Claimed) -> bool:
    """Cancel a job that is to be cancelled; return whether it was."""
    return move(connection, job.id, Move.STOP, *_ours(job), jobs.c.cancel_requested.is_(True))


def _ours(job: Claimed) -> tuple[Any, ...]:
    return jobs.c.id == job.id, jobs.c.status == JobStatus.RUNNING, jobs.c.claim == job.claim
