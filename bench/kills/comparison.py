"""What the database and the result store hold, compared with what must be there."""

import hashlib
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import select

from bench.kills.faults import AHEAD_SECONDS, Process
from bench.kills.requests import Batch
from tvlb.jobs.blobs import BlobStore, DamagedBlob
from tvlb.jobs.database import Database
from tvlb.jobs.schema import events, jobs, results
from tvlb.jobs.tasks import run_task
from tvlb.jobs.workspace import Task, Workspace
from tvlb.processes import silent
from tvlb.requests import Question
from tvlb.requests.kinds.repair import RepairBody

# Names of what tells times, and the hash of such a file.
_TIMES = ("_seconds", "timings.parquet")


def check(
    batch: Batch, url: str, directory: Path, workers: list[Process], end: float
) -> dict[str, object]:
    """Compare what the database and the result store hold with what must be there."""
    blobs = BlobStore(directory / "blobs")
    with Database(url).reading() as connection:
        stored = {row.key: row for row in connection.execute(select(results))}
        every = connection.execute(select(jobs)).all()
        moves = [
            (row.job, _true_time(row.at, end), json.loads(row.data))
            for row in connection.execute(
                select(events)
                .where(events.c.type == "state")
                .order_by(events.c.job, events.c.number)
            )
        ]
    expected = _computed_again(batch.done, url, directory)
    key_of = {row.id: row.key for row in every}
    finished = Counter(key_of[job] for job, _, data in moves if data.get("move") == "finish")
    damaged = [
        key
        for key, digest in expected.items()
        if key in stored and _is_damaged(stored[key], blobs, digest)
    ]
    resumed = _resumed(moves, workers)
    return {
        "requests": len(batch.done),
        "jobs": len(every),
        "by_status": dict(Counter(row.status for row in every)),
        "lost": len([key for key in expected if key not in stored]) + len(batch.open),
        "doubled": len([key for key, count in finished.items() if count > 1]),
        "damaged": len(damaged),
        "taken_up_again": len(resumed),
        "longest_resume_seconds": round(max(resumed, default=0.0), 2),
        "resume_seconds": {
            f"p{share}": round(float(np.percentile(resumed or [0.0], share)), 2)
            for share in (50, 90, 99)
        },
        "refused_for_now": dict(batch.refused),
        "wrong_answers": dict(batch.wrong),
    }


def _computed_again(done: Mapping[str, Question], url: str, directory: Path) -> dict[str, str]:
    """Return the digest of every answer, computed where nothing is found but tables by repairs."""
    with tempfile.TemporaryDirectory() as apart, ProcessPoolExecutor(2) as pool:
        shutil.copytree(directory / "blobs", Path(apart, "blobs"))
        own = f"sqlite:///{apart}/jobs.sqlite3"
        with closing(Database(own)) as empty:
            empty.upgrade()
        databases = (url if isinstance(body, RepairBody) else own for body in done.values())
        workspaces = (Workspace(Path(apart), 1, database) for database in databases)
        return dict(zip(done, pool.map(_compute, done.values(), workspaces), strict=True))


def _compute(body: Question, workspace: Workspace) -> str:
    task = Task(body.kind, "", body.examined()[0].model_dump_json())
    return _answer(run_task(task, workspace, silent), workspace.blobs)


def _answer(stored: Any, blobs: BlobStore) -> str:
    """Return a digest of what was computed, without the times that it took; raises DamagedBlob."""
    document = blobs.read(stored.document)
    if stored.table_file is not None:
        blobs.path(stored.table_file)
        return str(stored.table_file)
    figures = json.loads(document, object_hook=_without_times)
    return hashlib.sha256(json.dumps(figures).encode()).hexdigest()


def _without_times(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if not name.endswith(_TIMES)}


def _is_damaged(stored: Any, blobs: BlobStore, expected: str) -> bool:
    try:
        return _answer(stored, blobs) != expected
    except DamagedBlob:
        return True


def _true_time(at: float, end: float) -> float:
    """Undo the clock that is ahead, with which SQLite is written to; runs are shorter than that."""
    return at if at <= end else at - AHEAD_SECONDS


def _worker_of(workers: list[Process]) -> dict[str, Process]:
    """Return the process of every worker id, as their logs tell."""
    found: dict[str, Process] = {}
    for worker in workers:
        lines = worker.log.read_text().splitlines()
        started = [json.loads(line) for line in lines if '"worker started"' in line]
        found |= {one["worker"]: worker for one in started}
    return found


def _resumed(moves: list[tuple[str, float, dict[str, str]]], workers: list[Process]) -> list[float]:
    """Seconds from what befell a worker until the next claim of the job that it lost by that."""
    found: list[float] = []
    worker_of = _worker_of(workers)
    holder, claimed_at = "", 0.0
    for (job, at, data), (after, claimed, following) in pairwise(moves):
        if data.get("move") == "claim":
            holder, claimed_at = data["worker"], at
        if job != after or data.get("move") != "retry" or following.get("move") != "claim":
            continue
        # Times of different clocks; what else fails an attempt, such as a full disk, is no fault.
        suffered = [one for one in worker_of[holder].faults if claimed_at - 1 <= one <= at + 1]
        found += [claimed - suffered[0]] if suffered else []
    return found
