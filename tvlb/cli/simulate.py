"""`tvlb simulate`: the flit simulator at given loads."""

from typing import Annotated, Any, cast

import typer
from rich.table import Table as Grid

from tvlb.cli.options import (
    Json,
    PathSetOption,
    PatternOption,
    Seed,
    TopologyArgument,
    Workers,
    integer,
    parse_loads,
)
from tvlb.cli.terminal import print_json, progress_display, stdout
from tvlb.errors import InvalidInput
from tvlb.search import (
    Scenario,
    SimulationConfig,
    SimulationRequest,
    available_cores,
    find_saturation,
    simulate_loads,
    simulation_document,
)
from tvlb.table import parse_path_set
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

__all__ = ["simulate"]


def simulate(
    topology: TopologyArgument,
    routing: Annotated[str, typer.Option(help="min, vlb, ugal-l, ugal-g or par.")] = "ugal-l",
    vlb: PathSetOption = "all",
    pattern: PatternOption = "uniform",
    load: Annotated[
        str | None,
        typer.Option(metavar="LOADS", help="Offered loads, packets/cycle/node, comma-separated."),
    ] = None,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Search the saturation load on a 0.01 grid.")
    ] = False,
    warmup: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Warm-up cycles.")
    ] = 30_000,
    cycles: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Measured cycles.")
    ] = 10_000,
    vcs: Annotated[str, typer.Option(help="VC scheme: won or per-hop.")] = "won",
    vc_count: Annotated[
        int | None,
        typer.Option(
            parser=integer,
            metavar="INTEGER",
            help="Virtual channels.",
            show_default="what the scheme needs",
        ),
    ] = None,
    buffer: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Buffer per input VC, flits.")
    ] = 32,
    local_latency: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Local link latency, cycles.")
    ] = 10,
    global_latency: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Global link latency, cycles.")
    ] = 15,
    speedup: Annotated[
        int,
        typer.Option(parser=integer, metavar="INTEGER", help="Internal switch steps per cycle."),
    ] = 2,
    threshold: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="UGAL bias T towards MIN, flits.")
    ] = 0,
    decide: Annotated[str, typer.Option(help="once or each-attempt.")] = "once",
    seed: Seed = 0,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Simulate a routing flit by flit."""
    if load is None and not saturation:
        raise InvalidInput("give --load, --saturation, or both")
    loads = [] if load is None else parse_loads(load)
    config = SimulationConfig(
        warmup_cycles=warmup,
        measured_cycles=cycles,
        vc_scheme=vcs,
        vc_count=vc_count,
        buffer_flits=buffer,
        local_latency=local_latency,
        global_latency=global_latency,
        speedup=speedup,
        threshold=threshold,
        decide=decide,
    )
    network = parse_topology(topology)
    traffic = parse_pattern(pattern)
    path_set = parse_path_set(vlb, network, seed)
    request = SimulationRequest(Scenario(network, routing, path_set, traffic, seed), config)
    with progress_display() as report:
        results = simulate_loads(
            request, loads, workers=workers or available_cores(), report=report
        )
        found = find_saturation(request, report=report) if saturation else None
    document = simulation_document(request, results, found)
    if json:
        print_json(document)
    else:
        _print(document)


_COLUMNS = (
    ("load", "load", 3),
    ("accepted", "accepted", 4),
    ("latency", "latency_mean", 2),
    ("+-", "latency_ci95", 2),
    ("p50", "latency_p50", 0),
    ("p99", "latency_p99", 0),
    ("hops", "hops_mean", 3),
    ("VLB share", "vlb_share", 3),
)


def _print(document: dict[str, object]) -> None:
    console = stdout()
    grid = Grid(
        title=f"{document['topology']}, {document['routing']} with {document['path_set']}, "
        f"{document['pattern']}"
    )
    for title, _, _ in _COLUMNS:
        grid.add_column(title, justify="right")
    grid.add_column("state")
    for row in cast("list[dict[str, Any]]", document["rows"]):
        cells = [
            "-" if row[key] is None else f"{row[key]:.{digits}f}" for _, key, digits in _COLUMNS
        ]
        grid.add_row(*cells, "saturated" if row["saturated"] else "ok")
    if document["rows"]:
        console.print(grid)
    if "saturation_load" in document:
        console.print(f"Saturation load: {document['saturation_load']:.2f} packets/cycle/node")
