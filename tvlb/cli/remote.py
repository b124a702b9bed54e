"""`tvlb table --server` and `tvlb jobs`: the same question to a server, the same answer."""

import os
import shlex
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
from tvlb.schemas.problems import first_problem
from tvlb.search import Aim, SearchOptions
from tvlb.table import format_of
from tvlb.topology import Topology, described

__all__ = ["Place", "compute_at_server", "finish_table", "read_token"]

_TOKEN_VARIABLE = "TVLB_TOKEN"
_LONGEST_TOKEN = 10_000


@dataclass(frozen=True)
class Place:
    """A server, and what lets us in, from a file or the environment."""

    url: str
    token: str | None = field(repr=False)
    token_file: Path | None = None

    def client(self) -> Client:
        """Return a connection that says what it waits for."""
        return Client(self.url, self.token, notice=print_notice)

    def command(self, job_id: str, *options: str) -> str:
        """Return the command about a job."""
        proof = [] if self.token_file is None else ["--token-file", str(self.token_file)]
        return shlex.join(["tvlb", "jobs", job_id, "--server", self.url, *proof, *options])


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
    place: Place, network: Topology, options: SearchOptions, output: str
) -> Mapping[str, Any]:
    """Have a table computed, download it and its front to `output`, and return its document.

    Raises
    ------
    InvalidInput : the request is out of range.
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    body = _body(network, options)
    with place.client() as client:
        found = client.create_table(body)
        if isinstance(found, TableResource):
            print_notice(f"the server knows it already: {client.url(found.url)}")
            return _downloaded(client, found, output, str(network))
        print_notice(f"the server computes it: {client.url(found.url)}")
        return finish_table(place, client, found, output, str(network))


def finish_table(
    place: Place, client: Client, job: JobResource, output: str, topology: str | None = None
) -> Mapping[str, Any]:
    """Wait for the table of a job, download it and its front, and return its document.

    Parameters
    ----------
    topology : what the network is called here, where the server does not know its file.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    try:
        with progress_display() as report:
            table = client.finished(job, report)
    except Cancelled as error:
        print_notice(str(error))
        raise
    except KeyboardInterrupt:
        print_notice(f"the job goes on: {place.command(job.id, '-o', output)}")
        print_notice(f"to cancel it: {place.command(job.id, '--cancel')}")
        raise
    return _downloaded(client, table, output, topology)


def _downloaded(
    client: Client, table: TableResource, output: str, topology: str | None
) -> Mapping[str, Any]:
    document, name = _document(table, topology), format_of(output).name
    client.download(table.id, name, Path(output))
    print_written(output)
    if table.request.objective == Aim.FRONT:
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
        raise InvalidInput(str(first_problem(TableBody, error))) from error


def _document(table: TableResource, topology: str | None) -> Mapping[str, Any]:
    """Return the document that the same search prints without a server."""
    found = table.model_dump(mode="json", exclude_unset=True)
    document = {name: found[name] for name in TableDocument.model_fields if name in found}
    # A server does not know the name of our topology file.
    return document if topology is None else document | {"topology": topology}
