"""`tvlb serve`: the service."""

import ipaddress
from typing import Annotated

import typer

from api.serve import serve as run_server
from api.settings import ServerLimits, Settings
from tvlb.cli.numbers import Workers, integer, number
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.errors import InvalidInput
from tvlb.jobs.logs import configure_logs
from tvlb.jobs.queue import QueueLimits
from tvlb.languages import Number, Whole
from tvlb.requests import MAX_POINTS, RequestLimits

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


_PORTS, _SWITCHES, _POINTS, _MANY = (
    Whole(0, 65_535),
    Whole(1, 20_000),
    Whole(1, MAX_POINTS),
    Whole(1, 1_000_000),
)
_SECONDS = Number(0, above=True)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@takes_settings
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, integer("Port; 0 for any free one.", _PORTS, metavar="PORT")] = 8080,
    *,
    store: StoreOptions,
    with_worker: Annotated[
        bool, typer.Option("--worker/--no-worker", help="Start a worker beside the server.")
    ] = True,
    workers: Workers = None,
    require_tokens: Annotated[
        bool,
        typer.Option("--require-tokens", help="Ask for tokens on the loopback too."),
    ] = False,
    max_switches: Annotated[
        int, integer("Largest topology.", _SWITCHES, metavar="N")
    ] = RequestLimits.switches,
    max_cpu_seconds: Annotated[
        float, number("Largest estimated cost of a request.", _SECONDS, metavar="SECONDS")
    ] = RequestLimits.cpu_seconds,
    max_points: Annotated[
        int, integer("Most points of a sweep.", _POINTS, metavar="N")
    ] = RequestLimits.points,
    max_jobs: Annotated[
        int, integer("Most jobs waiting or running.", _MANY, metavar="N")
    ] = QueueLimits.total,
    max_jobs_per_token: Annotated[
        int, integer("Most jobs waiting or running of one token.", _MANY, metavar="N")
    ] = QueueLimits.per_owner,
    requests_per_second: Annotated[
        int, integer("Most requests of one token.", _MANY, metavar="N")
    ] = ServerLimits.requests_per_second,
) -> None:
    """Serve tables, models, simulations and sweeps over HTTP."""
    _PORTS.checked("port", port)
    _SECONDS.checked("--max-cpu-seconds", max_cpu_seconds)
    if workers is not None and not with_worker:
        raise InvalidInput("--workers with --no-worker: there is no worker that could have them")
    directory, url = store.directory(), store.url()
    limits = ServerLimits(
        request=RequestLimits(
            switches=_SWITCHES.checked("--max-switches", max_switches),
            cpu_seconds=max_cpu_seconds,
            points=_POINTS.checked("--max-points", max_points),
        ),
        queue=QueueLimits(
            total=_MANY.checked("--max-jobs", max_jobs),
            per_owner=_MANY.checked("--max-jobs-per-token", max_jobs_per_token),
        ),
        requests_per_second=_MANY.checked("--requests-per-second", requests_per_second),
    )
    local = is_loopback(host)
    settings = Settings(
        database=url,
        directory=directory,
        needs_token=require_tokens or not local,
        # With tokens there is nothing to gain by a false name, and a proxy may have any.
        hosts=(*_LOOPBACK_NAMES, host) if local and not require_tokens else None,
        limits=limits,
    )
    command = ["worker", "--data", str(directory)]
    if workers is not None:
        command += ["--workers", str(workers)]
    configure_logs()
    run_server(settings, host, port, command if with_worker else None)
