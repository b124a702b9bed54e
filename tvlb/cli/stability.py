"""`tvlb stability`: long runs of the virtual cut-through router under full load."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sim_bridge import LOAD, SEEDS, VCT_ROUTINGS
from sim_bridge.routers.vct import VC_POLICIES, LongRun, stability_cases, study_stability
from tvlb.cli.executors import ExecutorOptions
from tvlb.cli.numbers import integer, number
from tvlb.cli.options import Json, PatternOption, Seed, TopologyArgument, WithoutOption
from tvlb.cli.remote import ServerOption, TokenFileOption, ask_server, place_of
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import grid, print_result, progress_display
from tvlb.documents import check_directory, check_writable
from tvlb.errors import InvalidInput
from tvlb.jobs.workspace import Workspace
from tvlb.languages import asked
from tvlb.paths import UgalRule
from tvlb.plots import FIGURE_SUFFIXES, save_figure
from tvlb.processes import UnitCache, Units
from tvlb.requests.kinds.stability import StabilityBody, StabilityDocument
from tvlb.requests.routers.vct import no_deadlock
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern


@takes_settings
def stability(
    topology: TopologyArgument,
    pattern: PatternOption = "uniform",
    routing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROUTING",
            help=f"{', '.join(VCT_ROUTINGS)}; may be repeated.",
            show_default=VCT_ROUTINGS[1],
        ),
    ] = None,
    vcs: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY[:COUNT]",
            help=f"Policy of virtual channels, {', '.join(VC_POLICIES)}, and how many of them a "
            "port has, if not what the policy needs; may be repeated.",
            show_default="ladder",
        ),
    ] = None,
    load: Annotated[float, number("Offered load, phits/cycle/node.", LOAD)] = 1.0,
    *,
    router: LongRun,
    without: WithoutOption = None,
    seed: Seed = 0,
    seeds: Annotated[int, integer("Runs of each case, with seeds SEED, SEED+1, ...", SEEDS)] = 1,
    until_collapse: Annotated[
        bool,
        typer.Option(
            "--until-collapse",
            help="End a run as soon as it is sure to be of category 3; categories are the same.",
        ),
    ] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep finished runs there, so that a study that was interrupted goes on from "
            "them.",
        ),
    ] = None,
    figure: Annotated[
        str | None,
        typer.Option(metavar="FIG", help="Draw accepted load over time: .svg, .png or .pdf."),
    ] = None,
    where: ExecutorOptions,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    json: Json = False,
) -> None:
    """Run a network under full load for long, and tell whether throughput lasts."""
    place = place_of(server, token_file, where.workers, store)
    if place is not None and where.executor != "local":
        raise InvalidInput("--executor with --server: the server decides on its workers")
    if figure is not None:
        check_writable(figure, FIGURE_SUFFIXES)
    if store is not None:
        check_directory(store)
    network = parse_topology(topology, without)
    routings, channels = routing or [VCT_ROUTINGS[1]], vcs or ["ladder"]
    if place is None:
        traffic, cases = parse_pattern(pattern), stability_cases(router, routings, channels)
        with progress_display() as report, where.started(report) as started:
            kept = None if store is None else Workspace(store, started.workers).units
            study = study_stability(
                network,
                cases,
                traffic,
                load=load,
                seed=seed,
                seeds=seeds,
                until_collapse=until_collapse,
                units=Units(UnitCache(started.executor, kept), threading.Event()),
                report=report,
            )
        document: Mapping[str, Any] = StabilityDocument.of(study).plain()
    else:
        document = ask_server(
            place,
            StabilityBody,
            network,
            pattern=pattern,
            routing=routings,
            vcs=channels,
            load=load,
            seed=seed,
            seeds=seeds,
            until_collapse=until_collapse,
            **asked(router),
        )
    if figure is not None:
        save_figure(figure, document)
    print_result(document, print_document, json=json)


def print_document(document: Mapping[str, Any], console: Console) -> None:
    """Print the document of a study."""
    title = f"{document['topology']}, {document['pattern']}, load {document['load']:g} phits/cycle"
    columns = (
        "routing",
        "VCs",
        "seed",
        "category",
        "level",
        "lowest",
        "peak",
        "at the end",
        "low from",
    )
    listed = grid(columns, ("routing", "VCs"), f"{title} and node")
    for case in document["stability"]:
        for run in case["runs"]:
            levels = [run[name] for name in ("level", "lowest", "peak", "end_level")]
            listed.add_row(
                case["routing"] + UgalRule.of(case["config"]).by,
                f"{case['config']['vc_policy']}, {case['config']['vc_count']}",
                str(run["seed"]),
                str(run["category"]),
                *(f"{one:.3f}" for one in levels),
                "-" if run["low_from"] is None else f"{run['low_from']:,}",
            )
    console.print(listed)
    proofs = [no_deadlock(case) for case in document["stability"]]
    console.print("\n".join(filter(None, proofs)))
    console.print(
        "Categories: 1 never low; 2 low for at most a tenth of the time, and high at the end; 3 "
        "otherwise. Low: 10,000 cycles below 0.85 of the peak."
    )
    if document["until_collapse"]:
        console.print("Runs ended as soon as they were sure to be of category 3.")
