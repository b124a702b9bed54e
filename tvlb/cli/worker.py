"""`tvlb worker`: a process that computes the jobs of a service."""

import math
import signal
from dataclasses import replace
from types import FrameType
from typing import Annotated

from tvlb.cli.numbers import Workers, integer, number
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.errors import InvalidInput
from tvlb.jobs.logs import configure_logs
from tvlb.jobs.worker import Worker
from tvlb.processes import HangLimits


def _check_range(name: str, value: float, least: float, most: float = 86_400.0) -> None:
    if not least <= value <= most:
        raise InvalidInput(f"{name} {value} is out of range: {least:.0f}..{most:.0f}")


@takes_settings
def worker(
    store: StoreOptions,
    workers: Workers = None,
    drain_seconds: Annotated[
        float,
        number(
            "When asked to end, how long the job in hand may go on before it is handed back.",
            metavar="SECONDS",
        ),
    ] = 20.0,
    hang_seconds: Annotated[
        float,
        number(
            "After how long without CPU time a computing process is replaced.",
            metavar="SECONDS",
            envvar="TVLB_HANG_SECONDS",
        ),
    ] = HangLimits.idle_seconds,
    hang_cpu_seconds: Annotated[
        float,
        number(
            "After how much CPU time without progress a computing process is replaced.",
            metavar="SECONDS",
            envvar="TVLB_HANG_CPU_SECONDS",
        ),
    ] = HangLimits.cpu_seconds,
    parent: Annotated[int | None, integer("", hidden=True)] = None,
) -> None:
    """Compute the jobs of a service; several may share a database and a data directory."""
    _check_range("--drain-seconds", drain_seconds, 0.0)
    _check_range("--hang-seconds", hang_seconds, 10.0)
    _check_range("--hang-cpu-seconds", hang_cpu_seconds, 60.0, math.inf)
    hang = HangLimits(hang_seconds, hang_cpu_seconds)
    opened, workspace = store.opened(), replace(store.workspace(workers), hang=hang)
    configure_logs()
    working = Worker(opened, workspace, drain_seconds=drain_seconds, parent=parent)

    def drain(signal_number: int, frame: FrameType | None) -> None:
        working.drain()

    signal.signal(signal.SIGTERM, drain)
    signal.signal(signal.SIGINT, drain)
    working.run()
