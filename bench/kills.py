"""Kills workers and API processes at random while a batch of small jobs runs, and counts the loss.

::

    python -m bench.kills --kills 200                       # on a SQLite file
    python -m bench.kills --kills 200 --postgresql          # on a PostgreSQL server of its own

An API process and two workers run; every second or so one of the three gets SIGKILL and is started
again. Requests are sent over HTTP without a pause. At the end every request must have exactly one
result, its file must be to the byte what the library computes, and every job whose worker was
killed must have been taken up by another within 10 seconds. A job that loses its worker three times
fails, as documented, and is asked for again. Ends with exit 1 if anything was lost, doubled or
damaged.
"""

import argparse
import hashlib
import json
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import httpx
import numpy as np
from sqlalchemy import select

from tests.postgresql import new_database, postgresql_server
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.schema import events, jobs, results
from tvlb.schemas import TableBody, WindowsBody
from tvlb.search import optimize
from tvlb.table import write_stream

_IN_FLIGHT = 6
_RESUME_SECONDS = 10.0
_PATIENCE_SECONDS = 300.0


def request(seed: int) -> TableBody:
    """One small job, about a second of work."""
    return TableBody(
        topology="2,4,2,5" if seed % 2 else "2,4,2,3",
        method="paper",
        patterns=2,
        screening=WindowsBody(warmup=100, measured=200, grid=0.05),
        confirmation=WindowsBody(warmup=200, measured=300, grid=0.05),
        finalists=1,
        data_points=2,
        simulated_patterns=2,
        seed=seed,
    )


@dataclass
class Process:
    """A process that is started again when it was killed."""

    name: str
    command: list[str]
    log: Path
    kills: dict[int, float] = field(default_factory=dict[int, float])

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(self.command, stderr=stream, stdout=stream)

    def kill(self) -> None:
        """Kill it without a word and start it again."""
        self.kills[self._process.pid] = time.time()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self.start()

    def end(self) -> None:
        """End it for good."""
        self._process.kill()
        self._process.wait()


