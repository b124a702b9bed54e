"""Small requests that are not computed at once after all, and the process that computes them."""

import asyncio
import os
import time
from collections.abc import Generator
from multiprocessing import active_children
from pathlib import Path

import pytest

from api import side_process
from api.problems import Problem
from api.quick import NotQuick, QuickExecutor
from api.side_process import ProcessLost, SideProcess, SideQueue
from tests.worker_tasks import count_and_die, is_loaded, nothing
from tvlb.jobs.workspace import Task, Workspace

_LONG = 3600.0


@pytest.fixture
def process() -> Generator[SideProcess]:
    made = SideProcess(nothing)
    yield made
    made.close()


def test_a_call_that_takes_too_long_loses_those_that_wait(process: SideProcess) -> None:
    async def run() -> None:
        first = await process.call(_LONG, os.getpid)
        begun = asyncio.create_task(process.call(_LONG, time.sleep, _LONG))
        await asyncio.sleep(0)
        with pytest.raises(ProcessLost):
            await process.call(0.01, os.getpid)
        with pytest.raises(ProcessLost):
            await begun
        assert await process.call(_LONG, os.getpid) != first

    asyncio.run(run())


def test_a_process_that_died_idle_costs_nothing_and_no_other_process(
    process: SideProcess,
) -> None:
    other = SideProcess(nothing)

    async def run() -> None:
        before = await other.call(_LONG, os.getpid)
        first = await process.call(_LONG, os.getpid)
        process.end()
        second = await process.call(_LONG, os.getpid)
        assert second != first
        (dead,) = [one for one in active_children() if one.pid == second]
        dead.kill()
        dead.join()
        assert await process.call(_LONG, os.getpid) != second
        assert await other.call(_LONG, os.getpid) == before

    asyncio.run(run())
    other.close()


def test_a_process_comes_after_the_server_where_processors_are_short(process: SideProcess) -> None:
    assert asyncio.run(process.call(_LONG, os.nice, 0)) == 10


def test_a_process_loads_what_is_called_in_it_and_not_the_server(process: SideProcess) -> None:
    assert not asyncio.run(process.call(_LONG, is_loaded, "fastapi"))


def test_calls_wait_for_a_bounded_time(
    process: SideProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_process, "_MOST_SECONDS_OF_WAITING", 0.01)
    queue = SideQueue(process, _LONG, 20, "calls wait")

    async def run() -> None:
        begun = asyncio.create_task(queue.call(time.sleep, _LONG))
        await asyncio.sleep(0)
        with pytest.raises(Problem) as refused:
            await queue.call(os.getpid)
        assert (refused.value.status_code, refused.value.kind) == (503, "busy")
        process.end()
        with pytest.raises(Problem):
            await begun
        assert await queue.call(os.getpid) != os.getpid()

    asyncio.run(run())


def test_what_takes_too_long_is_told_so(process: SideProcess) -> None:
    queue = SideQueue(process, 0.01, 20, "calls wait")
    with pytest.raises(Problem, match=r"takes more than 0\.01 seconds, the most") as refused:
        asyncio.run(queue.call(time.sleep, _LONG))
    assert refused.value.status_code == 503


def is_there(pid: int) -> bool:
    """Whether a process of ours is there."""
    return any(one.pid == pid for one in active_children())


def test_a_call_is_ended_though_another_process_took_over() -> None:
    process = SideProcess(nothing, calls=2)

    async def run() -> None:
        first = await process.call(_LONG, os.getpid)
        begun = asyncio.create_task(process.call(0.5, time.sleep, _LONG))
        await asyncio.sleep(0)
        assert await process.call(_LONG, os.getpid) != first
        with pytest.raises(ProcessLost):
            await begun
        assert not is_there(first)

    asyncio.run(run())
    process.close()


def test_the_end_is_that_of_all_processes() -> None:
    process = SideProcess(nothing, calls=1)

    async def run() -> None:
        begun = asyncio.create_task(process.call(_LONG, time.sleep, _LONG))
        await asyncio.sleep(0)
        await process.call(_LONG, os.getpid)
        process.close()
        async with asyncio.timeout(30.0):
            with pytest.raises(ProcessLost):
                await begun

    asyncio.run(run())


def test_a_call_that_kills_its_process_is_made_twice(process: SideProcess, tmp_path: Path) -> None:
    with pytest.raises(ProcessLost) as lost:
        asyncio.run(process.call(_LONG, count_and_die, tmp_path / "starts"))
    assert lost.value.deaths == 2
    assert (tmp_path / "starts").read_text() == "xx"


def test_what_is_refused_by_the_process_becomes_a_job(tmp_path: Path) -> None:
    async def run() -> None:
        runner = QuickExecutor(Workspace(tmp_path, cores=1))
        runner.close()
        with pytest.raises(NotQuick):
            await runner.run(Task("model", "0" * 64, "{}"))

    asyncio.run(run())
