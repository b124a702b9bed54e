"""The workers of a Dask scheduler that a lab runs."""

import logging
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Any

from tvlb.errors import InvalidInput, NoWorkers
from tvlb.processes.cluster.executor import DaskExecutor, Workers
from tvlb.processes.cluster.fitness import check_threads, check_versions, relevant_versions
from tvlb.processes.cluster.options import DaskOptions
from tvlb.processes.cluster.packages import cluster_package

_CONNECT_SECONDS = 10.0
_LOOK_SECONDS = 2.0
_SETTINGS = {
    # Dask's advice on large arguments is to scatter them, and they would be lost with a worker.
    "distributed.admin.large-graph-warning-threshold": "1GB",
    "distributed.comm.timeouts.connect": f"{_CONNECT_SECONDS}s",
}


@contextmanager
def dask_workers(options: DaskOptions) -> Generator[Workers]:
    """Compute on the workers of a Dask scheduler while the block runs.

    The end of the block waits for its tasks; an exception that leaves it cancels them, but what
    workers have begun they end.

    Raises
    ------
    InvalidInput : no scheduler answers at the address, a worker has another version of tvlb or of
        what it computes with, or several threads; packages of the extra ``cluster`` are missing.
    NoWorkers : the scheduler has no worker for `options.worker_timeout` s. Later the same makes
        all tasks raise it.
    """
    distributed = cluster_package("distributed")
    origin = f"the Dask scheduler at {options.scheduler}"
    with settings({}):
        try:
            client = distributed.Client(
                options.scheduler, timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, ValueError) as error:
            raise InvalidInput(f"{origin} does not answer: {error}") from error
        with client:
            _wait_for_a_worker(client, origin, options.worker_timeout)
            _check_workers(client)
            executor = DaskExecutor(client, origin)
            with _watched(executor, origin, options.worker_timeout), serving(executor) as workers:
                yield workers


@contextmanager
def settings(more: Mapping[str, object]) -> Generator[None]:
    """Have Dask quiet and set for tvlb: what goes wrong reaches the caller as exceptions.

    Raises
    ------
    InvalidInput : the packages of the extra ``cluster`` are missing.
    """
    # Its import adds the defaults of the settings that are changed here.
    cluster_package("distributed")
    handlers = logging.getLogger("distributed").handlers
    levels = [handler.level for handler in handlers]
    with cluster_package("dask").config.set({**_SETTINGS, **more}):
        for handler in handlers:
            handler.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            for handler, level in zip(handlers, levels, strict=True):
                handler.setLevel(level)


@contextmanager
def serving(executor: DaskExecutor) -> Generator[Workers]:
    """Lend an executor: at the end wait for its tasks, or cancel them after an exception."""
    try:
        yield Workers(executor, executor.slots)
    except BaseException:
        executor.shutdown(cancel_futures=True)
        raise
    executor.shutdown()


def _wait_for_a_worker(client: Any, origin: str, worker_timeout: float) -> None:
    try:
        client.wait_for_workers(1, timeout=worker_timeout)
    except TimeoutError as error:
        raise NoWorkers(_without_workers(origin, worker_timeout)) from error


@contextmanager
def _watched(executor: DaskExecutor, origin: str, worker_timeout: float) -> Generator[None]:
    """Give up while the block runs if there has been no worker for so many seconds."""
    ended = threading.Event()

    def watch() -> None:
        seen = time.monotonic()
        while not ended.wait(min(worker_timeout / 4, _LOOK_SECONDS)):
            moment = time.monotonic()
            with suppress(NoWorkers):
                seen = moment if executor.slots() else seen
            if moment - seen >= worker_timeout:
                executor.give_up(NoWorkers(_without_workers(origin, worker_timeout)))
                return

    watcher = threading.Thread(target=watch, name="dask", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _without_workers(origin: str, worker_timeout: float) -> str:
    return f"{origin} has had no worker for {worker_timeout:g} s"


def _check_workers(client: Any) -> None:
    threads: dict[str, int] = client.nthreads()
    for worker, count in threads.items():
        check_threads(worker, count)
    # A worker without tvlb can only be asked for what Python itself has.
    for worker, found in client.run(version, "tvlb", on_error="return").items():
        if isinstance(found, Exception):
            raise InvalidInput(f"worker {worker} lacks tvlb: install it there ({found!r})")
    wanted = relevant_versions()
    for worker, found in client.run(relevant_versions, on_error="return").items():
        if isinstance(found, Exception):
            raise InvalidInput(f"worker {worker} cannot import tvlb: {found!r}")
        check_versions(worker, found, wanted)
