"""Computing one request: what every kind of job does, once it has a process to itself."""

import threading
import time
from typing import Protocol

from tvlb.jobs.outputs import store_document, store_table
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import local_workers
from tvlb.schemas import (
    LoadsBody,
    ModelBody,
    ModelDocument,
    ModelledCase,
    Question,
    RepairBody,
    StabilityBody,
    StabilityDocument,
    SweepBody,
    TableBody,
    read_request,
    simulation_document,
)
from tvlb.search import (
    Reporter,
    UnitCache,
    Units,
    optimize,
    simulate_request,
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
    compute = next(_COMPUTATIONS[one] for one in type(body).mro() if one in _COMPUTATIONS)
    return compute(body, workspace, report)


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
    assert isinstance(body, LoadsBody)
    request = body.simulation(body.network())
    found = simulate_request(request, workers=workspace.cores, report=report)
    document = simulation_document(body.model.name).of(request, found)
    # Of packets of one flit: a phit is a part of a packet, and takes less time than such a packet.
    hops = [name for name in body.model.figures if name == "flit_hops"]
    return TaskOutput(
        store_document(workspace.blobs, document.plain()),
        timings=dict(found.seconds),
        work={
            **{name: found.total(name) for name in hops},
            "simulate_seconds": sum(found.seconds.values()),
        },
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
    LoadsBody: _simulation,
    StabilityBody: _stability,
    SweepBody: _sweep,
}
