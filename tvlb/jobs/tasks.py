"""Computing one request: what every kind of job does, once it has a process to itself."""

import json
import os
import shutil
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

from tvlb.documents import plain
from tvlb.errors import InvalidInput, TvlbError
from tvlb.jobs.blobs import BlobStore, store_errors
from tvlb.jobs.workspace import FRONT_FILES, Task, TaskOutput, Workspace
from tvlb.processes import KeptWorkers, Reporter, Stages, UnitCache, cpu_seconds, local_workers
from tvlb.requests import Answer, Context, Question, StoredResult, SweepBody, request_kinds
from tvlb.table import StoredTable, read_any_stream, write_stream

if TYPE_CHECKING:
    from tvlb.jobs.results import Result, Results

# A report needs a heading.
_UNNAMED = "A sweep without a name"
# Of an estimate: of less the start of processes, which may be there already, is too large a part.
_LEAST_SECONDS = 10.0


def get_ready() -> None:
    """Load what computing takes."""
    request_kinds()


def stages_of(task: Task) -> Stages:
    """Return the stages of which the progress of a task tells."""
    return request_kinds()[task.kind].stages


def run_task(
    task: Task, workspace: Workspace, report: Reporter, workers: KeptWorkers | None = None
) -> TaskOutput:
    """Compute a request and put its files into the blob store.

    Parameters
    ----------
    workers : compute its units; None for processes of its own.

    Raises
    ------
    TvlbError : as the command line does for the same question.
    OSError : a file could not be written.
    """
    form = request_kinds()[task.kind].form_of(task.request)
    body = form.body.model_validate_json(task.request)
    before = cpu_seconds(os.getpid())
    answer = form.compute(body, WorkspaceContext(workspace, workers), report)
    output = store_answer(workspace.blobs, answer)
    # Others tell no work, and what was in part computed before.
    if not answer.work or before is None:
        return output
    return replace(output, work=dict(answer.work) | _measured(body, before))


def _measured(body: Question, before: float) -> dict[str, float]:
    """Return what a request took and what was estimated; nothing of one that took no time."""
    now = cpu_seconds(os.getpid())
    try:
        estimated = body.examined()[1].cpu_seconds
    except TvlbError:  # its kind has a way of its own
        return {}
    if estimated < _LEAST_SECONDS or now is None:
        return {}
    return {"estimated_seconds": estimated, "cpu_seconds": now - before}


@dataclass(frozen=True)
class WorkspaceContext(Context):
    """A workspace, for those who compute or examine requests."""

    workspace: Workspace
    workers: KeptWorkers | None = None

    @property
    def cores(self) -> int:
        """See `Context.cores`."""
        return self.workspace.cores

    @contextmanager
    def unit_cache(self) -> Generator[UnitCache]:
        """See `Context.unit_cache`."""
        with (
            local_workers(self.cores, self.workspace.hang)
            if self.workers is None
            else self.workers.lent()
        ) as executor:
            yield UnitCache(executor, self.workspace.units)

    def result(self, key: str, *kinds: str) -> StoredResult:
        """See `Context.result`."""
        with self._results() as results:
            found = results.get(key)
        wanted = " or ".join(request_kinds()[name].noun for name in kinds)
        if found is None:
            raise InvalidInput(f"there is no {wanted} {key}")
        if found.kind not in kinds:
            other = request_kinds()[found.kind].noun
            raise InvalidInput(f"{key} is the id of a {other}, where that of a {wanted} is needed")
        return self._stored(found, key)

    def table(self, text: str) -> StoredResult:
        """See `Context.table`."""
        with self._results() as results:
            found = results.with_table(text)
        if not found:
            raise InvalidInput(f"there is no table {text}; it may have been deleted")
        if len({one.table_id for one in found}) > 1:
            raise InvalidInput(f"several tables have ids that begin with {text}: give more digits")
        return self._stored(found[0], text)

    def _stored(self, found: "Result", text: str) -> StoredResult:
        blobs, name = self.workspace.blobs, found.table_file

        def read() -> StoredTable:
            assert name is not None
            return read_table(blobs, name)

        def read_document() -> Mapping[str, Any]:
            return json.loads(blobs.read(found.document))

        tables = request_kinds()[found.kind].tables_of(read_document)
        return StoredResult(text, tables, found.request, found.table_id, read_document, read)

    def sweep(self, body: SweepBody, report: Reporter) -> Answer:
        """See `Context.sweep`."""
        # Loaded here: no other task needs the report.
        from tvlb.jobs.table_store import ResultTableStore
        from tvlb.sweeps import points_of, rows_of, run_points, told_of, write_outputs

        start = time.perf_counter()
        points = points_of(body.expanded(report=report))
        with self._results() as results, self.unit_cache() as cache:
            tables = ResultTableStore(results, self.workspace.blobs)
            found = run_points(points, tables, cache, workers=self.cores, report=report)
        rows = rows_of(found)
        document = {
            "name": body.name,
            "points": len(found),
            "failed": sum(result.stored is None for result in found),
            "rows": rows,
            **told_of(found, rows),
        }
        return Answer(
            document,
            {"sweep": time.perf_counter() - start},
            write=partial(write_outputs, body.name or _UNNAMED, found),
            # Whoever asks again for a sweep with failed points has them computed again.
            replaces=True,
        )

    @contextmanager
    def _results(self) -> "Generator[Results]":
        # Loaded here: most tasks do not need the database.
        from tvlb.jobs.database import Database
        from tvlb.jobs.results import Results

        assert self.workspace.database is not None
        with closing(Database(self.workspace.database)) as database:
            yield Results(database)


def store_answer(blobs: BlobStore, answer: Answer) -> TaskOutput:
    """Store the document of an answer, and its files.

    Raises
    ------
    OSError : a file could not be written.
    """
    document, table = dict(answer.document), answer.table
    table_file = None if table is None else store_table(blobs, table)
    if answer.front:
        document[FRONT_FILES] = [store_table(blobs, one) for one in answer.front]
    if answer.write is not None:
        with TemporaryDirectory() as folder:
            written = answer.write(Path(folder))
            document["files"] = {path.name: blobs.put(partial(_copy, path)) for path in written}
    text = json.dumps(plain(document), allow_nan=False, separators=(",", ":"))
    return TaskOutput(
        blobs.put_bytes(text.encode()),
        table_file,
        None if table is None else table.id,
        dict(answer.timings),
        dict(answer.work),
        answer.replaces,
    )


def store_table(blobs: BlobStore, table: StoredTable) -> str:
    """Store the file of a table and return its SHA-256 (hex); raises OSError as `store_answer`."""
    return blobs.put(partial(write_stream, table, ".parquet"))


def read_table(blobs: BlobStore, name: str) -> StoredTable:
    """Read the file of a table; raises StoreUnavailable or InvalidInput."""
    with store_errors(), blobs.path(name).open("rb") as stream:
        return read_any_stream(".parquet", stream)


def _copy(path: Path, stream: BinaryIO) -> None:
    with path.open("rb") as source:
        shutil.copyfileobj(source, stream)
