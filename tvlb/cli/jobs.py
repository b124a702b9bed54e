"""`tvlb jobs`: the jobs of a server, found again."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from tvlb.cli.options import Json
from tvlb.cli.remote import Place, TokenFileOption, finish, read_token
from tvlb.cli.request import printer_of
from tvlb.cli.terminal import grid, print_json, print_notice, print_result, progress_display, stdout
from tvlb.client import Client
from tvlb.documents import free_path, safe_name
from tvlb.errors import InvalidInput
from tvlb.requests import JobResource, request_kinds, shown_subject
from tvlb.table import check_writable

_LISTED = 20


def jobs(
    job: Annotated[
        str | None,
        typer.Argument(
            metavar="JOB", help="Wait for this job; without it the newest jobs are listed."
        ),
    ] = None,
    server: Annotated[
        str,
        typer.Option(metavar="URL", help="URL of the server; a token is taken from TVLB_TOKEN."),
    ] = "http://127.0.0.1:8080",
    token_file: TokenFileOption = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the table of the job.",
            show_default="a new file, named by the network",
        ),
    ] = None,
    cancel: Annotated[bool, typer.Option("--cancel", help="End the job.")] = False,
    json: Json = False,
) -> None:
    """List the newest jobs of a server, or wait for one and fetch its table."""
    if job is None and (cancel or output is not None):
        raise InvalidInput("--cancel and --output are for one job: name it")
    if output is not None:
        check_writable(output)
    place = Place(server, read_token(token_file), token_file)
    with place.client() as client:
        if job is None:
            _list(islice(client.jobs(), _LISTED), as_json=json)
        elif cancel:
            _print_state(client.cancel(job), as_json=json)
        else:
            _attend(place, client, client.job(job), output, as_json=json)


def _list(found: Iterable[JobResource], *, as_json: bool) -> None:
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
        return
    texts = ("job", "of", "state", "stage", "asked")
    listed = grid((*texts, "done"), texts)
    # What is needed to ask for one again is never cut.
    listed.columns[0].no_wrap = True
    for one in found:
        listed.add_row(
            one.id,
            f"{one.kind} of {shown_subject(one.request)}"
            + (f" ({one.label})" if one.label else ""),
            one.status,
            one.stage or "",
            f"{one.created_at:%Y-%m-%d %H:%M}",
            f"{one.progress:.0%}",
        )
    stdout().print(listed)


def _print_state(job: JobResource, *, as_json: bool) -> None:
    if as_json:
        print_json(job.model_dump(mode="json"))
    else:
        ending = ", to be cancelled" if job.cancel_requested and not job.ended_at else ""
        subject = shown_subject(job.request)
        stdout().print(f"{job.kind} of {subject}: {job.status}{ending}")


def _attend(
    place: Place, client: Client, job: JobResource, output: str | None, *, as_json: bool
) -> None:
    kind = request_kinds()[job.kind]
    show = printer_of(kind)
    if kind.makes_table:
        output = output or str(free_path(Path(f"{safe_name(shown_subject(job.request))}.parquet")))
    elif output is not None:
        raise InvalidInput(f"--output: job {job.id} is a {job.kind} and makes no table")
    if show is None:
        _wait(client, job, as_json=as_json)
        return
    document = finish(place, client, job, output)
    print_result(document, show, json=as_json)


def _wait(client: Client, job: JobResource, *, as_json: bool) -> None:
    with progress_display() as report:
        url = client.outcome(job, report)
    print_notice(f"the result is at {client.url(url)}")
    _print_state(client.job(job.id), as_json=as_json)
