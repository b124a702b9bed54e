"""The conformance suite of the queue: what every database must hold."""

import threading
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from tests.jobs.queue_helpers import (
    LASTING,
    OUTPUT,
    PASSING,
    ask,
    claim,
    let_retry,
    read,
    reap,
    submit,
    together,
)
from tvlb.jobs.accounting import count_work, measured_speed
from tvlb.jobs.database import Database, now
from tvlb.jobs.job import Job
from tvlb.jobs.lease import Claimed, LeaseLost, Leases
from tvlb.jobs.queue import JobCancelling, JobQueue, QueueFull, QueueLimits
from tvlb.jobs.results import Result, Results
from tvlb.jobs.schema import jobs
from tvlb.jobs.status import ENDED, JobStatus, Move
from tvlb.jobs.workspace import TaskOutput
from tvlb.processes import MAX_ATTEMPTS, Progress


def test_a_job_runs_and_its_result_answers_the_next_request(
    queue: JobQueue, leases: Leases
) -> None:
    job = submit(queue)
    assert (job.status, job.queue_position, job.progress) == (JobStatus.QUEUED, 1, 0.0)
    claimed = claim(leases)
    assert (claimed.id, claimed.attempt) == (job.id, 1)
    leases.report(claimed, Progress("probe", 1, 4), 0.25, {})
    running = read(queue, job)
    assert (running.status, running.stage, running.progress) == (JobStatus.RUNNING, "probe", 0.25)
    assert running.eta_seconds is not None
    assert not running.stalled
    ended = leases.finish(claimed, OUTPUT)
    assert (ended.status, ended.attempts) == ("succeeded", 1)
    done = read(queue, job)
    assert (done.status, done.progress, done.timings) == (JobStatus.SUCCEEDED, 1.0, {"probe": 1.5})
    result = queue.submit(ask("k"))
    assert isinstance(result, Result)
    assert (result.document, result.table_id, result.request) == (
        OUTPUT.document,
        OUTPUT.table_id,
        {"topology": "k"},
    )
    assert [one.type for one in queue.events(job.id)] == ["state", "state", "progress", "state"]


def test_events_are_numbered_without_gaps_and_read_from_anywhere(
    queue: JobQueue, leases: Leases
) -> None:
    submit(queue)
    claimed = claim(leases)
    for step in range(5):
        leases.report(claimed, Progress("probe", step, 5), step / 5, {})
    assert [event.number for event in queue.events(claimed.id)] == list(range(1, 8))
    assert [event.number for event in queue.events(claimed.id, after=5)] == [6, 7]
    assert read(queue, claimed).last_event == 7


def test_jobs_are_taken_in_the_order_of_submission(queue: JobQueue, leases: Leases) -> None:
    submitted = [submit(queue, f"k{number}") for number in range(4)]
    assert [job.queue_position for job in reversed(queue.newest())] == [1, 2, 3, 4]
    assert [claim(leases).id for _ in submitted] == [job.id for job in submitted]
    assert leases.claim() is None


def test_equal_requests_share_one_job(queue: JobQueue, leases: Leases) -> None:
    first = submit(queue)
    assert submit(queue).id == first.id
    claimed = claim(leases)
    assert submit(queue).id == first.id
    assert leases.claim() is None
    leases.fail(claimed, LASTING)
    assert submit(queue).id != first.id


def test_many_submitters_at_once_make_one_job(database: Database) -> None:
    found: list[str] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        queue = JobQueue(database)
        barrier.wait()
        found.append(submit(queue).id)

    together(work, 8)
    assert len(found) == 8
    assert len(set(found)) == 1


def test_many_workers_at_once_take_every_job_once(queue: JobQueue, database: Database) -> None:
    submitted = {submit(queue, f"k{number}").id for number in range(20)}
    found: list[str] = []

    def work() -> None:
        leases = Leases(database)
        while (claimed := leases.claim()) is not None:
            found.append(claimed.id)
            leases.finish(claimed, OUTPUT)

    together(work, 6)
    assert sorted(found) == sorted(submitted)
    assert len(Results(database).newest("table", limit=50)) == 20


def test_limits_on_waiting_jobs(database: Database) -> None:
    queue = JobQueue(database, QueueLimits(per_owner=2, total=3))
    for key in ("a", "b"):
        queue.submit(ask(key, "alice"))
    with pytest.raises(QueueFull, match="2 jobs are waiting, the most for one token"):
        queue.submit(ask("c", "alice"))
    assert isinstance(queue.submit(ask("b", "alice")), Job)
    queue.submit(ask("c", "bob"))
    with pytest.raises(QueueFull, match="3 jobs are waiting, the most for this server"):
        queue.submit(ask("d", "carol"))


