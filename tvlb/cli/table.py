"""`tvlb table`: the whole search."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from tvlb.cli.front_files import check_front, write_front
from tvlb.cli.interim import Interim
from tvlb.cli.numbers import Workers
from tvlb.cli.options import Json, Seed, TopologyArgument, WithoutOption
from tvlb.cli.remote import ServerOption, TokenFileOption, compute_at_server, place_of
from tvlb.cli.settings import takes_settings
from tvlb.cli.table_summary import print_document
from tvlb.cli.terminal import (
    print_notice,
    print_result,
    print_warnings,
    print_written,
    progress_display,
)
from tvlb.documents import check_directory, free_path, safe_name
from tvlb.documents import check_writable as check_file
from tvlb.errors import InvalidInput
from tvlb.jobs.workspace import Workspace
from tvlb.paths import MAX_ROWS, count_paths, parse_expression
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.processes import Reporter, UnitCache, duration_text, local_workers
from tvlb.requests import TableBody, TableDocument
from tvlb.requests.cost import table_cost
from tvlb.search import (
    Aim,
    SearchOptions,
    TableResult,
    asked_traffic,
    check_compact,
    check_request,
    compact_result,
    optimize,
    router_warnings,
)
from tvlb.table import by_suffix, check_writable, format_of, table_formats, write_table
from tvlb.topology import Topology, described, parse_topology
from tvlb.traffic import idle_warnings

# What takes longer says so first.
_LONG_SECONDS = 60.0

Document = Mapping[str, Any]


@takes_settings
def table(
    topology: TopologyArgument,
    *,
    options: SearchOptions,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write rule and seed instead of rows.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help=f"Write the table: {', '.join(by_suffix(lambda each: each.write))}; those of a "
            "front each in a file beside it.",
            show_default="a new file, named by the network",
        ),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FIG", help="Draw the result: .svg, .png, .pdf.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep finished pieces of work there, so that a search that was interrupted goes "
            "on from them; a data directory of sweeps and servers will do.",
        ),
    ] = None,
    without: WithoutOption = None,
    seed: Seed = 0,
    workers: Workers = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    json: Json = False,
) -> None:
    """Compute the T-VLB table of a network: probe, search, simulate, decide."""
    place = place_of(server, token_file, workers, store)
    if place is not None and compact:
        raise InvalidInput(
            "--compact with --server: servers keep tables in the form that their size asks for"
        )
    network = parse_topology(topology, without)
    options = replace(options, seed=seed, workers=workers)
    check_request(network, options)
    if compact:
        _check_compact(options)
    named = output or str(_own_name(network))
    _check_output(network, options, named, compact=compact)
    if plot is not None:
        check_file(plot, FIGURE_SUFFIXES)
    judged = () if options.workload is None else options.workload.first_round
    print_warnings(
        [*router_warnings(network, options.config), *idle_warnings(judged, network, seed)]
    )
    if place is None:
        _tell_cost(network, options)
        document = _compute(network, options, output, compact=compact, store=store)
    else:
        options = replace(options, traffic=asked_traffic(options.traffic))
        document = compute_at_server(
            place,
            TableBody.of(described(network), network, options),
            named,
            topology=str(network),
        )
    print_result(document, print_document, json=json)
    if plot is not None:
        save_figure(plot, document)


def _tell_cost(network: Topology, options: SearchOptions) -> None:
    """Say what a long search takes, before it does."""
    cost = table_cost(network, options)
    if cost.cpu_seconds >= _LONG_SECONDS:
        memory = f"{cost.memory_bytes / 2**20:,.0f} MiB"
        print_notice(f"about {duration_text(cost.cpu_seconds)} of CPU time and {memory}")


def _own_name(network: Topology) -> Path:
    """Return a name for a table that nobody named, of no file that is there."""
    return free_path(Path(f"{safe_name(str(network))}.parquet"))


def _check_compact(options: SearchOptions) -> None:
    try:
        check_compact(options)
    except InvalidInput as error:
        raise InvalidInput(f"--compact: {error} (--no-balance or --method paper)") from error


def _check_output(network: Topology, options: SearchOptions, output: str, *, compact: bool) -> None:
    """Refuse before the search what could not be written after it."""
    check_writable(output)
    if options.aim.aim is Aim.FRONT:
        check_front(output)
    if not compact:
        _check_format(network, output)


def _compute(
    network: Topology,
    options: SearchOptions,
    output: str | None,
    *,
    compact: bool,
    store: Path | None,
) -> Document:
    if store is not None:
        check_directory(store)
    interim = Interim(network, options, store)
    try:
        with progress_display() as report:
            result = _optimized(network, options, interim, report, store)
    except KeyboardInterrupt:
        interim.keep(Path(output) if output is not None else _own_name(network))
        raise
    if compact:
        result = compact_result(result)
    # First of all the table: nothing that fails while printing may lose the search.
    written = output or str(_own_name(network))
    write_table(result.table, Path(written))
    print_written(written)
    document = TableDocument.of(result).plain()
    if options.aim.aim is Aim.FRONT:
        assert result.found is not None
        front = result.found.front
        write_front(document, written, lambda number, path: write_table(front[number - 1], path))
    return document


def _optimized(
    network: Topology,
    options: SearchOptions,
    interim: Interim,
    report: Reporter,
    store: Path | None,
) -> TableResult:
    told = interim.told(report)
    if store is None:
        return optimize(network, options, report=told, note_best=interim.note)
    # As sweeps keep theirs, so that a search finds what a sweep has computed.
    units = Workspace(store, options.worker_count).units
    with local_workers(options.worker_count) as executor:
        cache = UnitCache(executor, units)
        return optimize(network, options, report=told, unit_cache=cache, note_best=interim.note)


def _check_format(network: Topology, output: str) -> None:
    """Refuse a text format before the search if its answer might not fit."""
    limit, (largest, *_) = format_of(output).max_rows, table_formats().values()
    if limit < MAX_ROWS and count_paths(parse_expression("all", network), limit) > limit:
        raise InvalidInput(
            f"{output}: a table of {network} may have more than {limit:,} rows, the most for this "
            f"format; choose {largest.suffixes[0]} or --compact"
        )
