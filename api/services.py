"""What the routes work with: one object per part, made once per process."""

import asyncio
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, cast

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request
from prometheus_client import CollectorRegistry

from api.examination import Examiner, load
from api.feed import Feed
from api.idempotency import KeptResponses
from api.library import Library
from api.metrics import DiskUse, HttpMetrics, JobMetrics, StoreMetrics
from api.quick import QuickExecutor
from api.settings import Settings
from api.side_process import SideProcess, SideQueue
from api.submission import Submitter
from api.tokens import TokenStore
from tvlb.jobs.database import Database
from tvlb.jobs.labels import Labels
from tvlb.jobs.queue import JobQueue
from tvlb.jobs.results import Results
from tvlb.jobs.store import Store
from tvlb.jobs.workspace import Workspace

# With anyio's 40 threads for reading, and one each for the feed and for readiness, as many as there
# are connections to the database.
_WRITERS = 8
# Of a process beside the server; after so many another takes over, with the memory of none of them.
_CALLS_PER_PROCESS = 100
# One of 48 MiB takes 3 seconds: of such ones the second may wait in vain.
_MOST_WAITING_PAGES = 20
_PAGE_SECONDS = 30.0


class SharedCall:
    """Makes one call at a time, in a thread of its own; who asks meanwhile gets the same answer."""

    def __init__(self) -> None:
        self._threads = CapacityLimiter(1)
        self._running: asyncio.Task[None] | None = None

    async def run(self, call: Callable[[], None]) -> None:
        """Make the call, or wait for the one that is under way; raises what it raises."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(
                to_thread.run_sync(call, abandon_on_cancel=True, limiter=self._threads)
            )
        await asyncio.shield(self._running)


class Services:
    """The parts of the service: opens the database and the result store.

    Of the processes beside the server only that of quick requests starts now: the others, which
    take a second and 100 MB each, do so with the first large body and the first large page.

    `writers` are the threads that may wait for a lock of the database, so that reads go on;
    `readiness` looks whether requests can be served, whatever other threads wait for. Tables are
    read one at a time, and written in other formats one at a time, because both take memory.

    Raises
    ------
    InvalidInput : one of them cannot be used.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.database = Database(settings.database)
        self.database.upgrade()
        workspace = Workspace(settings.directory, cores=1, database=settings.database)
        self.blobs = workspace.blobs
        self.queue = JobQueue(self.database, settings.limits.queue)
        self.results = Results(self.database)
        self.labels = Labels(self.database)
        self.library = Library(self.results, self.blobs)
        self.tokens = TokenStore(self.database)
        self.feed = Feed(self.database, workspace.worker_locks())
        self.quick = QuickExecutor(workspace)
        self.examining = SideProcess(load, _CALLS_PER_PROCESS)
        self.examiner = Examiner(settings.limits.request, self.examining, workspace)
        # Large requests do not wait for large pages.
        self.page_making = SideProcess(_load_pages, _CALLS_PER_PROCESS)
        self.page_maker = SideQueue(
            self.page_making, _PAGE_SECONDS, _MOST_WAITING_PAGES, "large pages wait to be made"
        )
        self.table_reader = CapacityLimiter(1)
        self.table_converter = CapacityLimiter(1)
        self.writers = CapacityLimiter(_WRITERS)
        self.readiness = SharedCall()
        self.registry = CollectorRegistry()
        self.registry.register(JobMetrics(self.database))
        self.disk_use = DiskUse(Store(self.results, self.blobs, workspace.units).disk_use)
        self.registry.register(StoreMetrics(self.disk_use))
        self.http_metrics = HttpMetrics(self.registry)
        self.submitter = Submitter(
            limits=settings.limits,
            queue=self.queue,
            results=self.results,
            labels=self.labels,
            library=self.library,
            feed=self.feed,
            quick=self.quick,
            kept_responses=KeptResponses(self.database),
            writers=self.writers,
            examiner=self.examiner,
        )

    async def go(self) -> None:
        """Let everybody go who waits for something; what they wait for becomes a job."""
        self.quick.close()
        self.examining.close()
        self.page_making.close()
        await self.feed.close()

    def close(self) -> None:
        """Close what was opened."""
        self.quick.close()
        self.examining.close()
        self.page_making.close()
        self.database.close()


def _load_pages() -> None:
    # By name: pages are made of what these services give.
    import_module("api.pages.views")


def _services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


def _owner(request: Request) -> str | None:
    return cast("str | None", request.state.owner)


WithServices = Annotated[Services, Depends(_services)]
# The id of the token that a request came with.
Owner = Annotated[str | None, Depends(_owner)]
