"""Computing the points of a sweep: several at a time, most in units that any worker may take."""

import logging
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

from tvlb.errors import (
    Cancelled,
    InvalidInput,
    NoWorkers,
    StoreLost,
    StoreUnavailable,
    TvlbError,
    WorkerLost,
)
from tvlb.processes import (
    MAX_ATTEMPTS,
    Cores,
    Progress,
    Reporter,
    Stages,
    Stop,
    SweepMeter,
    UnitCache,
    UnitCount,
    available_cores,
    map_threads,
    may_pass,
    pause,
    pause_seconds,
    silent,
)
from tvlb.processes.units import Units
from tvlb.requests import (
    Answer,
    Context,
    Question,
    StoredResult,
    SweepBody,
    TableBody,
    request_key,
    request_kinds,
)
from tvlb.requests.swept import with_table
from tvlb.search import CommonTraffic, measure_common
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
    # The points of a sweep are of one kind.
    stages = request_kinds()[points[0].body.kind].stages if points else Stages()
    meter = SweepMeter(stages, [point.cost.cpu_seconds for point in points], report)
    cores = Cores(max(1, min(workers, available_cores())))

    def run(point: Point) -> PointResult:
        return _Attempts(point, tables, unit_cache, meter, flag, cores).run()

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
    cores: Cores

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
        first = self.tables.find(point.key)
        was_there = first is not None
        if first is None:
            first, taken = self._computed(point.body)
            units.count += taken
        common = self._common(first, units)
        followed: list[Stored] = []
        for waiting in point.followers:
            assert first.table_id is not None
            body = with_table(waiting, first.table_id)
            found = self.tables.find(request_key(body))
            if found is None:
                was_there = False
                found, taken = self._computed(body, first)
                units.count += taken
            followed.append(found)
        result = PointResult(point, first, common, tuple(one.document for one in followed))
        if was_there:
            self.meter.known(point.number)
            return replace(result, units=units.count if units.count.computed else None)
        self.meter.finish(point.number)
        spent = time.monotonic() - begun
        return replace(result, attempts=attempt, units=units.count, seconds=spent)

    def _computed(self, body: Question, made: Stored | None = None) -> tuple[Stored, UnitCount]:
        """Compute a request and keep the result; `made` has the table that it is about."""
        kind = request_kinds()[body.kind]
        # What takes processors of this process, and memory, waits for them.
        taken = self.cores.taken(body.most_threads)
        with nullcontext(self.cores.count) if kind.in_units else taken as count:
            if self.stop.is_set():
                raise Cancelled("the sweep was cancelled")
            tables = request_kinds()[self.point.body.kind].tables
            context = _PointContext(self.unit_cache, count, self.stop, made, tables)
            answer = kind.form_by(dict(body).get("router", "")).compute(body, context, self._report)
        self.tables.add(body, answer)
        stored = self.tables.find(request_key(body))
        if stored is None:
            raise StoreUnavailable("a result cannot be read back from the store")
        return stored, answer.units or UnitCount()

    def _report(self, event: Progress) -> None:
        self.meter.add(self.point.number, self.point.name, event)

    def _common(self, stored: Stored, units: Units) -> tuple[CommonTraffic, CommonTraffic] | None:
        body = self.point.body
        if not isinstance(body, TableBody):
            return None
        self._report(Progress("common traffic", 0, 1))
        return measure_common(body.network(), body.options(), stored.document, units)


@dataclass(frozen=True)
class _PointContext(Context):
    """With what the requests of a point are computed; it knows the table of the point alone."""

    units: UnitCache
    processors: int
    flag: Stop
    made: Stored | None
    tables: str  # of which kind that is

    @property
    def cores(self) -> int:
        return self.processors

    @property
    def stop(self) -> Stop:
        return self.flag

    @contextmanager
    def unit_cache(self) -> Generator[UnitCache]:
        yield self.units

    def result(self, key: str, *kinds: str) -> StoredResult:
        raise InvalidInput(f"{' or '.join(kinds)} {key}: a sweep has no results of others")

    def table(self, text: str) -> StoredResult:
        made = self.made
        if made is None or made.table_id != text or made.read_table is None:
            return self.result(text, "table")
        document = made.document
        return StoredResult(text, self.tables, {}, text, lambda: document, made.read_table)

    def sweep(self, body: SweepBody, report: Reporter) -> Answer:
        raise InvalidInput("a sweep has no sweeps among its points")


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
