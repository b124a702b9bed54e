"""`tvlb simulate`: the simulators at given loads."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from sim_bridge import SEEDS, FollowedTable, RouterScenario, Split, simulate_request
from tvlb.cli.numbers import Threads, Workers, integer
from tvlb.cli.options import Json, PatternOption, Seed, TopologyArgument, WithoutOption, parse_loads
from tvlb.cli.remote import ServerOption, TokenFileOption, ask_server, place_of
from tvlb.cli.router_options import takes_router_options
from tvlb.cli.terminal import grid, print_notice, print_result, progress_display
from tvlb.documents import check_writable
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.processes import available_cores
from tvlb.requests import simulation_body, simulation_document
from tvlb.requests.routers import FIRST, Experiment, Router, router_named, routers
from tvlb.requests.stored_tables import gone_by
from tvlb.table import parse_path_set, read_any_table
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import parse_pattern


@takes_router_options
def simulate(
    topology: TopologyArgument,
    router: Annotated[
        str,
        typer.Option(
            help="Model of the routers: "
            f"{one_of(f'{one.name} ({one.text})' for one in routers().values())}."
        ),
    ] = "iq",
    pattern: PatternOption = "uniform",
    load: Annotated[
        str | None,
        typer.Option(
            metavar="LOADS",
            help="Offered loads, "
            f"{one_of(f'{one.load_unit} ({one.name})' for one in routers().values())}: "
            "comma-separated numbers and START:STOP:STEP.",
        ),
    ] = None,
    *,
    given: Mapping[str, Any],
    without: WithoutOption = None,
    seed: Seed = 0,
    seeds: Annotated[
        int,
        integer(
            "Runs per load, with seeds SEED, SEED+1, ...; the path set is that of SEED.", SEEDS
        ),
    ] = 1,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="FIG", help="Draw latency and accepted load against load: .svg, .png or .pdf."
        ),
    ] = None,
    workers: Workers = None,
    threads: Threads = None,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    json: Json = False,
) -> None:
    """Simulate a routing cycle by cycle."""
    place = place_of(server, token_file, workers)
    if place is not None and threads is not None:
        raise InvalidInput("--threads with --server: the server decides on its threads")
    model = router_named(router)
    scenario = RouterScenario.of_settings(model.declaring[-1])
    if scenario is not None:
        scenario.check_threads(threads)
    asked = model.asked(given)
    loads = [] if load is None else parse_loads(load)
    if figure is not None:
        check_writable(figure, FIGURE_SUFFIXES)
    network = parse_topology(topology, without)
    if not loads and not asked.get("saturation"):
        raise InvalidInput(
            "give --load, --saturation, or both"
            if model.is_searched
            else f"give --load: offered loads, {model.load_unit}"
        )
    if asked.get("traces") and not json:
        raise InvalidInput(
            f"--traces {asked['traces']}: they are part of the JSON document, add --json"
        )
    if place is None:
        experiment = Experiment(
            network,
            parse_pattern(pattern),
            loads,
            seed,
            seeds,
            asked,
            parse_path_set,
            _read_table,
        )
        document = _compute(model, experiment, workers or available_cores(), threads)
    else:
        document = ask_server(
            place,
            simulation_body(router),
            network,
            router=router,
            pattern=pattern,
            load=loads,
            seed=seed,
            seeds=seeds,
            **asked,
        )
    if figure is not None:
        save_figure(figure, document)
    print_result(document, print_document, json=json)


def _read_table(path: str, network: Topology, routing: str) -> FollowedTable | Split:
    return gone_by(read_any_table(path), path, network, routing)


def _compute(
    model: Router, experiment: Experiment, workers: int, threads: int | None
) -> Mapping[str, Any]:
    request = model.request(experiment)
    with progress_display() as report:
        found = simulate_request(request, workers=workers, threads=threads, report=report)
    ran = max((getattr(one, "threads", 1) for one in found.runs if threads), default=threads)
    if ran != threads:
        print_notice(
            f"warning: --threads {threads}: simulated on {ran}. Networks are cut between groups of "
            "switches; a run is not cut where switches decide by queues of others of the same "
            "cycle (par on other networks than Dragonflies, routings by level), nor with --traces; "
            "the system may not start as many"
        )
    return simulation_document(model.name).of(request, found).plain()


def print_document(document: Mapping[str, Any], console: Console) -> None:
    """Print the document of a simulation."""
    model = router_named(document.get("router", FIRST))
    states = [model.state(row) for row in document["rows"]]
    columns = model.shown_columns(document["rows"])
    headings = [column.heading for column in columns]
    listed = grid(
        [*headings, "state"] if any(states) else headings, ("state",), model.title(document)
    )
    listed.caption = f"Loads in {model.load_unit}, latencies in cycles"
    for row, state in zip(document["rows"], states, strict=True):
        cells = [
            "-" if row[one.key] is None else f"{row[one.key]:.{one.digits}f}" for one in columns
        ]
        listed.add_row(*cells, *([state] if state else []))
    if document["rows"]:
        console.print(listed)
    if summary := model.summary(document):
        console.print(summary)