class Batch:
    """The requests that were sent and what became of them."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=20.0)
        self.open: dict[str, TableBody] = {}
        self.done: dict[str, TableBody] = {}
        self.failed = Counter[str]()
        self._next = 0

    def step(self) -> None:
        """Send requests until enough are in flight, and look at one of them."""
        while len(self.open) < _IN_FLIGHT:
            self._send(request(self._next))
            self._next += 1
        self.look()

    def look(self) -> None:
        """Ask again for one request in flight: it is done, or still has a job, or failed."""
        if self.open:
            self._send(self.open[random.choice(sorted(self.open))])

    def _send(self, body: TableBody) -> None:
        text = body.model_dump_json()
        self.open[text] = body
        try:
            answer = self._client.post(
                "/v1/tables", content=text, headers={"Content-Type": "application/json"}
            )
        except httpx.TransportError:
            return
        if answer.status_code == 200:
            self.done[answer.json()["id"]] = self.open.pop(text)
        elif answer.status_code != 202:
            self.failed[f"{answer.status_code} {answer.text[:200]}"] += 1


def _compute(body: TableBody) -> str:
    stream = BytesIO()
    write_stream(optimize(body.network(), body.options(1)).table, ".parquet", stream)
    return hashlib.sha256(stream.getvalue()).hexdigest()


def check(batch: Batch, url: str, directory: Path, workers: list[Process]) -> dict[str, object]:
    """Compare what the database and the result store hold with what must be there."""
    database, blobs = Database(url), BlobStore(directory / "blobs")
    with database.reading() as connection:
        stored = {row.key: row for row in connection.execute(select(results))}
        every = connection.execute(select(jobs)).all()
        moves = [
            (row.job, row.at, json.loads(row.data))
            for row in connection.execute(
                select(events)
                .where(events.c.type == "state")
                .order_by(events.c.job, events.c.number)
            )
        ]
    with ProcessPoolExecutor(2) as pool:
        expected = dict(zip(batch.done, pool.map(_compute, batch.done.values()), strict=True))
    key_of = {row.id: row.key for row in every}
    finished = Counter(key_of[job] for job, _, data in moves if data.get("move") == "finish")
    damaged = [
        key
        for key, digest in expected.items()
        if key in stored
        and (
            stored[key].table_file != digest
            or not blobs.path(digest).is_file()
            or not blobs.path(stored[key].document).is_file()
        )
    ]
    killed = {pid: at for one in workers for pid, at in one.kills.items()}
    resumed = _resumed(moves, killed, _pids(workers))
    return {
        "requests": len(batch.done),
        "jobs": len(every),
        "by_status": dict(Counter(row.status for row in every)),
        "lost": len([key for key in expected if key not in stored]),
        "duplicated": len([key for key, count in finished.items() if count > 1]),
        "damaged": len(damaged),
        "taken_up_again": len(resumed),
        "longest_resume_seconds": round(max(resumed, default=0.0), 2),
        "resume_seconds": {
            f"p{share}": round(float(np.percentile(resumed, share)), 2) for share in (50, 90, 99)
        },
        "unexpected_answers": dict(batch.failed),
    }


def _pids(workers: list[Process]) -> dict[str, int]:
    """Return the process of every worker, as their logs tell."""
    lines = [line for one in workers for line in one.log.read_text().splitlines()]
    started = [json.loads(line) for line in lines if '"worker started"' in line]
    return {one["worker"]: one["pid"] for one in started}


def _resumed(
    moves: list[tuple[str, float, dict[str, str]]], killed: dict[int, float], pids: dict[str, int]
) -> list[float]:
    """Seconds from the kill of a worker until the next claim of the job that it had."""
    found: list[float] = []
    holder = ""
    for (job, _, data), (after, claimed, following) in pairwise(moves):
        holder = data.get("worker", holder)
        if job != after or data.get("move") != "retry" or following.get("move") != "claim":
            continue
        found.append(claimed - killed[pids[holder]])
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main() -> int:
    """Run the batch and print what became of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--postgresql", action="store_true")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tvlb-kills-")))
        directory = root / "data"
        directory.mkdir()
        url = f"sqlite:///{directory / 'jobs.sqlite3'}"
        if given.postgresql:
            url = new_database(stack.enter_context(postgresql_server()), secrets.token_hex(6))
        port = _free_port()
        common = ["--data", str(directory), "--database", url]
        tvlb = [sys.executable, "-m", "tvlb"]
        api = Process(
            "api", [*tvlb, "serve", "--no-worker", "--port", str(port), *common], root / "a"
        )
        workers = [
            Process(
                f"worker {number}", [*tvlb, "worker", "--workers", "1", *common], root / str(number)
            )
            for number in (1, 2)
        ]
        for one in (api, *workers):
            one.start()
            stack.callback(one.end)
        batch = Batch(f"http://127.0.0.1:{port}")
        _run(batch, [api, *workers], given.kills, chance)
        found = check(batch, url, directory, workers)
    found["kills"] = {one.name: len(one.kills) for one in (api, *workers)}
    print(json.dumps(found, indent=2))
    bad = found["lost"] or found["duplicated"] or found["damaged"] or found["unexpected_answers"]
    return 1 if bad or float(str(found["longest_resume_seconds"])) > _RESUME_SECONDS else 0


def _run(batch: Batch, processes: list[Process], kills: int, chance: random.Random) -> None:
    due = time.monotonic() + 8.0
    done = 0
    while done < kills:
        batch.step()
        if time.monotonic() >= due:
            chance.choice(processes).kill()
            done += 1
            due = time.monotonic() + chance.uniform(0.3, 3.0)
            print(f"{done} kills, {len(batch.done)} requests done", file=sys.stderr, end="\r")
        time.sleep(0.05)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while batch.open and time.monotonic() < deadline:
        batch.look()
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