def test_cancelling_a_queued_job_is_immediate(queue: JobQueue, leases: Leases) -> None:
    job = submit(queue)
    cancelled, ended = queue.cancel(job.id)
    assert cancelled is not None
    assert ended is not None
    assert (cancelled.status, ended.status) == (JobStatus.CANCELLED, "cancelled")
    assert leases.claim() is None
    assert queue.cancel(job.id) == (read(queue, job), None)
    assert queue.cancel("0" * 32) == (None, None)


def test_cancelling_a_running_job_reaches_its_worker(queue: JobQueue, leases: Leases) -> None:
    submit(queue)
    claimed = claim(leases)
    assert leases.register(job=claimed) is False
    asked, ended = queue.cancel(claimed.id)
    assert asked is not None
    assert ended is None
    assert (asked.status, asked.cancel_requested) == (JobStatus.RUNNING, True)
    assert leases.register(job=claimed) is True
    assert leases.stop(claimed).status == "cancelled"
    assert read(queue, claimed).status is JobStatus.CANCELLED


def test_only_ended_jobs_are_deleted_and_results_stay(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    job = submit(queue)
    assert queue.delete(job.id) == (job, False)
    claimed = claim(leases)
    assert queue.delete(job.id)[1] is False
    leases.finish(claimed, OUTPUT)
    assert queue.delete(job.id)[1] is True
    assert queue.get(job.id) is None
    assert queue.events(job.id) == []
    assert queue.delete(job.id) == (None, False)
    assert Results(database).get("k") is not None


def test_lasting_failures_end_the_job_at_once(queue: JobQueue, leases: Leases) -> None:
    submit(queue)
    ended = leases.fail(claim(leases), LASTING)
    assert ended is not None
    failed = queue.newest()[0]
    assert failed.status is JobStatus.FAILED
    assert failed.error is not None
    assert failed.error["type"] == "solver-failed"


def test_attempts_of_another_process_count(queue: JobQueue, leases: Leases) -> None:
    """What killed the process beside the server twice has one attempt left."""
    job = queue.submit(replace(ask("k"), attempts=2))
    assert isinstance(job, Job)
    claimed = claim(leases)
    assert claimed.attempt == MAX_ATTEMPTS
    assert leases.fail(claimed, PASSING) is not None
    assert read(queue, job).status is JobStatus.FAILED


def test_passing_failures_are_tried_three_times(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    job = submit(queue)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        claimed = claim(leases)
        assert claimed.attempt == attempt
        ended = leases.fail(claimed, PASSING)
        assert (ended is None) == (attempt < MAX_ATTEMPTS)
        let_retry(database)
    failed = read(queue, job)
    assert (failed.status, failed.attempt) == (JobStatus.FAILED, 3)
    notes = [event.data for event in queue.events(job.id) if event.type == "log"]
    assert [f"attempt {number} of 3 failed" in note for number, note in enumerate(notes, 1)] == [
        True,
        True,
        True,
    ]


def test_handing_back_costs_no_attempt(queue: JobQueue, leases: Leases) -> None:
    submit(queue)
    for _ in range(5):
        claimed = claim(leases)
        assert claimed.attempt == 1
        leases.hand_back(claimed)
    assert queue.newest()[0].status is JobStatus.QUEUED


@pytest.mark.parametrize("how", ["fail", "hand back"])
def test_a_job_that_is_to_be_cancelled_is_not_queued_again(
    queue: JobQueue, leases: Leases, how: str
) -> None:
    submit(queue)
    claimed = claim(leases)
    queue.cancel(claimed.id)
    with pytest.raises(JobCancelling, match=claimed.id):
        queue.submit(ask("k"))
    ended = leases.fail(claimed, PASSING) if how == "fail" else leases.hand_back(claimed)
    assert ended is not None
    assert ended.status == "cancelled"
    assert isinstance(queue.submit(ask("k")), Job)


def test_only_who_was_asked_to_stops_a_job(queue: JobQueue, leases: Leases) -> None:
    submit(queue)
    claimed = claim(leases)
    with pytest.raises(LeaseLost):
        leases.stop(claimed)
    assert read(queue, claimed).status is JobStatus.RUNNING


def test_a_job_that_failed_lets_others_go_first_for_a_time(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    """For 1 second after the first attempt, for 4 after the second."""
    submit(queue)
    for attempt in (1, 2):
        failed = claim(leases)
        leases.fail(failed, PASSING)
        moved = queue.events(failed.id)[-1].at
        with database.writing() as connection:
            retry_at = connection.execute(
                select(jobs.c.retry_at).where(jobs.c.id == failed.id)
            ).scalar_one()
            connection.execute(update(jobs).values(retry_at=retry_at + 30.0))
        assert attempt**2 - 1 < retry_at - moved <= attempt**2
        other = submit(queue, f"other {attempt}")
        assert claim(leases).id == other.id
        assert leases.claim() is None
        let_retry(database)


def test_a_job_that_was_put_off_by_a_clock_that_is_ahead_does_not_wait(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    job = submit(queue)
    leases.fail(claim(leases), PASSING)
    with database.writing() as connection:
        connection.execute(update(jobs).values(retry_at=now(connection) + 3600.0))
    assert claim(leases).id == job.id


def test_a_new_attempt_begins_at_nothing(
    queue: JobQueue, leases: Leases, database: Database
) -> None:
    submit(queue)
    claimed = claim(leases)
    leases.report(claimed, Progress("confirm", 7, 10), 0.7, {"probe": 1.0})
    leases.fail(claimed, PASSING)
    let_retry(database)
    again = read(queue, claim(leases))
    assert (again.stage, again.progress, again.timings) == (None, 0.0, {})


def test_a_result_keeps_its_first_files(database: Database) -> None:
    results = Results(database)
    first = results.publish("model", "k", "{}", TaskOutput("a" * 64))
    assert results.publish("model", "k", "{}", TaskOutput("b" * 64)) == first
    results.forget(first)
    assert results.get("k") is None


def test_listing_pages_and_filters(queue: JobQueue, leases: Leases) -> None:
    submitted = [submit(queue, f"k{number}") for number in range(5)]
    claim(leases)
    page = queue.newest(limit=2)
    assert [job.id for job in page] == [submitted[4].id, submitted[3].id]
    rest = queue.newest(before=page[-1].number, limit=10)
    assert [job.id for job in rest] == [job.id for job in reversed(submitted[:3])]
    assert [job.id for job in queue.newest(status="running")] == [submitted[0].id]
    assert queue.depth() == {
        "queued": 4,
        "running": 1,
        "succeeded": 0,
        "failed": 0,
        "cancelled": 0,
    }


STEPS = ["submit", "claim", "finish", "fail", "cancel", "beat", "hand back", "reap"]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 3)), max_size=30))
def test_every_history_keeps_to_the_state_machine(
    database: Database, steps: list[tuple[str, int]]
) -> None:
    """Whatever happens in whatever order: only drawn moves, at most one result per request."""
    queue, held = JobQueue(database), dict[int, tuple[Leases, Claimed]]()
    for step, which in steps:
        try:
            _take(step, which, queue, database, held)
        except LeaseLost:
            del held[which]
    allowed = {(str(one.source), str(one.target)) for one in Move}
    for job in queue.newest(limit=100):
        states = [
            event.data.split('"status":"')[1].split('"')[0]
            for event in queue.events(job.id)
            if event.type == "state"
        ]
        assert states[0] == "queued"
        assert states[-1] == job.status
        assert set(pairwise(states)) <= allowed
        assert (job.ended_at is not None) == (job.status in ENDED)
        assert job.attempt <= MAX_ATTEMPTS
        if job.status is JobStatus.SUCCEEDED:
            assert Results(database).get(job.key) is not None


