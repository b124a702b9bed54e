"""What the service has to know of a request before it takes it."""

import json
from dataclasses import dataclass
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from api.problems import body_errors
from api.side_process import SideProcess, SideQueue, turn
from tvlb.jobs.tasks import WorkspaceContext
from tvlb.jobs.workspace import Workspace
from tvlb.requests import Cost, RequestLimits, command_line, request_key, request_kinds

# Bodies up to this size are read in less time than Python takes to change threads.
_SMALL_BYTES = 16 << 10
# Threads that look at small ones; more would only take turns at the same processor.
_THREADS = 2
# Sweeps may make thousands of networks, which takes seconds; they only wait for each other.
_SWEEP_THREADS = 1
_MOST_WAITING = 200
# What a body of few bytes asks for may take seconds: of such ones the last are refused because of
# the time that they have waited.
_MOST_WAITING_SWEEPS = 20
_MOST_WAITING_LARGE = 20
# On a machine that is very busy.
_MOST_SECONDS = 30.0
_WHAT = "requests wait to be examined"


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
    kind: str, sent: bytes, limits: RequestLimits, workspace: Workspace
) -> Examined | list[dict[str, Any]]:
    """Read and resolve a body, and estimate its cost; errors where it is none of its kind.

    Parameters
    ----------
    kind, sent : of `tvlb.requests.request_kinds`, and the body itself.
    workspace : where the stored tables are that requests name.

    Raises
    ------
    InvalidInput : the request cannot be computed, or is beyond the limits.
    DamagedBlob, StoreUnavailable : a table that it names cannot be read.
    """
    asked = request_kinds()[kind]
    model = asked.form_of(sent).body
    try:
        body = model.model_validate_json(sent)
    except ValidationError as error:
        return body_errors(model, error)
    found = asked.examine(body, limits, WorkspaceContext(workspace))
    resolved = found.request
    return Examined(
        resolved.kind,
        request_key(resolved),
        json.dumps(resolved.model_dump(mode="json"), separators=(",", ":")),
        found.cost,
        asked.at_once and resolved.is_light,
        command_line(resolved),
        tuple(request_key(point) for point in found.points),
    )


def load() -> None:
    """Load all that examining takes."""
    request_kinds()


class Examiner:
    """Examines requests, so that the event loop goes on whatever they hold.

    Reading a large body holds Python's lock, and leaves memory behind; a process beside the server
    does it, one after another, sweeps among them: none is lost with another that takes too long.

    Parameters
    ----------
    process : for large bodies.
    workspace : see `examine`.
    """

    def __init__(self, limits: RequestLimits, process: SideProcess, workspace: Workspace) -> None:
        self._limits = limits
        self._workspace = workspace
        self._threads = CapacityLimiter(_THREADS)
        self._sweep_threads = CapacityLimiter(_SWEEP_THREADS)
        # Nobody waits for one who has a turn.
        self._running = CapacityLimiter(_THREADS + _SWEEP_THREADS)
        self._large = SideQueue(process, _MOST_SECONDS, _MOST_WAITING_LARGE, f"large {_WHAT}")

    async def run(self, kind: str, sent: bytes) -> Examined:
        """Examine a body; see `examine`.

        Raises
        ------
        RequestValidationError : it is none of its kind.
        InvalidInput, DamagedBlob, StoreUnavailable : as `examine`.
        Problem : too many are being examined, or it took too long.
        """
        expands = request_kinds()[kind].expands
        given = examine, kind, sent, self._limits, self._workspace
        if len(sent) > _SMALL_BYTES:
            found = await self._large.call(*given)
        else:
            threads = self._sweep_threads if expands else self._threads
            most = _MOST_WAITING_SWEEPS if expands else _MOST_WAITING
            async with turn(threads, most, _WHAT):
                found = await to_thread.run_sync(*given, limiter=self._running)
        if isinstance(found, list):
            raise RequestValidationError(found)
        return found
