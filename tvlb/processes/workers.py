"""Worker processes as a `concurrent.futures.Executor` that outlives the death of a worker.

Every process has a pipe of its own, so that one which is killed while it reads or writes harms
nobody else, and a single thread hands out the tasks and sleeps while there is nothing to do. Since
it may wait for a process that hangs, another thread kills those.
"""

# Why not a library's pool: where one process of `concurrent.futures` dies, all tasks fail. Those
# of pebble (5.2) share one pipe: after some of its processes were killed, 17 to 39 of 40 tasks with
# arguments of 5 MB never ended, and with small arguments the pool broke as well, so that to pass
# keys or shared memory would not help.
# Why no fork server (Python 3.11): it imports from the current directory whatever the path that it
# is given, nothing notices if it hangs, and after its death living processes count as ended, so
# that they cannot be killed.

import ctypes
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import RawValue
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tvlb.errors import Cancelled, InvalidInput, NoWorkers, WorkerLost
from tvlb.processes.hang import LOOK_SECONDS, HangLimits, HangWatch
from tvlb.processes.parallel import available_cores, follow_parent
from tvlb.processes.retry import MAX_ATTEMPTS

_P = ParamSpec("_P")
_Result = TypeVar("_Result")

_FAILED_STARTS = 5
_END_SECONDS = 1.0
# Longer than a job that waits needs to begin, or people to ask for the next.
_KEPT_SECONDS = 20.0
_READY = b""
# More often than anybody looks.
_TELL_SECONDS = 0.1


class _Teller:
    """Tells the pool that this process works for how far its task is, not too often.

    Attributes
    ----------
    pipe : to the pool; None in any other process.
    processes : of the pool.
    left : tasks of the pool that have not ended, those to come among them.
    """

    def __init__(self) -> None:
        self.pipe: Connection | None = None
        self.processes = 1
        self.left = ctypes.c_int(1)
        self._told = 0.0
        self._note: str = ""

    def tell(self, done: int, note: str) -> None:
        now = time.monotonic()
        is_due = now - self._told >= _TELL_SECONDS or note != self._note
        if self.pipe is not None and is_due:
            self._told, self._note = now, note
            self.pipe.send_bytes(f"{done} {note}".encode())


_TELLER = _Teller()


@contextmanager
def local_workers(count: int, hang: HangLimits | None = None) -> Generator["WorkerPool"]:
    """Keep `count` worker processes while the block runs; see `WorkerPool`.

    The end of the block waits for its tasks; an exception that leaves it (Ctrl-C, Cancelled)
    kills them.

    Raises
    ------
    InvalidInput : `count` is less than 1.
    """
    with WorkerPool(count, hang) as pool:
        yield pool


class KeptWorkers:
    """Worker processes that are kept for who needs some next: to start takes them a second.

    They end when nobody has needed them for a while, since they hold on to memory.

    Parameters
    ----------
    count, hang : as of `local_workers`.
    seconds : how long they are kept.
    """

    def __init__(
        self, count: int, hang: HangLimits | None = None, *, seconds: float = _KEPT_SECONDS
    ) -> None:
        self._count = count
        self._hang = hang
        self._seconds = seconds
        # Guards both that follow.
        self._lock = threading.Lock()
        self._kept: WorkerPool | None = None
        self._timer: threading.Timer | None = None

    @contextmanager
    def lent(self) -> Generator["WorkerPool"]:
        """Lend processes while the block runs; ends as that of `local_workers`."""
        pool = self._taken() or WorkerPool(self._count, self._hang)
        try:
            yield pool
        except BaseException:
            pool.kill()
            raise
        if pool.is_idle:
            self._keep(pool)
        else:
            pool.shutdown()

    def close(self) -> None:
        """End those that are kept."""
        pool = self._taken()
        if pool is not None:
            pool.shutdown()

    def _taken(self) -> "WorkerPool | None":
        with self._lock:
            pool, timer = self._kept, self._timer
            self._kept = self._timer = None
        if timer is not None:
            timer.cancel()
        return pool

    def _keep(self, pool: "WorkerPool") -> None:
        # Of two that were lent at the same time the last one is kept.
        self.close()
        timer = threading.Timer(self._seconds, self.close)
        timer.daemon = True
        with self._lock:
            self._kept, self._timer = pool, timer
        timer.start()