def _take(
    step: str,
    which: int,
    queue: JobQueue,
    database: Database,
    held: dict[int, tuple[Leases, Claimed]],
) -> None:
    if step == "submit":
        with suppress(JobCancelling):
            queue.submit(ask(f"k{which}"))
    elif step == "claim" and which not in held:
        leases = Leases(database)
        claimed = leases.claim()
        if claimed is not None:
            held[which] = (leases, claimed)
    elif step == "cancel":
        for job in queue.newest()[which : which + 1]:
            queue.cancel(job.id)
    elif step == "reap":
        reap(database)
    elif which in held:
        leases, claimed = held[which]
        if step == "beat":
            leases.register(job=claimed)
        elif step == "finish":
            leases.finish(claimed, OUTPUT)
        elif step == "fail":
            leases.fail(claimed, PASSING)
            let_retry(database)
        elif step == "hand back":
            leases.hand_back(claimed)


def test_the_speed_of_a_machine_is_known_once_enough_was_computed(database: Database) -> None:
    half = {"estimated_seconds": 400.0, "cpu_seconds": 800.0}
    with database.writing() as connection:
        assert measured_speed(connection) == 1.0
        count_work(connection, "table", {}, half)
        assert measured_speed(connection) == 1.0
        count_work(connection, "model", {}, half)
        assert measured_speed(connection) == 0.5
        count_work(connection, "model", {}, {"cpu_seconds": 1e6})
        assert measured_speed(connection) == 0.1
