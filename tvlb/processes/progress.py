"""Progress of long work, as plain events that a terminal or a server can show, and its states."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True)
class Progress:
    """One event: `done` of `total` units of a stage are finished.

    Attributes
    ----------
    stage : name of the stage, stable within a run.
    done, total : units of work; `total` may not shrink.
    note : a short remark for people, possibly empty.
    """

    stage: str
    done: int
    total: int
    note: str = ""


Reporter = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """Ignore progress."""


def counter(report: Reporter, stage: str, total: int) -> Callable[[], None]:
    """Report that a stage begins; return what to call after each of its `total` units."""
    finished = 0

    def count() -> None:
        nonlocal finished
        finished += 1
        report(Progress(stage, finished, total))

    report(Progress(stage, 0, total))
    return count


class JobStatus(StrEnum):
    """Where a job of a service stands; the moves are drawn in `tvlb.jobs.status`."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
