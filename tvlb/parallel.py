"""Ordered parallel maps that can be stopped: on processes for LPs, on threads for simulations.

Results are in the order of the items whatever the number of workers, so nothing downstream can
depend on completion order.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

from tvlb.errors import Cancelled

__all__ = [
    "ProcessMap",
    "Stop",
    "available_cores",
    "follow_parent",
    "map_threads",
    "worker_processes",
]

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_POLL_SECONDS = 0.2


class Stop(Protocol):
    """A flag that ends work when it is set, from any thread."""

    def is_set(self) -> bool:
        """Whether the work is to end."""
        ...

    def set(self) -> None:
        """Ask the work to end."""
        ...


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _nothing() -> None:
    pass


def map_threads(
    task: Callable[[_Item], _Result],
    items: Sequence[_Item],
    workers: int,
    stop: Stop,
    on_done: Callable[[], None],
    on_wait: Callable[[], None] = _nothing,
) -> list[_Result]:
    """Apply `task` to every item on threads; for work that releases the Python lock.

    `on_done` is called after every item, `on_wait` several times a second in between.

    Raises
    ------
    Cancelled : `stop` was set; it is also set when a task fails or the caller is interrupted, so
        that the other tasks end soon.
    """
    with ThreadPoolExecutor(max_workers=workers) as executor:
        try:
            return _gather(executor, task, items, stop, on_done, on_wait)
        except BaseException:
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise


class ProcessMap:
    """Applies picklable tasks to items on worker processes; see `worker_processes`."""

    def __init__(self, executor: Executor, stop: Stop) -> None:
        self._executor = executor
        self._stop = stop

    def __call__(
        self,
        task: Callable[[_Item], _Result],
        items: Sequence[_Item],
        on_done: Callable[[], None],
    ) -> list[_Result]:
        """Return the results in the order of the items; `on_done` is called after every item.

        Raises
        ------
        Cancelled : the stop flag was set.
        """
        return _gather(self._executor, task, items, self._stop, on_done)


@contextmanager
def worker_processes(workers: int, stop: Stop) -> Generator[ProcessMap]:
    """Keep worker processes for several maps; they are terminated when the block fails."""
    before = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(workers, context, initializer=follow_parent)
    try:
        yield ProcessMap(executor, stop)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def follow_parent() -> None:
    """In a spawned process: leave Ctrl-C to the parent, and end when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def outlive_nobody() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=outlive_nobody, daemon=True).start()


def _gather(
    executor: Executor,
    task: Callable[[_Item], _Result],
    items: Sequence[_Item],
    stop: Stop,
    on_done: Callable[[], None],
    on_wait: Callable[[], None] = _nothing,
) -> list[_Result]:
    futures: list[Future[_Result]] = [executor.submit(task, item) for item in items]
    pending = set(futures)
    while pending:
        if stop.is_set():
            raise Cancelled("the computation was cancelled")
        done, pending = wait(pending, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        if not done:
            on_wait()
        for future in done:
            future.result()
            on_done()
    return [future.result() for future in futures]
