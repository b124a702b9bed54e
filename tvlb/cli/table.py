"""`tvlb table`: the whole search."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.table import Table as Grid

from tvlb.balance import BalanceOptions
from tvlb.cli.options import (
    Json,
    Output,
    Seed,
    TopologyArgument,
    Workers,
    integer,
    number,
)
from tvlb.cli.remote import Place, compute_at_server, read_token
from tvlb.cli.terminal import print_json, print_written, progress_display, stdout
from tvlb.errors import InvalidInput
from tvlb.files import check_writable as check_file
from tvlb.paths import MAX_ROWS, count_paths, parse_expression
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.search import (
    MAX_DATA_POINTS,
    MAX_PATTERNS,
    PAPER,
    SCREENING,
    SearchOptions,
    compact_table,
    optimize,
    parse_windows,
    table_document,
)
from tvlb.table import check_writable, format_of, write_table
from tvlb.topology import Dragonfly, parse_topology

__all__ = ["print_probe", "table"]

Document = Mapping[str, Any]


def table(
    topology: TopologyArgument,
    routing: Annotated[
        str, typer.Option(help="Routing that will use the table: ugal-l, ugal-g or par.")
    ] = "ugal-l",
    patterns: Annotated[str, typer.Option(help="Probed patterns: auto, all or a number.")] = "auto",
    tolerance: Annotated[
        float,
        typer.Option(
            parser=number,
            metavar="NUMBER",
            help="Candidates are within this share of the best modelled mean.",
        ),
    ] = 0.08,
    balancing: Annotated[
        bool, typer.Option("--balance/--no-balance", help="Balance the candidates.")
    ] = True,
    screening: Annotated[
        str,
        typer.Option(
            metavar="WARMUP,CYCLES,GRID",
            help="Windows (cycles) in which all candidates are simulated, and the grid of "
            "saturation loads.",
        ),
    ] = str(SCREENING),
    confirmation: Annotated[
        str,
        typer.Option(metavar="WARMUP,CYCLES,GRID", help="The same for finalists and baseline."),
    ] = str(PAPER),
    finalists: Annotated[
        int, typer.Option(parser=integer, metavar="N", help="Candidates that are confirmed.")
    ] = 2,
    data_points: Annotated[
        int,
        typer.Option(
            parser=integer, metavar="N", help="Most data points of Table 1 among the candidates."
        ),
    ] = MAX_DATA_POINTS,
    simulated_patterns: Annotated[
        int, typer.Option(parser=integer, metavar="N", help="Simulated patterns, 2..5.")
    ] = MAX_PATTERNS,
    compact: Annotated[
        bool, typer.Option("--compact", help="Write rule and seed instead of rows.")
    ] = False,
    output: Output = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FIG", help="Draw the result: .svg, .png, .pdf.")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Have a tvlb server compute it; a token is taken from TVLB_TOKEN.",
            show_default=False,
        ),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Holds the token for the server.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Compute the T-VLB table of a Dragonfly: probe, balance, simulate, decide."""
    _check_place(server, token_file, compact=compact, workers=workers)
    network = parse_topology(topology)
    options = SearchOptions(
        routing=routing,
        patterns=patterns,
        tolerance=tolerance,
        balancing=BalanceOptions() if balancing else None,
        screening=parse_windows(screening),
        confirmation=parse_windows(confirmation),
        finalists=finalists,
        data_points=data_points,
        simulated_patterns=simulated_patterns,
        seed=seed,
        workers=workers,
    )
    if output is not None:
        check_writable(output)
        if not compact:
            _check_format(network, output)
    if plot is not None:
        check_file(plot, FIGURE_SUFFIXES)
    if server is None:
        document = _compute(network, options, output, compact=compact)
    else:
        token = read_token(token_file)
        document = compute_at_server(Place(server, token), network, options, output)
    if json:
        print_json(document)
    else:
        print_summary(document, stdout())
    if plot is not None:
        save_figure(document, plot)


def _check_place(
    server: str | None, token_file: Path | None, *, compact: bool, workers: int | None
) -> None:
    """Refuse options that belong to the other place to compute."""
    if server is None:
        if token_file is not None:
            raise InvalidInput("--token-file is for --server only")
        return
    if workers is not None:
        raise InvalidInput("--workers with --server: the server decides on its workers")
    if compact:
        raise InvalidInput(
            "--compact with --server: servers keep tables in the form that their size asks for"
        )


def _compute(
    network: Dragonfly, options: SearchOptions, output: str | None, *, compact: bool
) -> Document:
    with progress_display() as report:
        result = optimize(network, options, report=report)
    if compact:
        result = replace(result, table=compact_table(result))
    # First of all the table: nothing that fails while printing may lose the search.
    if output is not None:
        write_table(result.table, Path(output))
        print_written(output)
    return table_document(result)


