"""Executors and a store for tests that are not about processes."""

from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from importlib import import_module
from queue import SimpleQueue
from threading import Event, RLock
from typing import Any, ParamSpec, TypeVar

import pytest

from tvlb.processes import Unit, UnitCache, Units, UnitStore

_P = ParamSpec("_P")
_Result = TypeVar("_Result")


class Inline(Executor):
    """Computes what it is given before it returns, one at a time, and notes the units."""

    def __init__(self) -> None:
        self.computed: list[Unit[Any]] = []
        self._one = RLock()

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_Result]:
        future: Future[_Result] = Future()
        with self._one:
            self.computed += [one for one in args if isinstance(one, Unit)]
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
        return future


class ByHand(Executor):
    """Computes nothing: its futures are settled by the test, in the order that it likes."""

    def __init__(self) -> None:
        self.asked: SimpleQueue[Future[Any]] = SimpleQueue()

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_Result]:
        future: Future[_Result] = Future()
        self.asked.put(future)
        return future


class Memory:
    """Keeps answers, and notes which were saved."""

    def __init__(self, kept: Mapping[str, bytes] | None = None) -> None:
        self.kept = dict(kept or {})
        self.saved: list[str] = []

    def load(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def save(self, key: str, data: bytes) -> None:
        self.kept[key] = data
        self.saved.append(key)


def unit_cache_here(store: UnitStore | None = None) -> UnitCache:
    """Compute in this process."""
    return UnitCache(Inline(), store)


def units_here(store: UnitStore | None = None) -> Units:
    """Compute the units of a search in this process."""
    return Units(unit_cache_here(store), Event())


def flipped(data: bytes) -> bytes:
    """Change a bit."""
    return data[:-1] + bytes([data[-1] ^ 1])


def sealed_garbage(unit: Unit[Any]) -> bytes:
    """Return what a program that answers otherwise keeps, b"\\xff"."""
    memory, executor = Memory(), ByHand()
    landing, _ = UnitCache(executor, memory).begin(unit)
    executor.asked.get().set_result(b"\xff")
    landing.result()
    return memory.kept[unit.key]


@contextmanager
def workers_here(_: int) -> Generator[Inline]:
    """Stand for the workers of a machine, which take a second to start."""
    yield Inline()


def compute_here(patch: pytest.MonkeyPatch) -> None:
    """Let searches and commands compute in this process what they would start workers for."""
    for name in ("tvlb.cli.executors", "tvlb.cli.table", "tvlb.processes.units"):
        patch.setattr(import_module(name), "local_workers", workers_here)
