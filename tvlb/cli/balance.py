"""`tvlb balance`: balance one path set."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from tvlb.balance import Balanced, BalanceOptions, WeightOptions, balance, balance_weights
from tvlb.cli.options import Json, PathSetOption, Seed, TopologyArgument, WithoutOption
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import print_result
from tvlb.documents import link_kinds, plain, versions
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet
from tvlb.requests import Balance
from tvlb.table import parse_path_set
from tvlb.topology import parse_topology


@takes_settings
def balance_command(
    topology: TopologyArgument,
    vlb: PathSetOption = "all",
    method: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="removal: paths over busy links go; weights: they are drawn less often.",
        ),
    ] = "removal",
    *,
    removal: BalanceOptions,
    weights: WeightOptions,
    without: WithoutOption = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Balance the link usage of a path set by removing paths or by changing their weights."""
    _check_method(method, removal, weights)
    network = parse_topology(topology, without)
    path_set = parse_path_set(vlb, network, seed)
    found = _balance(path_set, removal if method == "removal" else weights, seed)
    document = {
        "topology": str(network),
        "path_set": str(path_set),
        "seed": seed,
        "method": method,
        **Balance.of(found.report).plain(),
        "mean_vlb_hops": plain(found.mean_hops),
        "provenance": versions(),
    }
    print_result(document, _print, json=json)


def _check_method(method: str, removal: BalanceOptions, weights: WeightOptions) -> None:
    if method not in ("removal", "weights"):
        raise InvalidInput(f"method {method!r} is unknown; choose one of removal, weights")
    if method == "removal" and weights != WeightOptions():
        raise InvalidInput("--rounds, --step and --weight-floor belong to --method weights")
    if method == "weights" and removal != BalanceOptions():
        raise InvalidInput(
            "--local-threshold, --global-threshold, --floor-paths and --floor-share belong to "
            "--method removal"
        )


def _balance(path_set: PathSet, options: BalanceOptions | WeightOptions, seed: int) -> Balanced:
    if isinstance(options, WeightOptions):
        return balance_weights(path_set, options)
    return balance(path_set, options, seed=seed)


def _print(document: Mapping[str, Any], console: Console) -> None:
    title = f"{document['topology']}, {document['path_set']}"
    if document["method"] == "weights":
        hops = document["mean_vlb_hops"]
        length = "" if hops is None else f", {hops:.3f} hops on average"
        console.print(f"{title}: weights of {document['paths']:,} paths{length}")
    else:
        console.print(
            f"{title}: {document['removed']:,} of {document['paths']:,} paths removed, "
            f"{document['pairs_at_floor']:,} pairs at the floor"
        )
    if document["sampled_pairs"] is not None:
        console.print(
            f"  too many paths to list: these are figures of {document['sampled_pairs']:,} pairs; "
            "the step over all pairs is left out"
        )
    for kind in link_kinds(document):
        usage = document[kind]
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
