"""Real processes for tests, workers and other commands, and waiting for what they do."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tvlb.jobs.job import Job
from tvlb.jobs.queue import JobQueue, Submission
from tvlb.requests import Question, Request, request_key

# A process in a mount namespace of its own.
UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")
# Far more than anything takes that does not hang.
_TIMEOUT_SECONDS = 300.0


@dataclass
class WorkerProcess:
    """A running `tvlb worker`."""

    process: subprocess.Popen[bytes]
    log: Path

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the worker alone."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End the worker at once, without a word."""
        self.process.kill()
        self.process.wait()

    def says(self, text: str) -> bool:
        """Whether a line of the log holds a text."""
        return text in self.log.read_text()


@contextmanager
def worker_process(
    url: str,
    directory: Path,
    *arguments: str,
    disk_bytes: int | None = None,
    program: Sequence[str] = ("-m", "tvlb"),
) -> Generator[WorkerProcess]:
    """Run a worker that computes one thing at a time.

    Parameters
    ----------
    disk_bytes : gives it a disk of its own for results, no larger than that.
    program : what Python runs, with the command line of tvlb.
    """
    log = directory.parent / f"worker-{time.monotonic_ns()}.log"
    store = ("--database", url, "--data", str(directory))
    command = [sys.executable, *program, "worker", *store, "--workers", "1"]
    if disk_bytes is not None:
        disk = directory / "blobs"
        disk.mkdir(parents=True)
        mount = f'mount -t tmpfs -o size={disk_bytes} tmpfs "{disk}" && exec "$@"'
        command = [*UNSHARE, "sh", "-c", mount, "sh", *command]
    with log.open("wb") as stream:
        process = subprocess.Popen([*command, *arguments], stderr=stream)
    worker = WorkerProcess(process, log)
    try:
        until(lambda: worker.says("worker started") or process.poll() is not None)
        yield worker
    finally:
        if process.poll() is None:
            worker.kill()


def signalled(
    *arguments: str,
    after: str,
    number: int = signal.SIGINT,
    program: Sequence[str] = ("-m", "tvlb"),
) -> tuple[int, str]:
    """Send a signal to a command, and return its exit code and what it prints from then on.

    Parameters
    ----------
    after : end of the line on stderr after which the signal is sent.
    program : what Python runs, with the command line of tvlb.
    """
    command = [sys.executable, *program, *arguments]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = any(line.rstrip().endswith(after) for line in process.stderr)
    assert said, f"the process ended without saying {after!r}"
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds; fail if it never does."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "this takes too long"
        time.sleep(0.05)


def ask(queue: JobQueue, body: Question) -> Job:
    """Submit a request as the service does."""
    # Sweeps are in their canonical form.
    resolved = body.resolved() if isinstance(body, Request) else body
    document = json.loads(resolved.model_dump_json())
    job = queue.submit(Submission(body.kind, request_key(resolved), document))
    assert isinstance(job, Job)
    return job


def read(queue: JobQueue, job: Job) -> Job:
    """Read a job anew."""
    found = queue.get(job.id)
    assert found is not None
    return found


def children_of(pid: int) -> set[int]:
    """Return all processes that descend from one."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*"):
        for child in map(int, (task / "children").read_text().split()):
            found |= {child} | (children_of(child) if os.path.exists(f"/proc/{child}") else set())
    return found
