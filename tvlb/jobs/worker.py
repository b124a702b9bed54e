"""The worker: claims jobs, has them computed, and reports; it holds nothing that may be lost."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import wait

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from tvlb.errors import StoreUnavailable
from tvlb.jobs.accounting import EndedJob
from tvlb.jobs.database import Database
from tvlb.jobs.failure import Failure, failure_of
from tvlb.jobs.lease import Claimed, LeaseLost, Leases
from tvlb.jobs.logs import audit, logger
from tvlb.jobs.reaper import Reaper
from tvlb.jobs.task_process import Message, TaskProcess
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import Meter, Progress, Stages

# A cancellation is seen at the next heartbeat.
_HEARTBEAT_SECONDS = 0.4
_REAP_SECONDS = 0.5
_TICK_SECONDS = 0.2
# Signals to a whole family of processes arrive twice, from the sender and from our parent.
_SAME_REQUEST_SECONDS = 3.0
_STORE_PAUSE_SECONDS = 0.5


@dataclass
class _CurrentJob:
    """The job in hand; `end` is set when it is over and only has to be recorded."""

    job: Claimed
    meter: Meter
    end: Callable[[], EndedJob | None] | None = None


class _Every:
    """Says when a period has passed."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    def due(self) -> bool:
        """Whether the period has passed; begins the next one."""
        moment = time.monotonic()
        if moment < self._next:
            return False
        self._next = moment + self._seconds
        return True


class Worker:
    """Computes jobs one at a time, on all cores of its workspace.

    Parameters
    ----------
    database : the queue.
    workspace : where jobs run; several workers of one queue share its directory.
    drain_seconds : when asked to end, the job in hand may go on for so long; then it is handed
        back and the next worker goes on from what is finished of it.
    parent : process id; the worker ends at once when this is no longer its parent.

    Notes
    -----
    While the database does not answer, the job in hand goes on; if another worker took it
    meanwhile, it is dropped. No job is claimed while the result store is not the one that was there
    at the start.
    """

    def __init__(
        self,
        database: Database,
        workspace: Workspace,
        *,
        drain_seconds: float = 20.0,
        parent: int | None = None,
    ) -> None:
        self._leases = Leases(database)
        self._worker_locks = workspace.worker_locks()
        self._reaper = Reaper(database, self._worker_locks)
        self._workspace = workspace
        self._blobs = workspace.blobs
        self._drain_seconds = drain_seconds
        self._parent = parent
        self._asked: float | None = None
        self._deadline: float | None = None
        self._current: _CurrentJob | None = None
        self._heartbeat = _Every(_HEARTBEAT_SECONDS)
        self._reap = _Every(_REAP_SECONDS)
        self._log = logger("worker").bind(worker=self._leases.worker)

    def drain(self) -> None:
        """Claim nothing more, and end soon; asked again, end at once. For signal handlers."""
        now = time.monotonic()
        if self._asked is None:
            self._asked, self._deadline = now, now + self._drain_seconds
        elif now - self._asked > _SAME_REQUEST_SECONDS:
            self._deadline = now

    def run(self) -> None:
        """Work until drained."""
        self._workspace.sweep()
        self._worker_locks.acquire(self._leases.worker)
        process = TaskProcess(self._workspace)
        self._log.info("worker started", pid=os.getpid(), cores=self._workspace.cores)
        try:
            while not self._over():
                self._try(process)
                wait(process.sources, timeout=_TICK_SECONDS)
        finally:
            process.end()
            self._leave()
            self._worker_locks.release()

    def _over(self) -> bool:
        if self._parent is not None and os.getppid() != self._parent:
            self._deadline = time.monotonic()
        if self._deadline is None:
            return False
        return self._current is None or time.monotonic() >= self._deadline

    def _leave(self) -> None:
        try:
            if self._current is not None:
                ended = self._leases.hand_back(self._current.job)
                self._log.info("job handed back", job=self._current.job.id)
                if ended is not None:
                    audit(ended)
            self._leases.leave()
        except (LeaseLost, StoreUnavailable, SQLAlchemyError) as error:
            # The reaper will do it for us.
            self._log.warning("the job could not be handed back", error=str(error))
        self._log.info("worker ended")

    def _try(self, process: TaskProcess) -> None:
        try:
            self._step(process)
        except LeaseLost as lost:
            self._log.warning("job was taken away", job=str(lost))
            self._drop(process)
        except DBAPIError as error:
            self._wait("the database does not answer", error.orig)
        except StoreUnavailable as error:
            self._wait("the store is not there", error)

    def _wait(self, what: str, error: object) -> None:
        self._log.error(what, error=str(error))
        # Nobody could give a sign of life meanwhile.
        self._reaper.reset()
        time.sleep(_STORE_PAUSE_SECONDS)

    def _step(self, process: TaskProcess) -> None:
        self._listen(process)
        if self._heartbeat.due():
            self._beat(process)
        if self._reap.due():
            for ended in self._reaper.run():
                audit(ended)
        if self._current is not None and self._current.end is not None:
            self._finish(self._current.end)
        if self._current is None and self._deadline is None and process.ready:
            self._claim(process)

    def _beat(self, process: TaskProcess) -> None:
        current = self._current
        draining = self._deadline is not None
        if not self._leases.register(
            draining=draining, job=None if current is None else current.job
        ):
            return
        if current is not None and current.end is None:
            process.restart()
            current.end = lambda: self._leases.stop(current.job)

    def _claim(self, process: TaskProcess) -> None:
        self._blobs.check_identity()
        job = self._leases.claim()
        if job is None:
            return
        self._log.info("job begins", job=job.id, kind=job.kind, attempt=job.attempt)
        self._current = _CurrentJob(job, Meter(Stages()))
        process.begin(Task(job.kind, job.key, job.request))

    def _listen(self, process: TaskProcess) -> None:
        for message in process.messages():
            # Nobody waits for what comes after the end of a job, or without one.
            if self._current is not None and self._current.end is None:
                self._hear(self._current, message)
            elif isinstance(message, Failure):
                self._log.error("the idle process ended", error=message.detail)

    def _hear(self, current: _CurrentJob, message: Message) -> None:
        job = current.job
        match message:
            case Stages():
                current.meter = Meter(message)
            case Progress():
                current.meter.add(message)
                self._leases.report(job, message, current.meter.progress, current.meter.timings)
            case TaskOutput():
                current.end = lambda: self._publish(job, message)
            case Failure() if self._deadline is not None and (
                message.may_pass or message.lost_workers
            ):
                # Whoever ends this worker may have ended its computing processes too.
                current.end = lambda: self._leases.hand_back(job)
            case Failure():
                self._log.warning("attempt failed", job=job.id, error=message.detail)
                current.end = lambda: self._leases.fail(job, message)

    def _publish(self, job: Claimed, output: TaskOutput) -> EndedJob | None:
        try:
            # Else the files may be in a directory that was made in its place.
            self._blobs.check_identity()
        except StoreUnavailable as error:
            return self._leases.fail(job, failure_of(error))
        return self._leases.finish(job, output)

    def _finish(self, end: Callable[[], EndedJob | None]) -> None:
        assert self._current is not None
        job = self._current.job
        ended = end()
        self._current = None
        if ended is None:
            self._log.info("job queued again", job=job.id)
            return
        audit(ended)

    def _drop(self, process: TaskProcess) -> None:
        self._current = None
        process.restart()
