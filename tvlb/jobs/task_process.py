"""A process that computes one task after the other, and can be ended at any moment.

Solvers and simulators need not look for a cancellation: their process group is killed. What they
had finished is on disk.
"""

import gc
import os
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import closing
from multiprocessing import get_context
from multiprocessing.connection import Connection
from types import FrameType

from tvlb.jobs.failure import Failure, failure_of
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import (
    HangLimits,
    HangWatch,
    KeptWorkers,
    Progress,
    Stages,
    follow_parent,
)

# Progress is passed on at most so often, but for the first and the last event of a stage: every
# hundredth of the time so far, between these bounds. Every event is kept in the database.
_SHORTEST_SECONDS, _LONGEST_SECONDS = 0.25, 2.0
_LOG_LINES = 40
_SIGNALS = (signal.SIGINT, signal.SIGTERM)

Message = Stages | Progress | TaskOutput | Failure


class TaskProcess:
    """Starts, feeds and ends the process.

    Parameters
    ----------
    workspace : where tasks run.

    Attributes
    ----------
    ready : whether the process has loaded what it needs, so that it takes a task at once.

    Notes
    -----
    The process ends by itself when the one that started it is gone. It is given twice the idle time
    of the processes that it starts, and replaces when they hang, and the CPU time of all of them.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._limits = HangLimits(
            2 * workspace.hang.idle_seconds, (1 + workspace.cores) * workspace.hang.cpu_seconds
        )
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.ready = False
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._workspace))
        # It ends with its worker and not with signals to the worker's process group; until it can
        # see to that itself, it does not get them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        # None while it has nothing to do.
        self._watch: HangWatch | None = HangWatch(self.pid, self._limits)
        self._reached = ("", 0)

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def sources(self) -> list[Connection | int]:
        """What `multiprocessing.connection.wait` can wait for."""
        return [self._connection, self._process.sentinel]

    def begin(self, task: Task) -> None:
        """Hand a task to the process."""
        self._watch = HangWatch(self.pid, self._limits)
        self._reached = ("", 0)
        try:
            self._connection.send(task)
        except ConnectionError:
            # It has died; `messages` will say so.
            return

    def messages(self) -> Iterator[Message]:
        """Yield what has come from the process; start another, after a `Failure`, if it is lost."""
        try:
            while self._connection.poll():
                message = self._connection.recv()
                self._note(message)
                if message is not None:
                    yield message
        except (EOFError, ConnectionError):
            self._process.join()
            failure = _death(self._process.exitcode)
            self.restart()
            yield failure
            return
        hung = None if self._watch is None else self._watch.look()
        if hung is not None:
            self.restart()
            yield Failure("process-hung", "The computing process hung", hung, may_pass=True)

    def _note(self, message: Message | None) -> None:
        """Keep in mind what a message says of the process."""
        if message is None:
            self.ready = True
        if isinstance(message, Stages):
            return
        if not isinstance(message, Progress):
            self._watch = None
            return
        # The same is told several times, for those who look.
        if self._watch is not None and (message.stage, message.done) != self._reached:
            self._watch.start_over()
        self._reached = message.stage, message.done

    def restart(self) -> None:
        """End the process with all that it started, whatever it is doing, and start another."""
        self.end()
        self._start()

    def end(self) -> None:
        """End the process with all that it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            # It has not made its group yet, or is gone.
            self._process.kill()
        self._process.join()
        self._connection.close()


def _death(exitcode: int | None) -> Failure:
    how = f"signal {-exitcode}" if exitcode is not None and exitcode < 0 else f"exit {exitcode}"
    return Failure(
        "process-died",
        "The computing process died",
        f"the computing process ended with {how}; a lack of memory is the usual cause of signal 9",
        may_pass=True,
    )


def _serve(connection: Connection, workspace: Workspace) -> None:
    """Compute tasks until there is nobody to compute for; runs in a process of its own."""
    os.setpgid(0, 0)
    follow_parent()
    for number in _SIGNALS:
        signal.signal(number, _pass_over)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    # Loaded here and not by the worker, which needs none of the solvers and starts at once so.
    # Nothing of it is garbage: to find that out takes a tenth of the time.
    gc.disable()
    from tvlb.jobs.tasks import get_ready

    get_ready()
    gc.freeze()
    gc.enable()
    connection.send(None)
    with closing(KeptWorkers(workspace.cores, workspace.hang)) as workers:
        while True:
            try:
                task: Task = connection.recv()
            except EOFError:
                return
            connection.send(_compute(task, workspace, _Reporter(connection), workers))
            # Empties the free lists, which hold on to most of the memory that a large task had.
            gc.collect()


def _pass_over(number: int, frame: FrameType | None) -> None:
    """Do nothing; unlike a signal that is ignored, this is not passed on to child processes."""


def _compute(
    task: Task, workspace: Workspace, report: "_Reporter", workers: KeptWorkers
) -> TaskOutput | Failure:
    from tvlb.jobs.tasks import run_task, stages_of

    try:
        report.tell(stages_of(task))
        return run_task(task, workspace, report, workers)
    except Exception as error:  # the worker decides what an error means
        lines = "".join(traceback.format_exception(error)).splitlines()
        return failure_of(error, (*report.stages, *lines)[-_LOG_LINES:])


class _Reporter:
    """Sends progress to the worker, not too often."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._begun = time.monotonic()
        self._sent = 0.0
        self.stages: list[str] = []

    def tell(self, stages: Stages) -> None:
        """Tell of which stages the progress will be."""
        self._connection.send(stages)

    def __call__(self, event: Progress) -> None:
        moment = time.monotonic()
        new = f"stage {event.stage}"
        if new not in self.stages:
            self.stages.append(new)
        elif event.done < event.total and moment - self._sent < self._pause(moment):
            return
        self._sent = moment
        self._connection.send(event)

    def _pause(self, moment: float) -> float:
        return min(max((moment - self._begun) / 100, _SHORTEST_SECONDS), _LONGEST_SECONDS)
