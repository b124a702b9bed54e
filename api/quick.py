"""Small requests, computed at once in a process beside the server."""

import asyncio
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context

from tvlb.jobs.site import Outcome, Site, Task
from tvlb.jobs.tasks import get_ready, run_task
from tvlb.parallel import follow_parent
from tvlb.progress import silent

__all__ = ["NotQuick", "QuickRunner"]

# A task that waits or computes for longer is not small after all.
_PATIENCE_SECONDS = 15.0
_MOST_WAITING = 8


class NotQuick(Exception):
    """The task was not computed here; it may be as a job."""


class QuickRunner:
    """Computes one small task at a time, and equal ones once.

    The process is ended, and another started, where a task takes too long; a crash costs nothing
    else either.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._running: dict[str, asyncio.Task[Outcome]] = {}
        self._closed = False
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=follow_parent)
        # The first request should not wait for the process to start and to load the solvers.
        pool.submit(get_ready)
        return pool

    async def run(self, task: Task) -> Outcome:
        """Compute a task.

        Raises
        ------
        TvlbError, OSError : as `tvlb.jobs.tasks.run_task`.
        NotQuick : too many are waiting, it took too long, or the process died.
        """
        running = self._running.get(task.key)
        if running is None:
            if self._closed or len(self._running) >= _MOST_WAITING:
                raise NotQuick
            running = asyncio.create_task(self._compute(task))
            self._running[task.key] = running
            running.add_done_callback(lambda _: self._running.pop(task.key))
        # Whoever asked may go away; others may wait for the same.
        return await asyncio.shield(running)

    async def _compute(self, task: Task) -> Outcome:
        pool, loop = self._pool, asyncio.get_running_loop()
        try:
            computing = loop.run_in_executor(pool, run_task, task, self._site, silent)
            return await asyncio.wait_for(computing, _PATIENCE_SECONDS)
        except (BrokenProcessPool, asyncio.CancelledError, TimeoutError) as error:
            # Nobody cancels this task; what waits in a pool that was killed is cancelled with it.
            if self._pool is pool and not self._closed:
                self._kill()
                self._pool = self._start()
            raise NotQuick from error

    def close(self) -> None:
        """End the process for good; what it was computing is `NotQuick`."""
        self._closed = True
        self._kill()

    def _kill(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        # The server has no other processes of this kind.
        for process in active_children():
            process.kill()
