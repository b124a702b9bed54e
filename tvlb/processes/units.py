"""Units of work: what is computed, in pieces that any process can compute and files can keep.

A unit is a batch of linear programs, the balancing of one path set, or one simulation. Its key
tells what decides its result, so a result is computed once wherever it is kept, and shared by all
searches, repairs and studies that need it.
"""

import hashlib
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Generic, Protocol, TypeVar

from tvlb.documents import versions
from tvlb.errors import Cancelled, NoWorkers, TvlbError, WorkerLost
from tvlb.processes.parallel import Stop, gather
from tvlb.processes.workers import TaskFuture, WorkerPool, local_workers

_DIGEST_BYTES = 32

_Result = TypeVar("_Result")
_Result_co = TypeVar("_Result_co", covariant=True)


class Unit(ABC, Generic[_Result_co]):
    """A piece of work: picklable, and the same bytes wherever it is computed."""

    @property
    def parts(self) -> int:
        """In how many parts it tells its progress; see `tvlb.processes.tell_part`."""
        return 1

    @abstractmethod
    def key_fields(self) -> Mapping[str, object]:
        """Return what decides the result, as JSON values; `unit` names the kind."""

    @abstractmethod
    def compute(self) -> bytes:
        """Return the result, encoded; called in any process, on one thread at a time."""

    @abstractmethod
    def decode(self, data: bytes) -> _Result_co:
        """Return the result from its bytes.

        Raises
        ------
        IndexError, KeyError, TypeError, ValueError, TvlbError : the bytes are no result.
        """

    @cached_property
    def key(self) -> str:
        """SHA-256 (hex) of these fields and of the software that computes the result."""
        text = json.dumps({"software": _software(), **self.key_fields()}, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=1)
def _software() -> Mapping[str, str]:
    """Versions that may change a result."""
    found = versions()
    return {name: found[name] for name in ("tvlb", "highspy", "numpy")}


class UnitStore(Protocol):
    """Keeps results by their key; called from several threads."""

    def load(self, key: str) -> bytes | None:
        """Return what was saved under this key, None without."""
        ...

    def save(self, key: str, data: bytes) -> None:
        """Keep `data` under this key; durable when it returns."""
        ...


class _Forgetful:
    """Keeps nothing."""

    def load(self, key: str) -> bytes | None:
        return None

    def save(self, key: str, data: bytes) -> None:
        pass


@dataclass(frozen=True)
class UnitCount:
    """Units of one computation.

    Attributes
    ----------
    computed : for it.
    reused : taken from the store, or from another computation that needed them.
    """

    computed: int = 0
    reused: int = 0

    def __add__(self, other: "UnitCount") -> "UnitCount":
        return UnitCount(self.computed + other.computed, self.reused + other.reused)


@dataclass(eq=False)
class _Pending:
    """A unit that is being computed, for so many who wait."""

    result: Future[bytes]
    computing: Future[bytes]
    waiting: int = 1


class UnitCache:
    """Where units are computed and kept; may be shared by several threads.

    Parameters
    ----------
    executor : computes them, in processes of this machine or of a cluster.
    store : keeps the results; None to keep nothing.

    Attributes
    ----------
    alone : held by who does something large in this process.

    Notes
    -----
    A result counts only for the versions of tvlb, HiGHS and NumPy that gave it, and if it is
    whole. Units that two need at the same time are computed once; one that the executor
    gave up, since its processes died, fails all who need it later at once. Errors of the store are
    passed on.
    """

    def __init__(self, executor: Executor, store: UnitStore | None = None) -> None:
        self._executor = executor
        self._store = store or _Forgetful()
        self._pending: dict[str, _Pending] = {}
        self._given_up: dict[str, WorkerLost] = {}
        self._lock = threading.RLock()
        # What is done in this process: whole tables take memory.
        self.alone = threading.Lock()

    def find(self, unit: Unit[_Result]) -> _Result | None:
        """Return a result that is kept, None if there is none or it is damaged."""
        kept = self._kept(unit)
        return None if kept is None else kept[1]

    def _kept(self, unit: Unit[_Result]) -> tuple[bytes, _Result] | None:
        """Return a result that is kept, encoded and decoded."""
        data = unsealed(unit.key, self._store.load(unit.key))
        if data is None:
            return None
        try:
            return data, unit.decode(data)
        except (IndexError, KeyError, TypeError, ValueError, TvlbError):
            # Whole, but not as this program writes it: versions in development share a number.
            return None

    def begin(self, unit: Unit[Any]) -> tuple[Future[bytes], bool]:
        """Have a unit computed; return its bytes to be, and whether nobody had begun it before.

        Whoever begins a unit leaves it once, with `leave` and these bytes to be.
        """
        with self._lock:
            pending = self._pending.get(unit.key)
            if pending is not None:
                pending.waiting += 1
                return pending.result, False
            if unit.key in self._given_up:
                return _failed(self._given_up[unit.key]), False
            # It may be there since the caller looked.
            kept = self._kept(unit)
            if kept is not None:
                result: Future[bytes] = Future()
                result.set_result(kept[0])
                return result, False
            pending = _Pending(Future(), self._executor.submit(_compute, unit))
            self._pending[unit.key] = pending
        pending.computing.add_done_callback(lambda _: self._complete(unit.key, pending))
        return pending.result, True

    def announced(self, units: int) -> AbstractContextManager[Callable[[], None]]:
        """See `WorkerPool.announced`; other executors do not ask."""
        if isinstance(self._executor, WorkerPool):
            return self._executor.announced(units)
        return nullcontext(lambda: None)

    def told(self, unit: Unit[Any]) -> tuple[int, str]:
        """Return how many parts of a unit are done, and its note; 0 if it is not computed here."""
        with self._lock:
            pending = self._pending.get(unit.key)
        computing = None if pending is None else pending.computing
        return (computing.parts, computing.note) if isinstance(computing, TaskFuture) else (0, "")

    def leave(self, unit: Unit[Any], result: Future[bytes]) -> None:
        """Wait for a unit no longer; what nobody waits for is not begun."""
        with self._lock:
            pending = self._pending.get(unit.key)
            # It may be complete, and others may have begun the same unit again.
            if pending is None or pending.result is not result:
                return
            pending.waiting -= 1
            if pending.waiting == 0:
                pending.computing.cancel()

    def _complete(self, key: str, pending: _Pending) -> None:
        """Keep a result, and hand it to those who wait; runs on a thread of the executor."""
        error: BaseException | None = None
        data = b""
        try:
            data = pending.computing.result()
            self._store.save(key, sealed(key, data))
        except BaseException as failed:  # whoever waits hears of it
            error = failed
        with self._lock:
            del self._pending[key]
            if isinstance(error, WorkerLost) and not isinstance(error, NoWorkers):
                self._given_up[key] = error
        if error is None:
            pending.result.set_result(data)
        else:
            pending.result.set_exception(error)


