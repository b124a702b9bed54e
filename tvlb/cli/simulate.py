"""`tvlb simulate`: the flit simulator at given loads."""

from dataclasses import replace
from typing import Annotated, Any, cast

import typer

from tvlb.choices import one_of
from tvlb.cli.options import (
    Json,
    PathSetOption,
    PatternOption,
    Seed,
    TopologyArgument,
    WithoutOption,
    Workers,
    integer,
    parse_loads,
)
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import grid, print_json, print_warnings, progress_display, stdout
from tvlb.errors import InvalidInput
from tvlb.files import check_writable
from tvlb.parallel import available_cores
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.schemas import SimulationDocument
from tvlb.search import (
    Routing,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    find_saturation,
    parse_warmup,
    simulate_loads,
)
from tvlb.table import parse_path_set
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

__all__ = ["simulate"]


@takes_settings
def simulate(
    topology: TopologyArgument,
    routing: Annotated[str, typer.Option(help=f"{one_of(Routing)}.")] = "ugal-l",
    vlb: PathSetOption = "all",
    pattern: PatternOption = "uniform",
    load: Annotated[
        str | None,
        typer.Option(
            metavar="LOADS",
            help="Offered loads, packets/cycle/node: comma-separated numbers and START:STOP:STEP.",
        ),
    ] = None,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Search the saturation load on a 0.01 grid.")
    ] = False,
    warmup: Annotated[
        str,
        typer.Option(
            metavar="CYCLES",
            help="Warm-up cycles; detect or detect:CYCLES: until steady, at most 30,000 or CYCLES.",
        ),
    ] = "30000",
    *,
    config: SimulationConfig,
    without: WithoutOption = None,
    seed: Seed = 0,
    seeds: Annotated[
        int, integer("Runs per load, with seeds SEED, SEED+1, ...; the path set is that of SEED.")
    ] = 1,
    figure: Annotated[
        str | None,
        typer.Option(metavar="FIG", help="Draw latency against load: .svg, .png or .pdf."),
    ] = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Simulate a routing flit by flit."""
    if load is None and not saturation:
        raise InvalidInput("give --load, --saturation, or both")
    loads = [] if load is None else parse_loads(load)
    if figure is not None:
        check_writable(figure, FIGURE_SUFFIXES)
    kind, warmup_cycles = parse_warmup(warmup)
    config = replace(config, warmup=kind, warmup_cycles=warmup_cycles)
    if config.traced_packets and not json:
        raise InvalidInput(
            f"--traces {config.traced_packets}: traces are part of the JSON document, add --json"
        )
    network = parse_topology(topology, without)
    traffic = parse_pattern(pattern)
    path_set = parse_path_set(vlb, network, seed)
    scenario = Scenario(network, routing, path_set, traffic, seed)
    request = SimulationRequest(scenario, config, seeds)
    count = workers or available_cores()
    with progress_display() as report:
        results = simulate_loads(request, loads, workers=count, report=report)
        found = find_saturation(request, workers=count, report=report) if saturation else []
    print_warnings(scenario.warnings(config))
    document = SimulationDocument.of(request, results, found).plain()
    if figure is not None:
        save_figure(figure, document)
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
    set_up = f"{document['routing']} with {document['path_set']}"
    title = f"{document['topology']}, {set_up}, {document['pattern']}"
    listed = grid((*(name for name, _, _ in _COLUMNS), "state"), ("state",), title)
    for row in cast("list[dict[str, Any]]", document["rows"]):
        cells = [
            "-" if row[key] is None else f"{row[key]:.{digits}f}" for _, key, digits in _COLUMNS
        ]
        listed.add_row(*cells, _state(row))
    if document["rows"]:
        console.print(listed)
    if "saturation_load" in document:
        console.print(f"Saturation load: {_saturation(document)} packets/cycle/node")


def _state(row: dict[str, Any]) -> str:
    runs = len(row.get("runs", [row]))
    saturated = row.get("saturated_runs", int(row["saturated"]))
    if saturated > 0:
        return "saturated" if runs == 1 else f"saturated {saturated} of {runs}"
    return "ok" if row["steady"] else "ok, warm-up not over"


def _saturation(document: dict[str, Any]) -> str:
    by_seed = document["saturation_by_seed"]
    if len(by_seed) == 1:
        return f"{by_seed[0]:.2f}"
    listed = ", ".join(f"{load:.2f}" for load in by_seed)
    return (
        f"{document['saturation_load']:.4f} +- {document['saturation_ci95']:.4f} ({listed} by seed)"
    )
