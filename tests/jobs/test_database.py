"""A SQLite file that is deleted or replaced while a process has it open."""

import fcntl
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.jobs.queue_helpers import claim, submit
from tvlb.documents import PathIdentity
from tvlb.errors import StoreUnavailable
from tvlb.jobs.database import Database
from tvlb.jobs.lease import Leases
from tvlb.jobs.queue import JobQueue


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.sqlite3"


@pytest.fixture
def database(path: Path) -> Generator[Database]:
    opened = Database(f"sqlite:///{path}")
    opened.upgrade()
    yield opened
    opened.close()


def test_a_deleted_file_is_neither_read_nor_written_nor_made_again(
    database: Database, path: Path
) -> None:
    queue = JobQueue(database)
    job = submit(queue)
    away = path.rename(path.with_name("away"))
    for use in (database.check, queue.depth, lambda: submit(queue, "other")):
        with pytest.raises(StoreUnavailable, match=r"jobs\.sqlite3 is gone \(No such file"):
            use()
    assert not path.exists()
    away.rename(path)
    assert claim(Leases(database)).id == job.id


def test_another_file_in_its_place_is_not_used(database: Database, path: Path) -> None:
    away = path.rename(path.with_name("away"))
    path.touch()
    with pytest.raises(StoreUnavailable, match=r"jobs\.sqlite3 was replaced by another"):
        submit(JobQueue(database))
    assert path.stat().st_size == 0
    away.rename(path)
    database.check()


@pytest.mark.parametrize("end", ["-wal", "-shm"])
def test_a_log_that_is_deleted_takes_nothing_more(database: Database, path: Path, end: str) -> None:
    # What is written goes there, and to the file itself only much later.
    queue = JobQueue(database)
    submit(queue)
    log = path.with_name(path.name + end)
    away = log.rename(path.with_name("away"))
    for use in (database.check, lambda: submit(queue, "other")):
        with pytest.raises(StoreUnavailable, match=rf"jobs\.sqlite3{end} is gone"):
            use()
    away.rename(log)
    submit(queue, "other")


def test_a_database_that_was_closed_may_have_another_log(database: Database, path: Path) -> None:
    database.check()
    database.close()
    assert not path.with_name("jobs.sqlite3-wal").exists()
    database.check()


def test_what_was_written_to_a_file_that_is_gone_does_not_count_as_written(
    database: Database, path: Path
) -> None:
    with pytest.raises(StoreUnavailable), database.writing():
        path.unlink()


def test_looking_at_a_file_frees_none_of_its_locks(tmp_path: Path) -> None:
    """What closes a file frees the locks of its process on it, those of SQLite too."""
    path = tmp_path / "file"
    ask = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'w'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    with path.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        looking = PathIdentity(path)
        looking.check()
        del looking
        command = [sys.executable, "-c", ask, str(path)]
        assert (
            b"BlockingIOError" in subprocess.run(command, capture_output=True, check=False).stderr
        )
