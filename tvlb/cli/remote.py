"""`tvlb table --server`: the same question to a server, the same answer."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tvlb.cli.front_files import write_front
from tvlb.cli.terminal import print_notice, print_written, progress_display
from tvlb.client import Client
from tvlb.errors import Cancelled, InvalidInput
from tvlb.schemas import JobResource, TableBody, TableDocument, TableResource
from tvlb.search import Aim, SearchOptions
from tvlb.table import format_of
from tvlb.topology import Topology, described

__all__ = ["Place", "compute_at_server", "read_token"]

_TOKEN_VARIABLE = "TVLB_TOKEN"
_LONGEST_TOKEN = 10_000


@dataclass(frozen=True)
class Place:
    """A server, and what lets us in."""

    url: str
    token: str | None = field(repr=False)


def read_token(path: Path | None) -> str | None:
    """Return the token in a file or, without one, in the environment; None without both.

    There is no option for the token itself: others could read it in the list of processes.

    Raises
    ------
    InvalidInput : the file cannot be read.
    """
    if path is None:
        return os.environ.get(_TOKEN_VARIABLE) or None
    try:
        with path.open("rb") as stream:
            return stream.read(_LONGEST_TOKEN).decode().strip()
    except OSError as error:
        raise InvalidInput(f"cannot read token file {path}: {error.strerror}") from error
    except ValueError as error:
        raise InvalidInput(f"token file {path} holds no token") from error


def compute_at_server(
    place: Place, network: Topology, options: SearchOptions, output: str | None
) -> Mapping[str, Any]:
    """Have a table computed, download it and its front to `output`, and return its document.

    Raises
    ------
    InvalidInput : the request is out of range.
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    body = _body(network, options)
    with Client(place.url, place.token, notice=print_notice) as client:
        table = _computed(client, body, place)
        document = _document(table, network)
        if output is not None:
            name = format_of(output).name
            client.download(table.id, name, Path(output))
            print_written(output)
            if options.aim.aim is Aim.FRONT:
                write_front(
                    document,
                    output,
                    lambda number, path: client.download_front(table.id, number, name, path),
                )
    return document


def _body(network: Topology, options: SearchOptions) -> TableBody:
    try:
        return TableBody.of(described(network), network, options)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{where} {first['input']!r}: {first['msg']}") from error


def _computed(client: Client, body: TableBody, place: Place) -> TableResource:
    found = client.create_table(body)
    if isinstance(found, TableResource):
        print_notice(f"the server knows it already: {client.url(found.url)}")
        return found
    print_notice(f"the server computes it: {client.url(found.url)}")
    try:
        with progress_display() as report:
            return client.finished(found, report)
    except Cancelled as error:
        print_notice(str(error))
        raise
    except KeyboardInterrupt:
        _say_how_to_cancel(client, found, place)
        raise


def _say_how_to_cancel(client: Client, job: JobResource, place: Place) -> None:
    url = client.url(job.url)
    header = "" if place.token is None else f' -H "Authorization: Bearer ${_TOKEN_VARIABLE}"'
    print_notice(f"the job goes on at the server: {url}")
    print_notice(f"to cancel it: curl -X POST{header} {url}/cancel")


def _document(table: TableResource, network: Topology) -> Mapping[str, Any]:
    """Return the document that the same search prints without a server."""
    found = table.model_dump(mode="json", exclude_unset=True)
    document = {name: found[name] for name in TableDocument.model_fields if name in found}
    # A server does not know the name of our topology file.
    return document | {"topology": str(network)}
