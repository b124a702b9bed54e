"""`tvlb show`, `verify` and `export`: commands on saved tables."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tvlb.choices import choose, one_of
from tvlb.cli.options import Json, VcSchemeOption, integer
from tvlb.cli.terminal import grid, print_json, stdout
from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.reading import whole_number
from tvlb.search import Routing
from tvlb.table import (
    CompactTable,
    PathItem,
    VcSettings,
    by_suffix,
    check_writable,
    pair_paths,
    read_table,
    summarise,
    table_formats,
    verify,
    write_switch,
    write_table,
)

__all__ = ["export", "show", "verify_command"]

TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"A table file: {one_of(by_suffix(lambda each: each.read))}.",
        show_default=False,
    ),
]
_WRITTEN = {name: each for name, each in table_formats().items() if each.write is not None}


def show(
    table: TableArgument,
    pair: Annotated[
        str | None, typer.Option(metavar="SRC,DST", help="List the paths of this switch pair.")
    ] = None,
    json: Json = False,
) -> None:
    """Show what a table holds."""
    ends = None if pair is None else _parse_pair(pair)
    loaded = read_table(table)
    if ends is not None:
        _show_pair(pair_paths(loaded, *ends), ends, json)
        return
    summary = summarise(loaded)
    if json:
        print_json(plain(summary))
        return
    console = stdout()
    for name, value in summary.items():
        console.print(f"{name.replace('_', ' ')}: {value}")


def _parse_pair(text: str) -> tuple[int, int]:
    try:
        source, target = map(whole_number, text.split(","))
    except ValueError:
        raise InvalidInput(
            f"pair {text!r} is malformed: expected two switches such as 0,17"
        ) from None
    return source, target


def _show_pair(paths: list[PathItem], ends: tuple[int, int], json: bool) -> None:
    if json:
        found = [path.plain() for path in paths]
        print_json({"src": ends[0], "dst": ends[1], "paths": found})
        return
    title = f"VLB paths from switch {ends[0]} to switch {ends[1]}"
    listed = grid(("switches", "links", "hops", "weight"), ("switches", "links"), title)
    for path in paths:
        listed.add_row(
            " ".join(map(str, path.switches)),
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
    report = verify(read_table(table), settings)
    if json:
        print_json(plain(asdict(report) | {"ok": report.ok}))
    else:
        console = stdout()
        state = "passed" if report.ok else f"FAILED, {report.problem_count:,} problems"
        console.print(f"{table}: {state} ({report.paths:,} paths, {report.vcs_needed} VCs needed)")
        if report.sampled_pairs is not None:
            console.print(f"  looked at: a sample of {report.sampled_pairs:,} switch pairs")
        if report.nearest_pairs:
            console.print(f"  nearest shape taken by: {report.nearest_pairs:,} switch pairs")
        if report.listed_weights:
            console.print(
                "  weights: listed, not derived from a rule; their values are not checked"
            )
        for problem in report.problems:
            console.print(f"  {problem}")
    if not report.ok:
        raise typer.Exit(1)


def export(
    table: TableArgument,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"{one_of(_WRITTEN)}.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The new file.")],
    switch: Annotated[
        int | None, integer("Only the rows of this source switch.", metavar="SWITCH")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="List the rows of a compact table.")] = False,
    json: Json = False,
) -> None:
    """Write a table in another format, or the rows of one switch."""
    if to not in _WRITTEN:
        raise InvalidInput(f"unknown format {to!r}; choose {one_of(_WRITTEN)}")
    if Path(output).suffix not in _WRITTEN[to].suffixes:
        suffixes = one_of(_WRITTEN[to].suffixes)
        raise InvalidInput(f"{output}: a file of format {to} must end in {suffixes}")
    if full and switch is not None:
        raise InvalidInput("--full and --switch exclude each other: one switch is listed in full")
    check_writable(output)
    loaded = read_table(table)
    if switch is not None:
        paths = write_switch(loaded, switch, Path(output))
    else:
        exported = loaded.expanded() if full and isinstance(loaded, CompactTable) else loaded
        write_table(exported, Path(output))
        paths = len(exported.columns)
    if json:
        print_json({"written": output, "format": to, "id": loaded.id, "paths": paths})
