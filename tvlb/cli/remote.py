"""`--server` and `tvlb jobs`: the same question to a server, the same answer."""

import os
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from tvlb.cli.front_files import write_front
from tvlb.cli.terminal import print_notice, print_written, progress_display
from tvlb.client import Client
from tvlb.errors import Cancelled, InvalidInput
from tvlb.processes import Reporter
from tvlb.schemas import (
    JobResource,
    RepairBody,
    RepairDocument,
    RepairResource,
    StabilityBody,
    StabilityDocument,
    StabilityResource,
    TableBody,
    TableDocument,
    TableResource,
)
from tvlb.schemas.problems import first_problem
from tvlb.search import Aim, SearchOptions
from tvlb.table import format_of
from tvlb.topology import Topology, described

_TOKEN_VARIABLE = "TVLB_TOKEN"
_LONGEST_TOKEN = 10_000
_Result = TypeVar("_Result", bound=TableResource | RepairResource | StabilityResource)

ServerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Have a tvlb server compute it; a token is taken from TVLB_TOKEN."
    ),
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File that holds the token for the server."),
]


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


def place_of(server: str | None, token_file: Path | None, workers: int | None) -> Place | None:
    """Return the server that is to compute; None for this machine.

    Raises
    ------
    InvalidInput : an option belongs to the other place, or the token cannot be read.
    """
    if server is None:
        if token_file is not None:
            raise InvalidInput("--token-file is for --server only")
        return None
    if workers is not None:
        raise InvalidInput("--workers with --server: the server decides on its workers")
    return Place(server, read_token(token_file), token_file)


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
        found = _told(client, client.create_table(body))
        if isinstance(found, TableResource):
            return _downloaded(client, found, output, str(network))
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
    with _waiting(place, job, output) as report:
        table = client.finished(job, report)
    return _downloaded(client, table, output, topology)


def repair_at_server(place: Place, body: RepairBody, output: str) -> Mapping[str, Any]:
    """Have a table repaired, download the new one to `output`, and return the document.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    with place.client() as client:
        found = _told(client, client.create_repair(body))
        if isinstance(found, RepairResource):
            return _downloaded_repair(client, found, output)
        return finish_repair(place, client, found, output)


def finish_repair(place: Place, client: Client, job: JobResource, output: str) -> Mapping[str, Any]:
    """Wait for the repair of a job, download the new table, and return the document.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    with _waiting(place, job, output) as report:
        repaired = client.finished_repair(job, report)
    return _downloaded_repair(client, repaired, output)


def study_at_server(place: Place, network: Topology, body: StabilityBody) -> Mapping[str, Any]:
    """Have a study of stability computed, and return its document.

    Parameters
    ----------
    network : that of the request.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    with place.client() as client:
        found = _told(client, client.create_stability(body))
        document: Mapping[str, Any] = (
            _plain(found, StabilityDocument)
            if isinstance(found, StabilityResource)
            else finish_stability(place, client, found)
        )
    # A server does not know the name of our topology file.
    return {**document, "topology": str(network)}


def finish_stability(place: Place, client: Client, job: JobResource) -> Mapping[str, Any]:
    """Wait for the study of stability of a job, and return its document.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    with _waiting(place, job) as report:
        return _plain(client.finished_stability(job, report), StabilityDocument)


def _told(client: Client, found: _Result | JobResource) -> _Result | JobResource:
    """Say where the server's answer lies: at a result, or at the job that computes it."""
    state = "computes it" if isinstance(found, JobResource) else "knows it already"
    print_notice(f"the server {state}: {client.url(found.url)}")
    return found


@contextmanager
def _waiting(place: Place, job: JobResource, output: str | None = None) -> Generator[Reporter]:
    """Show the progress of a job while the block waits for it, and say how to go on if it ends."""
    written = () if output is None else ("-o", output)
    try:
        with progress_display() as report:
            yield report
    except Cancelled as error:
        print_notice(str(error))
        raise
    except KeyboardInterrupt:
        print_notice(f"the job goes on: {place.command(job.id, *written)}")
        print_notice(f"to cancel it: {place.command(job.id, '--cancel')}")
        raise


def _downloaded_repair(client: Client, found: RepairResource, output: str) -> Mapping[str, Any]:
    client.download_repair(found.id, format_of(output).name, Path(output))
    print_written(output)
    return _plain(found, RepairDocument)


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
    document = _plain(table, TableDocument)
    # A server does not know the name of our topology file.
    return document if topology is None else document | {"topology": topology}


def _plain(resource: BaseModel, document: type[BaseModel]) -> dict[str, Any]:
    """Return the document of a resource, which has an identity besides."""
    found = resource.model_dump(mode="json", exclude_unset=True)
    return {name: found[name] for name in document.model_fields if name in found}
