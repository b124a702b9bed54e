"""How far long work is, 0..1, from the progress of its stages."""

import time

from tvlb.progress import Progress

__all__ = ["Meter", "duration_text"]

# Group of each stage and the share of a usual run's time at which it begins and ends. Shares were
# read off dfly(4,8,4,9) with the default windows; elsewhere the progress runs unevenly. Curves
# belong to whatever group is on, since they end the runs of either method.
_STAGES: dict[str, tuple[str | None, float, float]] = {
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
    "sweep": ("sweep", 0.00, 1.00),
}


class Meter:
    """Follows one attempt: overall progress and seconds by group of stages.

    Attributes
    ----------
    progress : 0..1, never falling.
    timings : seconds by group, of the groups that are over.
    """

    def __init__(self) -> None:
        self.progress = 0.0
        self.timings: dict[str, float] = {}
        self._group: str | None = None
        self._since = time.monotonic()

    def add(self, event: Progress) -> None:
        """Take one event in."""
        if event.stage not in _STAGES:
            return
        group, begin, end = _STAGES[event.stage]
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


def duration_text(seconds: float) -> str:
    """Return a duration for people, such as ``12 min``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
