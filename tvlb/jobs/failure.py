"""Why a job failed, in words for its owner and with what a program needs."""

import json
from dataclasses import asdict, dataclass, replace

from tvlb.errors import (
    InvalidInput,
    SimulationDeadlock,
    SolverFailed,
    StoreUnavailable,
    WorkerLost,
)
from tvlb.jobs.blobs import DamagedBlob
from tvlb.processes import may_pass

_LOG_LINES = 200
_WORKER_LOST = ("worker-lost", "The workers of this job died")
_KINDS: dict[type[Exception], tuple[str, str]] = {
    InvalidInput: ("invalid-request", "The request cannot be computed"),
    SolverFailed: ("solver-failed", "A linear program was not solved"),
    SimulationDeadlock: ("simulation-deadlock", "The simulated network deadlocked"),
    WorkerLost: _WORKER_LOST,
    DamagedBlob: ("damaged-result", "A stored file is missing or damaged"),
    OSError: ("storage", "Writing or reading a file failed"),
    StoreUnavailable: ("storage", "Writing or reading a file failed"),
    MemoryError: ("memory", "The memory did not suffice"),
}


@dataclass(frozen=True)
class Failure:
    """A failed attempt.

    Attributes
    ----------
    type : a short name for programs.
    title, detail : for people.
    may_pass : whether another attempt might succeed, see `tvlb.processes.retry`.
    log : the last lines that the attempt wrote, oldest first.
    """

    type: str
    title: str
    detail: str
    may_pass: bool
    log: tuple[str, ...] = ()

    @property
    def lost_workers(self) -> bool:
        """Whether processes died, as they do when their worker is told to end with all of them."""
        return self.type == _WORKER_LOST[0]

    def with_log(self, lines: tuple[str, ...]) -> "Failure":
        """Return the failure with another log, cut to its last lines."""
        return replace(self, log=lines[-_LOG_LINES:])

    def json(self) -> str:
        """Return the failure as the JSON text that a job's `error` holds."""
        document = asdict(self)
        del document["may_pass"]
        return json.dumps(document)


def failure_of(error: BaseException, log: tuple[str, ...] = ()) -> Failure:
    """Describe an exception that ended an attempt."""
    for kind, (name, title) in _KINDS.items():
        if isinstance(error, kind):
            return Failure(name, title, str(error) or title, may_pass(error), log)
    text = f"{type(error).__name__}: {error}"
    return Failure("internal", "An unexpected error ended the job", text, may_pass(error), log)


def lost_worker(attempt: int) -> Failure:
    """Describe that a worker gave no sign of life."""
    return Failure(
        *_WORKER_LOST,
        f"the worker of attempt {attempt} gave no sign of life",
        may_pass=True,
    )
