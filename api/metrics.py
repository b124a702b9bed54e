"""Prometheus metrics: requests of this process, and jobs as the database counts them."""

import math
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector
from sqlalchemy import select
from starlette.types import Scope

from tvlb.jobs.database import Database, now
from tvlb.jobs.job import is_alive
from tvlb.jobs.queue import JobQueue
from tvlb.jobs.schema import counters, workers

_WORK = {
    "programs": ("tvlb_programs", "Linear programs bounded or solved."),
    "probe_seconds": ("tvlb_solver_seconds", "Wall time of the linear programs."),
    "flit_hops": ("tvlb_flit_hops", "Flit-hops simulated."),
    "simulate_seconds": ("tvlb_simulator_seconds", "Wall time of the simulations."),
    "cpu_seconds": ("tvlb_cpu_seconds", "Processor time of what was computed anew."),
    "estimated_seconds": ("tvlb_estimated_seconds", "What was estimated of that."),
}
_LOOK_AGAIN_SECONDS = 60.0
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)


@dataclass
class _Seen:
    status: int = 500


class HttpMetrics:
    """Counts the requests of this process and the time until their answers were complete."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "tvlb_http_requests",
            "Requests by method, route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "tvlb_http_request_seconds",
            "Time until an answer was complete; event streams are not counted.",
            ("method", "route"),
            buckets=_BUCKETS,
            registry=registry,
        )

    @contextmanager
    def measure(self, scope: Scope) -> Generator[_Seen]:
        """Measure the request in this block; its status is to be set on what is yielded."""
        seen = _Seen()
        start = time.perf_counter()
        try:
            yield seen
        finally:
            # The route and not the path: paths are without number, and the client's.
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._requests.labels(method, route, str(seen.status)).inc()
            if not route.endswith("/events"):
                self._seconds.labels(method, route).observe(time.perf_counter() - start)


_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})


class DiskUse:
    """Bytes of the result store, looked up at most once a minute: it may have many files."""

    def __init__(self, look: Callable[[], dict[str, int]]) -> None:
        self._look = look
        self._lock = Lock()
        self._found: dict[str, int] = {}
        self._until = -math.inf

    def __call__(self) -> dict[str, int]:
        """Return the bytes of results and of units, and what is free; see `Store.disk_use`."""
        with self._lock:
            if time.monotonic() > self._until:
                self._found = self._look()
                self._until = time.monotonic() + _LOOK_AGAIN_SECONDS
            return self._found


class StoreMetrics(Collector):
    """The room that the result store takes."""

    def __init__(self, disk_use: DiskUse) -> None:
        self._disk_use = disk_use

    def collect(self) -> Iterable[Metric]:
        """See `prometheus_client`."""
        found = self._disk_use()
        taken = GaugeMetricFamily(
            "tvlb_store_bytes", "Bytes of results, and of pieces of work.", labels=["part"]
        )
        for part in ("results", "units"):
            taken.add_metric([part], found[part])
        yield taken
        yield GaugeMetricFamily(
            "tvlb_store_free_bytes", "Free bytes on the disk of the store.", value=found["free"]
        )


class JobMetrics(Collector):
    """Jobs, workers and work done, read from the database when asked."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue = JobQueue(database)

    def collect(self) -> Iterable[Metric]:
        """See `prometheus_client`."""
        yield self._depth()
        yield self._workers()
        with self._database.reading() as connection:
            counted = {
                (row.name, row.label): float(row.value)
                for row in connection.execute(select(counters))
            }
        yield self._ended(counted)
        yield self._stages(counted)
        for key, (name, text) in _WORK.items():
            yield CounterMetricFamily(name, text, value=counted.get(("work", key), 0.0))

    def _depth(self) -> Metric:
        gauge = GaugeMetricFamily("tvlb_jobs", "Jobs by status.", labels=["status"])
        for status, count in self._queue.depth().items():
            gauge.add_metric([status], count)
        return gauge

    def _workers(self) -> Metric:
        with self._database.reading() as connection:
            moment = now(connection)
            beats = connection.execute(select(workers.c.heartbeat_at)).scalars().all()
        alive = sum(is_alive(beat, moment) for beat in beats)
        return GaugeMetricFamily("tvlb_workers", "Workers that give signs of life.", value=alive)

    def _ended(self, counted: dict[tuple[str, str], float]) -> Metric:
        family = CounterMetricFamily(
            "tvlb_jobs_ended", "Jobs that ended, by kind and status.", labels=["kind", "status"]
        )
        for (name, label), value in counted.items():
            if name == "jobs":
                family.add_metric(label.split("/"), value)
        return family

    def _stages(self, counted: dict[tuple[str, str], float]) -> Metric:
        family = SummaryMetricFamily(
            "tvlb_job_stage_seconds",
            "Wall time of the stages of successful jobs, by kind and stage.",
            labels=["kind", "stage"],
        )
        for (name, label), value in counted.items():
            if name == "stage_seconds":
                count = int(counted.get(("stages", label), 0))
                family.add_metric(label.split("/"), count_value=count, sum_value=value)
        return family
