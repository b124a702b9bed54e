"""Worker processes, and what becomes of tasks when one dies."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from concurrent.futures import Future
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tests.worker_tasks import (
    count_and_die,
    die_once,
    process_id,
    refuse,
    refuse_oddly,
    say_and_nap,
    size,
    tell_and_wait,
    unpicklable,
)
from tvlb.errors import Cancelled, InvalidInput, WorkerLost
from tvlb.processes import (
    MAX_ATTEMPTS,
    KeptWorkers,
    WorkerPool,
    available_cores,
    local_workers,
    spare_threads,
)

_LONG = 60.0
_TIMEOUT = 20.0
# A program that keeps workers busy until it is killed; it prints the number of its worker.
_PARENT = """
import sys
from pathlib import Path
from tests.worker_tasks import say_and_nap
from tvlb.processes import local_workers
if __name__ == "__main__":
    with local_workers(1) as workers:
        workers.submit(say_and_nap, Path(sys.argv[1]), 60.0).result()
"""
# A program whose main module other processes cannot import; it prints what becomes of two tasks.
_UNFIT = """
import os
from tvlb.errors import NoWorkers
from tvlb.processes import WorkerPool
if __name__ == "__mp_main__":
    os._exit(3)
pool, futures = WorkerPool(1), []
for _ in range(2):
    try:
        futures.append(pool.submit(len, b""))
    except NoWorkers as error:  # the first one has failed
        print(error)
for future in futures:
    print(future.exception())
"""


@pytest.fixture(scope="module")
def workers() -> Generator[WorkerPool]:
    with local_workers(2) as pool:
        yield pool


def _wait_for_number(path: Path) -> int:
    """Return the process number that a task writes when it starts."""
    for _ in range(2000):
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def _ends(process: int) -> bool:
    """Whether a process goes away, be it as one that nobody has waited for."""
    for _ in range(500):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def test_tasks_run_in_other_processes_whatever_their_size(workers: WorkerPool) -> None:
    data = bytes(3_000_000)
    futures = [workers.submit(size, data[: 1000 * count]) for count in range(0, 3000, 300)]
    assert [future.result(_TIMEOUT) for future in futures] == list(range(0, 3_000_000, 300_000))
    assert workers.submit(process_id).result(_TIMEOUT) != os.getpid()


def test_an_exception_comes_back_with_its_traceback(workers: WorkerPool) -> None:
    error = workers.submit(refuse, "no such switch").exception(_TIMEOUT)
    assert isinstance(error, ValueError)
    assert str(error) == "no such switch"
    assert "worker_tasks.py" in error.__notes__[0]


def test_a_task_tells_how_far_it_is(workers: WorkerPool, tmp_path: Path) -> None:
    future = workers.submit(tell_and_wait, tmp_path / "go on")
    for _ in range(2000):
        if future.parts:
            break
        time.sleep(0.01)
    assert (future.parts, future.note, future.done()) == (7, "of seven", False)
    (tmp_path / "go on").touch()
    assert future.result(_TIMEOUT) is None


def test_what_tasks_leave_of_the_processors_is_theirs(workers: WorkerPool, tmp_path: Path) -> None:
    waiting = workers.submit(tell_and_wait, tmp_path / "go on")
    assert workers.submit(spare_threads).result(_TIMEOUT) == 1
    (tmp_path / "go on").touch()
    waiting.result(_TIMEOUT)
    cores = min(2, available_cores())
    assert workers.submit(spare_threads).result(_TIMEOUT) == cores
    assert spare_threads() == 1
    with workers.announced(2) as one_less:
        assert workers.submit(spare_threads).result(_TIMEOUT) == 1  # beside what is to come
        one_less()
    assert workers.submit(spare_threads).result(_TIMEOUT) == cores


def test_what_cannot_travel_fails_its_own_task_only(workers: WorkerPool) -> None:
    odd = workers.submit(refuse_oddly).exception(_TIMEOUT)
    assert isinstance(odd, RuntimeError)
    assert str(odd) == "Refusal: 1 and 2"
    assert workers.submit(unpicklable).exception(_TIMEOUT) is not None
    assert workers.submit(lambda: None).exception(_TIMEOUT) is not None
    assert workers.submit(size, b"four").result(_TIMEOUT) == 4


def test_a_task_that_kills_its_process_is_given_up_and_harms_no_other(
    workers: WorkerPool, tmp_path: Path
) -> None:
    beside = [workers.submit(say_and_nap, tmp_path / "nap", 0.3)]
    deadly = workers.submit(count_and_die, tmp_path / "attempts")
    beside += [workers.submit(say_and_nap, tmp_path / "nap", 0.0) for _ in range(20)]
    error = deadly.exception(_TIMEOUT)
    assert isinstance(error, WorkerLost)
    assert "3 worker processes were lost to the same task" in str(error)
    assert "signal 9 (SIGKILL; a lack of memory is the usual cause)" in str(error)
    assert (tmp_path / "attempts").read_text() == "x" * MAX_ATTEMPTS
    assert [future.result(_TIMEOUT) for future in beside] == [0.3] + [0.0] * 20


def test_a_task_is_tried_again_when_its_process_dies(workers: WorkerPool, tmp_path: Path) -> None:
    future = workers.submit(die_once, tmp_path / "tried")
    assert future.result(_TIMEOUT) == "second attempt"


def test_a_process_killed_while_it_is_idle_is_replaced(workers: WorkerPool) -> None:
    first = workers.submit(process_id).result(_TIMEOUT)
    os.kill(first, signal.SIGKILL)
    assert _ends(first)
    # The death may be noticed in the midst of handing out: as with one that dies of a task.
    assert {workers.submit(process_id).result(_TIMEOUT) for _ in range(4)}.isdisjoint({first})


def test_waiting_tasks_can_be_cancelled(tmp_path: Path) -> None:
    with local_workers(1) as pool:
        running = pool.submit(say_and_nap, tmp_path / "running", 0.1)
        _wait_for_number(tmp_path / "running")
        waiting = [pool.submit(say_and_nap, tmp_path / "waiting", 0.0) for _ in range(3)]
        assert not running.cancel()
        assert all(future.cancel() for future in waiting)
        assert running.result(_TIMEOUT) == 0.1
    assert not (tmp_path / "waiting").exists()


def _run_and_fail(path: Path, futures: list[Future[float]]) -> None:
    with local_workers(1) as pool:
        futures.append(pool.submit(say_and_nap, path, _LONG))
        futures.append(pool.submit(say_and_nap, path, _LONG))
        _wait_for_number(path)
        raise KeyboardInterrupt


def test_leaving_by_an_exception_kills_at_once(tmp_path: Path) -> None:
    futures: list[Future[float]] = []
    with pytest.raises(KeyboardInterrupt):
        _run_and_fail(tmp_path / "number", futures)
    running, waiting = futures
    assert isinstance(running.exception(_TIMEOUT), Cancelled)
    assert waiting.cancelled()
    assert _ends(int((tmp_path / "number").read_text()))


def test_killing_interrupts_the_transfer_to_a_process_that_does_not_read(tmp_path: Path) -> None:
    pool = WorkerPool(1)
    stopped = pool.submit(process_id).result(_TIMEOUT)
    os.kill(stopped, signal.SIGSTOP)
    future = pool.submit(size, bytes(5_000_000))
    killer = threading.Thread(target=pool.kill)
    killer.start()
    killer.join(_TIMEOUT)
    assert not killer.is_alive()
    assert future.cancelled() or isinstance(future.exception(_TIMEOUT), Cancelled)


def test_no_task_is_taken_after_the_end() -> None:
    with local_workers(1) as pool:
        pass
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(process_id)
    with pytest.raises(InvalidInput, match="0 worker processes"):
        WorkerPool(0)


def _run_parent(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a program with a busy worker; return it and the number of the worker."""
    program = folder / "parent.py"
    program.write_text(_PARENT)
    root = Path(__file__).parents[1]
    parent = subprocess.Popen(
        [sys.executable, str(program), str(folder / "number")],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
    )
    return parent, _wait_for_number(folder / "number")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_their_parent(tmp_path: Path, how: signal.Signals) -> None:
    parent, worker = _run_parent(tmp_path)
    parent.send_signal(how)
    _, errors = parent.communicate(timeout=_TIMEOUT)
    assert parent.returncode == -how
    assert errors.count("Traceback") == (1 if how == signal.SIGINT else 0)
    assert _ends(worker)


