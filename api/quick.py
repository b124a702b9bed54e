"""Small requests, computed at once in a process beside the server."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from tvlb.jobs.results import Outcome
from tvlb.jobs.site import Site, Task
from tvlb.jobs.tasks import run_task
from tvlb.parallel import follow_parent
from tvlb.progress import silent

__all__ = ["QuickRunner"]


def _get_ready() -> None:
    """Do nothing; what a process needs to find this function is all that a task needs."""


class QuickRunner:
    """Computes one small task at a time; a crash of its process costs that task only."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=follow_parent)
        # The first request should not wait for the process to start and to load the solvers.
        pool.submit(_get_ready)
        return pool

    async def run(self, task: Task) -> Outcome:
        """Compute a task.

        Raises
        ------
        TvlbError, OSError : as `tvlb.jobs.tasks.run_task`.
        BrokenProcessPool : the process died.
        """
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(
                pool, run_task, task, self._site, silent
            )
        except BrokenProcessPool:
            if self._pool is pool:
                self._pool = self._start()
            raise

    def close(self) -> None:
        """End the process; what it was computing is dropped."""
        self._pool.shutdown(wait=False, cancel_futures=True)
