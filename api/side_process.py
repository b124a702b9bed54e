"""A process beside the server, for what would keep the event loop from going on."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TypeVar, TypeVarTuple
from weakref import WeakSet

from anyio import CapacityLimiter, move_on_after

from api.problems import Problem
from tvlb.errors import Cancelled, NoWorkers, WorkerLost
from tvlb.processes import WorkerPool, call_nicely

_Given = TypeVarTuple("_Given")
_Result = TypeVar("_Result")

# A death may have had nothing to do with the call. A job of the same request has attempts left.
_ATTEMPTS = 2
# With what the call itself may take, an answer within five seconds.
_MOST_SECONDS_OF_WAITING = 3.0
_LATE_RETRY_SECONDS = 60


class ProcessLost(Exception):
    """The call took too long, or its process died.

    Attributes
    ----------
    deaths : how many processes died with it.
    late : after so many seconds it was ended; 0 where its process was lost in another way.
    """

    def __init__(self, deaths: int = 0, late: float = 0.0) -> None:
        super().__init__(deaths, late)
        self.deaths = deaths
        self.late = late


class SideProcess:
    """Makes one call at a time, those that wait in their order.

    The process is ended, and another started, where a call takes too long: then all that wait are
    lost as well. What was called in a process that died is called once more.

    Parameters
    ----------
    prepare : called first in every process, beside whatever the server does.
    calls : after so many another process takes over, with the memory of none of them.
    """

    def __init__(self, prepare: Callable[[], object], calls: int | None = None) -> None:
        self._prepare = prepare
        self._calls = calls
        self._made = 0
        self._pool: WorkerPool | None = None
        # With those that another took over from, as long as they run.
        self._pools = WeakSet[WorkerPool]()
        self._closed = False

    def start(self) -> WorkerPool:
        """Start the process, if there is none."""
        if self._pool is None:
            self._pool = WorkerPool(1, attempts=_ATTEMPTS)
            self._pools.add(self._pool)
            self._pool.submit(call_nicely, self._prepare)
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
        if self._made == self._calls:
            self._renew()
        self._made += 1
        pool = self.start()
        try:
            future = asyncio.wrap_future(pool.submit(call_nicely, function, *given))
            done, _ = await asyncio.wait([future], timeout=seconds)
            if not done:
                # Nobody will ask for what becomes of it.
                future.cancel()
                self._replace(pool)
                raise ProcessLost(late=seconds)
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
        """End a process, and start another unless one took over already."""
        pool.kill()
        if self._pool is pool and not self._closed:
            self._pool = None
            self.start()

    def _renew(self) -> None:
        """Let another process take over; this one ends when it has nothing to do."""
        pool, self._pool, self._made = self._pool, None, 0
        if pool is not None:
            pool.shutdown(wait=False)

    def end(self) -> None:
        """End the process, and those that it took over from, whatever they are doing."""
        self._pool = None
        for pool in list(self._pools):
            pool.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self.end()


class SideQueue:
    """Calls in a process beside the server: one at a time, few that wait, and not long.

    Parameters
    ----------
    process : nobody else calls anything there.
    seconds : how long a call may take.
    most : calls that may wait; those that have done so for three seconds are refused as well.
    what : what many of them do, such as "requests wait to be examined".
    """

    def __init__(self, process: SideProcess, seconds: float, most: int, what: str) -> None:
        self._process = process
        self._seconds = seconds
        self._most = most
        self._what = what
        self._turn = CapacityLimiter(1)

    async def call(self, function: Callable[[*_Given], _Result], *given: *_Given) -> _Result:
        """Call a function there; raises Problem if that is not possible."""
        async with turn(self._turn, self._most, self._what):
            try:
                return await self._process.call(self._seconds, function, *given)
            except ProcessLost as error:
                raise _lost(error) from error


@asynccontextmanager
async def turn(limiter: CapacityLimiter, most: int, what: str) -> AsyncGenerator[None]:
    """Wait for a turn, and have it while the block runs.

    Parameters
    ----------
    limiter : how many have one at a time.
    most, what : see `SideQueue`.

    Raises
    ------
    Problem : so many wait already, or none had an end within three seconds.
    """
    if limiter.statistics().tasks_waiting >= most:
        raise _busy(f"{most} {what} already")
    with move_on_after(_MOST_SECONDS_OF_WAITING) as waiting:
        await limiter.acquire()
    if waiting.cancelled_caught:
        raise _busy(f"{what}, and none was done in time")
    try:
        yield
    finally:
        limiter.release()


def _lost(error: ProcessLost) -> Problem:
    if not error.late:
        return _busy("the process beside the server was lost")
    # It would again, unless others kept the machine busy.
    return _busy(
        f"this takes more than {error.late:g} seconds, the most that the server gives it: ask for "
        "less at once, or when the machine is less busy",
        _LATE_RETRY_SECONDS,
    )


def _busy(detail: str, retry_after: int = 2) -> Problem:
    headers = {"Retry-After": str(retry_after)}
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "busy", detail, headers)
