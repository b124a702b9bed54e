"""`--server` and `tvlb jobs`: the same question to a server, the same answer."""

import os
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from tvlb.cli.front_files import write_front
from tvlb.cli.terminal import print_notice, print_written, progress_display
from tvlb.client import Client
from tvlb.errors import Cancelled, InvalidInput
from tvlb.processes import Reporter
from tvlb.requests import JobResource, Question, Resource, request_kinds
from tvlb.requests.resources import Identity
from tvlb.requests.stored_tables import gone_by
from tvlb.table import TABLE_SUFFIXES, format_of, read_any_table
from tvlb.topology import Topology, described
from tvlb.traffic import parse_pattern

_TOKEN_VARIABLE = "TVLB_TOKEN"
_LONGEST_TOKEN = 10_000

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


def place_of(
    server: str | None, token_file: Path | None, workers: int | None, store: Path | None = None
) -> Place | None:
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
    if store is not None:
        raise InvalidInput("--store with --server: servers keep pieces of work on their own")
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


def ask_server(
    place: Place, body: type[Question], network: Topology, **given: Any
) -> Mapping[str, Any]:
    """Have computed what options say of a network, and return the document, with names as here.

    A server knows no file of ours: a matrix becomes what its file holds, and a table its id.

    Raises
    ------
    InvalidInput : an option is malformed, or a file cannot be read.
    """
    asked = dict(given)
    called: dict[str, Any] = {"topology": str(network)}
    if given.get("pattern") is not None:
        pattern = parse_pattern(given["pattern"])
        asked["pattern"], called["pattern"] = pattern.asked, str(pattern)
    sets = given.get("vlb") or ()
    texts = [one.strip() for one in ([sets] if isinstance(sets, str) else sets)]
    if any(one.endswith(TABLE_SUFFIXES) for one in texts):
        ids = [read_any_table(one).id if one.endswith(TABLE_SUFFIXES) else one for one in texts]
        asked["vlb"], called["path_set"] = (
            (ids[0], texts[0]) if isinstance(sets, str) else (tuple(ids), texts)
        )
    if (table := given.get("table")) is not None:
        followed = read_any_table(table)
        gone_by(followed, table, network, given["routing"])
        asked["table"], called["table"] = followed.id, table
    return compute_at_server(place, body(topology=described(network), **asked), **called)


def compute_at_server(
    place: Place, body: Question, output: str | None = None, **called: str
) -> Mapping[str, Any]:
    """Have a request computed, and return its document; see `finish`."""
    with place.client() as client:
        found = client.create(body)
        state = "computes it" if isinstance(found, JobResource) else "knows it already"
        print_notice(f"the server {state}: {client.url(found.url)}")
        if isinstance(found, JobResource):
            return finish(place, client, found, output, **called)
        return _fetched(client, body.kind, found, output, called)


def finish(
    place: Place,
    client: Client,
    job: JobResource,
    output: str | None = None,
    **called: str,
) -> Mapping[str, Any]:
    """Wait for the result of a job, and return the document that is printed without a server.

    Parameters
    ----------
    output : file for its table, which is downloaded with those of a front; None for no table.
    called : what the document calls things here, where the server does not know their files.

    Raises
    ------
    ServerProblem, Unreachable, JobFailed, Cancelled : the server did not compute it.
    """
    with _waiting(place, job, output) as report:
        found = client.finished(job, report)
    return _fetched(client, job.kind, found, output, called)


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


def _fetched(
    client: Client, kind_name: str, found: Resource, output: str | None, called: Mapping[str, str]
) -> Mapping[str, Any]:
    kind = request_kinds()[kind_name]
    resource = found.model_dump(mode="json", exclude_unset=True)
    added = {"request", *Identity.model_fields, *kind.links}
    document = {name: value for name, value in resource.items() if name not in added}
    document |= {name: text for name, text in called.items() if name in document}
    if output is not None:
        name = format_of(output).name
        client.download(found, name, Path(output))
        print_written(output)
        if "front_urls" in kind.links and kind.names_files(resource["request"]):
            save = partial(_save_point, client, found, name)
            write_front(document, output, save)
    return document


def _save_point(client: Client, table: Resource, name: str, number: int, path: Path) -> None:
    client.download_front(table, number, name, path)
