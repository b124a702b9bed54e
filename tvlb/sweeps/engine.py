"""Computing the points of a sweep: several at a time, each in units that any worker may take."""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor

from tvlb.errors import Cancelled, NoWorkers, StoreUnavailable
from tvlb.parallel import Stop, gather
from tvlb.progress import Progress, Reporter, silent
from tvlb.search import Workshop, optimize
from tvlb.sweeps.causes import cause_of
from tvlb.sweeps.meter import SweepMeter
from tvlb.sweeps.points import Ending, Point, Shelf

__all__ = ["ATTEMPTS", "run_points"]

ATTEMPTS = 3
"""How often a point is begun that fails."""

# Begun at the same time, beyond the number of workers: while one point has a single unit left,
# others keep the workers busy. Every point that is begun takes memory here.
_MORE_POINTS = 2
_MOST_POINTS = 32
# A file system may be back by then.
_PAUSE_SECONDS = 1.0


def run_points(
    points: Sequence[Point],
    shelf: Shelf,
    workshop: Workshop,
    *,
    workers: int,
    report: Reporter = silent,
    stop: Stop | None = None,
) -> list[Ending]:
    """Compute the points that are not in the store yet.

    Parameters
    ----------
    shelf : where tables are found and kept.
    workshop : where the work is done and its pieces are kept.
    workers : units that are computed at the same time; decides how many points are begun.
    report : told of the stage `sweep`, in estimated CPU seconds, and of what is going on.
    stop : set from another thread to cancel.

    Returns
    -------
    What became of every point, in order. A point that fails is begun `ATTEMPTS` times in all; then
    its error is in its ending, and the others go on.

    Raises
    ------
    Cancelled : `stop` was set.
    NoWorkers : nothing can be computed any more.
    StoreUnavailable, OSError : the store failed three times in a row; no point is to blame.

    Notes
    -----
    Results do not depend on the number of workers, nor on what was computed before.
    """
    flag = stop or threading.Event()
    meter = SweepMeter([point.cost.cpu_seconds for point in points], report)

    def run(point: Point) -> Ending:
        return _Attempts(point, shelf, workshop, meter, flag).run()

    meter.show()
    with ThreadPoolExecutor(max(1, min(workers + _MORE_POINTS, _MOST_POINTS))) as threads:
        try:
            futures = [threads.submit(run, point) for point in points]
            return gather(futures, flag, meter.show)
        except BaseException:
            flag.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise


class _Attempts:
    """Computes one point."""

    def __init__(
        self, point: Point, shelf: Shelf, workshop: Workshop, meter: SweepMeter, stop: Stop
    ) -> None:
        self._point = point
        self._shelf = shelf
        self._workshop = workshop
        self._meter = meter
        self._stop = stop

    def run(self) -> Ending:
        point, begun = self._point, time.monotonic()
        failures: list[Exception] = []
        for attempt in range(1, ATTEMPTS + 1):
            try:
                ending = self._attempt(attempt, begun)
            except (Cancelled, CancelledError, NoWorkers):
                raise
            except (OSError, StoreUnavailable):
                # The point is not at fault: another would fail as well.
                if attempt == ATTEMPTS:
                    raise
                time.sleep(_PAUSE_SECONDS)
            except Exception as failure:  # whatever it is, the other points go on
                failures.append(failure)
            else:
                return ending
        self._meter.finish(point.number)
        spent = time.monotonic() - begun
        error = failures[-1]
        return Ending(point, None, cause_of(error), str(error), ATTEMPTS, seconds=spent)

    def _attempt(self, attempt: int, begun: float) -> Ending:
        point = self._point
        stored = self._shelf.find(point.key)
        if stored is not None:
            self._meter.known(point.number)
            return Ending(point, stored)

        def report(event: Progress) -> None:
            self._meter.add(point.number, point.name, event)

        body = point.body
        result = optimize(
            body.network(),
            body.options(),
            report=report,
            stop=self._stop,
            workshop=self._workshop,
        )
        self._shelf.add(body, result)
        stored = self._shelf.find(point.key)
        if stored is None:
            raise StoreUnavailable("a table cannot be read back from the store")
        self._meter.finish(point.number)
        spent = time.monotonic() - begun
        return Ending(point, stored, attempts=attempt, units=result.units, seconds=spent)
