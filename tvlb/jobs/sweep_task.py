"""Computing a sweep, which looks other results up."""

import shutil
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from tvlb.jobs.database import Database
from tvlb.jobs.outputs import store_document
from tvlb.jobs.results import Results
from tvlb.jobs.table_store import ResultTableStore
from tvlb.jobs.workspace import TaskOutput, Workspace
from tvlb.processes import local_workers
from tvlb.schemas import Question, SweepBody
from tvlb.search import Reporter, UnitCache
from tvlb.sweeps import points_of, rows_of, run_points, write_outputs

# A report needs a heading.
_UNNAMED = "A sweep without a name"


def compute_sweep(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    """See `tvlb.jobs.tasks.run_task`."""
    assert isinstance(body, SweepBody)
    assert workspace.database is not None
    start = time.perf_counter()
    points = points_of(body.expanded(report=report))
    with (
        closing(Database(workspace.database)) as database,
        local_workers(workspace.cores, workspace.hang) as executor,
    ):
        results = run_points(
            points,
            ResultTableStore(Results(database), workspace.blobs),
            UnitCache(executor, workspace.units),
            workers=workspace.cores,
            report=report,
        )
    with TemporaryDirectory() as folder:
        written = write_outputs(body.name or _UNNAMED, results, Path(folder))
        files = {path.name: workspace.blobs.put(partial(_copy, path)) for path in written}
    document = {
        "name": body.name,
        "points": len(results),
        "failed": sum(result.stored is None for result in results),
        "rows": rows_of(results),
        "files": files,
    }
    timings = {"sweep": time.perf_counter() - start}
    # Whoever asks again for a sweep with failed points has them computed again.
    return TaskOutput(store_document(workspace.blobs, document), timings=timings, replaces=True)


def _copy(path: Path, stream: BinaryIO) -> None:
    with path.open("rb") as source:
        shutil.copyfileobj(source, stream)
