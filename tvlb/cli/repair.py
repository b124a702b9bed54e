"""`tvlb repair`: a table for what failures leave of a network."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tvlb.cli.numbers import Workers
from tvlb.cli.options import FabricOption, Json
from tvlb.cli.remote import ServerOption, TokenFileOption, compute_at_server, place_of
from tvlb.cli.settings import takes_settings
from tvlb.cli.table_summary import print_changes, print_verdict
from tvlb.cli.terminal import grid, print_result, print_warnings, print_written, progress_display
from tvlb.documents import files
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.requests import RepairOptions
from tvlb.requests.forwarding_repair import (
    ForwardingRepairDocument,
    repair_table,
    write_updates,
)
from tvlb.requests.kinds.repair import RepairBody, RepairDocument
from tvlb.requests.repair import check_repair
from tvlb.requests.repair import repair as repaired
from tvlb.search import asked_traffic, router_warnings
from tvlb.table import FORWARDING, by_suffix, check_writable, read_any_table, write_table
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.topology import Failures, read_fabric, read_failures

_MOST_SWITCHES = 20


@takes_settings
def repair(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help=f"A table file: {one_of(by_suffix(lambda each: each.read))}; with --server the id "
            "of a table there.",
            show_default=False,
        ),
    ],
    *,
    without: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="What of the network is down: a JSON file with the lists links, of switch pairs, "
            "and switches.",
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The table.")],
    updates: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Of a forwarding table: the entries that change, in an order in which no packet "
            "circles, CSV.",
        ),
    ] = None,
    fabric: FabricOption = None,
    options: RepairOptions,
    workers: Workers = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    json: Json = False,
) -> None:
    """Rebuild a table by its rule for what failures left, and compare it with the old one.

    With --strike-only the table is the old one without its paths that are down, at once. Of a
    forwarding table only the entries change that have to.
    """
    place = place_of(server, token_file, workers)
    check_writable(output)
    failures = read_failures(without)
    if place is None and isinstance(old := read_any_table(table), ForwardingTable):
        if workers is not None:
            raise InvalidInput("workers is given, which has no meaning for a forwarding table")
        document = _repair_forwarding(old, failures, options, output, updates, fabric)
        print_result(document, print_document, json=json)
        return
    if fabric is not None:
        raise InvalidInput(f"--fabric {fabric}: only forwarding tables are repaired by its LIDs")
    if updates is not None:
        where = "only forwarding tables have entries to update, and a server writes none"
        raise InvalidInput(f"--updates {updates}: {where}")
    if place is None:
        document = _compute(table, failures, replace(options, workers=workers), output)
    else:
        options = replace(options, traffic=asked_traffic(options.traffic))
        document = compute_at_server(place, RepairBody.of(table, failures, options), output)
    print_result(document, print_document, json=json)
    if not document.get("ok", True):
        raise typer.Exit(1)


def _compute(
    table: str, failures: Failures, options: RepairOptions, output: str
) -> Mapping[str, Any]:
    old = read_any_table(table)
    left = check_repair(old.topology, failures, options)
    print_warnings(router_warnings(left, options.config))
    with progress_display() as report:
        found = repaired(old, failures, options, report=report)
    write_table(found.table, Path(output))
    print_written(output)
    return RepairDocument.of(found).plain()


def _repair_forwarding(
    old: ForwardingTable,
    failures: Failures,
    options: RepairOptions,
    output: str,
    updates: str | None,
    fabric: str | None,
) -> Mapping[str, Any]:
    if updates is not None:
        files.check_writable(updates, (".csv",))
    check_writable(output, FORWARDING)
    known = None if fabric is None else read_fabric(fabric)
    with progress_display() as report:
        found = repair_table(old, failures, options, report, known)
    write_table(found.table, Path(output))
    print_written(output)
    if updates is not None:
        write_updates(found, updates)
        print_written(updates, "updates")
    return ForwardingRepairDocument.of(found).plain()


def _print_forwarding(document: Mapping[str, Any], console: Console) -> None:
    console.print(
        f"{document['topology']}: {document['changed']:,} of {document['entries']:,} entries "
        f"change ({document['changed_share']:.3%}), {document['must_change']:,} have to; table "
        f"{document['table_id'][:16]}"
    )
    console.print(
        f"  {document['blocks']:,} blocks of 64 LIDs at {len(document['switches']):,} switches, "
        f"{document['block_writes']:,} writes; EFI {document['efi_before']:,} -> "
        f"{document['efi']:,}; CPU time: {document['seconds']:.2f} s"
    )
    if document["in_one_lane"]:
        anew = "routes had to be ordered anew: " if document["reoriented"] else ""
        mixed = (
            "also while old and new entries are mixed"
            if document["free_of_deadlock_together"]
            else "but may deadlock while old and new entries are mixed"
        )
        console.print(f"  {anew}free of deadlock in one lane, {mixed}")
    else:
        console.print(
            f"  in {document['layers']} layers of virtual channels; in one lane it can deadlock, "
            "as the old table"
        )
    table = grid(("switch", "entries", "blocks"), ("switch",))
    for one in document["switches"][:_MOST_SWITCHES]:
        table.add_row(one["name"], f"{one['entries']:,}", f"{one['blocks']:,}")
    console.print(table)
    if (more := len(document["switches"]) - _MOST_SWITCHES) > 0:
        console.print(f"  and {more:,} more switches: see --json")


def print_document(document: Mapping[str, Any], console: Console) -> None:
    """Print the document of a repair."""
    if "must_change" in document:
        _print_forwarding(document, console)
        return
    state = "free of deadlock" if document["deadlock_free"] else "NOT free of deadlock"
    console.print(
        f"{document['topology']}: {document['expression']}, {document['paths']:,} paths, "
        f"{document['vcs_needed']} VCs, {state}; table {document['table_id'][:16]}"
    )
    if document["verdict"]["judgements"]:
        print_changes(document, {}, console)
    print_verdict(document, console)
    timings = ", ".join(f"{name} {value:.1f} s" for name, value in document["timings"].items())
    console.print(f"  wall time: {timings}")
