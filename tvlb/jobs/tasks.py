"""Computing one request: what every kind of job does, once it has a process to itself."""

import shutil
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Protocol

from tvlb.jobs.database import Database
from tvlb.jobs.results import Outcome, Results
from tvlb.jobs.shelf import TableShelf, store_document, store_table
from tvlb.jobs.site import Site, Task
from tvlb.model import model_document, question_document
from tvlb.schemas import REQUESTS, ModelBody, Question, SimulationBody, SweepBody, TableBody
from tvlb.search import (
    Reporter,
    SaturationSearch,
    Workshop,
    find_saturation,
    optimize,
    simulate_loads,
    simulation_document,
)
from tvlb.sweeps import points_of, rows_of, run_points, write_outputs
from tvlb.workers import local_workers

__all__ = ["run_task"]

# A report needs a heading.
_UNNAMED = "A sweep without a name"


class _Computation(Protocol):
    def __call__(self, body: Question, site: Site, report: Reporter) -> Outcome: ...


def run_task(task: Task, site: Site, report: Reporter) -> Outcome:
    """Compute a request and put its files into the blob store.

    Raises
    ------
    TvlbError : as the command line does for the same question.
    OSError : a file could not be written.
    """
    body = REQUESTS[task.kind].model_validate_json(task.request)
    return _KINDS[task.kind](body, site, report)


def _table(body: Question, site: Site, report: Reporter) -> Outcome:
    assert isinstance(body, TableBody)
    with local_workers(site.cores) as executor:
        workshop = Workshop(executor, site.units)
        result = optimize(body.network(), body.options(), report=report, workshop=workshop)
    return store_table(site.blobs, result)


def _model(body: Question, site: Site, report: Reporter) -> Outcome:
    assert isinstance(body, ModelBody)
    network = body.network()
    path_set = body.path_set(network)
    model = body.model(network)
    solved = model.solve(path_set)
    question = question_document(
        network, path_set, body.traffic(), monotone=body.monotone, seed=body.seed
    )
    document = model_document(question, solved)
    seconds = solved.build_seconds + solved.solve_seconds
    return Outcome(
        store_document(site.blobs, document),
        timings={"build": solved.build_seconds, "solve": solved.solve_seconds},
        work={"programs": 1, "probe_seconds": seconds},
    )


def _simulation(body: Question, site: Site, report: Reporter) -> Outcome:
    assert isinstance(body, SimulationBody)
    request = body.simulation(body.network())
    start = time.perf_counter()
    results = simulate_loads(request, body.load, workers=site.cores, report=report)
    middle = time.perf_counter()
    flit_hops = sum(run.flit_hops for seeds in results for run in seeds)
    timings, work = {"simulate": middle - start}, {"flit_hops": float(flit_hops)}
    found: list[SaturationSearch] = []
    if body.saturation:
        found = find_saturation(request, workers=site.cores, report=report)
        timings["saturation"] = time.perf_counter() - middle
        work["flit_hops"] += sum(run.flit_hops for search in found for run in search.evaluated)
    work["simulate_seconds"] = sum(timings.values())
    return Outcome(
        store_document(site.blobs, simulation_document(request, results, found)),
        timings=timings,
        work=work,
    )


def _sweep(body: Question, site: Site, report: Reporter) -> Outcome:
    assert isinstance(body, SweepBody)
    assert site.database is not None
    start = time.perf_counter()
    points = points_of(body.expanded())
    with closing(Database(site.database)) as database, local_workers(site.cores) as executor:
        endings = run_points(
            points,
            TableShelf(Results(database), site.blobs),
            Workshop(executor, site.units),
            workers=site.cores,
            report=report,
        )
    with TemporaryDirectory() as folder:
        written = write_outputs(body.name or _UNNAMED, endings, Path(folder))
        files = {path.name: site.blobs.put(partial(_copy, path)) for path in written}
    document = {
        "name": body.name,
        "points": len(endings),
        "failed": sum(ending.stored is None for ending in endings),
        "rows": rows_of(endings),
        "files": files,
    }
    timings = {"sweep": time.perf_counter() - start}
    # Whoever asks again for a sweep with failed points has them computed again.
    return Outcome(store_document(site.blobs, document), timings=timings, replaces=True)


def _copy(path: Path, stream: BinaryIO) -> None:
    with path.open("rb") as source:
        shutil.copyfileobj(source, stream)


_KINDS: dict[str, _Computation] = {
    TableBody.kind: _table,
    ModelBody.kind: _model,
    SimulationBody.kind: _simulation,
    SweepBody.kind: _sweep,
}
