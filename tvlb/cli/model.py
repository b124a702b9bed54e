"""`tvlb model`: one linear program."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console

from tvlb.cli.options import (
    AdversarialPatternOption,
    Json,
    PathSetOption,
    Seed,
    TopologyArgument,
    WithoutOption,
)
from tvlb.cli.remote import ServerOption, TokenFileOption, ask_server, place_of
from tvlb.cli.terminal import print_json, print_result, print_warnings
from tvlb.documents import check_writable, versions
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.model import MODEL_SUFFIXES, export_model, parse_solver, solver_kinds, throughput
from tvlb.requests.kinds.model import ModelBody, ModelDocument, ModelledCase
from tvlb.table import parse_path_set
from tvlb.topology import parse_topology
from tvlb.traffic import default_pattern, idle_warnings, parse_pattern


def model(
    topology: TopologyArgument,
    vlb: PathSetOption = "all",
    pattern: AdversarialPatternOption = None,
    solver: Annotated[
        str, typer.Option(help=f"{', or '.join(map(str, solver_kinds().values()))}.")
    ] = "highs",
    monotone: Annotated[
        bool,
        typer.Option(
            "--monotone/--no-monotone", help="Keep longer VLB paths no busier than shorter ones."
        ),
    ] = True,
    export: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help=f"Write the LP instead of solving it: {one_of(MODEL_SUFFIXES)}."
        ),
    ] = None,
    without: WithoutOption = None,
    seed: Seed = 0,
    server: ServerOption = None,
    token_file: TokenFileOption = None,
    json: Json = False,
) -> None:
    """Model the saturation throughput of one path set under one pattern."""
    network = parse_topology(topology, without)
    if (place := place_of(server, token_file, None)) is not None:
        if export is not None:
            raise InvalidInput("--export with --server: a server solves models and writes none")
        document = ask_server(
            place,
            ModelBody,
            network,
            vlb=vlb,
            pattern=pattern,
            solver=solver,
            monotone=monotone,
            seed=seed,
        )
        print_result(document, print_document, json=json)
        return
    path_set = parse_path_set(vlb, network, seed)
    traffic = default_pattern(network) if pattern is None else parse_pattern(pattern)
    case = ModelledCase.of(network, path_set, traffic, monotone=monotone, seed=seed)
    chosen = parse_solver(solver)
    if export is not None:
        print_warnings(idle_warnings([traffic], network, seed))
        check_writable(export, MODEL_SUFFIXES)
        export_model(network, path_set, traffic, export, monotone=monotone, seed=seed)
        if json:
            print_json(case.plain() | {"written": export, "provenance": versions()})
        return
    solved = throughput(network, path_set, traffic, monotone=monotone, solver=chosen, seed=seed)
    print_result(ModelDocument.of(case, solved).plain(), print_document, json=json)


def print_document(document: Mapping[str, Any], console: Console) -> None:
    """Print the document of a model."""
    case = ", ".join(str(document[name]) for name in ("topology", "path_set", "pattern"))
    console.print(
        f"{case}: theta = {document['theta']:.6f} packets/cycle/node "
        f"(bound {document['bound']:.6f}, {document['status']})"
    )
    console.print(
        "  relative gap {relative_gap:.1e}, primal residual {primal_residual:.1e}; "
        "{rows} rows, {columns} columns, {nonzeros} nonzeros; "
        "built in {build_seconds:.3f} s, solved in {solve_seconds:.3f} s".format(**document)
    )
