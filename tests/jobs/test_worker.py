"""Workers as real processes: they die, they are stopped, the disk fills up; no job is lost."""

import hashlib
import json
import os
import signal
import subprocess
from io import BytesIO
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from tests.jobs.processes import (
    UNSHARE,
    WorkerProcess,
    ask,
    children_of,
    read,
    until,
    worker_process,
)
from tests.search.here import Inline, Memory
from tests.service import quick_options
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.job import Job
from tvlb.jobs.queue import JobQueue
from tvlb.jobs.results import Results
from tvlb.jobs.schema import jobs, workers
from tvlb.jobs.status import JobStatus
from tvlb.jobs.units import UnitFiles
from tvlb.processes import MAX_ATTEMPTS, UnitCache
from tvlb.requests import SimulationBody, SweepBody, TableBody
from tvlb.requests.kinds.model import ModelBody
from tvlb.search import optimize
from tvlb.table import write_stream

TABLE = TableBody(topology="1,2,2,3", **quick_options(200, 200, 0.05))
# Minutes of simulation, within one call of the compiled core.
ENDLESS = SimulationBody(topology="2,4,2,5", load=(0.2,), cycles=100_000_000)

# What the worker does without the database needs to be looked at once only.
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data"


def status(queue: JobQueue, job: Job) -> JobStatus:
    return read(queue, job).status


def is_simulating(queue: JobQueue, job: Job) -> bool:
    return read(queue, job).progress > 0


def log_of(queue: JobQueue, job: Job) -> list[str]:
    return [
        json.loads(event.data)["message"] for event in queue.events(job.id) if event.type == "log"
    ]


