"""How far long work is, from the progress of its stages, and when many searches will be done."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tvlb.processes.progress import Progress, Reporter


@dataclass(frozen=True)
class Stages:
    """Which part of a usual run its stages are; any others do not count.

    Attributes
    ----------
    shares : by the name of a stage its group, None for whatever group is on, and the shares of the
        time at which it begins and ends, 0..1; empty where every stage is a group of its own and
        takes all the time.
    """

    shares: Mapping[str, tuple[str | None, float, float]] = field(
        default_factory=dict[str, tuple[str | None, float, float]]
    )

    def place(self, stage: str) -> tuple[str | None, float, float] | None:
        """Return group, begin and end of a stage; None of one that does not count."""
        return self.shares.get(stage) if self.shares else (stage, 0.0, 1.0)


# Less than this share of the work says nothing about the rest.
_LEAST_SHARE = 0.02
# Until then what was computed by an earlier run has been found: that says nothing of the pace.
_SETTLING_SECONDS = 20.0


class Meter:
    """Follows one attempt: overall progress and seconds by group of stages.

    Parameters
    ----------
    stages : of what is computed.

    Attributes
    ----------
    progress : 0..1, never falling.
    timings : seconds by group, of the groups that are over.
    """

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self.progress = 0.0
        self.timings: dict[str, float] = {}
        self._group: str | None = None
        self._since = time.monotonic()

    def add(self, event: Progress) -> None:
        """Take one event in."""
        place = self._stages.place(event.stage)
        if place is None:
            return
        group, begin, end = place
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
    stages : of a point.
    costs : estimated CPU seconds per point.
    report : told of `Progress("sweep", done, total, note)`, in CPU seconds.
    """

    def __init__(self, stages: Stages, costs: Sequence[float], report: Reporter) -> None:
        self._stages = stages
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
            meter = self._meters.setdefault(point, Meter(self._stages))
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
