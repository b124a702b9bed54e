"""The events of a job, without gaps and doubles however often the connection breaks."""

import json
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from tvlb.client.connection import Connection
from tvlb.client.responses import unexpected
from tvlb.errors import ServerProblem
from tvlb.processes import JobStatus

_ENDED = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


@dataclass(frozen=True)
class JobEvent:
    """Something that happened to a job.

    Attributes
    ----------
    number : 1, 2, ... without gaps.
    type : state, progress or log.
    data : of a state its status and move, of progress its stage, done, total, note and overall
        progress, of a log line its message.
    """

    number: int
    type: str
    data: dict[str, Any]

    @property
    def ends(self) -> bool:
        """Whether the job has ended with this."""
        return self.type == "state" and self.data["status"] in _ENDED


def follow(connection: Connection, path: str) -> Iterator[JobEvent]:
    """Yield the events of a job from the first to the last.

    Parameters
    ----------
    path : of the events.

    Raises
    ------
    ServerProblem : there is no such job.
    Unreachable : the server was given up.
    """
    last, ended = 0, False
    while True:
        try:
            for event in _received(connection, path, last):
                last, ended = event.number, ended or event.ends
                yield event
            if ended:
                return
            # The server is shut down, and so says nothing of the end of the job.
            raise httpx.RemoteProtocolError("it ended the events before the job had ended")
        except (httpx.TransportError, ServerProblem) as error:
            connection.wait(error)


def _received(connection: Connection, path: str, last: int) -> Generator[JobEvent]:
    """Yield what comes after an event while one connection lasts."""
    headers = {"Accept": "text/event-stream"}
    if last > 0:
        headers["Last-Event-ID"] = str(last)
    with connection.stream("GET", path, headers=headers) as response:
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            raise unexpected(response, "these are no server-sent events")
        for event in EventSource(response).iter_sse():
            connection.backoff.reset()
            # What keeps the connection alive is taken for an event without data.
            if event.data:
                yield _event(event, response)


def _event(event: ServerSentEvent, response: httpx.Response) -> JobEvent:
    try:
        return JobEvent(int(event.id), event.event, json.loads(event.data))
    except ValueError as error:
        raise unexpected(response, "this is no event of a job") from error
