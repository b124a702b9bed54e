"""Whether a process that computes has hung: by the CPU time that it takes, not by progress alone.

Long programs and long simulations report nothing for a while, and a busy machine delays everything;
but what computes takes CPU time, or would if others left it any. A process that is stopped, or
waits for what never comes, takes none; one in an endless loop takes it without end.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 2.0
"""How often a process is looked at."""

# Of one core; what waits for others and looks around meanwhile takes a tenth of this.
_BUSY_SHARE = 0.01
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class HangLimits:
    """When a process that has something to do counts as hung.

    Attributes
    ----------
    idle_seconds : it took no CPU time for so long, and wanted none.
    cpu_seconds : it took so much CPU time, on all cores together, without progress.
    """

    idle_seconds: float = 60.0
    cpu_seconds: float = 36_000.0


class HangWatch:
    """Looks at a process with all that descend from it.

    Parameters
    ----------
    pid : of the process.
    limits : see `HangLimits`.
    clock : seconds, never set back.
    used : CPU seconds of a process so far, see `cpu_seconds`.
    wants : whether a process would take CPU time if it got any, see `wants_cpu`.

    Notes
    -----
    While nobody looks, no time passes: what was stopped along with its watcher is not blamed.
    """

    def __init__(
        self,
        pid: int,
        limits: HangLimits,
        clock: Callable[[], float] = time.monotonic,
        used: Callable[[int], float | None] | None = None,
        wants: Callable[[int], bool] | None = None,
    ) -> None:
        self._pid = pid
        self._limits = limits
        self._clock = clock
        self._cpu_seconds = used or cpu_seconds
        self._wants_cpu = wants or wants_cpu
        self.start_over()

    def start_over(self) -> None:
        """Count anew: there was progress, or there is something new to do."""
        self._looked = self._clock()
        self._used = self._cpu_seconds(self._pid)
        self._most = self._used or 0.0
        self._idle = self._worked = 0.0

    def look(self) -> str | None:
        """Return in words why the process counts as hung, None if it does not; at most rarely."""
        passed = self._clock() - self._looked
        if passed < LOOK_SECONDS:
            return None
        used, before = self._cpu_seconds(self._pid), self._used
        self._looked, self._used = self._looked + passed, used
        if used is None or before is None:
            return None
        # Less where a process ended that nobody waited for, a sign of life as well, or was not seen
        # as it changed hands; what is seen again is no work.
        self._worked += max(used - self._most, 0.0)
        self._most = max(used, self._most)
        busy = abs(used - before) >= _BUSY_SHARE * passed or self._wants_cpu(self._pid)
        self._idle = 0.0 if busy else self._idle + min(passed, 2 * LOOK_SECONDS)
        return self._reason()

    def _reason(self) -> str | None:
        if self._idle >= self._limits.idle_seconds:
            return f"it took no CPU time for {self._idle:.0f} seconds"
        if self._worked >= self._limits.cpu_seconds:
            return f"it took {self._worked:,.0f} CPU seconds without progress"
        return None


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time of a process and its descendants so far; None where nothing is known."""
    if not Path(f"/proc/{pid}/task/{pid}/children").exists():
        return None
    return sum(_ticks(process) for process in _family(pid)) / _TICKS_PER_SECOND


def wants_cpu(pid: int) -> bool:
    """Return whether a thread of a process or of its descendants runs, or would if it were let."""
    tasks = (task for process in _family(pid) for task in _listed(process / "task"))
    return any((stat := _stat(task)) and stat[0] == "R" for task in tasks)


def _family(pid: int) -> Iterator[Path]:
    """Yield a process and its descendants, those that have just ended possibly left out."""
    process = Path(f"/proc/{pid}")
    yield process
    for task in _listed(process / "task"):
        for child in _children(task):
            yield from _family(child)


def _ticks(process: Path) -> int:
    """Return the CPU time of a process and of those of its children that it waited for."""
    return sum(map(int, _stat(process)[11:15]))


def _stat(process: Path) -> list[str]:
    """Return what the kernel tells of a process or thread, its state first; empty if it ended."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _children(task: Path) -> list[int]:
    """Return the processes that a thread started; none if it has just ended."""
    try:
        return [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        return []
