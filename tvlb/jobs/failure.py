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

__all__ = ["Failure", "failure_of", "lost_worker"]

_LOG_LINES = 200
_LOST = "The workers of this job died"
# Errors that the same request meets again whatever the machine.
_LASTING: dict[type[Exception], tuple[str, str]] = {
    InvalidInput: ("invalid-request", "The request cannot be computed"),
    SolverFailed: ("solver-failed", "A linear program was not solved"),
    SimulationDeadlock: ("simulation-deadlock", "The simulated network deadlocked"),
}


@dataclass(frozen=True)
class Failure:
    """A failed attempt.

    Attributes
    ----------
    type : a short name for programs.
    title, detail : for people.
    may_pass : whether another attempt might succeed.
    log : the last lines that the attempt wrote, oldest first.
    """

    type: str
    title: str
    detail: str
    may_pass: bool
    log: tuple[str, ...] = ()

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
    for kind, (name, title) in _LASTING.items():
        if isinstance(error, kind):
            return Failure(name, title, str(error), may_pass=False, log=log)
    if isinstance(error, WorkerLost):
        return Failure("worker-lost", _LOST, str(error), True, log)
    if isinstance(error, OSError | StoreUnavailable):
        return Failure("storage", "Writing or reading a file failed", str(error), True, log)
    if isinstance(error, MemoryError):
        return Failure("memory", "The memory did not suffice", str(error) or "no memory", True, log)
    text = f"{type(error).__name__}: {error}"
    return Failure("internal", "An unexpected error ended the job", text, True, log)


def lost_worker(attempt: int) -> Failure:
    """Describe that a worker gave no sign of life."""
    return Failure(
        "worker-lost",
        _LOST,
        f"the worker of attempt {attempt} gave no sign of life",
        may_pass=True,
    )
