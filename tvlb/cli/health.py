"""`tvlb health`: what supervisors of processes ask."""

import socket
from typing import Annotated

import httpx
import typer
from sqlalchemy.exc import SQLAlchemyError

from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.errors import InvalidInput, TvlbError
from tvlb.jobs.database import Database
from tvlb.jobs.lease import is_working

_TIMEOUT_SECONDS = 5.0


class _Unwell(TvlbError):
    """What was asked about does not work."""


@takes_settings
def health(
    url: Annotated[str, typer.Option(help="Of the server.")] = "http://127.0.0.1:8080",
    worker: Annotated[
        bool, typer.Option("--worker", help="Ask about the workers of this host instead.")
    ] = False,
    *,
    store: StoreOptions,
) -> None:
    """Tell whether a server, or a worker of this host, works; exit 1 if not."""
    if worker:
        _check_worker(store.url())
    else:
        _check_server(url)


def _check_worker(url: str) -> None:
    host = socket.gethostname()
    try:
        working = is_working(Database(url), host)
    except SQLAlchemyError as error:
        raise _Unwell("the database does not answer") from error
    if not working:
        raise _Unwell(f"no worker of host {host} gives a sign of life")


def _check_server(url: str) -> None:
    try:
        answer = httpx.get(f"{url.rstrip('/')}/readyz", timeout=_TIMEOUT_SECONDS)
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise InvalidInput(f"--url {url!r}: {error}") from error
    except httpx.HTTPError as error:
        raise _Unwell(f"{url} does not answer: {error}") from error
    if not answer.is_success:
        raise _Unwell(f"{url} is not ready: {answer.text}")