@on_sqlite
def test_a_table_is_to_the_byte_what_the_library_computes(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    job = ask(queue, TABLE)
    with worker_process(database_url, directory):
        until(lambda: read(queue, job).ended)
    assert status(queue, job) is JobStatus.SUCCEEDED
    told = [json.loads(event.data) for event in queue.events(job.id) if event.type == "progress"]
    assert max(one["progress"] for one in told if one["stage"] == "probe") == 0.05
    result = Results(database).get(job.key)
    assert result is not None
    assert result.table_file is not None
    stream = BytesIO()
    unit_cache = UnitCache(Inline(), Memory())
    expected = optimize(TABLE.network(), TABLE.options(), unit_cache=unit_cache)
    write_stream(expected.table, ".parquet", stream)
    blobs = BlobStore(directory / "blobs")
    assert blobs.read(result.table_file) == stream.getvalue()
    assert result.table_id == expected.table.id
    assert json.loads(blobs.read(result.document))["table"]["id"] == expected.table.id


@on_sqlite
def test_a_running_simulation_is_cancelled(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    job = ask(queue, ENDLESS)
    with worker_process(database_url, directory) as worker:
        until(lambda: is_simulating(queue, job))
        computing = children_of(worker.process.pid)
        queue.cancel(job.id)
        until(lambda: status(queue, job) is JobStatus.CANCELLED)
        assert read(queue, job).ended_at is not None
        until(lambda: not any(map(is_alive, computing - children_of(worker.process.pid))))
        following = ask(queue, ModelBody(topology="2,4,2,5"))
        until(lambda: status(queue, following) is JobStatus.SUCCEEDED)


@pytest.mark.slow
@on_sqlite
def test_a_sweep_tells_of_its_expansion_and_is_cancelled_within_it(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    # Over a minute of building 5,239 networks.
    sizes = {"p": "1", "a": "20..32", "h": "20..32", "g": "100..130"}
    job = ask(queue, SweepBody.model_validate({"generators": [sizes]}))
    with worker_process(database_url, directory) as worker:
        until(lambda: read(queue, job).stage == "expand")
        computing = children_of(worker.process.pid)
        queue.cancel(job.id)
        until(lambda: status(queue, job) is JobStatus.CANCELLED)
        until(lambda: not any(map(is_alive, computing - children_of(worker.process.pid))))
    told = [json.loads(event.data) for event in queue.events(job.id) if event.type == "progress"]
    assert {(one["stage"], one["total"]) for one in told} == {("expand", 5239)}


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.slow
@on_sqlite
def test_another_worker_computes_nothing_that_was_kept(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    job = ask(queue, TABLE.model_copy(update={"topology": "2,4,2,5", "patterns": 4}))
    with worker_process(database_url, directory) as worker:
        until(lambda: (read(queue, job).stage or "").startswith("screen"))
        worker.kill()
        before = kept_units(directory)
        with worker_process(database_url, directory):
            until(lambda: read(queue, job).attempt == 2)
            until(lambda: read(queue, job).ended)
    assert status(queue, job) is JobStatus.SUCCEEDED
    after = kept_units(directory)
    # The patterns of the probe at least; what is kept again is another file.
    assert 4 < len(before) < len(after)
    assert before.items() <= after.items()
    assert any("no sign of life" in line for line in log_of(queue, job))


def kept_units(directory: Path) -> dict[str, int]:
    """Return the file number of every unit that is kept."""
    root = directory / "units"
    keys = list(UnitFiles(root).names())
    return {key: (root / key[:2] / key).stat().st_ino for key in keys}


@on_sqlite
def test_nothing_of_a_killed_worker_survives_it(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    job = ask(queue, TABLE.model_copy(update={"topology": "4,8,4,9"}))
    with worker_process(database_url, directory) as worker:
        until(lambda: read(queue, job).stage == "probe")
        until(lambda: len(children_of(worker.process.pid)) > 2)
        family = children_of(worker.process.pid)
        worker.kill()
        until(lambda: not any(map(is_alive, family)))


@pytest.mark.slow
@on_sqlite
def test_a_crash_of_the_computation_is_tried_three_times_and_its_log_is_kept(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    job = ask(queue, ENDLESS)
    with worker_process(database_url, directory) as worker:
        for attempt in (1, 2, 3):
            _crash(queue, job, worker, attempt)
    failed = read(queue, job)
    assert failed.status is JobStatus.FAILED
    assert failed.error is not None
    assert failed.error["type"] == "process-died"
    assert "signal 9" in failed.error["detail"]
    assert sum("failed" in line for line in log_of(queue, job)) == 3


def _crash(queue: JobQueue, job: Job, worker: WorkerProcess, attempt: int) -> None:
    """Kill the process that computes, as a lack of memory does."""
    until(lambda: read(queue, job).attempt == attempt)
    begun = read(queue, job).last_event
    until(lambda: any(event.type == "progress" for event in queue.events(job.id, begun)))
    for pid in children_of(worker.process.pid):
        if os.getpgid(pid) == pid:
            os.kill(pid, signal.SIGKILL)
    until(lambda: read(queue, job).attempt > attempt or read(queue, job).ended)


# A worker whose linear programs note that they begin, and then kill their process. Processes that
# it starts import this too.
_DEADLY = """
import os
import signal
from pathlib import Path
from tvlb.search.pattern_unit import PatternUnit

def die(unit):
    with (Path(__file__).parent / f"{unit.key}.started").open("a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)

PatternUnit.compute = die
if __name__ == "__main__":
    from tvlb.cli.app import main
    main()
"""


@pytest.mark.slow
@on_sqlite
def test_a_unit_that_kills_its_process_is_started_three_times_in_all(
    queue: JobQueue, database_url: str, directory: Path, tmp_path: Path
) -> None:
    """Not three times in each of three attempts."""
    program = tmp_path / "deadly.py"
    program.write_text(_DEADLY)
    job = ask(queue, TABLE)
    with worker_process(database_url, directory, program=[str(program)]):
        until(lambda: read(queue, job).ended)
    started = [path.read_text() for path in tmp_path.glob("*.started")]
    assert max(started) == "x" * MAX_ATTEMPTS
    failed = read(queue, job)
    assert (failed.status, failed.attempt) == (JobStatus.FAILED, 1)
    assert failed.error is not None
    assert failed.error["type"] == "worker-lost"
    assert "3 worker processes were lost to the same task" in failed.error["detail"]


@on_sqlite
def test_a_lasting_error_is_not_tried_again(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    """One virtual channel is too few: the network deadlocks, whoever simulates it."""
    body = SimulationBody(
        topology="2,4,2,9", routing="vlb", load=(1.0,), vc_count=1, buffer=1, cycles=1_000_000
    )
    job = ask(queue, body)
    with worker_process(database_url, directory):
        until(lambda: read(queue, job).ended)
    failed = read(queue, job)
    assert (failed.status, failed.attempt) == (JobStatus.FAILED, 1)
    assert failed.error is not None
    assert failed.error["type"] == "simulation-deadlock"
    assert any(line.startswith("tvlb.errors.SimulationDeadlock") for line in failed.error["log"])


@pytest.mark.slow
def test_worker_dies_while_cancelling(queue: JobQueue, database_url: str, directory: Path) -> None:
    """It is killed before it sees the cancellation; nobody runs the job again."""
    job = ask(queue, ENDLESS)
    with worker_process(database_url, directory) as worker:
        until(lambda: is_simulating(queue, job))
        queue.cancel(job.id)
        worker.kill()
        with worker_process(database_url, directory) as other:
            until(lambda: read(queue, job).ended)
            assert not other.says("job begins")
    assert (status(queue, job), read(queue, job).attempt) == (JobStatus.CANCELLED, 1)


@pytest.mark.slow
def test_heartbeat_row_gone(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    """The worker goes on, lists itself again, and its job is computed once."""
    job = ask(queue, ENDLESS)
    with worker_process(database_url, directory) as worker:
        until(lambda: is_simulating(queue, job))
        with database.writing() as connection:
            connection.execute(delete(workers))
            connection.execute(update(jobs).values(heartbeat_at=None))
        until(lambda: read(queue, job).attempt == 2 or not read(queue, job).stalled)
        until(lambda: is_simulating(queue, job))
        until(lambda: _listed(database) == 1)
        queue.cancel(job.id)
        until(lambda: read(queue, job).ended)
        assert worker.process.poll() is None
    assert status(queue, job) is JobStatus.CANCELLED


def _listed(database: Database) -> int:
    with database.reading() as connection:
        return len(connection.execute(workers.select()).all())


@pytest.mark.slow
def test_the_reaping_process_dies(queue: JobQueue, database_url: str, directory: Path) -> None:
    """Two workers die one after the other, the second while it has the first one's job."""
    body = SimulationBody(topology="1,2,2,3", load=(0.2,), cycles=1_000_000)
    job = ask(queue, body)
    with worker_process(database_url, directory) as first:
        until(lambda: status(queue, job) is JobStatus.RUNNING)
        first.kill()
        with worker_process(database_url, directory) as second:
            until(lambda: read(queue, job).attempt == 2)
            second.kill()
            with worker_process(database_url, directory):
                until(lambda: read(queue, job).ended)
    assert (status(queue, job), read(queue, job).attempt) == (JobStatus.SUCCEEDED, 3)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _can_mount() -> bool:
    try:
        return subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.slow
@on_sqlite
@pytest.mark.skipif(not _can_mount(), reason="no mount namespaces without privileges here")
def test_disk_full_while_a_result_is_written(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    """No half of a file is left, the job says why, and it succeeds when there is room."""
    job = ask(queue, TABLE)
    with worker_process(database_url, directory, disk_bytes=8192) as worker:
        until(lambda: read(queue, job).ended)
        disk = Path(f"/proc/{worker.process.pid}/root{directory}/blobs")
        left = [path for path in disk.rglob("*") if path.is_file()]
        assert (disk / "incoming").is_dir()
        assert [path.name for path in left] == [sha256(path.read_bytes()) for path in left]
    failed = read(queue, job)
    assert (failed.status, failed.attempt) == (JobStatus.FAILED, 3)
    assert failed.error is not None
    assert failed.error["type"] == "storage"
    assert "No space left on device" in failed.error["detail"]
    assert Results(database).get(job.key) is None
    again = ask(queue, TABLE)
    with worker_process(database_url, directory):
        until(lambda: read(queue, again).ended)
    assert status(queue, again) is JobStatus.SUCCEEDED


@pytest.mark.slow
@on_sqlite
def test_nothing_is_computed_for_a_store_that_was_replaced(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    """Neither is a job claimed, nor what one leaves in the directory that took its place kept."""
    running, following = ask(queue, ENDLESS), ask(queue, ModelBody(topology="2,4,2,5"))
    with worker_process(database_url, directory) as worker:
        until(lambda: is_simulating(queue, running))
        away = (directory / "blobs").rename(directory / "away")
        (directory / "blobs").mkdir()
        queue.cancel(running.id)
        until(lambda: worker.says("was replaced by another"))
        assert status(queue, following) is JobStatus.QUEUED
        (directory / "blobs").rmdir()
        away.rename(directory / "blobs")
        until(lambda: status(queue, following) is JobStatus.SUCCEEDED)


@pytest.mark.slow
@on_sqlite
def test_a_worker_that_is_asked_to_end_hands_its_job_back(
    queue: JobQueue, database: Database, database_url: str, directory: Path
) -> None:
    job = ask(queue, ENDLESS)
    with worker_process(database_url, directory, "--drain-seconds", "0") as worker:
        until(lambda: is_simulating(queue, job))
        worker.send(signal.SIGTERM)
        assert worker.process.wait(30) == 0
    handed = read(queue, job)
    assert (handed.status, handed.attempt) == (JobStatus.QUEUED, 0)
    assert _listed(database) == 0


@pytest.mark.slow
@on_sqlite
def test_a_worker_that_is_asked_to_end_finishes_its_job_if_there_is_time(
    queue: JobQueue, database_url: str, directory: Path
) -> None:
    job = ask(queue, TABLE)
    following = ask(queue, ENDLESS)
    with worker_process(database_url, directory, "--drain-seconds", "60") as worker:
        until(lambda: status(queue, job) is JobStatus.RUNNING)
        worker.send(signal.SIGTERM)
        assert worker.process.wait(60) == 0
    assert status(queue, job) is JobStatus.SUCCEEDED
    assert status(queue, following) is JobStatus.QUEUED
