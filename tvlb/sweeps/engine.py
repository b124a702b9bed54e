"""Computing the points of a sweep: several at a time, each in units that any worker may take."""

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass

from tvlb.errors import Cancelled, NoWorkers, StoreLost, StoreUnavailable, TvlbError, WorkerLost
from tvlb.processes import (
    MAX_ATTEMPTS,
    Progress,
    Reporter,
    Stop,
    SweepMeter,
    UnitCache,
    map_threads,
    may_pass,
    pause,
    pause_seconds,
    silent,
)
from tvlb.processes.units import Units
from tvlb.requests.kinds.table import KIND, answer_of
from tvlb.search import CommonTraffic, measure_common, optimize
from tvlb.sweeps.points import Point, PointResult, Stored, TableStore

_LOG = logging.getLogger(__name__)
# Begun at the same time, beyond the number of workers: while one point has a single unit left,
# others keep the workers busy. Every point that is begun takes memory here.
_MORE_POINTS = 2
_MOST_POINTS = 32
# As long as all attempts at a point would wait for the store to come back.
_STORE_SECONDS = sum(map(pause_seconds, range(1, MAX_ATTEMPTS)))


def run_points(
    points: Sequence[Point],
    tables: TableStore,
    unit_cache: UnitCache,
    *,
    workers: int,
    report: Reporter = silent,
    stop: Stop | None = None,
) -> list[PointResult]:
    """Compute the points that are not in the store yet.

    Parameters
    ----------
    tables : where tables are found and kept.
    unit_cache : where the work is done and its pieces are kept.
    workers : units that are computed at the same time; decides how many points are begun.
    report : told of the stage `sweep`, in estimated CPU seconds, and of what is going on.
    stop : set from another thread to cancel.

    Returns
    -------
    What became of every point, in order. A point that fails for a reason that may pass is begun
    again, see `tvlb.processes.retry`; then its error is in its result, and the others go on.

    Raises
    ------
    Cancelled : `stop` was set.
    NoWorkers : nothing can be computed any more.
    StoreLost : the store failed on every attempt, or was gone for as long as these take; no point
        is to blame.

    Notes
    -----
    Results do not depend on the number of workers, nor on what was computed before.
    """
    flag = stop or threading.Event()
    meter = SweepMeter(KIND.stages, [point.cost.cpu_seconds for point in points], report)

    def run(point: Point) -> PointResult:
        return _Attempts(point, tables, unit_cache, meter, flag).run()

    meter.show()
    threads = max(1, min(workers + _MORE_POINTS, _MOST_POINTS))
    return map_threads(run, points, threads, flag, meter.show, _StoreWatch(tables).look)


class _StoreWatch:
    """Ends a sweep whose store is gone, since points alone would find that out at their end."""

    def __init__(self, tables: TableStore) -> None:
        self._tables = tables
        self._gone_since: float | None = None

    def look(self) -> None:
        try:
            self._tables.check()
        except StoreUnavailable as error:
            moment = time.monotonic()
            if self._gone_since is None:
                self._gone_since = moment
            if moment - self._gone_since >= _STORE_SECONDS:
                raise StoreLost(f"the store is gone: {error}") from error
        else:
            self._gone_since = None


@dataclass(frozen=True)
class _Attempts:
    """Computes one point."""

    point: Point
    tables: TableStore
    unit_cache: UnitCache
    meter: SweepMeter
    stop: Stop

    def run(self) -> PointResult:
        begun, attempt = time.monotonic(), 1
        while True:
            try:
                return self._attempt(attempt, begun)
            except (Cancelled, CancelledError, NoWorkers):
                raise
            except Exception as error:  # whatever it is, the other points go on
                if not may_pass(error) or attempt == MAX_ATTEMPTS:
                    return self._given_up(error, attempt, begun)
                _LOG.warning("%s is begun again after %r", self.point.name, error)
            pause(attempt, self.stop)
            attempt += 1

    def _given_up(self, error: Exception, attempts: int, begun: float) -> PointResult:
        if isinstance(error, OSError | StoreUnavailable):
            # The point is not at fault: another would fail as well.
            raise StoreLost(f"the store failed {attempts} times in a row: {error}") from error
        self.meter.finish(self.point.number)
        spent = time.monotonic() - begun
        return PointResult(
            self.point,
            None,
            error=_cause_of(error),
            detail=str(error),
            attempts=attempts,
            seconds=spent,
        )

    def _attempt(self, attempt: int, begun: float) -> PointResult:
        point, units = self.point, Units(self.unit_cache, self.stop)
        stored = self.tables.find(point.key)
        if stored is not None:
            common = self._common(stored, units)
            self.meter.known(point.number)
            return PointResult(
                point, stored, common, units=units.count if units.count.computed else None
            )
        body = point.body
        result = optimize(
            body.network(),
            body.options(),
            report=self._report,
            stop=self.stop,
            unit_cache=self.unit_cache,
        )
        self.tables.add(body, answer_of(result))
        stored = self.tables.find(point.key)
        if stored is None:
            raise StoreUnavailable("a table cannot be read back from the store")
        common = self._common(stored, units)
        self.meter.finish(point.number)
        return PointResult(
            point,
            stored,
            common,
            attempts=attempt,
            units=result.units + units.count,
            seconds=time.monotonic() - begun,
        )

    def _report(self, event: Progress) -> None:
        self.meter.add(self.point.number, self.point.name, event)

    def _common(self, stored: Stored, units: Units) -> tuple[CommonTraffic, CommonTraffic]:
        self._report(Progress("common traffic", 0, 1))
        body = self.point.body
        return measure_common(body.network(), body.options(), stored.document, units)


def _cause_of(error: Exception) -> str:
    """Return the cause without hosts, processes and paths: the same wherever it was computed."""
    match error:
        case WorkerLost():
            return "the processes that computed a part of it died again and again"
        case MemoryError():
            return "the memory did not suffice"
        case TvlbError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}"
