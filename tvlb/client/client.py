"""The client: one method per thing that the service can do."""

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any, BinaryIO, Self, TypeVar
from urllib.parse import quote, urlencode

import httpx
from pydantic import BaseModel

from tvlb.client.backoff import Notice, unheard
from tvlb.client.connection import Connection
from tvlb.client.events import JobEvent, follow
from tvlb.client.responses import read, unexpected
from tvlb.documents import atomic_file
from tvlb.errors import Cancelled, JobFailed
from tvlb.processes import JobStatus, Progress, Reporter, silent
from tvlb.requests import (
    Estimate,
    Item,
    JobList,
    JobResource,
    Labelling,
    LinkUsage,
    PairPaths,
    Question,
    Resource,
    list_of,
    plural,
    request_kinds,
    resource_of,
    result_url,
)

_Model = TypeVar("_Model", bound=BaseModel)


class Client:
    """A connection to a tvlb server; a context manager.

    Parameters
    ----------
    url : of the server, such as http://127.0.0.1:8080.
    token : for servers that need one.
    timeout : seconds without any byte from the server before a request is given up; None waits for
        ever. A server keeps silent for 15 seconds between the events of a job.
    notice : told, in words, when the client waits for a server that is away or that is full.

    Raises
    ------
    InvalidInput : the URL or the token cannot be one.

    Notes
    -----
    A server that does not answer the first request is unreachable. Later it is taken to be
    restarting, and asked again until `timeout`. All methods raise `ServerProblem` where the server
    refuses, and `Unreachable`.

    Examples
    --------
    ::

        with Client("http://127.0.0.1:8080") as client:
            table = client.computed(TableBody(topology="4,8,4,9"))
            client.download(table, "parquet", Path("table.parquet"))
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float | None = None,
        notice: Notice = unheard,
    ) -> None:
        self._connection = Connection(url, token, timeout, notice)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()

    def url(self, path: str) -> str:
        """Return the whole URL of what a resource calls its `url`."""
        return self._connection.url(path)

    def create(
        self, body: Question, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> Resource | JobResource:
        """Ask for a result; the answer is that if it is known, else the job that computes it.

        A sweep that is known but has failed points is computed again.

        Parameters
        ----------
        idempotency_key : the same key gives the same answer again.
        wait : seconds for which the server may hold its answer until the job has ended; it makes
            that at most 300.
        """
        headers: dict[str, str] = {}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        if wait is not None:
            headers["Prefer"] = f"wait={wait:.0f}"
        response = self._connection.request(
            "POST",
            f"/v1/{plural(body.kind)}",
            content=body.model_dump_json(),
            headers=headers,
            silence=wait or 0.0,
        )
        if response.status_code == HTTPStatus.ACCEPTED:
            return read(JobResource, response)
        return _result(body.kind, response)

    def estimate(self, body: Question) -> Estimate:
        """Return what a request would be computed as, and what it would cost."""
        path = f"/v1/{plural(body.kind)}?validate_only=true"
        return read(
            Estimate, self._connection.request("POST", path, content=body.model_dump_json())
        )

    def job(self, job_id: str) -> JobResource:
        """Return the state of a job."""
        return self._get(JobResource, f"/v1/jobs/{_part(job_id)}")

    def jobs(
        self, status: JobStatus | None = None, search: str | None = None
    ) -> Iterator[JobResource]:
        """Yield jobs, newest first: all, or those with a status or a text.

        Parameters
        ----------
        search : a text that the label or the request has, whatever its case.
        """
        for page in self._pages(JobList, _listing("job", search, status=status)):
            yield from page.jobs

    def follow(self, job: JobResource) -> Iterator[JobEvent]:
        """Yield the events of a job, from the first until it has ended, as they happen."""
        return follow(self._connection, job.events_url)

    def cancel(self, job_id: str) -> JobResource:
        """End a job that has not ended; one that is running stops within a second."""
        return read(
            JobResource, self._connection.request("POST", f"/v1/jobs/{_part(job_id)}/cancel")
        )

    def delete(self, job_id: str) -> None:
        """Delete a job that has ended; its result stays.

        If the connection breaks meanwhile, the server may say that there is no such job: it is
        deleted then.
        """
        self._connection.request("DELETE", f"/v1/jobs/{_part(job_id)}")

    def result(self, kind: str, result_id: str) -> Resource:
        """Return a result of a kind, such as "table"."""
        return self._result(kind, result_url(kind, _part(result_id)))

    def results(self, kind: str, search: str | None = None) -> Iterator[Item]:
        """Yield the results of a kind, newest first; see `jobs` for the search."""
        for page in self._pages(list_of(kind), _listing(kind, search)):
            yield from getattr(page, request_kinds()[kind].plural)

    def delete_result(self, kind: str, result_id: str) -> None:
        """Delete a result of a kind; its job stays, and the same request computes it again."""
        self._connection.request("DELETE", result_url(kind, _part(result_id)))

    def label(self, url: str, label: str | None) -> None:
        """Give a job or a result a label, which both have; None takes it away.

        Parameters
        ----------
        url : as the resource has it.
        """
        body = Labelling(label=label).model_dump_json()
        self._connection.request("PATCH", url, content=body)

    def links(self, table_id: str, kind: str = "table") -> LinkUsage:
        """Return the links of a table's network, and how much its routes use them.

        Parameters
        ----------
        table_id : of the result that has the table.
        kind : of that result.
        """
        return self._get(LinkUsage, f"{result_url(kind, _part(table_id))}/links")

    def paths(self, table_id: str, src: int, dst: int, limit: int | None = None) -> PairPaths:
        """Return the MIN and the VLB paths of one switch pair, at most `limit` VLB paths."""
        query = urlencode({"src": src, "dst": dst} | ({} if limit is None else {"limit": limit}))
        return self._get(PairPaths, f"/v1/tables/{_part(table_id)}/paths?{query}")

    def download(self, result: Resource, file_format: str, path: Path) -> None:
        """Write the file of a result, to the byte what the command line writes.

        Parameters
        ----------
        result : has a table, or is a sweep, whose file has its rows as parquet or csv.

        Raises
        ------
        OSError : the file could not be written; there is none then, or the old one.
        """
        self._save(f"{result.url}/download?format={file_format}", path)

    def download_front(self, table: Resource, point: int, table_format: str, path: Path) -> None:
        """Write the table file of a point of a front, counted from 1; see `download`."""
        self._save(f"{table.url}/front/{point}/download?format={table_format}", path)

    def report(self, sweep: Resource, path: Path) -> None:
        """Write the report of a sweep, an HTML page that needs nothing else.

        Raises
        ------
        OSError : see `download`.
        """
        self._save(f"{sweep.url}/report", path)

    def _save(self, source: str, path: Path) -> None:
        with atomic_file(path) as stream:
            self._connection.persistently(lambda: self._receive(source, stream))

    def _receive(self, source: str, stream: BinaryIO) -> None:
        stream.seek(0)
        stream.truncate()
        # The length that the server names is then that of the file.
        headers = {"Accept-Encoding": "identity"}
        with self._connection.stream("GET", source, headers=headers) as response:
            for chunk in response.iter_raw():
                stream.write(chunk)
        length = response.headers.get("content-length")
        if length is not None and stream.tell() != int(length):
            raise unexpected(response, f"{stream.tell()} of {length} bytes arrived")
        self._connection.backoff.reset()

    def computed(self, body: Question, report: Reporter = silent) -> Resource:
        """Return a result once it is computed; points of a sweep that failed are among its rows.

        Parameters
        ----------
        report : called with the `Progress` events of the job at the server.

        Raises
        ------
        JobFailed : it could not be computed.
        Cancelled : somebody cancelled the job.
        """
        found = self.create(body)
        return self.finished(found, report) if isinstance(found, JobResource) else found

    def finished(self, job: JobResource, report: Reporter = silent) -> Resource:
        """Return the result that a job computes, once it has ended; see `computed`."""
        return self._result(job.kind, self.outcome(job, report))

    def outcome(self, job: JobResource, report: Reporter = silent) -> str:
        """Follow a job of any kind to its end and return the URL of its result; see `computed`."""
        for event in self.follow(job):
            if event.type == "progress":
                report(_progress(event))
        ended = self.job(job.id)
        if ended.error is not None:
            raise JobFailed(
                ended.error.type, ended.error.title, ended.error.detail, ended.error.log
            )
        if ended.result_url is None:
            raise Cancelled(f"the job {self.url(ended.url)} was cancelled")
        return ended.result_url

    def _pages(self, model: Any, path: str | None) -> Iterator[Any]:
        """Yield a list, page by page."""
        while path is not None:
            page = self._get(model, path)
            yield page
            path = page.next

    def _get(self, model: type[_Model], path: str) -> _Model:
        return read(model, self._connection.request("GET", path))

    def _result(self, kind: str, path: str) -> Resource:
        return _result(kind, self._connection.request("GET", path))


def _result(kind: str, response: httpx.Response) -> Resource:
    """Return the result of a kind that a response is."""
    # Documents name the router that their requests do.
    form = request_kinds()[kind].form_of(response.content)
    tables = request_kinds()[kind].tables_of(response.json)
    return read(resource_of(kind, form.router, tables), response)


def _listing(kind: str, search: str | None, **more: str | None) -> str:
    given = {name: text for name, text in {"search": search, **more}.items() if text is not None}
    return f"/v1/{plural(kind)}" + (f"?{urlencode(given)}" if given else "")


def _part(identifier: str) -> str:
    """Return an id as one part of a path, whatever is in it."""
    return quote(identifier, safe="")


def _progress(event: JobEvent) -> Progress:
    data = event.data
    return Progress(data["stage"], data["done"], data["total"], data["note"])
