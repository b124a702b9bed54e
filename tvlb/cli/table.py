"""`tvlb table`: the whole search."""

from collections.abc import Mapping, Sequence
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
    number,
)
from tvlb.cli.terminal import print_json, progress_display, stdout
from tvlb.files import check_writable as check_file
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.search import SearchOptions, optimize, table_document
from tvlb.table import check_writable, format_of, write_table
from tvlb.topology import parse_topology

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
    output: Output = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FIG", help="Draw the result: .svg, .png, .pdf.")
    ] = None,
    seed: Seed = 0,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Compute the T-VLB table of a Dragonfly: probe, balance, simulate, decide."""
    network = parse_topology(topology)
    options = SearchOptions(
        routing=routing,
        patterns=patterns,
        tolerance=tolerance,
        balancing=BalanceOptions() if balancing else None,
        seed=seed,
        workers=workers,
    )
    if output is not None:
        check_writable(output)
    if plot is not None:
        check_file(plot, FIGURE_SUFFIXES)
    with progress_display() as report:
        result = optimize(network, options, report=report)
    document = table_document(result)
    if output is not None:
        write_table(result.table, Path(output))
    if plot is not None:
        save_figure(document, plot)
    if json:
        print_json(document)
        return
    print_summary(document, stdout())
    if output is not None:
        stdout().print(f"Table written to {output} ({format_of(output).max_rows:,} rows at most).")


def print_summary(document: Document, console: Console) -> None:
    """Print a table document for people."""
    print_probe(document, console)
    _print_simulated(document, console)
    _print_choice(document, console)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def print_probe(document: Document, console: Console) -> None:
    """Print the probe curve for people."""
    grid = Grid(title=f"Step 1: modelled throughput on {document['topology']}")
    for name in ("path set", "theta", "std. error", "VLB hops", "to the cut", "candidate"):
        grid.add_column(name, justify="left" if name == "path set" else "right")
    for point in [*document["probe"], *document["strategic"]]:
        grid.add_row(
            point["expression"],
            _number(point["theta_mean"], 4),
            _number(point["theta_sem"], 4),
            _number(point["mean_vlb_hops"], 3),
            f"{point['distance_to_cut']:+.4f}",
            "yes" if point["candidate"] else "",
        )
    console.print(grid)


def _print_simulated(document: Document, console: Console) -> None:
    load = document["reference_load"]
    grid = Grid(title=f"Step 2: simulated on {len(document['baseline']['per_pattern'])} patterns")
    for name in ("path set", "saturation", f"latency at {load:g}", "windows", "against all"):
        grid.add_column(name, justify="left" if name in ("path set", "against all") else "right")
    for row in cast("Sequence[Document]", [document["baseline"], *document["candidates"]]):
        comparison = row["comparison"]
        grid.add_row(
            row["expression"],
            f"{row['saturation_mean']:.4f} +- {_number(row['saturation_sem'], 4)}",
            f"{row['latency_at_reference_load']:.2f} +- {_number(row['latency_sem'], 2)}",
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
    console.print(f"Choice: [bold]{chosen['expression']}[/bold] ({document['decision']['reason']})")
    console.print(
        f"  VLB hops {_number(chosen['mean_vlb_hops'], 3)} on average, {chosen['paths']:,} paths, "
        f"{chosen['removed_by_balance']:,} removed by balancing"
    )
    for label, key, digits in (
        ("saturation throughput", "saturation_mean", 4),
        ("latency (cycles)", "latency_at_reference_load", 2),
    ):
        ours, theirs = simulated[key], baseline[key]
        console.print(
            f"  {label}: {ours:.{digits}f}, conventional UGAL {theirs:.{digits}f} "
            f"({100 * (ours / theirs - 1):+.1f}%)"
        )
    balance = document["balance"]
    for kind in ("local", "global"):
        usage = balance[kind]
        console.print(
            f"  {kind} links, largest/mean usage: {_number(usage['before'], 3)} before balancing, "
            f"{_number(usage['after'], 3)} after"
        )
    timings = ", ".join(f"{name} {value:.1f} s" for name, value in document["timings"].items())
    console.print(f"  wall time: {timings}; table {chosen['id'][:16]}")