class TaskFuture(Future[_Result]):
    """Of a task of a pool.

    Attributes
    ----------
    parts : how many of its parts the task has told to be done; see `tell_part`.
    note : what it told beside.
    """

    parts: int = 0
    note: str = ""


@dataclass
class _Task:
    future: TaskFuture[Any]
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    attempts: int = 0


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    watch: HangWatch
    ready: bool = False
    task: _Task | None = None
    hung: str | None = None

    @property
    def how_ended(self) -> str:
        """In words."""
        return _how_ended(self.process.exitcode) if self.hung is None else f"killed: {self.hung}"


class WorkerPool(Executor):
    """Runs tasks on spawned processes, each of them one task at a time, in order of submission.

    A function is sent by name; it, its arguments and its result have to be picklable. A task whose
    process dies or hangs is tried again, `attempts` times in all; then its future raises
    `WorkerLost`.
    Exceptions of a task reach its future, with the traceback as a note. Processes start when there
    is work for them; they leave Ctrl-C to this process and end when it is gone.

    Parameters
    ----------
    count : the number of processes, at least 1.
    hang : when a process counts as hung.
    attempts : how often a task is begun at most.

    Raises
    ------
    InvalidInput : `count` is less than 1.
    """

    def __init__(
        self, count: int, hang: HangLimits | None = None, *, attempts: int = MAX_ATTEMPTS
    ) -> None:
        if count < 1:
            raise InvalidInput(f"{count} worker processes: at least 1 is needed")
        self._count = count
        self._hang = hang or HangLimits()
        self._attempts = attempts
        self._context = multiprocessing.get_context("spawn")
        # Guards all that follows; the pipes and the state of a worker belong to the manager alone.
        self._lock = threading.Lock()
        self._pending: deque[_Task] = deque()
        self._unfinished = 0
        self._announced = 0
        # Their sum, which the processes read.
        self._left = RawValue(ctypes.c_int, 0)
        self._workers: list[_Worker] = []
        self._closed = False
        self._killed = False
        self._broken: Exception | None = None
        self._failed_starts = 0
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._ended = threading.Event()
        self._manager = threading.Thread(target=self._manage, name="workers", daemon=True)
        self._manager.start()
        threading.Thread(target=self._kill_hung, name="hung workers", daemon=True).start()

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> TaskFuture[_Result]:
        """Ask for `fn(*args, **kwargs)` on one of the processes.

        Raises
        ------
        NoWorkers : no process can be started any more.
        RuntimeError : the pool was shut down.
        """
        future: TaskFuture[_Result] = TaskFuture()
        with self._lock:
            if self._broken is not None:
                raise NoWorkers(str(self._broken)) from self._broken
            if self._closed:
                raise RuntimeError("the worker pool was shut down")
            self._pending.append(_Task(future, fn, args, kwargs))
            self._unfinished += 1
            self._tell_left()
            os.eventfd_write(self._bell, 1)
        future.add_done_callback(self._count_finished)
        return future

    @contextmanager
    def announced(self, tasks: int) -> Generator[Callable[[], None]]:
        """Count so many tasks to come among those that are left; for `spare_threads`.

        Yields what is to be called after each, submitted or not; the end of the block calls off the
        rest.
        """
        to_come = 0

        def announce(more: int) -> None:
            nonlocal to_come
            with self._lock:
                to_come += more
                self._announced += more
                self._tell_left()

        announce(tasks)
        try:
            yield lambda: announce(-1)
        finally:
            announce(-to_come)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and end the processes when those submitted are done.

        Parameters
        ----------
        wait : return when the processes have ended.
        cancel_futures : cancel the tasks that have not started.
        """
        self._close(cancel_pending=cancel_futures)
        if wait:
            self._manager.join()

    def kill(self) -> None:
        """End all processes at once: waiting tasks are cancelled, running ones raise Cancelled."""
        with self._lock:
            self._killed = True
            for worker in self._workers:
                worker.process.kill()
        self._close(cancel_pending=True)
        self._manager.join()

    @property
    def is_idle(self) -> bool:
        """Whether all tasks that were submitted have ended."""
        with self._lock:
            return self._unfinished == 0

    def _count_finished(self, _: Future[Any]) -> None:
        with self._lock:
            self._unfinished -= 1
            self._tell_left()

    def _tell_left(self) -> None:
        self._left.value = self._unfinished + self._announced

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        """End the processes: when all tasks are done, or at once after an exception."""
        if exc_type is None:
            self.shutdown()
        else:
            self.kill()

    def _close(self, cancel_pending: bool) -> None:
        with self._lock:
            dropped = list(self._pending) if cancel_pending else []
            if cancel_pending:
                self._pending.clear()
            self._closed = True
            # Also of a pool that is closed already: the last process may be gone that would wake
            # the manager up. It closes the bell when it ends.
            if not self._ended.is_set():
                os.eventfd_write(self._bell, 1)
        # Outside of the lock: callbacks of a future may submit.
        for task in dropped:
            _drop(task)

    def _kill_hung(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            with self._lock:
                for worker in self._workers:
                    busy = worker.task is not None or not worker.ready
                    if busy and (hung := worker.watch.look()) is not None:
                        worker.hung = hung
                        # The manager finds out by its pipe.
                        worker.process.kill()

    # What follows runs on the manager's thread only.

    def _manage(self) -> None:
        # Starting the tracker changes the mask.
        resource_tracker.ensure_running()
        # Inherited by the processes, so that Ctrl-C cannot reach them even while they start.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while self._has_work():
                self._hand_out()
                self._listen()
        except Exception as error:
            self._broken = error
        finally:
            self._end()

    def _has_work(self) -> bool:
        with self._lock:
            busy = any(worker.task is not None for worker in self._workers)
            return not self._killed and (busy or bool(self._pending) or not self._closed)

    def _hand_out(self) -> None:
        """Give every idle process a task, and start as many processes as tasks are left over."""
        for worker in list(self._workers):
            while worker.ready and worker.task is None and (task := self._next_task()):
                self._give(worker, task)
        starting = sum(not worker.ready for worker in self._workers)
        missing = min(len(self._pending) - starting, self._count - len(self._workers))
        for _ in range(missing):
            self._start()

    def _next_task(self) -> _Task | None:
        with self._lock:
            while self._pending:
                task = self._pending.popleft()
                if task.attempts or task.future.set_running_or_notify_cancel():
                    return task
        return None

    def _give(self, worker: _Worker, task: _Task) -> None:
        try:
            message = encode_call(task.function, *task.args, **task.kwargs)
        except Exception as error:
            task.future.set_exception(error)
            return
        task.attempts += 1
        worker.watch.start_over()
        worker.task = task
        try:
            worker.pipe.send_bytes(message)
        except OSError:
            self._bury(worker)

    def _start(self) -> None:
        with self._lock:
            if self._killed:
                return
            ours, theirs = self._context.Pipe()
            process = self._context.Process(
                target=_serve,
                args=(theirs, self._count, self._left),
                name="tvlb worker",
                daemon=True,
            )
            try:
                process.start()
            except OSError as error:
                raise NoWorkers(f"a worker process cannot be started: {error}") from error
            finally:
                # Only the process itself may hold its end: that closes when it dies.
                theirs.close()
            assert process.pid is not None
            self._workers.append(_Worker(process, ours, HangWatch(process.pid, self._hang)))

    def _listen(self) -> None:
        by_pipe = {worker.pipe: worker for worker in self._workers}
        for source in wait([self._bell, *by_pipe]):
            if isinstance(source, Connection):
                self._hear(by_pipe[source])
            else:
                os.eventfd_read(self._bell)

    def _hear(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv_bytes()
        except (EOFError, OSError):
            self._bury(worker)
            return
        if worker.task is None:
            worker.ready = True
            self._failed_starts = 0
        elif message[:1].isdigit():  # pickles begin otherwise
            done, _, note = message.decode().partition(" ")
            # A further attempt tells the first ones again.
            worker.task.future.parts = max(worker.task.future.parts, int(done))
            worker.task.future.note = note
            worker.watch.start_over()
        else:
            task, worker.task = worker.task, None
            settle(task.future, message)

    def _bury(self, worker: _Worker) -> None:
        """Forget a process that died, and see that its task is tried again."""
        with self._lock:
            # `_give` may have found out before `_listen` does.
            if worker not in self._workers:
                return
            self._workers.remove(worker)
        worker.pipe.close()
        _end_process(worker.process)
        how = worker.how_ended
        if not worker.ready:
            self._count_failed_start(how)
        if worker.task is not None:
            self._try_again(worker.task, how)

    def _count_failed_start(self, how: str) -> None:
        self._failed_starts += 1
        if self._failed_starts >= _FAILED_STARTS and not self._killed:
            raise NoWorkers(
                f"{self._failed_starts} worker processes in a row ended while they started, "
                f"the last one {how}"
            )

    def _try_again(self, task: _Task, how: str) -> None:
        with self._lock:
            killed = self._killed
            if not killed and task.attempts < self._attempts:
                self._pending.appendleft(task)
                return
        if killed:
            _drop(task)
            return
        task.future.set_exception(
            WorkerLost(
                f"{task.attempts} worker processes were lost to the same task, the last one {how}"
            )
        )

    def _end(self) -> None:
        self._ended.set()
        with self._lock:
            self._closed = True
            left = [worker.task for worker in self._workers if worker.task is not None]
            left += self._pending
            self._pending.clear()
            os.close(self._bell)
        for worker in self._workers:
            if worker.task is not None or not worker.ready:
                worker.process.kill()
            worker.pipe.close()
        for worker in self._workers:
            _end_process(worker.process)
        for task in left:
            if self._broken is None:
                _drop(task)
            elif task.attempts or task.future.set_running_or_notify_cancel():
                task.future.set_exception(self._broken)


def _end_process(process: SpawnProcess) -> None:
    process.join(_END_SECONDS)
    process.kill()
    process.join()


def _drop(task: _Task) -> None:
    if task.future.cancel():
        task.future.set_running_or_notify_cancel()
    else:
        # It was tried already.
        task.future.set_exception(Cancelled("the computation was cancelled"))


def _how_ended(code: int | None) -> str:
    """Say in words how a process ended."""
    if code is None:
        return "for a reason unknown"
    if code >= 0:
        return f"with exit code {code}"
    # Real-time signals have no name.
    name = signal.Signals(-code).name if -code in set(signal.Signals) else "no name"
    because = "; a lack of memory is the usual cause" if -code == signal.SIGKILL else ""
    return f"by signal {-code} ({name}{because})"


def _serve(pipe: Connection, processes: int, left: ctypes.c_int) -> None:
    """Compute what comes through the pipe until it closes; the body of a worker process."""
    follow_parent()
    _TELLER.pipe, _TELLER.processes, _TELLER.left = pipe, processes, left
    try:
        pipe.send_bytes(_READY)
        while True:
            pipe.send_bytes(run_call(pipe.recv_bytes()))
    except (EOFError, OSError):
        # Nobody needs what it holds: Python would look through all of it, a fourth of a second.
        print(end="", flush=True)
        os._exit(0)


def tell_part(done: int, note: str = "") -> None:
    """In a task: say how many of its parts are done; of no effect outside of a `WorkerPool`.

    It may be called as often as there are parts: most calls are passed over that do not change the
    note, a short remark for people.
    """
    _TELLER.tell(done, note)


def spare_threads() -> int:
    """In a task of a `WorkerPool`: how many threads the tasks that are left may have each; else 1.

    It grows as tasks end: who does several things one after the other asks before each.
    """
    return max(1, min(_TELLER.processes, available_cores()) // max(1, _TELLER.left.value))


def encode_call(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> bytes:
    """Return a call as bytes that `run_call` understands in another process.

    Raises
    ------
    Exception : whatever pickling raises where a part cannot be sent.
    """
    return pickle.dumps((function, args, kwargs), pickle.HIGHEST_PROTOCOL)


def run_call(message: bytes) -> bytes:
    """Make the call of an `encode_call`; return its result, or its exception, for `settle`."""
    try:
        function, args, kwargs = pickle.loads(message)
        return pickle.dumps((True, function(*args, **kwargs)), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:
        return pickle.dumps((False, _portable(error)), pickle.HIGHEST_PROTOCOL)


def settle(future: Future[Any], message: bytes) -> None:
    """Give a future the result or the exception of a `run_call`."""
    try:
        succeeded, outcome = pickle.loads(message)
    except Exception as error:
        succeeded, outcome = False, error
    if succeeded:
        future.set_result(outcome)
    else:
        future.set_exception(outcome)


def _portable(error: BaseException) -> BaseException:
    """Return the exception with its traceback as a note, or a substitute where it cannot travel."""
    text = "".join(traceback.format_exception(error))
    try:
        error.add_note(f"in a worker process:\n{text}")
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
        error.add_note(f"in a worker process:\n{text}")
    return error
