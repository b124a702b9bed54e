"""Computing one request: what every kind of job does, once it has a process to itself."""

import threading
import time
from typing import Protocol

from tvlb.jobs.outputs import store_document, store_table
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import local_workers
from tvlb.schemas import (
    ModelBody,
    ModelDocument,
    ModelledCase,
    Question,
    RepairBody,
    SimulationBody,
    SimulationDocument,
    StabilityBody,
    StabilityDocument,
    SweepBody,
    TableBody,
    VctDocument,
    VctSimulationBody,
    read_request,
)
from tvlb.search import (
    Reporter,
    SaturationSearch,
    UnitCache,
    Units,
    find_saturation,
    optimize,
    simulate_loads,
    study_stability,
)


class _Computation(Protocol):
    def __call__(self, body: Question, workspace: Workspace, report: Reporter) -> TaskOutput: ...


def get_ready() -> None:
    """Do nothing; what a process loads to find this function is all that most tasks need."""


def run_task(task: Task, workspace: Workspace, report: Reporter) -> TaskOutput:
    """Compute a request and put its files into the blob store.

    Raises
    ------
    TvlbError : as the command line does for the same question.
    OSError : a file could not be written.
    """
    body = read_request(task.kind, task.request)
    return _COMPUTATIONS[type(body)](body, workspace, report)


def _table(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    assert isinstance(body, TableBody)
    with local_workers(workspace.cores, workspace.hang) as executor:
        unit_cache = UnitCache(executor, workspace.units)
        result = optimize(body.network(), body.options(), report=report, unit_cache=unit_cache)
    return store_table(workspace.blobs, result)


def _repair(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    # Loaded here: most tasks do not need the database.
    from tvlb.jobs.repair_task import compute_repair

    return compute_repair(body, workspace, report)


def _model(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    assert isinstance(body, ModelBody)
    network = body.network()
    path_set = body.path_set(network)
    model = body.model(network)
    solved = model.solve(path_set)
    case = ModelledCase.of(
        network, path_set, body.traffic(network), monotone=body.monotone, seed=body.seed
    )
    document = ModelDocument.of(case, solved).plain()
    seconds = solved.build_seconds + solved.solve_seconds
    return TaskOutput(
        store_document(workspace.blobs, document),
        timings={"build": solved.build_seconds, "solve": solved.solve_seconds},
        work={"programs": 1, "probe_seconds": seconds},
    )


def _simulation(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    assert isinstance(body, SimulationBody)
    request = body.simulation(body.network())
    start = time.perf_counter()
    results = simulate_loads(request, body.load, workers=workspace.cores, report=report)
    middle = time.perf_counter()
    flit_hops = sum(run.flit_hops for seeds in results for run in seeds)
    timings, work = {"simulate": middle - start}, {"flit_hops": float(flit_hops)}
    found: list[SaturationSearch] = []
    if body.saturation:
        found = find_saturation(request, workers=workspace.cores, report=report)
        timings["saturation"] = time.perf_counter() - middle
        work["flit_hops"] += sum(run.flit_hops for search in found for run in search.evaluated)
    work["simulate_seconds"] = sum(timings.values())
    return TaskOutput(
        store_document(workspace.blobs, SimulationDocument.of(request, results, found).plain()),
        timings=timings,
        work=work,
    )


def _vct_simulation(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    assert isinstance(body, VctSimulationBody)
    request = body.simulation(body.network())
    start = time.perf_counter()
    results = simulate_loads(request, body.load, workers=workspace.cores, report=report)
    seconds = time.perf_counter() - start
    return TaskOutput(
        store_document(workspace.blobs, VctDocument.of(request, results).plain()),
        timings={"simulate": seconds},
        # No flit-hops: a phit is a part of a packet, and takes less time than a packet of one flit.
        work={"simulate_seconds": seconds},
    )


def _stability(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    assert isinstance(body, StabilityBody)
    start = time.perf_counter()
    with local_workers(workspace.cores, workspace.hang) as executor:
        study = study_stability(
            body.network(),
            body.cases(),
            body.traffic(),
            load=body.load,
            seed=body.seed,
            seeds=body.seeds,
            until_collapse=body.until_collapse,
            units=Units(UnitCache(executor, workspace.units), threading.Event()),
            report=report,
        )
    return TaskOutput(
        store_document(workspace.blobs, StabilityDocument.of(study).plain()),
        timings={"stability": time.perf_counter() - start},
    )


def _sweep(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    # Loaded here: no other task needs the report.
    from tvlb.jobs.sweep_task import compute_sweep

    return compute_sweep(body, workspace, report)


_COMPUTATIONS: dict[type[Question], _Computation] = {
    TableBody: _table,
    RepairBody: _repair,
    ModelBody: _model,
    SimulationBody: _simulation,
    VctSimulationBody: _vct_simulation,
    StabilityBody: _stability,
    SweepBody: _sweep,
}
