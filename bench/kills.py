"""Kills, stops and starves the service at random while small jobs run, and counts the loss.

::

    python -m bench.kills --faults 500                      # on a SQLite file
    python -m bench.kills --faults 500 --postgresql         # on a PostgreSQL server of its own
    python -m bench.kills --faults 200 --kills --of repair,stability,sweep

An API process and two workers run, the second with a clock that is an hour ahead. Every few seconds
one of the three, or a process that computes for one of them, gets SIGKILL, or SIGSTOP with SIGCONT
some seconds later, or SIGSTOP alone. What was killed or left stopped is started again, as a
supervisor would; computing processes are left to the process that started them. Two of three
requests are for tables, which workers compute, the third is for a simulation, which a process
beside the API computes at once. In between the result store cannot
be written for a time, then the whole data directory has a full disk, and PostgreSQL is restarted
without warning. Requests are sent over HTTP without a pause. With --kills there are SIGKILLs only,
and --of names other kinds of requests, by turns; repairs are of a table that is computed first.

At the end every request must have exactly one result, its files must be what the library computes
(tables to the byte, documents but for the times that they took), every error must have been a
problem that says to try again, and every job whose worker or process was lost must have been taken
up again within a minute. A job that loses its worker three times fails, as documented, and is asked
for again. Prints counts and a verdict; exit code 1 if anything was lost, doubled or damaged.

Small disks need the right to mount (root); without it these two phases are left out, which the
verdict says.
"""

import argparse
import ctypes
import hashlib
import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psycopg
from sqlalchemy import select

from tests.jobs.processes import children_of
from tests.postgresql import find_binaries, new_database, postgresql_server
from tvlb.jobs.blobs import BlobStore, DamagedBlob
from tvlb.jobs.database import Database
from tvlb.jobs.schema import events, jobs, results
from tvlb.jobs.tasks import run_task
from tvlb.jobs.workspace import Task, Workspace
from tvlb.processes import silent
from tvlb.requests import Question, SimulationBody, SweepBody, TableBody, plural, request_key
from tvlb.requests.kinds.repair import RepairBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.repair import RepairOptions
from tvlb.search import Windows
from tvlb.topology import Failures

