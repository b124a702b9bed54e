"""Workers that died, and what others do about their jobs, on every database."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import delete, event, select, update

from tests.jobs.queue_helpers import (
    ELSEWHERE,
    OUTPUT,
    PASSING,
    Clock,
    age_heartbeats,
    claim,
    find_lost,
    let_retry,
    look_on,
    read,
    reap,
    submit,
    together,
)
from tvlb.jobs.database import Database
from tvlb.jobs.lease import LeaseLost, Leases
from tvlb.jobs.queue import JobQueue
from tvlb.jobs.reaper import Reaper
from tvlb.jobs.schema import jobs, workers
from tvlb.jobs.status import JobStatus
from tvlb.jobs.worker_locks import WorkerLocks
from tvlb.processes import MAX_ATTEMPTS, Progress


def test_a_silent_worker_loses_its_job(queue: JobQueue, leases: Leases, database: Database) -> None:
    submit(queue)
    lost = claim(leases)
    age_heartbeats(database)
    assert read(queue, lost).stalled
    other = Leases(database)
    assert reap(database) == []
    taken = claim(other)
    assert (taken.id, taken.attempt) == (lost.id, 2)
    for touch in (
        lambda: leases.register(job=lost),
        lambda: leases.report(lost, Progress("probe", 1, 2), 0.5, {}),
        lambda: leases.finish(lost, OUTPUT),
        lambda: leases.fail(lost, PASSING),
        lambda: leases.stop(lost),
        lambda: leases.hand_back(lost),
    ):
        with pytest.raises(LeaseLost):
            touch()
    assert read(queue, taken).status is JobStatus.RUNNING
    assert other.finish(taken, OUTPUT).status == "succeeded"


def test_a_worker_of_a_deleted_job_learns_so(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    submit(queue)
    lost = claim(leases)
    for _ in range(MAX_ATTEMPTS):
        reap(database)
        leases.claim()
    queue.delete(lost.id)
    assert queue.get(lost.id) is None
    for touch in (
        lambda: leases.register(job=lost),
        lambda: leases.fail(lost, PASSING),
        lambda: leases.hand_back(lost),
    ):
        with pytest.raises(LeaseLost):
            touch()


def test_three_lost_workers_end_the_job_with_its_log(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    job = submit(queue)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claim(leases)
        ended = reap(database)
        assert [one.status for one in ended] == (["failed"] if attempt == MAX_ATTEMPTS else [])
    failed = read(queue, job)
    assert failed.error is not None
    assert failed.error["type"] == "worker-lost"
    assert len(failed.error["log"]) == 3
    assert sum("no sign of life" in event.data for event in queue.events(job.id)) == 3


def test_worker_dies_while_cancelling(queue: JobQueue, leases: Leases, database: Database) -> None:
    """The reaper carries the cancellation out, and does not queue the job again."""
    submit(queue)
    lost = claim(leases)
    queue.cancel(lost.id)
    assert [one.status for one in reap(database)] == ["cancelled"]
    assert read(queue, lost).status is JobStatus.CANCELLED
    assert leases.claim() is None
    with pytest.raises(LeaseLost):
        leases.finish(lost, OUTPUT)


def test_heartbeat_row_gone(queue: JobQueue, leases: Leases, database: Database) -> None:
    """A living worker lists itself again; a job without any heartbeat is queued again."""
    submit(queue)
    leases.register()
    claimed = claim(leases)
    with database.writing() as connection:
        connection.execute(delete(workers))
    assert leases.register(job=claimed) is False
    with database.writing() as connection:
        assert len(connection.execute(workers.select()).all()) == 1
        connection.execute(delete(workers))
        connection.execute(update(jobs).values(heartbeat_at=None))
    assert read(queue, claimed).stalled
    assert reap(database) == []
    assert read(queue, claimed).status is JobStatus.QUEUED


def test_many_reapers_requeue_once(queue: JobQueue, leases: Leases, database: Database) -> None:
    submitted = [submit(queue, f"k{number}") for number in range(5)]
    for _ in submitted:
        claim(leases)
    # Once: who ages the heartbeats of all jobs locks them in any order.
    age_heartbeats(database)
    together(lambda: _nothing(find_lost(database)), 6)
    let_retry(database)
    for job in submitted:
        moves = [event.data for event in queue.events(job.id) if '"retry"' in event.data]
        assert len(moves) == 1
        assert read(queue, job).status is JobStatus.QUEUED


def _nothing(_: object) -> None:
    pass


class _Crash(Exception):
    pass


@pytest.mark.parametrize("writes", [1, 2, 3, 4])
def test_the_reaping_process_dies(
    queue: JobQueue,
    leases: Leases,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
    writes: int,
) -> None:
    """After any of its writes: nothing has happened, and the next one succeeds."""
    submit(queue)
    lost = claim(leases)
    age_heartbeats(database)
    before = read(queue, lost)
    left = writes

    def crash(connection: object, cursor: object, statement: str, *rest: object) -> None:
        nonlocal left
        if statement.startswith(("UPDATE", "INSERT", "DELETE")):
            left -= 1
            if left == 0:
                raise _Crash

    event.listen(database.engine, "after_cursor_execute", crash)
    reaper = Reaper(database, ELSEWHERE, clock := Clock())
    with pytest.raises(_Crash):
        look_on(reaper, clock)
    event.remove(database.engine, "after_cursor_execute", crash)
    assert read(queue, lost) == before
    assert reap(database) == []
    assert read(queue, lost).status is JobStatus.QUEUED
    assert [e.number for e in queue.events(lost.id)] == [1, 2, 3, 4]


def test_who_was_stopped_with_everybody_else_is_given_time_to_go_on(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    """Old heartbeats alone say nothing: the machine may have slept, or the database."""
    submit(queue)
    claimed = claim(leases)
    reaper = Reaper(database, ELSEWHERE, clock := Clock())
    look_on(reaper, clock)
    age_heartbeats(database)
    clock.now += 100.0
    reaper.run()
    clock.now += 1.0
    reaper.run()
    reaper.reset()
    clock.now += 1.0
    reaper.run()
    assert read(queue, claimed).status is JobStatus.RUNNING
    look_on(reaper, clock)
    assert read(queue, claimed).status is JobStatus.QUEUED


def test_who_had_to_wait_for_the_lock_requeues_nobody(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    """What kept the reaper from writing kept the worker from giving a sign."""
    submit(queue)
    claimed = claim(leases)
    age_heartbeats(database)
    reaper = Reaper(database, ELSEWHERE, clock := Clock())
    reaper.run()
    clock.now += 1.5

    def slow(connection: object) -> None:
        clock.now += 0.4

    event.listen(database.engine, "begin", slow)
    assert reaper.run() == []
    event.remove(database.engine, "begin", slow)
    assert read(queue, claimed).status is JobStatus.RUNNING


def test_a_reaper_that_comes_too_late_does_nothing(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    """The worker gives a sign between look and write."""
    submit(queue)
    claimed = claim(leases)
    age_heartbeats(database)
    reaper = Reaper(database, ELSEWHERE, clock := Clock())
    reaper.run()
    clock.now += 1.5
    beats = [threading.Thread(target=lambda: leases.register(job=claimed))]

    def beat(connection: object, cursor: object, statement: str, *rest: object) -> None:
        if beats and statement.startswith("SELECT jobs.id, jobs.claim"):
            thread = beats.pop()
            thread.start()
            thread.join()

    event.listen(database.engine, "after_cursor_execute", beat)
    reaper.run()
    event.remove(database.engine, "after_cursor_execute", beat)
    assert beats == []
    assert read(queue, claimed).status is JobStatus.RUNNING


class _Gone(WorkerLocks):
    """Tells that every worker has ended."""

    def has_died(self, worker: str) -> bool:
        return True


def test_the_job_of_a_worker_that_is_gone_is_requeued_at_the_first_look(
    queue: JobQueue, leases: Leases, database: Database, tmp_path: Path
) -> None:
    submit(queue)
    lost = claim(leases)
    age_heartbeats(database, 1.5)
    Reaper(database, _Gone(tmp_path)).run()
    assert read(queue, lost).status is JobStatus.QUEUED


def test_a_heartbeat_of_a_clock_that_is_ahead_keeps_no_job_from_being_requeued(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    submit(queue)
    lost = claim(leases)
    age_heartbeats(database, -3600.0)
    reaper = Reaper(database, ELSEWHERE, clock := Clock())
    look_on(reaper, clock)
    assert read(queue, lost).status is JobStatus.RUNNING
    look_on(reaper, clock)
    assert read(queue, lost).status is JobStatus.QUEUED


@pytest.mark.parametrize("locks", [ELSEWHERE, _Gone(Path("nowhere"))])
def test_a_worker_that_gives_signs_keeps_its_job(
    queue: JobQueue, leases: Leases, database: Database, locks: WorkerLocks
) -> None:
    """Whatever locks say: a file system may grant every one of them."""
    submit(queue)
    claimed = claim(leases)
    reaper = Reaper(database, locks, clock := Clock())
    assert look_on(reaper, clock) == []
    assert read(queue, claimed).status is JobStatus.RUNNING


def test_a_job_names_its_worker_while_it_runs(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    def worker() -> str | None:
        with database.reading() as connection:
            return connection.execute(select(jobs.c.worker)).scalar_one()

    submit(queue)
    claim(leases)
    assert worker() == leases.worker
    reap(database)
    assert worker() is None
    leases.finish(claim(leases), OUTPUT)
    assert worker() is None
