"""`tvlb worker`: a process that computes the jobs of a service."""

import math
import signal
from dataclasses import replace
from types import FrameType
from typing import Annotated

from tvlb.cli.numbers import Workers, integer, number
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.jobs.logs import configure_logs
from tvlb.jobs.worker import Worker
from tvlb.languages import Number
from tvlb.processes import HangLimits

_DRAIN, _IDLE, _BUSY = Number(0, 86_400), Number(10, 86_400), Number(60)


@takes_settings
def worker(
    store: StoreOptions,
    workers: Workers = None,
    drain_seconds: Annotated[
        float,
        number(
            "When asked to end, how long the job in hand may go on before it is handed back.",
            _DRAIN,
            metavar="SECONDS",
        ),
    ] = 20.0,
    hang_seconds: Annotated[
        float,
        number(
            "After how long without CPU time a computing process is replaced.",
            _IDLE,
            metavar="SECONDS",
            envvar="TVLB_HANG_SECONDS",
        ),
    ] = HangLimits.idle_seconds,
    hang_cpu_seconds: Annotated[
        float,
        number(
            "After how much CPU time without progress a computing process is replaced.",
            _BUSY,
            metavar="SECONDS",
            envvar="TVLB_HANG_CPU_SECONDS",
        ),
    ] = HangLimits.cpu_seconds,
    parent: Annotated[int | None, integer("", "1 or more", hidden=True)] = None,
) -> None:
    """Compute the jobs of a service; several may share a database and a data directory."""
    _DRAIN.checked("--drain-seconds", drain_seconds)
    _IDLE.checked("--hang-seconds", hang_seconds)
    if hang_cpu_seconds != math.inf:  # for never
        _BUSY.checked("--hang-cpu-seconds", hang_cpu_seconds)
    hang = HangLimits(hang_seconds, hang_cpu_seconds)
    opened, workspace = store.opened(), replace(store.workspace(workers), hang=hang)
    configure_logs()
    working = Worker(opened, workspace, drain_seconds=drain_seconds, parent=parent)

    def drain(signal_number: int, frame: FrameType | None) -> None:
        working.drain()

    signal.signal(signal.SIGTERM, drain)
    signal.signal(signal.SIGINT, drain)
    working.run()
