"""Progress of long work, as plain events that a terminal or a server can show."""

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Progress", "Reporter", "silent"]


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
