"""Jobs and results as the JSON that `tvlb.requests` describes."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import chain
from pathlib import Path
from typing import IO, Any

from starlette.responses import Response, StreamingResponse

from tvlb.jobs.blobs import store_errors
from tvlb.jobs.job import Job
from tvlb.jobs.results import Result
from tvlb.jobs.status import JobStatus
from tvlb.jobs.workspace import FRONT_FILES
from tvlb.requests import JobResource, request_kinds, result_url

# Every piece takes a thread and a turn of the event loop.
_PIECE_BYTES = 256 << 10
_HIDDEN = f',"{FRONT_FILES}":'.encode()


@dataclass(frozen=True)
class Facts:
    """What the service has to know of a stored document.

    Attributes
    ----------
    end : where that ends which others may see, without the last brace.
    final : whether it never changes; a sweep with failed points may be computed again.
    front : SHA-256 of the table files of a front, in its order.
    files : SHA-256 of the files of a sweep, by name.
    """

    end: int
    final: bool = True
    front: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class ServedResource:
    """A result, ready to be sent: its document after what it has besides.

    Attributes
    ----------
    result : what the database knows.
    head : JSON up to the first key of the document.
    path : of the stored document.
    facts : about the document.
    body : all of the JSON, None if that is much.
    """

    result: Result
    head: bytes
    path: Path
    facts: Facts
    body: bytes | None = None

    @property
    def etag(self) -> str:
        """The hash of the content, as the header wants it."""
        return f'"{self.result.document}"'

    @property
    def table_file(self) -> str:
        """SHA-256 of the file of a table."""
        assert self.result.table_file is not None
        return self.result.table_file

    def pieces(self) -> Iterator[bytes]:
        """Return an iterator over the JSON; of what is much, little at a time.

        Raises
        ------
        StoreUnavailable : the document cannot be opened.
        """
        if self.body is not None:
            return iter([self.body])
        # Not as late as the first piece is asked for: by then the answer has begun.
        with store_errors():
            stream = self.path.open("rb")
        stream.seek(1)
        return chain([self.head], pieces_of(stream, self.facts.end - 1), [b"}"])

    def parsed(self) -> dict[str, Any]:
        """Return the JSON as values, which take many times the memory; raises as `pieces`."""
        with store_errors():
            return json.loads(b"".join(self.pieces()))

    def response(self, headers: Mapping[str, str]) -> Response:
        """Answer with the JSON, read while it is sent if it is much; raises as `pieces`."""
        headers = {"ETag": self.etag, **headers}
        if self.body is not None:
            return Response(self.body, HTTPStatus.OK, headers, "application/json")
        headers["Content-Length"] = str(len(self.head) + self.facts.end)
        return StreamingResponse(self.pieces(), HTTPStatus.OK, headers, "application/json")


def pieces_of(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Return an iterator over so many bytes of a stream, little at a time, which closes it."""
    pieces = _pieces_of(stream, size)
    # What was begun is ended, and the stream closed, also where nobody asks for a piece.
    next(pieces)
    return pieces


def _pieces_of(stream: IO[bytes], size: int) -> Iterator[bytes]:
    with stream:
        yield b""
        while piece := stream.read(min(_PIECE_BYTES, size)):
            size -= len(piece)
            yield piece


def facts_of(stored: bytes) -> Facts:
    """Find the facts of a stored document that may name files."""
    document: dict[str, Any] = json.loads(stored)
    return Facts(
        # What only the store needs comes last.
        stored.rindex(_HIDDEN) if FRONT_FILES in document else len(stored) - 1,
        not document.get("failed"),
        tuple(document.get(FRONT_FILES, ())),
        document.get("files", {}),
    )


def moment(seconds: float) -> str:
    """Return a time as text, UTC."""
    text = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _moment_or_none(seconds: float | None) -> str | None:
    return None if seconds is None else moment(seconds)


def identity(result: Result, front: int = 0) -> dict[str, Any]:
    """Return what a result has besides its document.

    Parameters
    ----------
    front : number of the points of a table's front.
    """
    urls = request_kinds()[result.kind].urls(result.key, front)
    own = {
        "id": result.key,
        "url": urls["url"],
        "created_at": moment(result.created_at),
        "request": result.request,
    }
    return own | urls


def job_resource(job: Job) -> dict[str, Any]:
    """Return a job as JSON."""
    url = f"/v1/jobs/{job.id}"
    done = job.status is JobStatus.SUCCEEDED
    values = vars(job) | {
        "created_at": moment(job.created_at),
        "started_at": _moment_or_none(job.started_at),
        "heartbeat_at": _moment_or_none(job.heartbeat_at),
        "ended_at": _moment_or_none(job.ended_at),
        "url": url,
        "events_url": f"{url}/events",
        "result_url": result_url(job.kind, job.key) if done else None,
    }
    return {name: values[name] for name in JobResource.model_fields}
