"""Work on several threads or processes that can be stopped.

Results are in the order of the items whatever the number of workers, so nothing downstream can
depend on completion order.
"""

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import contextmanager
from numbers import Integral
from typing import Protocol, TypeVar, TypeVarTuple

from tvlb.errors import Cancelled, InvalidInput

_Given = TypeVarTuple("_Given")
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
# So that a server, and who looks whether it lives, come first on a busy machine.
_NICENESS = 10
_POLL_SECONDS = 0.2
MOST_WORKERS = 1024


class Stop(Protocol):
    """A flag that ends work when it is set, from any thread."""

    def is_set(self) -> bool:
        """Whether the work is to end."""
        ...

    def set(self) -> None:
        """Ask the work to end."""
        ...


class Cores:
    """Processors of this process, for threads that compute in parallel themselves.

    Who wants many waits for these, and others behind him: in turn, so that nobody waits for ever.
    """

    def __init__(self, count: int) -> None:
        self.count = self._free = count
        self._turn = threading.Lock()
        self._given_back = threading.Condition()

    @contextmanager
    def taken(self, most: int | None = None) -> Generator[int]:
        """Hold up to so many while the block runs, all without a number; tell how many."""
        wanted = self.count if most is None else max(1, min(most, self.count))
        with self._turn, self._given_back:
            self._given_back.wait_for(lambda: self._free >= wanted)
            self._free -= wanted
        try:
            yield wanted
        finally:
            with self._given_back:
                self._free += wanted
                self._given_back.notify_all()


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def check_workers(count: object, name: str = "workers") -> None:
    """Raise InvalidInput unless so many processes or threads may be started."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise InvalidInput(f"{name} {count!r} is not an integer: 1..{MOST_WORKERS}")
    if count not in range(1, MOST_WORKERS + 1):
        raise InvalidInput(f"{name} {count} is out of range: 1..{MOST_WORKERS}")


def map_threads(
    task: Callable[[_Item], _Result],
    items: Sequence[_Item],
    workers: int,
    stop: Stop,
    on_done: Callable[[], None],
    on_wait: Callable[[], None] = lambda: None,
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
            return gather([executor.submit(task, item) for item in items], stop, on_done, on_wait)
        except BaseException:
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def call_nicely(function: Callable[[*_Given], _Result], *given: *_Given) -> _Result:
    """In a process beside a server: call a function at a low priority."""
    os.nice(max(0, _NICENESS - os.nice(0)))
    return function(*given)


def follow_parent() -> None:
    """In a spawned process: leave Ctrl-C to the parent, and end when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def outlive_nobody() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=outlive_nobody, daemon=True).start()


def gather(
    futures: Sequence[Future[_Result]],
    stop: Stop,
    on_done: Callable[[], None],
    on_wait: Callable[[], None] = lambda: None,
) -> list[_Result]:
    """Return the results of all futures in their order; the first failure is raised at once.

    `on_done` is called after every result, as often as its future is listed, and `on_wait` several
    times a second in between.

    Raises
    ------
    Cancelled : `stop` was set.
    """
    times = Counter(futures)
    pending = set(futures)
    while pending:
        if stop.is_set():
            raise Cancelled("the computation was cancelled")
        done, pending = wait(pending, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        if not done:
            on_wait()
        for future in done:
            future.result()
            for _ in range(times[future]):
                on_done()
    return [future.result() for future in futures]
