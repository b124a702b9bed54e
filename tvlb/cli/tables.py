"""`tvlb show` and `verify`: commands on saved tables."""

from dataclasses import asdict
from typing import Annotated

import typer

from sim_bridge import Routing
from tvlb.cli.options import Json, VcSchemeOption, integer
from tvlb.cli.terminal import grid, print_json, stdout
from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.languages import choose, one_of
from tvlb.table import (
    PathItem,
    VcSettings,
    by_suffix,
    pair_paths,
    read_any_table,
)
from tvlb.topology import Topology

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"A table file: {one_of(by_suffix(lambda each: each.read))}.",
        show_default=False,
    ),
]


def show(
    table: TableArgument,
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="SRC,DST", help="List the paths of this pair of switches, numbers or names."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show what a table holds."""
    if pair is not None and pair.count(",") == 0:
        raise InvalidInput(f"pair {pair!r} is malformed: expected two switches such as 0,17")
    loaded = read_any_table(table)
    if pair is not None:
        ends = _parse_pair(pair, loaded.topology)
        _show_pair(pair_paths(loaded, *ends), ends, loaded.topology, json)
        return
    summary = loaded.summary()
    if json:
        print_json(plain(summary))
        return
    console = stdout()
    for name, value in summary.items():
        console.print(f"{name.replace('_', ' ')}: {value}")
    if (caution := loaded.topology.caution) is not None:
        console.print(f"note: {caution}")


def _parse_pair(text: str, network: Topology) -> tuple[int, int]:
    parts = text.split(",")
    # Names may have commas in them.
    splits = [(",".join(parts[:at]), ",".join(parts[at:])) for at in range(1, len(parts))]
    names, labels = network.switch_names, set(network.labels)
    known = [ends for ends in splits if labels.issuperset(map(str.strip, ends))]
    if len(splits) > 1 and len(known) != 1:
        raise InvalidInput(f"pair {text!r} is malformed: expected two switches such as 0,17")
    source, target = map(names.number, (known or splits)[0])
    return source, target


def _show_pair(paths: list[PathItem], ends: tuple[int, int], network: Topology, json: bool) -> None:
    if json:
        found = [path.plain() for path in paths]
        print_json({"src": ends[0], "dst": ends[1], "paths": found})
        return
    source, target = map(network.called, ends)
    title = f"VLB paths from switch {source} to switch {target}"
    listed = grid(("switches", "links", "hops", "weight"), ("switches", "links"), title)
    for path in paths:
        listed.add_row(
            ", ".join(path.labels) if path.labels else " ".join(map(str, path.switches)),
            " ".join(map(str, path.links)),
            str(path.hops),
            f"{path.weight:.6f}",
        )
    stdout().print(listed)


def verify_command(
    table: TableArgument,
    vcs: VcSchemeOption = None,
    vc_count: Annotated[
        int | None, integer("Virtual channels of the network.", show_default="as the scheme needs")
    ] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            help=f"Routing that draws from the table, {one_of(Routing)}; where it decides again on "
            "the way, these routes are looked at too.",
            show_default="one that decides at the source only",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a table: valid paths, no pair missing, weights, diversity, no deadlock."""
    chosen = None if routing is None else choose(Routing, "routing", routing)
    settings = VcSettings(vcs, vc_count, chosen)
    report = read_any_table(table).verify(settings)
    if json:
        print_json(plain(asdict(report) | {"ok": report.ok}))
    else:
        console = stdout()
        state = "passed" if report.ok else f"FAILED, {report.problem_count:,} problems"
        console.print(f"{table}: {state} ({report.size})")
        for line in (*report.remarks(), *report.problems):
            console.print(f"  {line}")
    if not report.ok:
        raise typer.Exit(1)
