"""What tests of the queue have in common: jobs without work, and time that passes when told to."""

import threading
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import update

from tvlb.jobs.accounting import EndedJob
from tvlb.jobs.database import Database
from tvlb.jobs.failure import Failure
from tvlb.jobs.job import LEASE_SECONDS, Job
from tvlb.jobs.lease import Claimed, Leases
from tvlb.jobs.queue import JobQueue, Submission
from tvlb.jobs.reaper import Reaper
from tvlb.jobs.schema import jobs
from tvlb.jobs.worker_locks import WorkerLocks
from tvlb.jobs.workspace import TaskOutput

OUTPUT = TaskOutput("d" * 64, "f" * 64, "c" * 64, {"probe": 1.5}, {"programs": 7})
PASSING = Failure("storage", "Writing failed", "no space left", may_pass=True)
# Tells nothing, as of workers of other machines.
ELSEWHERE = WorkerLocks(Path("/nonexistent"))
LASTING = Failure("solver-failed", "Not solved", "no proof", may_pass=False)


def ask(key: str, owner: str | None = None) -> Submission:
    return Submission("table", key, {"topology": key}, owner)


def submit(queue: JobQueue, key: str = "k") -> Job:
    job = queue.submit(ask(key))
    assert isinstance(job, Job)
    return job


def claim(leases: Leases) -> Claimed:
    claimed = leases.claim()
    assert claimed is not None
    return claimed


def let_retry(database: Database) -> None:
    """Let all jobs have waited long enough for their next attempt."""
    with database.writing() as connection:
        connection.execute(update(jobs).values(retry_at=0.0))


def read(queue: JobQueue, job: Job | Claimed) -> Job:
    found = queue.get(job.id)
    assert found is not None
    return found


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def reap(database: Database) -> list[EndedJob]:
    """Let a reaper find all running jobs lost: it sees no heartbeat, and the last are long ago."""
    age_heartbeats(database)
    ended = find_lost(database)
    let_retry(database)
    return ended


def find_lost(database: Database) -> list[EndedJob]:
    """Let a reaper look that knows nothing yet."""
    return look_on(Reaper(database, ELSEWHERE, clock := Clock()), clock)


def look_on(reaper: Reaper, clock: Clock) -> list[EndedJob]:
    """Look three times, a second apart."""
    ended = reaper.run()
    for _ in range(2):
        clock.now += 1.0
        ended += reaper.run()
    return ended


def age_heartbeats(database: Database, seconds: float = LEASE_SECONDS + 1.0) -> None:
    """Let all heartbeats have been long ago."""
    with database.writing() as connection:
        connection.execute(update(jobs).values(heartbeat_at=jobs.c.heartbeat_at - seconds))


def together(work: Callable[[], None], count: int) -> None:
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