_IN_FLIGHT = 6
_RESUME_SECONDS = 60.0
_TIMEOUT_SECONDS = 300.0
_LEFT_SECONDS = 10.0
_PHASE_SECONDS = 8.0
_HANG_SECONDS = 10
_AHEAD_SECONDS = 3600
# Names of what tells times, and the hash of such a file.
_TIMES = ("_seconds", "timings.parquet")
_WINDOWS = {"warmup": 200, "measured": 300, "grid": 0.05}
_QUICK: dict[str, Any] = {
    "method": "paper", "patterns": 2, "screening": _WINDOWS, "confirmation": _WINDOWS,
    "finalists": 1, "data_points": 2, "simulated_patterns": 2,
}  # fmt: skip
_NAMESPACE = 0x00020000
_DISK_MIB, _BLOBS_MIB = 512, 128
# To try again: unavailable, the same request is being cancelled, or too many jobs.
_PASSING = (503, 409, 429)
_CLOCK = f"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *at) {{
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, at);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        at->tv_sec += {_AHEAD_SECONDS};
    return failed;
}}
int gettimeofday(struct timeval *at, void *zone) {{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}}
time_t time(time_t *at) {{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}}
"""


def _table(seed: int) -> Question:
    topology = "2,4,2,5" if seed % 2 else "2,4,2,3"
    return TableBody(topology=topology, seed=seed, **_QUICK)


def _repair(seed: int) -> Question:
    """Return a repair of the table that is computed first, for two cables that are down."""
    chosen = random.Random(seed).sample([(a, b) for a in range(4) for b in range(a)], 2)
    windows = Windows(200, 300 + seed, 0.05)
    options = RepairOptions(traffic=("shift(1,0)",), windows=windows)
    body = RepairBody.of(_id_of(_FIRST), Failures(links=tuple(chosen)), options)
    return body.model_copy(update={"topology": "dfly(2,4,2,3)"})


# About a second of work each; simulations are answered at once.
_REQUESTS: Mapping[str, Callable[[int], Question]] = {
    "table": _table,
    "simulation": lambda seed: SimulationBody(
        topology="2,4,2,5", load=(0.3,), cycles=100_000, seed=seed
    ),
    "repair": _repair,
    "stability": lambda seed: StabilityBody(topology="2,4,2,3", cycles=100_000, seed=seed),
    "sweep": lambda seed: SweepBody.model_validate(
        {"topologies": ["2,4,2,3", "2,4,2,5"], "seeds": [seed], "options": _QUICK}
    ),
}
_FIRST = _table(0)


def _id_of(body: Question) -> str:
    return request_key(body.examined()[0])


@dataclass
class Process:
    """A process that is started again when it was lost; `faults` are the times of its troubles."""

    name: str
    command: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])
    pids: set[int] = field(default_factory=set[int])
    faults: list[float] = field(default_factory=list[float])

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(
                self.command, stderr=stream, stdout=stream, env={**os.environ, **self.environment}
            )
        self.pids.add(self.pid)

    @property
    def pid(self) -> int:
        """Of the process that runs now."""
        return self._process.pid

    def end(self) -> None:
        """End it without a word."""
        self._process.kill()
        self._process.wait()

    def replace(self) -> None:
        """End it, and start it again."""
        self.end()
        self.start()


class Batch:
    """The requests that were sent and what became of them."""

    def __init__(self, url: str, kinds: Sequence[str]) -> None:
        self._client = httpx.Client(base_url=url, timeout=5.0)
        self._kinds = kinds
        self.open: dict[str, Question] = {}
        self.done: dict[str, Question] = {}
        self.refused = Counter[str]()
        self.wrong = Counter[str]()
        self._next = 0

    def step(self) -> None:
        """Send requests until enough are in flight, and look at one of them."""
        while len(self.open) < _IN_FLIGHT:
            kind = self._kinds[self._next % len(self._kinds)]
            self._send(_REQUESTS[kind](self._next))
            self._next += 1
        self.look()

    def begin(self) -> None:
        """Have what others need computed, without faults."""
        self._send(_FIRST)
        self.finish()

    def finish(self) -> None:
        """Look until all is done, or too much time is over."""
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while self.open and time.monotonic() < deadline:
            self.look()
            time.sleep(0.05)

    def look(self) -> None:
        """Ask again for one request in flight: it is done, or still has a job, or failed."""
        if self.open:
            self._send(self.open[random.choice(sorted(self.open))])

    def _send(self, body: Question) -> None:
        text = body.model_dump_json()
        self.open[text] = body
        try:
            answer = self._client.post(
                f"/v1/{plural(body.kind)}",
                content=text,
                headers={"Content-Type": "application/json"},
            )
        except httpx.TransportError:
            return
        if answer.status_code == 200:
            self.done[answer.json()["id"]] = self.open.pop(text)
        elif answer.status_code != 202:
            self._count(answer)

    def _count(self, answer: httpx.Response) -> None:
        problem = answer.headers.get("content-type") == "application/problem+json"
        fine = problem and answer.status_code in _PASSING
        text = answer.json()["type"].rpartition(":")[2] if fine else answer.text[:200]
        (self.refused if fine else self.wrong)[f"{answer.status_code} {text}"] += 1


class Faults:
    """Does harm, one fault at a time, and sees to what has to follow some seconds later."""

    def __init__(
        self, processes: list[Process], chance: random.Random, *, only_kills: bool
    ) -> None:
        self._processes = processes
        self._chance = chance
        self._ways = (self._kill,) if only_kills else (self._kill, self._pause, self._leave)
        self._later: list[tuple[float, Callable[[], None]]] = []
        self._left: set[int] = set()
        self.count = Counter[str]()

    def strike(self) -> None:
        """Kill or stop a process, or one that computes for it."""
        process = self._chance.choice(self._processes)
        way = self._chance.choice(self._ways)
        family = [pid for pid in sorted(children_of(process.pid)) if _computes(pid)]
        computing = bool(family) and self._chance.random() < 0.5
        pid = self._chance.choice(family) if computing else process.pid
        process.faults.append(time.time())
        way(process, pid)
        what = f"process of the {process.name}" if computing else process.name
        self.count[f"{way.__name__[1:]} {what}"] += 1

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something later."""
        self._later.append((time.monotonic() + seconds, do))

    def follow(self, *, at_once: bool = False) -> None:
        """Do what is due, or all."""
        moment = time.monotonic()
        due = [one for one in self._later if at_once or one[0] <= moment]
        self._later = [one for one in self._later if one not in due]
        for _, do in due:
            do()

    def release(self) -> None:
        """Let what is still stopped find out that its parent is gone."""
        for pid in self._left:
            _signal(pid, signal.SIGCONT)

    def _kill(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGKILL)
        if pid == process.pid:
            process.replace()

    def _pause(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGSTOP)
        self.after(self._chance.uniform(0.5, 5.0), lambda: _signal(pid, signal.SIGCONT))

    def _leave(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGSTOP)
        self._left.add(pid)

        def supervise() -> None:
            if pid == process.pid:
                process.replace()

        self.after(_LEFT_SECONDS, supervise)


