"""Who waits for a job is woken when something happened to it.

One look at the database several times a second serves all who wait, however many they are.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from anyio import CapacityLimiter, to_thread
from sqlalchemy import select

from tvlb.jobs.database import Database
from tvlb.jobs.logs import audit, logger
from tvlb.jobs.reaper import Reaper
from tvlb.jobs.schema import jobs
from tvlb.jobs.worker_locks import WorkerLocks

_LOOK_SECONDS = 0.2
# Instead of the number of the last event, for a job that is not there.
_DELETED = -1
_REAP_SECONDS = 0.5


class Feed:
    """Watches the jobs that somebody waits for, and queues those again whose worker died.

    The reaper is here too, not only with the workers: where the last worker died, a job that was
    to be cancelled still ends, and a reader sees it queued and not running.
    """

    def __init__(self, database: Database, worker_locks: WorkerLocks) -> None:
        self._database = database
        self._reaper = Reaper(database, worker_locks)
        self._waiting: dict[str, int] = defaultdict(int)
        self._last: dict[str, int] = {}
        self._news = asyncio.Condition()
        # Its own, so that no number of slow requests keeps it from looking.
        self._threads = CapacityLimiter(1)
        self.closing = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Look at the database while the block runs."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self.closing.set()
            task.cancel()

    async def wait(self, job_id: str, after: int, seconds: float) -> bool:
        """Wait until a job has an event with a number above `after`; False if time ran out.

        Returns at once when the service is shut down, and when the job was deleted.
        """
        self._waiting[job_id] += 1
        try:
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(
                    lambda: (
                        self._last.get(job_id, after) > after
                        or self._last.get(job_id) == _DELETED
                        or self.closing.is_set()
                    )
                )
        except TimeoutError:
            return False
        finally:
            self._waiting[job_id] -= 1
            if not self._waiting[job_id]:
                del self._waiting[job_id]
                self._last.pop(job_id, None)
        return True

    async def close(self) -> None:
        """Let everybody who waits go on; for the shutdown."""
        self.closing.set()
        async with self._news:
            self._news.notify_all()

    async def _watch(self) -> None:
        reap_at = 0.0
        while not self.closing.is_set():
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                if self._waiting:
                    await self._look()
                if time.monotonic() >= reap_at:
                    reap_at = time.monotonic() + _REAP_SECONDS
                    for ended in await to_thread.run_sync(self._reaper.run, limiter=self._threads):
                        audit(ended)
            except Exception as error:  # whatever it was, those who wait must be woken later
                logger("feed").error("looking at the jobs failed", error=str(error))
                # Nobody could give a sign of life meanwhile.
                self._reaper.reset()

    async def _look(self) -> None:
        watched = list(self._waiting)
        found = await to_thread.run_sync(self._read, watched, limiter=self._threads)
        async with self._news:
            self._last.update(
                {name: found.get(name, _DELETED) for name in watched if name in self._waiting}
            )
            self._news.notify_all()

    def _read(self, watched: list[str]) -> dict[str, int]:
        with self._database.reading() as connection:
            rows = connection.execute(
                select(jobs.c.id, jobs.c.last_event).where(jobs.c.id.in_(watched))
            )
            return {row.id: row.last_event for row in rows}
