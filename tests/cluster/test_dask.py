"""Tasks on a real Dask scheduler and its workers, and what becomes of them when one dies."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.postgresql import free_port
from tests.sweeps.here import MemoryTables, Serial, small_sweep
from tests.worker_tasks import (
    count_and_die,
    die_once,
    error_of,
    note,
    note_and_nap,
    process_id,
    refuse_oddly,
    say_and_nap,
    size,
)
from tvlb.errors import InvalidInput, NoWorkers, WorkerLost
from tvlb.processes import UnitCache
from tvlb.processes.cluster import DaskOptions, dask_workers
from tvlb.processes.cluster.executor import closed_with
from tvlb.processes.cluster.fitness import check_versions, relevant_versions
from tvlb.sweeps import points_of, rows_of, run_points

_ROOT = Path(__file__).parents[2]
_TIMEOUT = 120  # seconds; a worker starts anew in a few, on a busy machine in many


@dataclass
class _Dask:
    """A scheduler and workers, as a lab would start them."""

    folder: Path
    port: int
    # Two attempts instead of four make the tests quick.
    allowed_failures: int = 1
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])

    @property
    def options(self) -> DaskOptions:
        return DaskOptions(f"127.0.0.1:{self.port}", worker_timeout=_TIMEOUT)

    def start(self, *command: str) -> None:
        settings = {
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(self.allowed_failures),
            "PYTHONPATH": str(_ROOT),
        }
        with (self.folder / f"{len(self.processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *command],
                env=os.environ | settings,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.processes.append(process)

    def start_scheduler(self) -> None:
        address = ("--host", "127.0.0.1", "--port", str(self.port))
        self.start("scheduler", *address, "--no-dashboard", "--dashboard-address", "127.0.0.1:0")

    def start_workers(self, threads: int, count: int) -> None:
        size = ("--nthreads", str(threads), "--nworkers", str(count), "--memory-limit", "0")
        self.start("worker", f"tcp://127.0.0.1:{self.port}", *size, "--no-dashboard")

    def end(self) -> None:
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(_TIMEOUT)


def _wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to pass")


def _accepts(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Generator[_Dask]:
    """A scheduler with two workers of one thread each."""
    running = _Dask(tmp_path_factory.mktemp("dask"), free_port())
    try:
        running.start_scheduler()
        running.start_workers(threads=1, count=2)
        _wait_until(lambda: _accepts(running.port))
        yield running
    finally:
        running.end()


def test_tasks_run_on_the_workers_whatever_their_size(
    dask: _Dask, capfd: pytest.CaptureFixture[str]
) -> None:
    with dask_workers(dask.options) as (executor, slots):
        _wait_until(lambda: slots() == 2)
        sizes = [0, 1000, 6_000_000, 12_000_000]
        futures = [executor.submit(size, bytes(count)) for count in sizes]
        assert [future.result(_TIMEOUT) for future in futures] == sizes
        assert executor.submit(process_id).result(_TIMEOUT) != os.getpid()
        odd = executor.submit(refuse_oddly).exception(_TIMEOUT)
        assert str(odd) == "Refusal: 1 and 2"
    assert capfd.readouterr() == ("", "")


def test_equal_tasks_are_not_taken_for_one(dask: _Dask, tmp_path: Path) -> None:
    with dask_workers(dask.options) as (executor, _):
        futures = [executor.submit(note, tmp_path / "calls") for _ in range(10)]
        wait(futures, _TIMEOUT)
    assert (tmp_path / "calls").read_text() == "x" * 10


def test_the_scheduler_forgets_what_is_done(dask: _Dask) -> None:
    client: Any = import_module("distributed").Client(dask.options.scheduler)
    with client, dask_workers(dask.options) as (executor, _):
        done = [executor.submit(size, bytes(1000)) for _ in range(5)]
        wait(done, _TIMEOUT)
        # The futures are still held here.
        _wait_until(lambda: client.run_on_scheduler(_known_tasks) == 0)


def _known_tasks(dask_scheduler: Any) -> int:
    return len(dask_scheduler.tasks)


def test_a_task_is_tried_again_when_its_worker_dies(dask: _Dask, tmp_path: Path) -> None:
    with dask_workers(dask.options) as (executor, _):
        others = [executor.submit(say_and_nap, tmp_path / "nap", 0.05) for _ in range(10)]
        assert executor.submit(die_once, tmp_path / "tried").result(_TIMEOUT) == "second attempt"
        assert [other.result(_TIMEOUT) for other in others] == [0.05] * 10


def test_a_task_that_kills_workers_is_given_up(dask: _Dask, tmp_path: Path) -> None:
    with dask_workers(dask.options) as (executor, _):
        error = executor.submit(count_and_die, tmp_path / "attempts").exception(_TIMEOUT)
    assert isinstance(error, WorkerLost)
    assert f"2 workers of the Dask scheduler at 127.0.0.1:{dask.port} died" in str(error)
    assert (tmp_path / "attempts").read_text() == "xx"


def test_a_task_that_the_scheduler_lost_is_sent_again(dask: _Dask, tmp_path: Path) -> None:
    client: Any = import_module("distributed").Client(dask.options.scheduler)
    with client, dask_workers(dask.options) as (executor, _):
        future = executor.submit(say_and_nap, tmp_path / "number", 1.0)
        _wait_until((tmp_path / "number").exists)
        client.restart()
        assert future.result(_TIMEOUT) == 1.0


@pytest.mark.slow
def test_a_restart_of_the_cluster_does_not_count_as_deaths_by_a_task(tmp_path: Path) -> None:
    # One death is too much here, so a task that is sent to a worker before the restart closes it
    # would be given up.
    running = _Dask(tmp_path, free_port(), allowed_failures=0)
    try:
        running.start_scheduler()
        running.start_workers(threads=1, count=1)
        _wait_until(lambda: _accepts(running.port))
        with dask_workers(running.options) as (executor, _):
            client: Any = import_module("distributed").Client(running.options.scheduler)
            with client, ThreadPoolExecutor(1) as pool:
                future = executor.submit(note_and_nap, tmp_path / "calls", 5.0)
                _wait_until((tmp_path / "calls").exists)
                # The nanny that restarts the worker comes to it when the task runs again there.
                nanny = running.processes[1]
                os.kill(nanny.pid, signal.SIGSTOP)
                restarting = pool.submit(client.restart)
                _wait_until(lambda: (tmp_path / "calls").read_text() == "xx")
                os.kill(nanny.pid, signal.SIGCONT)
                restarting.result(_TIMEOUT)
                assert future.result(_TIMEOUT) == 5.0
        # The second call ended with its worker.
        assert (tmp_path / "calls").read_text() == "xxx"
    finally:
        running.end()


def test_only_a_worker_that_was_closed_with_the_task_is_no_death_by_it() -> None:
    joined, closing = {"action": "add-worker"}, {"action": "closing-worker", "reason": "restart"}

    def gone(*tasks: str) -> dict[str, object]:
        return {"action": "remove-worker", "processing-tasks": set(tasks), "expected": False}

    def closed(*noted: Mapping[str, object]) -> bool:
        events = {"all": [(0.5, {"action": "gather"})], "tcp://w:1": [(1.0, one) for one in noted]}
        return closed_with("ours", events)

    assert closed(joined, closing, gone("ours", "other"))
    assert not closed(joined, gone("ours"))
    assert not closed(joined, closing, gone("other"))
    # Two workers had the same address, one after the other.
    assert not closed(joined, closing, gone("other"), joined, gone("ours"))
    assert closed(joined, gone("other"), joined, closing, gone("ours"))


def test_tasks_can_be_cancelled(dask: _Dask, tmp_path: Path) -> None:
    with dask_workers(dask.options) as (executor, _):
        futures = [executor.submit(say_and_nap, tmp_path / "nap", 0.2) for _ in range(8)]
        assert all(future.cancel() for future in futures[2:])
        assert wait(futures, _TIMEOUT).not_done == set()
        assert executor.submit(size, b"four").result(_TIMEOUT) == 4


def test_workers_of_another_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = relevant_versions() | {"tvlb": "9.9"}
    with pytest.raises(InvalidInput, match=r"worker tcp://w:1 has tvlb .*, but 9\.9 is needed"):
        check_versions("tcp://w:1", relevant_versions(), wanted)
    # One that joins late is found by its first task.
    monkeypatch.setattr("tvlb.processes.cluster.executor.relevant_versions", lambda: wanted)
    with (
        _small_cluster(workers=1, threads=1) as cluster,
        dask_workers(DaskOptions(cluster.scheduler_address)) as (executor, _),
    ):
        # The workers are in this process, too.
        monkeypatch.undo()
        error = error_of(executor, _TIMEOUT, size, b"")
    assert isinstance(error, NoWorkers)
    assert "but 9.9 is needed" in str(error)


def test_a_sweep_gives_the_same_rows_as_here(dask: _Dask) -> None:
    points = points_of(small_sweep("1,2,1,3", "1,3,1,4").expanded())
    here = run_points(points, MemoryTables(), UnitCache(Serial()), workers=1)
    with dask_workers(dask.options) as (executor, slots):
        there = run_points(points, MemoryTables(), UnitCache(executor), workers=slots())
    assert [result.attempts for result in there] == [1, 1]
    assert rows_of(there) == rows_of(here)


def test_an_address_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tvlb.processes.cluster.dask._CONNECT_SECONDS", 0.2)
    options = DaskOptions(f"127.0.0.1:{free_port()}")
    with pytest.raises(InvalidInput, match="does not answer"), dask_workers(options):
        raise AssertionError("there is nobody to connect to")


def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    options = DaskOptions("127.0.0.1:8786")
    with pytest.raises(InvalidInput, match=r"pip install \'\.\[cluster\]\'"), dask_workers(options):
        raise AssertionError("Dask is not there")


@pytest.mark.parametrize("address", ["", "head", "head:0", "head:99999", "http://head:80", "a b:1"])
def test_malformed_addresses(address: str) -> None:
    with pytest.raises(InvalidInput, match="is not the address of a Dask scheduler"):
        DaskOptions(address)


def _small_cluster(workers: int, threads: int) -> Any:
    """Return a scheduler and workers in this process."""
    return import_module("distributed").LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    )


def test_workers_of_several_threads_are_refused() -> None:
    with _small_cluster(workers=1, threads=2) as cluster:
        options = DaskOptions(cluster.scheduler_address)
        with (
            pytest.raises(InvalidInput, match=r"has 2 threads.*dask worker --nthreads 1"),
            dask_workers(options),
        ):
            raise AssertionError("the worker has two threads")


def test_an_unfit_worker_that_joins_late_is_let_go() -> None:
    with (
        _small_cluster(workers=2, threads=1) as cluster,
        dask_workers(DaskOptions(cluster.scheduler_address)) as (executor, slots),
    ):
        cluster.workers[0].state.nthreads = 2
        futures = [executor.submit(size, bytes(length)) for length in range(20)]
        assert [future.result(_TIMEOUT) for future in futures] == list(range(20))
        assert slots() == 1


def test_an_unfit_worker_that_is_the_last_one_ends_it() -> None:
    with (
        _small_cluster(workers=1, threads=1) as cluster,
        dask_workers(DaskOptions(cluster.scheduler_address)) as (executor, _),
    ):
        cluster.workers[0].state.nthreads = 2
        error = error_of(executor, _TIMEOUT, size, b"")
    assert isinstance(error, NoWorkers)
    assert "has 2 threads" in str(error)


def test_a_scheduler_without_workers() -> None:
    with _small_cluster(workers=0, threads=1) as cluster:
        options = DaskOptions(cluster.scheduler_address, worker_timeout=0.1)
        with (
            pytest.raises(NoWorkers, match=r"has had no worker for 0\.1 s"),
            dask_workers(options),
        ):
            raise AssertionError("there is no worker")


@pytest.mark.slow
def test_the_tasks_fail_when_all_workers_have_gone(tmp_path: Path) -> None:
    with (
        _small_cluster(workers=1, threads=1) as cluster,
        dask_workers(DaskOptions(cluster.scheduler_address, worker_timeout=0.5)) as (executor, _),
    ):
        cluster.scale(0)
        error = error_of(executor, _TIMEOUT, size, b"")
        assert isinstance(error, NoWorkers)
        assert "has had no worker for 0.5 s" in str(error)
        with pytest.raises(NoWorkers):
            executor.submit(size, b"")


@pytest.mark.slow
def test_the_end_of_the_scheduler_fails_the_tasks(dask: _Dask, tmp_path: Path) -> None:
    # The last test: nothing is left of the scheduler.
    with dask_workers(dask.options) as (executor, _):
        future = executor.submit(say_and_nap, tmp_path / "number", _TIMEOUT)
        _wait_until((tmp_path / "number").exists)
        dask.processes[0].kill()
        assert isinstance(future.exception(_TIMEOUT), NoWorkers)
        with pytest.raises(NoWorkers, match="went away"):
            executor.submit(size, b"")
