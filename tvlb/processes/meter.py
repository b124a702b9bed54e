"""How far long work is, from the progress of its stages, and when many searches will be done."""

import threading
import time
from collections.abc import Mapping, Sequence

from tvlb.processes.progress import Progress, Reporter

# Group of each stage and the share of a usual run's time at which it begins and ends. Shares were
# read off dfly(4,8,4,9) with the default windows; elsewhere the progress runs unevenly. Curves
# belong to whatever group is on, since they end the runs of either method.
_Stages = Mapping[str, tuple[str | None, float, float]]
_STAGES: _Stages = {
    "probe": ("probe", 0.00, 0.05),
    "balance": ("balance", 0.05, 0.07),
    "screen all": ("simulate", 0.07, 0.12),
    "screen pilot": ("simulate", 0.12, 0.16),
    "screen candidates": ("simulate", 0.16, 0.32),
    "screen latency": ("simulate", 0.32, 0.36),
    "confirm": ("simulate", 0.36, 0.80),
    "confirm latency": ("simulate", 0.80, 0.88),
    "search": ("search", 0.07, 0.50),
    "compare": ("compare", 0.50, 0.88),
    "curves": (None, 0.88, 0.98),
    "simulate": ("simulate", 0.00, 1.00),
    "saturation": ("saturation", 0.00, 1.00),
    "stability": ("stability", 0.00, 1.00),
    "expand": ("expand", 0.00, 0.00),
    "sweep": ("sweep", 0.00, 1.00),
}
# Of kinds of requests whose stages take other shares.
_OF_KIND: dict[str, _Stages] = {
    "repair": {"balance": ("build", 0.00, 0.10), "compare": ("compare", 0.10, 1.00)}
}
# Less than this share of the work says nothing about the rest.
_LEAST_SHARE = 0.02
# Until then what was computed by an earlier run has been found: that says nothing of the pace.
_SETTLING_SECONDS = 20.0


class Meter:
    """Follows one attempt: overall progress and seconds by group of stages.

    Parameters
    ----------
    kind : of the request.

    Attributes
    ----------
    progress : 0..1, never falling.
    timings : seconds by group, of the groups that are over.
    """

    def __init__(self, kind: str = "table") -> None:
        self._stages = _OF_KIND.get(kind, _STAGES)
        self.progress = 0.0
        self.timings: dict[str, float] = {}
        self._group: str | None = None
        self._since = time.monotonic()

    def add(self, event: Progress) -> None:
        """Take one event in."""
        if event.stage not in self._stages:
            return
        group, begin, end = self._stages[event.stage]
        if group is not None and group != self._group:
            self._enter(group)
        share = event.done / event.total if event.total else 0.0
        self.progress = max(self.progress, begin + (end - begin) * min(share, 1.0))

    def _enter(self, group: str) -> None:
        moment = time.monotonic()
        if self._group is not None:
            spent = self.timings.get(self._group, 0.0)
            self.timings[self._group] = round(spent + moment - self._since, 3)
        self._group, self._since = group, moment


class SweepMeter:
    """Adds up the progress of points, weighted by their estimated cost; called from all threads.

    Parameters
    ----------
    costs : estimated CPU seconds per point.
    report : told of `Progress("sweep", done, total, note)`, in CPU seconds.
    """

    def __init__(self, costs: Sequence[float], report: Reporter) -> None:
        # A second at least, so that every point counts.
        self._costs = [max(cost, 1.0) for cost in costs]
        self._report = report
        self._meters: dict[int, Meter] = {}
        self._known = 0.0
        self._done = 0.0
        self._ended = 0
        self._doing = ""
        self._begun = time.monotonic()
        self._paced = (self._begun, 0.0)
        self._shown: Progress | None = None
        self._lock = threading.RLock()

    def known(self, point: int) -> None:
        """Count a point that was in the store."""
        with self._lock:
            self._known += self._costs[point]
            self._ended += 1
            self.show()

    def add(self, point: int, name: str, event: Progress) -> None:
        """Take in an event of a point's search."""
        with self._lock:
            meter = self._meters.setdefault(point, Meter())
            before = (meter.progress, self._doing)
            meter.add(event)
            self._doing = f"{name}: {event.stage}"
            if (meter.progress, self._doing) != before:
                self.show()

    def finish(self, point: int) -> None:
        """Count a point that has ended."""
        with self._lock:
            self._meters.pop(point, None)
            self._done += self._costs[point]
            self._ended += 1
            self.show()

    def show(self) -> None:
        """Report the present state."""
        with self._lock:
            partly = sum(self._costs[one] * meter.progress for one, meter in self._meters.items())
            done, total = self._done + partly, sum(self._costs)
            note = f"{self._ended} of {len(self._costs)} points"
            left = self._seconds_left(done, total - self._known)
            note += "" if left is None else f", about {duration_text(left)} left"
            note += f", {self._doing}" if self._doing and self._ended < len(self._costs) else ""
            all_done = self._ended == len(self._costs)
            units = round(total) if all_done else min(int(self._known + done), round(total) - 1)
            event = Progress("sweep", max(units, 0), round(total), note)
            if event != self._shown:
                self._shown = event
                self._report(event)

    def _seconds_left(self, done: float, wanted: float) -> float | None:
        moment = time.monotonic()
        if moment - self._begun < _SETTLING_SECONDS:
            self._paced = (moment, done)
            return None
        since, before = self._paced
        if not before < done < wanted or done - before < _LEAST_SHARE * (wanted - before):
            return None
        return (moment - since) * (wanted - done) / (done - before)


def duration_text(seconds: float) -> str:
    """Return a duration for people, such as ``12 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