def _computes(pid: int) -> bool:
    """Whether a process was spawned to compute; others only look after semaphores."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


class Disks:
    """Small disks for the data directory and, in it, for the result store."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._blobs = directory / "blobs"
        libc = ctypes.CDLL(None, use_errno=True)
        self.available = os.geteuid() == 0 and libc.unshare(_NAMESPACE) == 0
        if self.available:
            _run("mount", "--make-rprivate", "/")
            self._mount(directory, _DISK_MIB)
            self._mount(self._blobs, _BLOBS_MIB)

    def _mount(self, directory: Path, mib: int) -> None:
        directory.mkdir(exist_ok=True)
        _run("mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(directory))

    def unmount(self) -> None:
        """Give the directories back."""
        if self.available:
            _run("umount", "--lazy", str(self._blobs))
            _run("umount", "--lazy", str(self._directory))

    def fill(self) -> None:
        """Leave no room on either."""
        for directory in (self._directory, self._blobs):
            with (directory / "ballast").open("wb", buffering=0) as stream:
                for size in (1 << 20, 4096):
                    with suppress(OSError):
                        while stream.write(bytes(size)) == size:
                            pass

    def free(self) -> None:
        """Make room again."""
        for directory in (self._directory, self._blobs):
            (directory / "ballast").unlink()

    def protect(self) -> None:
        """Make the result store read-only."""
        while not _run("mount", "-o", "remount,ro", str(self._blobs), check=False):
            # A file is being written.
            time.sleep(0.01)

    def release(self) -> None:
        """Make the result store writable again."""
        _run("mount", "-o", "remount,rw", str(self._blobs))


def _run(*command: str, check: bool = True, user: str | None = None) -> bool:
    done = subprocess.run(command, check=check, user=user, cwd="/", capture_output=True)
    return done.returncode == 0


def _restart_postgresql(server: str) -> None:
    """Restart the server as after a crash."""
    with psycopg.connect(f"{server}/postgres") as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    binaries = find_binaries()
    assert found is not None
    assert binaries is not None
    user = "postgres" if os.geteuid() == 0 else None
    directory = str(found[0])
    log = str(Path(directory).with_name("log"))
    restart = [str(binaries / "pg_ctl"), "-D", directory, "-l", log, "-m", "immediate", "-w"]
    _run(*restart, "restart", user=user)


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


def check(
    batch: Batch, url: str, directory: Path, workers: list[Process], end: float
) -> dict[str, object]:
    """Compare what the database and the result store hold with what must be there."""
    database, blobs = Database(url), BlobStore(directory / "blobs")
    with database.reading() as connection:
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
    with tempfile.TemporaryDirectory() as apart, ProcessPoolExecutor(2) as pool:
        # Repairs find their table, and nothing finds what was computed.
        shutil.copytree(directory / "blobs", Path(apart, "blobs"))
        own = f"sqlite:///{apart}/jobs.sqlite3"
        with closing(Database(own)) as empty:
            empty.upgrade()
        bodies = batch.done.values()
        databases = (url if isinstance(body, RepairBody) else own for body in bodies)
        workspaces = (Workspace(Path(apart), 1, database) for database in databases)
        digests = pool.map(_compute, bodies, workspaces)
        expected = dict(zip(batch.done, digests, strict=True))
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


def _true_time(at: float, end: float) -> float:
    """Undo the clock that is ahead, with which SQLite is written to; runs are shorter than that."""
    return at if at <= end else at - _AHEAD_SECONDS


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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _clock_ahead(root: Path) -> dict[str, str]:
    """Return the environment of a process whose clock is ahead."""
    source, library = root / "clock.c", root / "clock.so"
    source.write_text(_CLOCK)
    _run("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl")
    return {"LD_PRELOAD": str(library)}


def _processes(root: Path, common: list[str], port: int) -> list[Process]:
    tvlb = [sys.executable, "-m", "tvlb"]
    serve = [*tvlb, "serve", "--no-worker", "--port", str(port), *common]
    work = [*tvlb, "worker", "--workers", "2", "--hang-seconds", str(_HANG_SECONDS), *common]
    return [
        Process("api", serve, root / "api"),
        Process("worker", work, root / "worker"),
        Process("worker with a clock ahead", work, root / "ahead", _clock_ahead(root)),
    ]


def _phases(faults: int, disks: Disks, server: str | None) -> dict[int, str]:
    """Say before which faults what befalls the store or the database."""
    found: dict[int, str] = {}
    if disks.available:
        found |= {faults // 4: "read-only store", faults // 2: "full disk"}
    if server is not None:
        for part in (1, 3, 5):
            found[part * faults // 6 + 1] = "PostgreSQL restarted"
    return found


def _befall(what: str, faults: Faults, disks: Disks, server: str | None) -> None:
    if what == "read-only store":
        disks.protect()
        faults.after(_PHASE_SECONDS, disks.release)
    elif what == "full disk":
        disks.fill()
        faults.after(_PHASE_SECONDS, disks.free)
    else:
        assert server is not None
        _restart_postgresql(server)
    faults.count[what] += 1


def main() -> int:
    """Run the batch and print what became of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--of", default="table,table,simulation")
    given = parser.parse_args()
    kinds = given.of.split(",")
    chance = random.Random(given.seed)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tvlb-kills-")))
        directory = root / "data"
        directory.mkdir()
        server = stack.enter_context(postgresql_server()) if given.postgresql else None
        disks = Disks(directory)
        stack.callback(disks.unmount)
        url = f"sqlite:///{directory / 'jobs.sqlite3'}"
        if server is not None:
            url = new_database(server, secrets.token_hex(6))
        port = _free_port()
        processes = _processes(root, ["--data", str(directory), "--database", url], port)
        batch = Batch(f"http://127.0.0.1:{port}", kinds)
        faults = Faults(processes, chance, only_kills=given.kills)
        stack.callback(faults.release)
        for one in processes:
            one.start()
            stack.callback(one.end)
        batch.begin()
        phases = {} if given.kills else _phases(given.faults, disks, server)
        for number in range(given.faults):
            if number in phases:
                _befall(phases[number], faults, disks, server)
            _work(batch, faults, 8.0 if number == 0 else chance.uniform(0.5, 6.5))
            faults.strike()
            print(
                f"{number + 1} faults, {len(batch.done)} requests done", file=sys.stderr, end="\r"
            )
        _finish(batch, faults)
        found = check(batch, url, directory, processes[1:], time.time())
    found["faults"] = dict(faults.count)
    print(json.dumps(found, indent=2))
    return _judge(found, given.faults, disks)


def _work(batch: Batch, faults: Faults, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        faults.follow()
        batch.step()
        time.sleep(0.05)


def _finish(batch: Batch, faults: Faults) -> None:
    """Wait until all requests are done, without further faults."""
    faults.follow(at_once=True)
    batch.finish()


def _judge(found: dict[str, object], faults: int, disks: Disks) -> int:
    longest = float(str(found["longest_resume_seconds"]))
    bad = any(found[name] for name in ("lost", "doubled", "damaged", "wrong_answers"))
    bad = bad or longest > _RESUME_SECONDS
    without = "" if disks.available else ", without read-only and full disks (no right to mount)"
    print(
        f"{'FAILED' if bad else 'passed'}: {faults} faults{without}, {found['requests']} requests: "
        f"{found['lost']} lost, {found['doubled']} doubled, {found['damaged']} damaged; longest "
        f"time to resume {longest:.1f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