def _check_format(network: Dragonfly, output: str) -> None:
    """Refuse a text format before the search if its answer might not fit."""
    limit = format_of(output).max_rows
    if limit < MAX_ROWS and count_paths(parse_expression("all", network), limit) > limit:
        raise InvalidInput(
            f"{output}: a table of {network} may have more than {limit:,} rows, the most for this "
            "format; choose .parquet or --compact"
        )


def print_summary(document: Document, console: Console) -> None:
    """Print a table document for people."""
    print_probe(document, console)
    _print_simulated(document, console)
    _print_choice(document, console)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _change(ours: float | None, theirs: float | None) -> str:
    return f"{100 * (ours / theirs - 1):+.1f}%" if ours is not None and theirs else "-"


def print_probe(document: Document, console: Console) -> None:
    """Print the probe curve for people."""
    grid = Grid(title=f"Step 1: modelled throughput on {document['topology']}")
    for name in ("path set", "theta", "std. error", "VLB hops", "to the cut", "in"):
        grid.add_column(name, justify="left" if name == "path set" else "right")
    for point in [*document["probe"], *document["strategic"]]:
        grid.add_row(
            point["expression"],
            _number(point["theta_mean"], 4),
            _number(point["theta_sem"], 4),
            _number(point["mean_vlb_hops"], 3),
            f"{point['distance_to_cut']:+.4f}",
            "yes" if point["within_tolerance"] else "",
        )
    console.print(grid)
    used = f"{len(document['patterns'])} of {document['patterns_available']} patterns"
    console.print(f"{used}: {document['stopped']}")


def _print_simulated(document: Document, console: Console) -> None:
    load = document["reference_load"]
    grid = Grid(title=f"Step 2: simulated on {len(document['baseline']['per_pattern'])} patterns")
    for name in (
        "path set",
        "VLB hops",
        "saturation",
        f"latency at {load:g}",
        "windows",
        "vs. all",
    ):
        grid.add_column(name, justify="left" if name in ("path set", "vs. all") else "right")
    for row in cast("Sequence[Document]", [document["baseline"], *document["candidates"]]):
        comparison = row["comparison"]
        grid.add_row(
            row["expression"],
            _number(row["mean_vlb_hops"], 3),
            f"{row['saturation_mean']:.4f} +- {_number(row['saturation_sem'], 4)}",
            f"{_number(row['latency_at_reference_load'], 2)} +- {_number(row['latency_sem'], 2)}",
            f"{row['windows']['warmup']}+{row['windows']['measured']}",
            comparison["verdict"] if comparison else "",
        )
    console.print(grid)


def _print_choice(document: Document, console: Console) -> None:
    chosen, baseline = document["table"], document["baseline"]
    simulated = next(
        (one for one in document["candidates"] if one["expression"] == chosen["expression"]),
        baseline,
    )
    console.print(f"Choice: [bold]{chosen['expression']}[/bold]")
    console.print(f"  {document['decision']['reason']}")
    console.print(
        f"  {chosen['paths']:,} paths, {chosen['removed_by_balance']:,} removed by balancing"
        if chosen["removed_by_balance"] is not None
        else f"  compact table: {chosen['paths']:,} paths before balancing"
    )
    console.print(
        f"  VLB hops: {_number(chosen['mean_vlb_hops'], 3)}, "
        f"conventional UGAL {_number(baseline['mean_vlb_hops'], 3)}"
    )
    for label, key, error, digits in (
        ("saturation throughput", "saturation_mean", "saturation_sem", 4),
        ("latency (cycles)", "latency_at_reference_load", "latency_sem", 2),
    ):
        ours, theirs = simulated[key], baseline[key]
        console.print(
            f"  {label}: {_number(ours, digits)} +- {_number(simulated[error], digits)}, "
            f"conventional UGAL {_number(theirs, digits)} +- {_number(baseline[error], digits)} "
            f"({_change(ours, theirs)})"
        )
    balance = document["balance"]
    if balance["sampled_pairs"] is not None:
        console.print(
            f"  balancing, by a sample of {balance['sampled_pairs']:,} switch pairs: "
            f"{balance['removed']:,} of {balance['paths']:,} paths removed"
        )
    for kind in ("local", "global"):
        usage = balance[kind]
        console.print(
            f"  {kind} links, largest/mean usage before -> after balancing: "
            f"{_number(usage['before'], 3)} -> {_number(usage['after'], 3)}, "
            f"pair by pair {_number(usage['pair_mean_before'], 3)} -> "
            f"{_number(usage['pair_mean_after'], 3)}"
        )
    timings = ", ".join(f"{name} {value:.1f} s" for name, value in document["timings"].items())
    console.print(f"  wall time: {timings}; table {chosen['id'][:16]}")
