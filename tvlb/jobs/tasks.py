"""Computing one request: what every kind of job does, once it has a process to itself."""

import json
import time
from typing import BinaryIO, Protocol

from tvlb.documents import plain
from tvlb.jobs.results import Outcome
from tvlb.jobs.site import Site, Task
from tvlb.model import model_document, question_document
from tvlb.schemas import REQUESTS, ModelBody, Request, SimulationBody, TableBody
from tvlb.search import (
    Reporter,
    SaturationSearch,
    TableResult,
    find_saturation,
    optimize,
    simulate_loads,
    simulation_document,
    table_document,
)
from tvlb.table import write_stream

__all__ = ["run_task"]


class _Computation(Protocol):
    def __call__(self, body: Request, task: Task, site: Site, report: Reporter) -> Outcome: ...


def run_task(task: Task, site: Site, report: Reporter) -> Outcome:
    """Compute a request and put its files into the blob store.

    Raises
    ------
    TvlbError : as the command line does for the same question.
    OSError : a file could not be written.
    """
    body = REQUESTS[task.kind].model_validate_json(task.request)
    return _KINDS[task.kind](body, task, site, report)


def _table(body: Request, task: Task, site: Site, report: Reporter) -> Outcome:
    assert isinstance(body, TableBody)
    stages = site.stages(task.key)
    resumed = stages.begun
    result = optimize(body.network(), body.options(site.cores), report=report, checkpoints=stages)

    def write(stream: BinaryIO) -> None:
        write_stream(result.table, ".parquet", stream)

    table_file = site.blobs.put(write)
    document = _store(site, table_document(result))
    return Outcome(
        document,
        table_file,
        result.table.id,
        result.timings,
        # What earlier attempts computed took time that is not known here.
        {} if resumed else _work(result),
    )


def _work(result: TableResult) -> dict[str, float]:
    return {
        "programs": result.work.programs,
        "probe_seconds": result.timings["probe"],
        "flit_hops": result.work.flit_hops,
        "simulate_seconds": result.timings["simulate"],
    }


def _model(body: Request, task: Task, site: Site, report: Reporter) -> Outcome:
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
        _store(site, document),
        timings={"build": solved.build_seconds, "solve": solved.solve_seconds},
        work={"programs": 1, "probe_seconds": seconds},
    )


def _simulation(body: Request, task: Task, site: Site, report: Reporter) -> Outcome:
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
        _store(site, simulation_document(request, results, found)), timings=timings, work=work
    )


def _store(site: Site, document: object) -> str:
    text = json.dumps(plain(document), allow_nan=False, separators=(",", ":"))
    return site.blobs.put_bytes(text.encode())


_KINDS: dict[str, _Computation] = {
    TableBody.kind: _table,
    ModelBody.kind: _model,
    SimulationBody.kind: _simulation,
}
