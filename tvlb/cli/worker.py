"""`tvlb worker`: a process that computes the jobs of a service."""

import signal
from types import FrameType
from typing import Annotated

import typer

from tvlb.cli.options import Workers, integer, number
from tvlb.cli.service import Data, DatabaseUrl, opened_site
from tvlb.errors import InvalidInput
from tvlb.jobs.logs import configure_logs
from tvlb.jobs.worker import Worker

__all__ = ["worker"]


def worker(
    data: Data = None,
    database: DatabaseUrl = None,
    workers: Workers = None,
    drain_seconds: Annotated[
        float,
        typer.Option(
            parser=number,
            metavar="SECONDS",
            help="When asked to end, how long the job in hand may go on before it is handed back.",
        ),
    ] = 20.0,
    parent: Annotated[int | None, typer.Option(parser=integer, hidden=True)] = None,
) -> None:
    """Compute the jobs of a service; several may share a database and a data directory."""
    if not 0.0 <= drain_seconds <= 86_400.0:
        raise InvalidInput(f"--drain-seconds {drain_seconds} is out of range: 0..86400")
    site, opened = opened_site(data, database, workers)
    configure_logs()
    working = Worker(opened, site, drain_seconds=drain_seconds, parent=parent)

    def drain(signal_number: int, frame: FrameType | None) -> None:
        working.drain()

    signal.signal(signal.SIGTERM, drain)
    signal.signal(signal.SIGINT, drain)
    working.run()
