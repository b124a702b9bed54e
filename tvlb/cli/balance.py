"""`tvlb balance`: balance one path set."""

from typing import Annotated, Any, cast

import typer

from tvlb.balance import BalanceOptions, balance
from tvlb.cli.options import (
    Json,
    PathSetOption,
    Seed,
    TopologyArgument,
    integer,
    number,
)
from tvlb.cli.terminal import print_json, stdout
from tvlb.provenance import versions
from tvlb.search import balance_document
from tvlb.table import parse_path_set
from tvlb.topology import parse_topology

__all__ = ["balance_command"]


def balance_command(
    topology: TopologyArgument,
    vlb: PathSetOption = "all",
    local_threshold: Annotated[
        float,
        typer.Option(
            parser=number,
            metavar="NUMBER",
            help="Overloaded for a pair above this multiple of the mean.",
        ),
    ] = 2.0,
    global_threshold: Annotated[
        float,
        typer.Option(
            parser=number,
            metavar="NUMBER",
            help="Overloaded over all pairs above this multiple of the mean.",
        ),
    ] = 1.2,
    floor_paths: Annotated[
        int, typer.Option(parser=integer, metavar="INTEGER", help="Fewest paths a pair keeps.")
    ] = 4,
    floor_share: Annotated[
        float, typer.Option(parser=number, metavar="NUMBER", help="Smallest share a pair keeps.")
    ] = 0.5,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Balance the link usage of a path set by removing paths."""
    options = BalanceOptions(local_threshold, global_threshold, floor_paths, floor_share)
    network = parse_topology(topology)
    path_set = parse_path_set(vlb, network, seed)
    report = balance_document(balance(path_set, options, seed=seed).report)
    document = {
        "topology": str(network),
        "path_set": str(path_set),
        "seed": seed,
        **report,
        "provenance": versions(),
    }
    if json:
        print_json(document)
        return
    console = stdout()
    console.print(
        f"{network}, {path_set}: {document['removed']:,} of {document['paths']:,} paths removed, "
        f"{document['pairs_at_floor']:,} pairs at the floor"
    )
    if document["sampled_pairs"] is not None:
        console.print(
            f"  too many paths to list: these are figures of {document['sampled_pairs']:,} pairs; "
            "the step over all pairs is left out"
        )
    for kind in ("local", "global"):
        usage = cast("dict[str, Any]", document[kind])
        if usage["before"] is not None:
            console.print(
                f"  {kind} links, largest/mean usage: {usage['before']:.4f} before, "
                f"{usage['after']:.4f} after"
            )
        if usage["pair_max_before"] is not None and usage["pair_max_after"] is not None:
            console.print(
                f"  {kind} links, the worst pair alone: {usage['pair_max_before']:.4f} before, "
                f"{usage['pair_max_after']:.4f} after"
            )
