"""`tvlb store`: look at the store that sweeps and services share, check it, clean it up."""

import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from tvlb.cli.numbers import number
from tvlb.cli.options import Json
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import grid, print_json, progress_display, stdout
from tvlb.errors import InvalidInput
from tvlb.jobs.results import Results
from tvlb.jobs.store import Holding, Store
from tvlb.languages import Number
from tvlb.requests import shown_subject

_DAYS = Number(0, 36_500)
_AMOUNT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([A-Za-z]{1,3})", re.ASCII)
_AGES = {"h": 3600, "d": 86_400, "w": 7 * 86_400}
_SIZES = {
    **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", 1)},
}
_FAILED = 1

store = typer.Typer(
    name="store",
    help="Finished tables and pieces of work: list, check, clean up.",
    no_args_is_help=True,
    add_completion=False,
)


def _opened(place: StoreOptions) -> Store:
    database, workspace = place.opened(), place.workspace(1)
    return Store(Results(database), workspace.blobs, workspace.units)


@store.command("ls")
@takes_settings
def list_store(place: StoreOptions, json: Json = False) -> None:
    """List the results, oldest first."""
    opened = _opened(place)
    holdings = list(opened.holdings())
    sizes = opened.unit_sizes()
    if json:
        print_json(
            {
                "results": [_item(holding) for holding in holdings],
                "units": len(sizes),
                "unit_bytes": sum(sizes),
            }
        )
        return
    texts = ("id", "kind", "of", "finished")
    listed = grid((*texts, "MiB"), texts)
    for holding in holdings:
        item = _item(holding)
        listed.add_row(
            item["key"][:16],
            item["kind"],
            item["of"],
            item["created_at"],
            f"{holding.size / 2**20:,.2f}",
        )
    console = stdout()
    console.print(listed)
    total = sum(holding.size for holding in holdings)
    console.print(
        f"{len(holdings)} results, {total / 2**20:,.1f} MiB; {len(sizes):,} pieces of work, "
        f"{sum(sizes) / 2**20:,.1f} MiB"
    )


@store.command("verify")
@takes_settings
def verify_store(place: StoreOptions, json: Json = False) -> None:
    """Read everything in the store and compare it with its hashes; exit code 1 if one differs."""
    opened = _opened(place)
    with progress_display() as report:
        findings = opened.verify(report)
    if json:
        print_json(asdict(findings))
    else:
        console = stdout()
        for line in findings.damaged:
            console.print(line)
        console.print(
            f"{findings.results} results with {findings.files} files and {findings.units:,} pieces "
            f"of work: {len(findings.damaged) or 'nothing'} damaged"
        )
    if findings.damaged:
        raise typer.Exit(_FAILED)


@store.command("gc")
@takes_settings
def clean_store(
    place: StoreOptions,
    unused_days: Annotated[
        float,
        number(
            "Remove pieces of work that nothing has needed for this long.", _DAYS, metavar="DAYS"
        ),
    ] = 7.0,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="AGE", help="Remove results finished at least this long ago: 12h, 30d, 8w."
        ),
    ] = None,
    max_size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Remove pieces of work, then the oldest results, until the rest takes no more: "
            "500MB, 10GB, 2TiB.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be removed.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove files without a result, leftovers of processes that died, and old pieces of work.

    Results stay unless --older-than or --max-size is given. What was written within the last hour
    stays anyway, so that a running service or sweep loses nothing.
    """
    older_seconds = None if older_than is None else _parsed("--older-than", older_than, _AGES)
    most_bytes = None if max_size is None else _parsed("--max-size", max_size, _SIZES)
    _DAYS.checked("--unused-days", unused_days)
    opened = _opened(place)
    expired = opened.find_expired(older_seconds, most_bytes)
    unused = opened.find_unused(unused_days * 86_400.0, expired)
    if not dry_run:
        opened.remove(unused, expired)
    counts = {
        "results": len(expired.results),
        "files": len(unused.files),
        "units": len(unused.units),
        "bytes": unused.size,
    }
    if json:
        print_json({**counts, "dry_run": dry_run})
        return
    for result in expired.results:
        stdout().print(f"{result.kind} {result.key[:16]} {_subject(result.request)}")
    stdout().print(
        f"{counts['results']:,} results, {counts['files']:,} files and {counts['units']:,} pieces "
        f"of work, {unused.size / 2**20:,.1f} MiB, {'would be removed' if dry_run else 'removed'}"
    )


def _parsed(option: str, text: str, units: Mapping[str, int]) -> int:
    """Return an amount written as a number and its unit, in the smallest unit."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None or match[2] not in units:
        raise InvalidInput(
            f"{option} {text[:80]!r} is malformed: a number with one of {', '.join(units)}"
        )
    return int(float(match[1]) * units[match[2]])


def _item(holding: Holding) -> dict[str, Any]:
    result = holding.result
    finished = datetime.fromtimestamp(result.created_at, UTC).isoformat(timespec="seconds")
    return {
        "key": result.key,
        "kind": result.kind,
        "of": _subject(result.request),
        "created_at": finished,
        "bytes": holding.size,
        "table_id": result.table_id,
    }


def _subject(request: dict[str, Any]) -> str:
    """Say in a few words what was asked for."""
    return f"{shown_subject(request)} {request.get('routing', '')}".rstrip()
