"""A process beside the server, for what would keep the event loop from going on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import TypeVar, TypeVarTuple

from tvlb.parallel import follow_parent

__all__ = ["ProcessLost", "SideProcess"]

_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")


class ProcessLost(Exception):
    """The call took too long, or its process died.

    Attributes
    ----------
    deaths : how many processes died with it.
    """

    def __init__(self, deaths: int = 0) -> None:
        super().__init__(deaths)
        self.deaths = deaths


class SideProcess:
    """Makes one call at a time, those that wait in their order.

    The process is ended, and another started, where a call takes too long: then all that wait are
    lost as well. What was called in a process that died is called once more.

    Parameters
    ----------
    prepare : called first in every process, beside whatever the server does.
    """

    def __init__(self, prepare: Callable[[], object]) -> None:
        self._prepare = prepare
        self._pool: ProcessPoolExecutor | None = None
        self._own: set[BaseProcess] = set()
        self._closed = False
        # The last that was ended because of a call.
        self._slow: ProcessPoolExecutor | None = None

    def start(self) -> ProcessPoolExecutor:
        """Start the process, if there is none."""
        if self._pool is None:
            before = set(active_children())
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=follow_parent)
            self._pool.submit(self._prepare)
            self._own = set(active_children()) - before
        return self._pool

    async def call(
        self,
        seconds: float,
        function: Callable[[*_Given], _Result],
        *given: *_Given,
    ) -> _Result:
        """Call a function there.

        Raises
        ------
        ProcessLost : it did not return within so many seconds, or the process died twice.
        """
        deaths = 0
        while deaths < 2 and not self._closed:
            pool = self.start()
            try:
                return await self._in(pool, seconds, function, *given)
            except ProcessLost:
                break
            except BrokenProcessPool:
                if pool is self._slow:
                    break
                # Maybe it had nothing to do with this call.
                deaths += 1
                self._replace(pool)
        raise ProcessLost(deaths)

    async def _in(
        self,
        pool: ProcessPoolExecutor,
        seconds: float,
        function: Callable[[*_Given], _Result],
        *given: *_Given,
    ) -> _Result:
        future = asyncio.get_running_loop().run_in_executor(pool, function, *given)
        done, _ = await asyncio.wait([future], timeout=seconds)
        if not done:
            # Nobody will ask for what becomes of it.
            future.cancel()
            self._slow = pool
            self._replace(pool)
        if future.cancelled():
            raise ProcessLost
        return future.result()

    def _replace(self, pool: ProcessPoolExecutor) -> None:
        """End a process and start another, unless somebody else did."""
        if self._pool is pool and not self._closed:
            self.end()
            self.start()

    def renew(self) -> None:
        """Let another process take over; this one ends when it has nothing to do."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False)

    def end(self) -> None:
        """End the process, whatever it is doing."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        for process in self._own:
            process.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()
