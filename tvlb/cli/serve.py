"""`tvlb serve`: the service."""

import ipaddress
import math
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
from tvlb.requests import MAX_POINTS, RequestLimits

_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def _integer(low: int, high: int, name: str, value: int) -> int:
    if not low <= value <= high:
        raise InvalidInput(f"{name} {value} is out of range: {low}..{high}")
    return value


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
    port: Annotated[int, integer("Port; 0 for any free one.", metavar="PORT")] = 8080,
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
        int, integer("Largest topology.", metavar="N")
    ] = RequestLimits.switches,
    max_cpu_seconds: Annotated[
        float, number("Largest estimated cost of a request.", metavar="SECONDS")
    ] = RequestLimits.cpu_seconds,
    max_points: Annotated[
        int, integer("Most points of a sweep.", metavar="N")
    ] = RequestLimits.points,
    max_jobs: Annotated[
        int, integer("Most jobs waiting or running.", metavar="N")
    ] = QueueLimits.total,
    max_jobs_per_token: Annotated[
        int, integer("Most jobs waiting or running of one token.", metavar="N")
    ] = QueueLimits.per_owner,
    requests_per_second: Annotated[
        int, integer("Most requests of one token.", metavar="N")
    ] = ServerLimits.requests_per_second,
) -> None:
    """Serve tables, models, simulations and sweeps over HTTP."""
    _integer(0, 65_535, "port", port)
    if not 0.0 < max_cpu_seconds < math.inf:
        raise InvalidInput(f"--max-cpu-seconds {max_cpu_seconds} is out of range: above 0")
    if workers is not None and not with_worker:
        raise InvalidInput("--workers with --no-worker: there is no worker that could have them")
    directory, url = store.directory(), store.url()
    limits = ServerLimits(
        request=RequestLimits(
            switches=_integer(1, 20_000, "--max-switches", max_switches),
            cpu_seconds=max_cpu_seconds,
            points=_integer(1, MAX_POINTS, "--max-points", max_points),
        ),
        queue=QueueLimits(
            total=_integer(1, 1_000_000, "--max-jobs", max_jobs),
            per_owner=_integer(1, 1_000_000, "--max-jobs-per-token", max_jobs_per_token),
        ),
        requests_per_second=_integer(1, 1_000_000, "--requests-per-second", requests_per_second),
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
