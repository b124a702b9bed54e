"""`tvlb model`: one linear program."""

from typing import Annotated

import typer

from tvlb.cli.options import (
    AdversarialPatternOption,
    Json,
    PathSetOption,
    Seed,
    TopologyArgument,
    WithoutOption,
)
from tvlb.cli.terminal import print_json, print_warnings, stdout
from tvlb.documents import check_writable, versions
from tvlb.languages import one_of
from tvlb.model import MODEL_SUFFIXES, export_model, parse_solver, solver_kinds, throughput
from tvlb.requests.kinds.model import ModelDocument, ModelledCase
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
    json: Json = False,
) -> None:
    """Model the saturation throughput of one path set under one pattern."""
    network = parse_topology(topology, without)
    path_set = parse_path_set(vlb, network, seed)
    traffic = default_pattern(network) if pattern is None else parse_pattern(pattern)
    case = ModelledCase.of(network, path_set, traffic, monotone=monotone, seed=seed)
    chosen = parse_solver(solver)
    print_warnings(idle_warnings([traffic], network, seed))
    if export is not None:
        check_writable(export, MODEL_SUFFIXES)
        export_model(network, path_set, traffic, export, monotone=monotone, seed=seed)
        if json:
            print_json(case.plain() | {"written": export, "provenance": versions()})
        return
    solved = throughput(network, path_set, traffic, monotone=monotone, solver=chosen, seed=seed)
    if json:
        print_json(ModelDocument.of(case, solved).plain())
        return
    console = stdout()
    console.print(
        f"{network}, {path_set}, {traffic}: theta = {solved.theta:.6f} flits/cycle/node "
        f"(bound {solved.bound:.6f}, {solved.status})"
    )
    console.print(
        f"  relative gap {solved.relative_gap:.1e}, primal residual {solved.primal_residual:.1e}; "
        f"{solved.rows} rows, {solved.columns} columns, {solved.nonzeros} nonzeros; "
        f"built in {solved.build_seconds:.3f} s, solved in {solved.solve_seconds:.3f} s"
    )
