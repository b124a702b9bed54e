"""Locks of workers: freed by the kernel when their process dies, however it dies."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tvlb.jobs.worker_locks as module
from tvlb.jobs.worker_locks import WorkerLocks

HOLDER = """
import sys
from pathlib import Path
from tvlb.jobs.worker_locks import WorkerLocks
worker_locks = WorkerLocks(Path(sys.argv[1]))
worker_locks.acquire("w")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def worker_locks(tmp_path: Path) -> WorkerLocks:
    return WorkerLocks(tmp_path / "workers")


def test_a_worker_is_gone_when_its_process_was_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        looking = WorkerLocks(tmp_path)
        assert not looking.has_died("w")
        process.kill()
        process.wait()
        assert looking.has_died("w")
        assert looking.has_died("w")


def test_of_a_worker_that_left_nothing_is_known(worker_locks: WorkerLocks, tmp_path: Path) -> None:
    worker_locks.acquire("w")
    worker_locks.release()
    worker_locks.release()
    assert not worker_locks.has_died("w")
    assert list((tmp_path / "workers").iterdir()) == []


def test_nothing_is_known_of_workers_under_another_kernel(
    worker_locks: WorkerLocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "boot_id"
    other.write_text("another\n")
    with monkeypatch.context() as patch:
        patch.setattr(module, "_KERNEL", other)
        worker_locks.acquire("w")
        assert not WorkerLocks(tmp_path / "workers").has_died("w")
    worker_locks.release()
    assert not WorkerLocks(tmp_path / "workers").has_died("w")


def test_without_an_identity_of_the_kernel_nothing_is_held(
    worker_locks: WorkerLocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_KERNEL", tmp_path / "missing")
    worker_locks.acquire("w")
    assert not worker_locks.has_died("w")
    assert not (tmp_path / "workers").exists()


def test_where_no_file_can_be_made_a_worker_goes_without(tmp_path: Path) -> None:
    (tmp_path / "workers").write_text("")
    worker_locks = WorkerLocks(tmp_path / "workers")
    worker_locks.acquire("w")
    assert not worker_locks.has_died("w")
    worker_locks.release()


def test_sweeping_keeps_the_locks_of_the_living_and_of_the_recently_dead(
    worker_locks: WorkerLocks, tmp_path: Path
) -> None:
    worker_locks.acquire("living")
    (lock,) = (tmp_path / "workers").iterdir()
    for name in ("recent", "old"):
        lock.with_name(lock.name.replace("living", name)).touch()
    for path in (lock, lock.with_name(lock.name.replace("living", "old"))):
        os.utime(path, (0, 0))
    WorkerLocks(tmp_path / "workers").sweep()
    left = {path.name.partition(".")[0] for path in (tmp_path / "workers").iterdir()}
    assert left == {"living", "recent"}
