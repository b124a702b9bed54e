"""Tasks on the workers of a Dask scheduler as a `concurrent.futures.Executor`."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, ParamSpec, TypeVar

from tvlb.errors import NoWorkers, WorkerLost
from tvlb.processes import MAX_ATTEMPTS, encode_call, run_call, settle
from tvlb.processes.cluster.fitness import (
    UnfitWorker,
    check_threads,
    check_versions,
    relevant_versions,
)
from tvlb.processes.cluster.packages import cluster_package

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Workers(NamedTuple):
    """Workers of a cluster.

    Attributes
    ----------
    executor : takes tasks for them.
    slots : how many tasks they run at this moment at most; it changes when workers come and go.
    """

    executor: Executor
    slots: Callable[[], int]


@dataclass
class _Task:
    message: bytes
    remote: Any
    attempts: int = 1


class DaskExecutor(Executor):
    """Runs tasks on the workers of a Dask scheduler; see `tvlb.processes.cluster.dask_workers`.

    Every submission is computed, however equal two of them are. The scheduler repeats tasks whose
    worker died, as often as it is set to (``allowed-failures``); then the future raises
    `WorkerLost`. Where the scheduler lost a task itself, or counted workers that were closed, as
    those of a cluster that is restarted are, the task is sent again, `MAX_ATTEMPTS` times in all.
    All futures raise `NoWorkers` when the scheduler goes away. `Future.cancel` always works: a task
    that has begun ends on its worker, but nobody takes its result.

    Parameters
    ----------
    client : a `distributed.Client`.
    origin : what it is connected to, for messages.
    """

    def __init__(self, client: Any, origin: str) -> None:
        self._client = client
        self._origin = origin
        self._wanted = relevant_versions()
        self._lock = threading.Lock()
        self._tasks: dict[Future[Any], _Task] = {}
        self._closed: Exception | None = None

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_Result]:
        """Ask for `fn(*args, **kwargs)` on one of the workers.

        Raises
        ------
        NoWorkers : the scheduler went away.
        RuntimeError : the executor was shut down.
        """
        future: Future[_Result] = Future()
        try:
            message = encode_call(fn, *args, **kwargs)
        except Exception as error:
            future.set_exception(error)
            return future
        with self._lock:
            if self._closed is not None:
                raise type(self._closed)(*self._closed.args)
            task = self._tasks[future] = _Task(message, self._send(message))
        future.add_done_callback(self._forget)
        self._follow(future, task)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks.

        Parameters
        ----------
        wait : return when all tasks are done.
        cancel_futures : cancel them all, those that have begun as well.
        """
        futures = self._close(RuntimeError("the executor was shut down"))
        if cancel_futures:
            for future in futures:
                future.cancel()
        elif wait:
            wait_for(futures)

    def give_up(self, error: NoWorkers) -> None:
        """Take no more tasks, and fail those that are not done."""
        for future in self._close(error):
            _fail(future, error)

    def slots(self) -> int:
        """Return the number of threads of all workers that are connected.

        Raises
        ------
        NoWorkers : the scheduler does not answer.
        """
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception as error:
            raise NoWorkers(f"{self._origin} does not answer: {error}") from error
        return sum(threads.values())

    def _close(self, reason: Exception) -> list[Future[Any]]:
        with self._lock:
            if self._closed is None:
                self._closed = reason
            return list(self._tasks)

    def _send(self, message: bytes) -> Any:
        try:
            # Not pure: Dask gives every submission a key of its own.
            return self._client.submit(compute, message, self._wanted, pure=False)
        except Exception as error:
            raise NoWorkers(f"{self._origin} takes no more tasks: {error}") from error

    def _follow(self, future: Future[Any], task: "_Task") -> None:
        task.remote.add_done_callback(partial(self._finish, future))

    def _finish(self, future: Future[Any], remote: Any) -> None:
        """Hand on what became of a task; runs on a thread of Dask's."""
        if future.done():
            return
        try:
            if remote.status == "error":
                self._failed(future, remote, remote.exception())
            elif remote.status == "cancelled":
                self._forgotten(future)
            else:
                # The worker that held the result may have died: this waits until it is there again.
                settle(future, remote.result())
        except InvalidStateError:
            return  # It was cancelled in the meantime.
        except CancelledError:
            self._forgotten(future)
        except Exception as error:
            _fail(future, self._explained(error))

    def _failed(self, future: Future[Any], remote: Any, error: Exception) -> None:
        if isinstance(error, UnfitWorker):
            self._unfit(future, remote, error)
        elif isinstance(error, cluster_package("distributed").KilledWorker) and self._was_closed(
            remote.key
        ):
            self._send_again(future, self._explained(error))
        else:
            future.set_exception(self._explained(error))

    def _was_closed(self, key: str) -> bool:
        try:
            return closed_with(key, self._client.get_events())
        except OSError:
            return False  # The scheduler went away just now.

    def _unfit(self, future: Future[Any], remote: Any, error: UnfitWorker) -> None:
        # It joined after all others were asked; it would draw all tasks, being so quick.
        self._client.retire_workers([error.worker], close_workers=True)
        if not self._client.nthreads():
            self.give_up(NoWorkers(f"{self._origin} has no fit worker: {error}"))
            return
        remote.retry()
        remote.add_done_callback(partial(self._finish, future))

    def _forgotten(self, future: Future[Any]) -> None:
        """Deal with a task that the scheduler knows nothing of any more."""
        if self._client.status != "running":
            self.give_up(NoWorkers(f"{self._origin} went away"))
            return
        lost = WorkerLost(f"{self._origin} lost the same task {MAX_ATTEMPTS} times")
        self._send_again(future, lost)

    def _send_again(self, future: Future[Any], error: Exception) -> None:
        """Send a task that is not to blame for its end, or fail it after so many attempts."""
        with self._lock:
            task = self._tasks.get(future)
            if task is None:
                return  # It was cancelled in the meantime.
            again = task.attempts < MAX_ATTEMPTS
            if again:
                task.attempts += 1
                task.remote = self._send(task.message)
        if again:
            self._follow(future, task)
        else:
            _fail(future, error)

    def _explained(self, error: Any) -> Exception:
        if isinstance(error, cluster_package("distributed").KilledWorker):
            failed: Any = error
            return WorkerLost(
                f"{failed.allowed_failures + 1} workers of {self._origin} died of the same task, "
                f"the last one {failed.last_worker.address}; a lack of memory is the usual cause"
            )
        if isinstance(error, ModuleNotFoundError):
            lacking = f"a worker of {self._origin} lacks {error.name}: install tvlb there"
            self.give_up(NoWorkers(lacking))
            return NoWorkers(lacking)
        return error

    def _forget(self, future: Future[Any]) -> None:
        with self._lock:
            remote = self._tasks.pop(future).remote
        if future.cancelled():
            # Wakes those who wait for it.
            future.set_running_or_notify_cancel()
            remote.cancel()
        # The scheduler keeps argument and result as long as it is asked to.
        remote.release()


def compute(message: bytes, wanted: dict[str, str]) -> bytes:
    """Answer on a worker, if it is fit: it may have joined after all others were asked."""
    worker = cluster_package("distributed").get_worker()
    check_versions(worker.address, relevant_versions(), wanted)
    check_threads(worker.address, worker.state.nthreads)
    return run_call(message)


def closed_with(key: str, events: Mapping[str, Sequence[tuple[float, Any]]]) -> bool:
    """Tell whether a worker that had a task was closed: one that dies has no time to announce it.

    Parameters
    ----------
    events : what the scheduler noted, by topic; the events of a worker are under its address.
    key : of the task.
    """
    for noted in events.values():
        closing = False
        for _, event in noted:
            match event:
                # Another worker may have had the same address.
                case {"action": "add-worker"}:
                    closing = False
                case {"action": "closing-worker"}:
                    closing = True
                case {"action": "remove-worker", "processing-tasks": tasks}:
                    if closing and key in tasks:
                        return True
                case _:
                    pass
    return False


def _fail(future: Future[Any], error: Exception) -> None:
    try:
        future.set_exception(error)
    except InvalidStateError:
        return
