"""Small requests that are not computed at once after all."""

import asyncio
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from api.quick import NotQuick, QuickRunner
from tvlb.jobs.site import Site, Task


class Pool:
    """Keeps what it is to compute waiting."""

    def __init__(self) -> None:
        self.waiting: list[Future[Any]] = []

    def submit(self, *call: object) -> Future[Any]:
        self.waiting.append(Future())
        return self.waiting[-1]

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        for one in self.waiting:
            one.cancel()


def test_what_waits_behind_a_slow_one_becomes_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool of a slow request is shut down, and cancels those that wait in it."""
    pool = Pool()

    def start(_: QuickRunner) -> ProcessPoolExecutor:
        return cast("ProcessPoolExecutor", pool)

    monkeypatch.setattr(QuickRunner, "_start", start)

    async def run() -> None:
        runner = QuickRunner(Site(tmp_path, cores=1))
        waiting = asyncio.create_task(runner.run(Task("model", "0" * 64, "{}")))
        while not pool.waiting:
            await asyncio.sleep(0)
        pool.shutdown(wait=False, cancel_futures=True)
        with pytest.raises(NotQuick):
            await waiting

    asyncio.run(run())
