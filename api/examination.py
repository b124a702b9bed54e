"""What the service has to know of a request before it takes it."""

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from api.problems import Problem, body_errors
from api.side_process import ProcessLost, SideProcess
from tvlb.schemas import (
    Question,
    Request,
    RequestLimits,
    SweepBody,
    TableBody,
    command_line,
    request_key,
)
from tvlb.search import Cost

__all__ = ["Examined", "Examiner", "examine"]

# Bodies up to this size are read in less time than Python takes to change threads.
_SMALL_BYTES = 16 << 10
# Threads that look at small ones; more would only take turns at the same processor.
_THREADS = 2
# Sweeps may make thousands of networks, which takes seconds; they only wait for each other.
_SWEEP_THREADS = 1
_MOST_WAITING = 200
# A sweep of large networks takes 5 seconds, so that the last waits for less than two minutes.
_MOST_WAITING_SWEEPS = 20
# After so many large ones another process takes over, with the memory of none of them.
_CALLS_PER_PROCESS = 100
# On a machine that is very busy.
_MOST_SECONDS = 30.0


@dataclass(frozen=True)
class Examined:
    """A request that can be computed.

    Attributes
    ----------
    kind, key : of the request.
    text : the resolved request as JSON.
    cost : of all that it asks for.
    may_be_quick : whether it is computed at once if it costs little.
    command : the command line that asks for the same, None if there is none.
    points : keys of the points of a sweep.
    """

    kind: str
    key: str
    text: str
    cost: Cost
    may_be_quick: bool
    command: str | None
    points: tuple[str, ...] = ()


def examine(
    model: type[Question], sent: bytes, limits: RequestLimits
) -> Examined | list[dict[str, Any]]:
    """Read and resolve a body, and estimate its cost; errors where it is none of the model.

    Raises
    ------
    InvalidInput : the request cannot be computed, or is beyond the limits.
    """
    try:
        body = model.model_validate_json(sent)
    except ValidationError as error:
        return body_errors(error)
    points: tuple[TableBody, ...] = ()
    if isinstance(body, SweepBody):
        expansion = body.expanded(limits)
        resolved, cost, points = body, expansion.cost, expansion.points
    else:
        resolved, cost = body.examined(limits)
    return Examined(
        resolved.kind,
        request_key(resolved),
        json.dumps(resolved.model_dump(mode="json"), separators=(",", ":")),
        cost,
        resolved.is_light and not isinstance(resolved, TableBody),
        command_line(resolved) if isinstance(resolved, Request) else None,
        tuple(request_key(point) for point in points),
    )


def _prepare() -> None:
    """Do nothing: to find this has loaded all that examining takes."""


class Examiner:
    """Examines requests, so that the event loop goes on whatever they hold.

    Reading a large body holds Python's lock, and leaves memory behind; a process beside the server
    does it, one after another.
    """

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._threads = CapacityLimiter(_THREADS)
        self._sweep_threads = CapacityLimiter(_SWEEP_THREADS)
        self._turn = CapacityLimiter(1)
        self._calls = 0
        self._process = SideProcess(_prepare)

    async def run(self, model: type[Question], sent: bytes) -> Examined:
        """Examine a body.

        Raises
        ------
        RequestValidationError : it is none of the model.
        InvalidInput : the request cannot be computed, or is beyond the limits.
        Problem : too many are being examined, or it took too long.
        """
        large = len(sent) > _SMALL_BYTES
        is_sweep = issubclass(model, SweepBody)
        threads = self._sweep_threads if is_sweep else self._threads
        most = _MOST_WAITING_SWEEPS if is_sweep else _MOST_WAITING
        _check_waiting(self._turn if large else threads, most)
        if large:
            async with self._turn:
                found = await self._beside(model, sent)
        else:
            found = await to_thread.run_sync(examine, model, sent, self._limits, limiter=threads)
        if isinstance(found, list):
            raise RequestValidationError(found)
        return found

    async def _beside(self, model: type[Question], sent: bytes) -> Examined | list[dict[str, Any]]:
        if self._calls == _CALLS_PER_PROCESS:
            self._process.renew()
            self._calls = 0
        self._calls += 1
        try:
            return await self._process.call(_MOST_SECONDS, examine, model, sent, self._limits)
        except ProcessLost as error:
            raise _busy("the process that examines requests was lost") from error

    def close(self) -> None:
        """End the process for good."""
        self._process.close()


def _check_waiting(limiter: CapacityLimiter, most: int) -> None:
    if limiter.statistics().tasks_waiting >= most:
        raise _busy(f"{most} requests wait to be examined already")


def _busy(detail: str) -> Problem:
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "busy", detail, {"Retry-After": "2"})