def _failed(error: Exception) -> Future[bytes]:
    future: Future[bytes] = Future()
    future.set_exception(error)
    return future


def _compute(unit: Unit[Any]) -> bytes:
    """Compute a unit; runs in a worker process."""
    return unit.compute()


class Units:
    """The units of one computation.

    Parameters
    ----------
    unit_cache : where they are computed.
    stop : ends it from another thread.

    Attributes
    ----------
    alone : see `UnitCache`.
    count : units so far.
    """

    def __init__(self, unit_cache: UnitCache, stop: Stop) -> None:
        self._unit_cache = unit_cache
        self._stop = stop
        self.alone = unit_cache.alone
        self.count = UnitCount()

    def map(
        self,
        units: Sequence[Unit[_Result]],
        on_done: Callable[[], None] = lambda: None,
        on_parts: Callable[[int, int, Sequence[str]], None] | None = None,
    ) -> list[_Result]:
        """Return the results in the order of the units.

        Parameters
        ----------
        on_done : called after every unit.
        on_parts : called when all have begun, several times a second until they are done, and at
            the end, with the units and the parts of units that are done, which never fall, and
            the last note of every unit, empty where it told none.

        Raises
        ------
        Cancelled : the stop flag was set.
        TvlbError : a unit failed.
        OSError : a result could not be kept.
        """
        known: dict[int, _Result] = {}
        begun: dict[int, Future[bytes]] = {}
        computed = 0
        try:
            with self._unit_cache.announced(len(units)) as one_less:
                for position, unit in enumerate(units):
                    # With all results at hand, nothing is waited for.
                    if self._stop.is_set():
                        raise Cancelled("the computation was cancelled")
                    result = self._unit_cache.find(unit)
                    if result is None:
                        begun[position], new = self._unit_cache.begin(unit)
                        computed += new
                    else:
                        known[position] = result
                        on_done()
                    one_less()

            parts = [0] * len(units)
            notes = [""] * len(units)

            def show() -> None:
                if on_parts is None:
                    return
                done = [place in known or begun[place].done() for place in range(len(units))]
                for place, unit in enumerate(units):
                    told, note = (unit.parts, "") if done[place] else self._unit_cache.told(unit)
                    # Between its last part and its result a unit may seem not to have begun.
                    parts[place] = max(parts[place], told)
                    notes[place] = note or notes[place]
                on_parts(sum(done), sum(parts), notes)

            show()
            found = gather(list(begun.values()), self._stop, on_done, show)
            show()
        finally:
            for position, future in begun.items():
                self._unit_cache.leave(units[position], future)
        self.count = UnitCount(
            self.count.computed + computed, self.count.reused + len(units) - computed
        )
        known |= {
            position: units[position].decode(data)
            for position, data in zip(begun, found, strict=True)
        }
        return [known[position] for position in range(len(units))]


@contextmanager
def own_units(workers: int, stop: Stop) -> Generator[Units]:
    """Compute units on processes of this machine while the block runs, and keep nothing."""
    with local_workers(workers) as executor:
        yield Units(UnitCache(executor), stop)


def sealed(key: str, data: bytes) -> bytes:
    """Return a result as it is kept: behind a digest, since a damaged figure might well decode."""
    return hashlib.sha256(f"{key} ".encode() + data).digest() + data


def unsealed(key: str, kept: bytes | None) -> bytes | None:
    """Return a result as it was encoded, None if what was kept of it is damaged."""
    if kept is None or len(kept) < _DIGEST_BYTES:
        return None
    data = kept[_DIGEST_BYTES:]
    return data if kept == sealed(key, data) else None
