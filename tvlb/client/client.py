"""The client: one method per thing that the service can do."""

from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, Literal, Self, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel

from tvlb.client.backoff import Notice, unheard
from tvlb.client.connection import Connection
from tvlb.client.events import JobEvent, follow
from tvlb.client.responses import read, unexpected
from tvlb.documents import atomic_file
from tvlb.errors import Cancelled, JobFailed
from tvlb.processes import Progress, Reporter, silent
from tvlb.schemas import (
    Estimate,
    JobList,
    JobResource,
    JobStatus,
    Labelling,
    LinkUsage,
    LoadsBody,
    ModelBody,
    ModelItem,
    ModelList,
    ModelResource,
    PairPaths,
    Question,
    RepairBody,
    RepairItem,
    RepairList,
    RepairResource,
    SimulatedResource,
    SimulationItem,
    SimulationList,
    StabilityBody,
    StabilityItem,
    StabilityList,
    StabilityResource,
    SweepBody,
    SweepItem,
    SweepList,
    SweepResource,
    TableBody,
    TableItem,
    TableList,
    TableResource,
    plural,
    simulation_resource,
)

_Result = TypeVar("_Result", bound=BaseModel)
_Page = TypeVar(
    "_Page", JobList, TableList, RepairList, ModelList, SimulationList, StabilityList, SweepList
)
SweepFormat = Literal["parquet", "csv"]


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
            client.download(table.id, "parquet", Path("table.parquet"))
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

    def create_table(
        self, body: TableBody, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> TableResource | JobResource:
        """Ask for a table; the answer is the table if it is known, else the job that computes it.

        Parameters
        ----------
        idempotency_key : the same key gives the same answer again.
        wait : seconds for which the server may hold its answer until the job has ended; it makes
            that at most 300.
        """
        return self._create(body, TableResource, idempotency_key, wait)

    def create_repair(
        self, body: RepairBody, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> RepairResource | JobResource:
        """Ask for a table to be rebuilt for what failures left; see `create_table`."""
        return self._create(body, RepairResource, idempotency_key, wait)

    def create_model(
        self, body: ModelBody, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> ModelResource | JobResource:
        """Ask for the solution of a model; see `create_table`."""
        return self._create(body, ModelResource, idempotency_key, wait)

    def create_simulation(
        self,
        body: LoadsBody,
        *,
        idempotency_key: str | None = None,
        wait: float | None = None,
    ) -> SimulatedResource | JobResource:
        """Ask for a simulation; see `create_table`."""
        return self._create(body, simulation_resource(body.model.name), idempotency_key, wait)

    def create_stability(
        self, body: StabilityBody, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> StabilityResource | JobResource:
        """Ask whether throughput under full load lasts; see `create_table`."""
        return self._create(body, StabilityResource, idempotency_key, wait)

    def create_sweep(
        self, body: SweepBody, *, idempotency_key: str | None = None, wait: float | None = None
    ) -> SweepResource | JobResource:
        """Ask for a sweep; one that is known but has failed points is computed again.

        See `create_table`.
        """
        return self._create(body, SweepResource, idempotency_key, wait)

    def _create(
        self, body: Question, result: type[_Result], idempotency_key: str | None, wait: float | None
    ) -> _Result | JobResource:
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
        return read(result, response)

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

    def delete_table(self, table_id: str) -> None:
        """Delete a table; its job stays, and the same request computes it again."""
        self._connection.request("DELETE", f"/v1/tables/{_part(table_id)}")

    def table(self, table_id: str) -> TableResource:
        """Return a table's document."""
        return self._get(TableResource, f"/v1/tables/{_part(table_id)}")

    def tables(self, search: str | None = None) -> Iterator[TableItem]:
        """Yield tables, newest first; see `jobs` for the search."""
        for page in self._pages(TableList, _listing("table", search)):
            yield from page.tables

    def repair(self, repair_id: str) -> RepairResource:
        """Return a repair: the new table, and what it is worth beside the old one."""
        return self._get(RepairResource, f"/v1/repairs/{_part(repair_id)}")

    def repairs(self, search: str | None = None) -> Iterator[RepairItem]:
        """Yield repairs, newest first; see `jobs` for the search, which also takes a table's id."""
        for page in self._pages(RepairList, _listing("repair", search)):
            yield from page.repairs

    def models(self, search: str | None = None) -> Iterator[ModelItem]:
        """Yield solved models, newest first; see `jobs` for the search."""
        for page in self._pages(ModelList, _listing("model", search)):
            yield from page.models

    def simulations(self, search: str | None = None) -> Iterator[SimulationItem]:
        """Yield simulations, newest first; see `jobs` for the search."""
        for page in self._pages(SimulationList, _listing("simulation", search)):
            yield from page.simulations

    def stabilities(self, search: str | None = None) -> Iterator[StabilityItem]:
        """Yield studies of stability, newest first; see `jobs` for the search."""
        for page in self._pages(StabilityList, _listing("stability", search)):
            yield from page.stabilities

    def label(self, url: str, label: str | None) -> None:
        """Give a job or a result a label, which both have; None takes it away.

        Parameters
        ----------
        url : as the resource has it.
        """
        body = Labelling(label=label).model_dump_json()
        self._connection.request("PATCH", url, content=body)

    def sweep(self, sweep_id: str) -> SweepResource:
        """Return a sweep: a row for each point."""
        return self._get(SweepResource, f"/v1/sweeps/{_part(sweep_id)}")

    def sweeps(self, search: str | None = None) -> Iterator[SweepItem]:
        """Yield sweeps, newest first; see `jobs` for the search."""
        for page in self._pages(SweepList, _listing("sweep", search)):
            yield from page.sweeps

    def links(self, table_id: str) -> LinkUsage:
        """Return the links of a table's network, and how much its VLB paths use them."""
        return self._get(LinkUsage, f"/v1/tables/{_part(table_id)}/links")

    def paths(self, table_id: str, src: int, dst: int, limit: int | None = None) -> PairPaths:
        """Return the MIN and the VLB paths of one switch pair, at most `limit` VLB paths."""
        query = urlencode({"src": src, "dst": dst} | ({} if limit is None else {"limit": limit}))
        return self._get(PairPaths, f"/v1/tables/{_part(table_id)}/paths?{query}")

    def download(self, table_id: str, table_format: str, path: Path) -> None:
        """Write a table file, to the byte what `tvlb table` writes.

        Raises
        ------
        OSError : the file could not be written; there is none then, or the old one.
        """
        self._save(f"/v1/tables/{_part(table_id)}/download?format={table_format}", path)

    def download_repair(self, repair_id: str, table_format: str, path: Path) -> None:
        """Write the new table of a repair; see `download`."""
        self._save(f"/v1/repairs/{_part(repair_id)}/download?format={table_format}", path)

    def download_front(self, table_id: str, point: int, table_format: str, path: Path) -> None:
        """Write the table file of a point of a front, counted from 1; see `download`."""
        source = f"/v1/tables/{_part(table_id)}/front/{point}/download?format={table_format}"
        self._save(source, path)

    def download_sweep(self, sweep_id: str, sweep_format: SweepFormat, path: Path) -> None:
        """Write the result rows of a sweep, to the byte what `tvlb sweep` writes.

        Raises
        ------
        OSError : see `download`.
        """
        self._save(f"/v1/sweeps/{_part(sweep_id)}/download?format={sweep_format}", path)

    def report(self, sweep_id: str, path: Path) -> None:
        """Write the report of a sweep, an HTML page that needs nothing else.

        Raises
        ------
        OSError : see `download`.
        """
        self._save(f"/v1/sweeps/{_part(sweep_id)}/report", path)

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

    def computed(self, body: TableBody, report: Reporter = silent) -> TableResource:
        """Return a table once it is computed.

        Parameters
        ----------
        report : called with the `Progress` events of the search at the server.

        Raises
        ------
        JobFailed : it could not be computed.
        Cancelled : somebody cancelled the job.
        """
        found = self.create_table(body)
        return found if isinstance(found, TableResource) else self.finished(found, report)

    def computed_repair(self, body: RepairBody, report: Reporter = silent) -> RepairResource:
        """Return a repair once it is computed; see `computed`."""
        found = self.create_repair(body)
        return found if isinstance(found, RepairResource) else self.finished_repair(found, report)

    def computed_stability(
        self, body: StabilityBody, report: Reporter = silent
    ) -> StabilityResource:
        """Return a study of stability once it is computed; see `computed`."""
        found = self.create_stability(body)
        if isinstance(found, StabilityResource):
            return found
        return self.finished_stability(found, report)

    def computed_sweep(self, body: SweepBody, report: Reporter = silent) -> SweepResource:
        """Return a sweep once it is computed; points that failed are among its rows.

        Parameters
        ----------
        report : called with the `Progress` events of the sweep at the server.

        Raises
        ------
        JobFailed, Cancelled : as `computed`.
        """
        found = self.create_sweep(body)
        if isinstance(found, SweepResource):
            return found
        return self._get(SweepResource, self.outcome(found, report))

    def finished(self, job: JobResource, report: Reporter = silent) -> TableResource:
        """Return the table that a job computes, once it has ended; see `computed`."""
        return self._get(TableResource, self.outcome(job, report))

    def finished_repair(self, job: JobResource, report: Reporter = silent) -> RepairResource:
        """Return the repair that a job computes, once it has ended; see `computed`."""
        return self._get(RepairResource, self.outcome(job, report))

    def finished_stability(self, job: JobResource, report: Reporter = silent) -> StabilityResource:
        """Return the study that a job computes, once it has ended; see `computed`."""
        return self._get(StabilityResource, self.outcome(job, report))

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

    def _pages(self, model: type[_Page], path: str | None) -> Iterator[_Page]:
        """Yield a list, page by page."""
        while path is not None:
            page = self._get(model, path)
            yield page
            path = page.next

    def _get(self, model: type[_Result], path: str) -> _Result:
        return read(model, self._connection.request("GET", path))


def _listing(kind: str, search: str | None, **more: str | None) -> str:
    given = {name: text for name, text in {"search": search, **more}.items() if text is not None}
    return f"/v1/{plural(kind)}" + (f"?{urlencode(given)}" if given else "")


def _part(identifier: str) -> str:
    """Return an id as one part of a path, whatever is in it."""
    return quote(identifier, safe="")


def _progress(event: JobEvent) -> Progress:
    data = event.data
    return Progress(data["stage"], data["done"], data["total"], data["note"])