def test_processes_that_cannot_start_fail_the_tasks(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    # Every worker process imports the main module.
    program.write_text(_UNFIT)
    command = [sys.executable, str(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
    assert "ended while they started, the last one with exit code 3" in ran.stdout
    assert ran.stdout.count("\n") == 2


def test_processes_are_kept_until_they_are_killed_or_closed() -> None:
    kept = KeptWorkers(1)

    def process() -> int:
        with kept.lent() as pool:
            return pool.submit(process_id).result(_TIMEOUT)

    first = process()
    assert process() == first
    with pytest.raises(Cancelled), kept.lent():
        raise Cancelled("no more")
    assert _ends(first)
    second = process()
    assert second != first
    kept.close()
    assert _ends(second)
    kept.close()


def test_processes_that_nobody_needs_end() -> None:
    kept = KeptWorkers(1, seconds=0.01)
    with kept.lent() as pool:
        process = pool.submit(process_id).result(_TIMEOUT)
    assert _ends(process)


def test_processes_that_compute_for_nobody_are_not_kept(tmp_path: Path) -> None:
    kept = KeptWorkers(1, seconds=_LONG)
    with kept.lent() as pool:
        left = pool.submit(say_and_nap, tmp_path / "begun", 0.5)
        process = _wait_for_number(tmp_path / "begun")
    assert left.done()
    assert _ends(process)


def test_of_processes_lent_at_the_same_time_the_last_are_kept() -> None:
    kept = KeptWorkers(1, seconds=_LONG)
    with kept.lent() as outer:
        last = outer.submit(process_id).result(_TIMEOUT)
        with kept.lent() as inner:
            first = inner.submit(process_id).result(_TIMEOUT)
    assert _ends(first)
    with kept.lent() as pool:
        assert pool.submit(process_id).result(_TIMEOUT) == last
    kept.close()
    assert _ends(last)


def test_killing_what_is_shut_down_needs_no_process_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = WorkerPool(1)
    begun = pool.submit(time.sleep, 60.0)
    while not begun.running():
        time.sleep(0.01)
    pool.shutdown(wait=False)
    # Until the manager has heard of that: a later word of it would tell it of the other, too.
    time.sleep(0.3)
    ends, killed = BaseProcess.kill, list[BaseProcess]()

    def all_but_the_first(process: BaseProcess) -> None:
        killed.append(process)
        if len(killed) > 1:
            ends(process)

    # As if the process had been lost before: nothing but the pool itself tells its manager.
    monkeypatch.setattr(BaseProcess, "kill", all_but_the_first)
    killing = threading.Thread(target=pool.kill, daemon=True)
    killing.start()
    killing.join(30.0)
    assert not killing.is_alive()
    with pytest.raises(Cancelled):
        begun.result()
