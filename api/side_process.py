"""A process beside the server, for what would keep the event loop from going on."""

import asyncio
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from tvlb.errors import Cancelled, NoWorkers, WorkerLost
from tvlb.workers import WorkerPool

__all__ = ["ProcessLost", "SideProcess"]

_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")

# A death may have had nothing to do with the call. A job of the same request has attempts left.
_ATTEMPTS = 2


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
        self._pool: WorkerPool | None = None
        self._closed = False

    def start(self) -> WorkerPool:
        """Start the process, if there is none."""
        if self._pool is None:
            self._pool = WorkerPool(1, attempts=_ATTEMPTS)
            self._pool.submit(self._prepare)
        return self._pool

    async def call(
        self, seconds: float, function: Callable[[*_Given], _Result], *given: *_Given
    ) -> _Result:
        """Call a function there.

        Raises
        ------
        ProcessLost : it did not return within so many seconds, or the process died twice.
        """
        if self._closed:
            raise ProcessLost
        pool = self.start()
        try:
            future = asyncio.wrap_future(pool.submit(function, *given))
            done, _ = await asyncio.wait([future], timeout=seconds)
            if not done:
                # Nobody will ask for what becomes of it.
                future.cancel()
                self._replace(pool)
            if future.cancelled():
                raise ProcessLost
            return future.result()
        except Cancelled as error:
            raise ProcessLost from error
        except NoWorkers as error:
            self._replace(pool)
            raise ProcessLost from error
        except WorkerLost as error:
            raise ProcessLost(_ATTEMPTS) from error

    def _replace(self, pool: WorkerPool) -> None:
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
            pool.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()
