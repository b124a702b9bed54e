"""How far a sweep is, and when it will be done."""

import threading
import time
from collections.abc import Sequence

from tvlb.meter import Meter, duration_text
from tvlb.progress import Progress, Reporter

__all__ = ["STAGE", "SweepMeter"]

STAGE = "sweep"
# Less than this share of the work says nothing about the rest.
_LEAST_SHARE = 0.02
# Until then what was computed by an earlier run has been found: that says nothing of the pace.
_SETTLING_SECONDS = 20.0


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
            event = Progress(STAGE, max(units, 0), round(total), note)
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
