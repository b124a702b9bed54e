"""`tvlb probe`: Step 1 alone."""

from typing import Annotated

import typer

from tvlb.cli.numbers import Workers, number
from tvlb.cli.options import Json, Seed, TopologyArgument, WithoutOption
from tvlb.cli.table_summary import print_probe
from tvlb.cli.terminal import print_result, progress_display
from tvlb.documents import versions
from tvlb.processes import available_cores
from tvlb.requests import ProbeCurve
from tvlb.search import probe
from tvlb.topology import parse_topology


def probe_command(
    topology: TopologyArgument,
    patterns: Annotated[str, typer.Option(help="auto, all or a number of patterns.")] = "auto",
    tolerance: Annotated[float, number("Tolerance of the candidate cut.", "0 to below 1")] = 0.08,
    without: WithoutOption = None,
    seed: Seed = 0,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Model the throughput of the 31 data points and the strategic choices."""
    network = parse_topology(topology, without)
    with progress_display() as report:
        result = probe(
            network,
            patterns=patterns,
            tolerance=tolerance,
            seed=seed,
            workers=workers or available_cores(),
            report=report,
        )
    document = {
        "topology": str(network),
        "seed": seed,
        **ProbeCurve.of(result, tolerance).plain(),
        "provenance": versions(),
    }
    print_result(document, print_probe, json=json)
