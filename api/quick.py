"""Small requests, computed at once in a process beside the server."""

import asyncio

from api.side_process import ProcessLost, SideProcess
from tvlb.jobs.tasks import get_ready, run_task
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import silent

# A task that waits or computes for longer is not small after all.
_TIMEOUT_SECONDS = 15.0
_MOST_WAITING = 8


class NotQuick(Exception):
    """The task was not computed here; it may be as a job.

    Attributes
    ----------
    attempts : how often it was begun, and its process died.
    """

    def __init__(self, attempts: int = 0) -> None:
        super().__init__(attempts)
        self.attempts = attempts


class QuickExecutor:
    """Computes one small task at a time, and equal ones once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._running: dict[str, asyncio.Task[TaskOutput]] = {}
        self._process = SideProcess(get_ready)
        # The first request should not wait for the process to start and to load the solvers.
        self._process.start()

    async def run(self, task: Task) -> TaskOutput:
        """Compute a task.

        Raises
        ------
        TvlbError, OSError : as `tvlb.jobs.tasks.run_task`.
        NotQuick : too many are waiting, it took too long, or the process died.
        """
        running = self._running.get(task.key)
        if running is None:
            if len(self._running) >= _MOST_WAITING:
                raise NotQuick
            running = asyncio.create_task(self._compute(task))
            self._running[task.key] = running
            running.add_done_callback(lambda _: self._running.pop(task.key))
        # Whoever asked may go away; others may wait for the same.
        return await asyncio.shield(running)

    async def _compute(self, task: Task) -> TaskOutput:
        try:
            return await self._process.call(
                _TIMEOUT_SECONDS, run_task, task, self._workspace, silent
            )
        except ProcessLost as error:
            raise NotQuick(error.deaths) from error

    def close(self) -> None:
        """End the process for good; what it was computing is `NotQuick`."""
        self._process.close()
