"""Taking jobs from workers that have died."""

import math
import time
from collections.abc import Callable

from sqlalchemy import Connection, delete, select

from tvlb.jobs.accounting import EndedJob, count_ended
from tvlb.jobs.database import Database, now
from tvlb.jobs.failure import lost_worker
from tvlb.jobs.job import LEASE_SECONDS, is_alive
from tvlb.jobs.moves import log_of, move, record
from tvlb.jobs.schema import jobs, workers
from tvlb.jobs.status import JobStatus, Move
from tvlb.jobs.worker_locks import WorkerLocks
from tvlb.processes import MAX_ATTEMPTS, pause_seconds

# Workers that have been silent for so long are no longer listed.
_FORGOTTEN_SECONDS = 600.0

# Three heartbeats.
_WATCHED_SECONDS = 1.2
# After a pause of this length what was seen before it says nothing.
_LONG_SECONDS = 2.5
_LOCKED_SECONDS = 0.3
# Where a file system grants every lock, a heartbeat still shows that a worker lives.
_FRESH_SECONDS = 1.0

# What a worker shows of itself: its claim and its last heartbeat.
_Sign = tuple[str | None, float | None]


class Reaper:
    """Watches the heartbeats of running jobs, and queues a job again when they end.

    Parameters
    ----------
    database : the queue.
    worker_locks : tells of workers of this machine.
    clock : seconds, never set back.

    Notes
    -----
    A worker of another machine is believed dead when its last heartbeat is older than a lease, and
    this reaper has looked on for long enough to see one if there were any, or for a whole lease,
    whatever the time of the last one: a clock may be wrong. Neither a machine that was suspended,
    nor a database that did not answer takes a job from a worker that lives. Of a worker of the same
    machine the kernel tells. Any number of reapers may look on: one of them queues the job again,
    in one transaction, and if that one dies, another does.
    """

    def __init__(
        self,
        database: Database,
        worker_locks: WorkerLocks,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._worker_locks = worker_locks
        self._clock = clock
        self._looked = -math.inf
        self._seen: dict[str, tuple[_Sign, float]] = {}

    def reset(self) -> None:
        """Forget what was seen; to be called when nobody could give a sign of life for a time."""
        self._seen.clear()

    def run(self) -> list[EndedJob]:
        """Look at the running jobs, queue the lost ones again, and return those that ended."""
        with self._database.reading() as connection:
            running = connection.execute(
                select(jobs.c.id, jobs.c.claim, jobs.c.heartbeat_at, jobs.c.worker).where(
                    jobs.c.status == JobStatus.RUNNING
                )
            ).all()
            stored = now(connection)
        moment = self._clock()
        if moment - self._looked > _LONG_SECONDS:
            # We were stopped ourselves, and so may have been the workers.
            self._seen.clear()
        self._looked = moment
        before, self._seen = self._seen, {}
        ended: list[EndedJob] = []
        for row in running:
            sign: _Sign = (row.claim, row.heartbeat_at)
            known = before.get(row.id)
            since = known[1] if known is not None and known[0] == sign else moment
            self._seen[row.id] = (sign, since)
            # By our own clock too: a heartbeat may have been written by one that is ahead.
            silent = not is_alive(row.heartbeat_at, stored) or moment - since > LEASE_SECONDS
            if self._has_died(row.worker, row.heartbeat_at, stored):
                ended += self._requeue(row.id, sign, math.inf)
            elif silent and moment - since >= _WATCHED_SECONDS:
                ended += self._requeue(row.id, sign, _LOCKED_SECONDS)
        return ended

    def _has_died(self, worker: str | None, heartbeat: float | None, moment: float) -> bool:
        fresh = heartbeat is not None and heartbeat > moment - _FRESH_SECONDS
        return not fresh and worker is not None and self._worker_locks.has_died(worker)

    def _requeue(self, job_id: str, sign: _Sign, longest_wait: float) -> list[EndedJob]:
        asked = self._clock()
        with self._database.writing() as connection:
            if self._clock() - asked > longest_wait:
                # Who kept us from writing kept the worker from it too.
                self._seen.clear()
                return []
            old = now(connection) - _FORGOTTEN_SECONDS
            connection.execute(delete(workers).where(workers.c.heartbeat_at < old))
            return _requeue(connection, job_id, sign)


def _requeue(connection: Connection, job_id: str, sign: _Sign) -> list[EndedJob]:
    """Queue a job again, or end it, unless the job has shown another sign meanwhile."""
    row = connection.execute(
        select(jobs)
        .where(
            jobs.c.id == job_id,
            jobs.c.status == JobStatus.RUNNING,
            jobs.c.claim.is_not_distinct_from(sign[0]),
            jobs.c.heartbeat_at.is_not_distinct_from(sign[1]),
        )
        .with_for_update()
    ).first()
    if row is None:
        return []
    failure = lost_worker(row.attempt)
    record(connection, job_id, "log", {"message": failure.detail})
    if row.cancel_requested:
        moved = move(connection, job_id, Move.STOP)
    elif row.attempt < MAX_ATTEMPTS:
        retry_at = now(connection) + pause_seconds(row.attempt)
        move(connection, job_id, Move.RETRY, retry_at=retry_at)
        return []
    else:
        error = failure.with_log(log_of(connection, job_id)).json()
        moved = move(connection, job_id, Move.GIVE_UP, error=error)
    return [count_ended(connection, job_id)] if moved else []
