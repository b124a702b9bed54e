"""`tvlb export`: tables, networks and paths in other formats, and for other tools."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tvlb.cli.numbers import integer, number
from tvlb.cli.options import AdversarialPatternOption, FabricOption, Json, Seed, WithoutOption
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import print_json, print_warnings
from tvlb.documents import check_writable
from tvlb.errors import InvalidInput
from tvlb.languages import all_of, one_of
from tvlb.model import min_share as modelled_min_share
from tvlb.paths import PathSet, expression_examples
from tvlb.table import (
    TABLE_SUFFIXES,
    ForeignSettings,
    RouteFormat,
    Routes,
    StoredTable,
    WeightedPaths,
    damage_of,
    exported_paths,
    is_dump,
    is_table_file,
    parse_path_set,
    read_any_table,
    read_dumped_table,
    route_formats,
    table_kinds,
    write_switch,
    write_table,
    written_formats,
)
from tvlb.topology import (
    MAX_NODES,
    merged,
    network_formats,
    parse_topology,
    read_network,
    write_network,
)
from tvlb.traffic import default_pattern, parse_pattern

_TABLES = written_formats()
_NETWORKS = {name: each for name, each in network_formats().items() if each.write is not None}
_ROUTES = route_formats()


def _suffixes() -> dict[str, tuple[str, ...]]:
    # JSON files of networks end as those of tables do.
    every = (*_TABLES.items(), *_NETWORKS.items(), *_ROUTES.items())
    return {name: each.suffixes for name, each in every}


def _offered() -> dict[str, list[str]]:
    """Return the formats by what they take."""
    of_kind = {one.made: f"{one.name}s" for one in table_kinds().values()}
    found = {"networks": [*_NETWORKS], "tables": [*_TABLES], "paths": list[str]()}
    for name, each in _ROUTES.items():
        found.setdefault(of_kind.get(each.takes, "paths"), []).append(name)
    return found


def _help() -> str:
    return f"Of {'; of '.join(f'{what} {one_of(names)}' for what, names in _offered().items())}."


_PATHS = _offered()["paths"]
_DRAWN = [name for name, each in _ROUTES.items() if each.fixed_weights]


@takes_settings
def export(
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT", help="A table file or a topology, as it is parsed.", show_default=False
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The new file; for sst and codes, what the names of all files begin with.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=_help(),
            show_default="what the suffix of PATH says",
        ),
    ] = None,
    switch: Annotated[
        str | None,
        typer.Option(
            metavar="SWITCH",
            help="Only the rows of a table with this source switch, a number or a name.",
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="List the rows of a compact table.")] = False,
    vlb: Annotated[
        str | None,
        typer.Option(
            metavar="EXPR",
            help=f"VLB paths of a topology: {', '.join(expression_examples())}.",
            show_default="all",
        ),
    ] = None,
    loop_free: Annotated[
        bool,
        typer.Option(
            "--loop-free", help=f"Leave out paths that visit a switch twice: {one_of(_PATHS)}."
        ),
    ] = False,
    min_share: Annotated[
        float | None,
        number(
            f"Share of MIN paths, 0..1, where weights are fixed: {one_of(_PATHS)}.",
            "0..1",
            show_default=f"for {all_of(_DRAWN)} that of the model under --pattern",
        ),
    ] = None,
    merge_parallel: Annotated[
        bool,
        typer.Option("--merge-parallel", help="Write one cable where several join two switches."),
    ] = False,
    pattern: AdversarialPatternOption = None,
    without: WithoutOption = None,
    endpoints: Annotated[
        int | None,
        integer(
            "Compute nodes of each switch, if the network file does not say.",
            f"0..{MAX_NODES:,}",
        ),
    ] = None,
    fabric: FabricOption = None,
    allow_deadlock: Annotated[
        bool,
        typer.Option(
            "--allow-deadlock", help="Write a table that can deadlock where it is to be loaded."
        ),
    ] = False,
    seed: Seed = 0,
    json: Json = False,
    *,
    settings: ForeignSettings,
) -> None:
    """Write a table or a network in another format, or the paths of a table for other tools."""
    to = _format_by_suffix(source, output) if to is None else to
    if to in _ROUTES and _ROUTES[to].network and not _is_table(source):
        to = _ROUTES[to].network
    _check_output(to, output)
    given = {"--vlb": vlb, "--loop-free": loop_free or None, "--min-share": min_share}
    given |= {"--pattern": pattern, "--switch": switch, "--full": full or None}
    asked = settings.given()
    _refuse_settings(to, asked)
    fabric_options = {"--fabric": fabric, "--allow-deadlock": allow_deadlock or None}
    _refuse_fabric(source, to, fabric_options)
    if to in _NETWORKS and not (to in _TABLES and _is_table(source)):
        _refuse(given, [*given], f"{to} of a network")
        document = _export_network(
            source, to, output, endpoints, without, merge_parallel=merge_parallel
        )
        if json:
            print_json(document)
        return
    _refuse({"--endpoints": endpoints}, ("--endpoints",), f"{to} of a table")
    if to not in _ROUTES or not _ROUTES[to].single_cables:
        _refuse({"--merge-parallel": merge_parallel or None}, ("--merge-parallel",), to)
    if to in _TABLES:
        _refuse(given, ("--vlb", "--loop-free", "--min-share", "--pattern"), to)
        _refuse_without(source, without)
        document = _export_table(source, to, output, switch, fabric, full=full)
    elif _ROUTES[to].takes is not Routes:
        _refuse(given, [*given], to)
        _refuse_without(source, without)
        options = _options(to, fabric=fabric, allow_deadlock=allow_deadlock)
        document = _export_kind(source, to, output, options, asked)
    else:
        _refuse(given, ("--switch", "--full"), to)
        if min_share is not None or not _ROUTES[to].fixed_weights:
            _refuse(given, ("--pattern",), f"{to} with a share" if min_share is not None else to)
        path_set = _paths_of(source, vlb, without, seed)
        settled = _ROUTES[to].settled(asked, path_set.topology)
        if min_share is None and _ROUTES[to].fixed_weights:
            min_share = _modelled_share(path_set, to, pattern, seed)
        routes = Routes(path_set, min_share, loop_free=loop_free, merge_parallel=merge_parallel)
        document = _export_routes(routes, _ROUTES[to], output, settled)
    if json:
        print_json(document)


def _format_by_suffix(source: str, output: str) -> str:
    suffix = Path(output).suffix
    found = [name for name, suffixes in _suffixes().items() if suffix in suffixes]
    if len(found) > 1:  # of a table, its own formats come first
        found = [name for name in found if (name in _TABLES) == _is_table(source)] or found
    if len(found) != 1:
        what = f"the suffix {suffix}" if suffix else "a name without a suffix"
        of = one_of(found) if found else "no format"
        raise InvalidInput(f"{output}: {what} is of {of}; choose with --to: {one_of(_suffixes())}")
    return found[0]


def _check_output(to: str, output: str) -> None:
    """Refuse unknown formats, and names that are those of another format or cannot be written."""
    if to not in _suffixes():
        raise InvalidInput(f"unknown format {to!r}; choose {one_of(_suffixes())}")
    own, suffix = _suffixes()[to], Path(output).suffix
    others = [name for name, suffixes in _suffixes().items() if suffix in suffixes]
    hint = f"; {suffix} is of {one_of(others)}" if others else ""
    if own and suffix not in own:
        raise InvalidInput(f"{output}: a file of format {to} must end in {one_of(own)}{hint}")
    if others and not own:
        raise InvalidInput(f"{output}: the files of format {to} have endings of their own{hint}")
    for path in _files_of(to, output):
        check_writable(path, (Path(path).suffix,))


def _files_of(to: str, output: str) -> Sequence[str]:
    return [f"{output}{one}" for one in (_ROUTES[to].endings if to in _ROUTES else ("",))]


def _refuse(given: Mapping[str, object], options: Sequence[str], to: str) -> None:
    for option in options:
        if given[option] is not None:
            raise InvalidInput(f"{option} has no meaning for format {to}")


def _export_network(
    source: str,
    to: str,
    output: str,
    endpoints: int | None,
    without: str | None,
    *,
    merge_parallel: bool,
) -> dict[str, Any]:
    remarks: list[str] = []
    if endpoints is not None:
        if without is not None:
            raise InvalidInput("--without and --endpoints: complete the network in a file first")
        network = read_network(source, endpoints)
    elif is_table_file(source):
        _refuse_without(source, without)
        network = read_any_table(source).topology
        remarks.append(f"{to} holds the network of {source}, and none of its paths")
    else:
        network = parse_topology(source, without)
    left, merging = merged(network) if merge_parallel else (network, ())
    written, lost = write_network(left, output, _NETWORKS[to])
    remarks += [f"{to} does not hold {one}" for one in (*merging, *lost)]
    print_warnings(remarks)
    return {
        "written": written,
        "format": to,
        "topology": str(network),
        "switches": network.num_switches,
        "nodes": network.num_nodes,
        "links": left.num_links,
        "warnings": remarks,
    }


def _export_table(
    source: str, to: str, output: str, switch: str | None, fabric: str | None, *, full: bool
) -> dict[str, Any]:
    if full and switch is not None:
        raise InvalidInput("--full and --switch exclude each other: one switch is listed in full")
    if is_dump(source):
        loaded, remarks = read_dumped_table(source, fabric)
    else:
        loaded = _loaded(source, to)
        # Written all the same: to read what a damaged table holds may take another format.
        remarks = [f"{source} {damage}"] if (damage := damage_of(loaded)) else []
    print_warnings(remarks)
    if switch is not None:
        number = loaded.topology.switch_names.number(switch)
        paths = write_switch(loaded, number, Path(output))
    else:
        exported = loaded.expanded() if full else loaded
        write_table(exported, Path(output))
        paths = exported.num_rows
    written = {"written": output, "format": to, "id": loaded.id, "paths": paths}
    return written | {"warnings": remarks}


def _loaded(source: str, to: str) -> StoredTable:
    is_other = os.path.exists(source) or not source.endswith(TABLE_SUFFIXES)
    if is_other and not is_table_file(source):
        raise InvalidInput(
            f"{source} is no table file, and {to} holds tables; networks are written as "
            f"{one_of(_NETWORKS)}"
        )
    return read_any_table(source)


def _refuse_fabric(source: str, to: str, given: Mapping[str, object]) -> None:
    """Refuse options of fabrics that have no meaning; that of a dump always has one."""
    if to not in _ROUTES or not _ROUTES[to].options:
        _refuse(given, [*given][is_dump(source) :], to)


def _is_table(source: str) -> bool:
    return is_table_file(source) or is_dump(source)


def _options(to: str, **known: object) -> dict[str, object]:
    """Return what a format takes of the options; raise InvalidInput if one is missing."""
    given = {name: known[name] for name in _ROUTES[to].options}
    if given.get("fabric", "") is None:
        raise InvalidInput(f"{to} is for a fabric: give what ibnetdiscover prints with --fabric")
    return given


def _refuse_settings(to: str, asked: Mapping[str, object]) -> None:
    """Refuse settings of other formats."""
    known = {f"--{name.replace('_', '-')}": value for name, value in asked.items()}
    own = () if to not in _ROUTES else _ROUTES[to].own_settings
    _refuse(known, [one for one, name in zip(known, asked, strict=True) if name not in own], to)


def _export_kind(
    source: str, to: str, output: str, options: Mapping[str, Any], asked: Mapping[str, Any]
) -> dict[str, Any]:
    loaded, taken = _loaded(source, to), _ROUTES[to]
    if not isinstance(loaded, taken.takes):
        (wanted,) = (what for what, names in _offered().items() if to in names)
        raise InvalidInput(f"{source} is a {loaded.kind.name}, and {to} holds {wanted}")
    settled = taken.settled(asked, loaded.topology)
    remarks = list(taken.write(loaded, Path(output), **options, **settled))
    print_warnings(remarks)
    return {
        "written": _files_of(to, output),
        "format": to,
        "id": loaded.id,
        "topology": str(loaded.topology),
        "warnings": remarks,
    }


def _refuse_without(source: str, without: str | None) -> None:
    if without is not None:
        raise InvalidInput(
            f"--without has no meaning for a table, such as {source}; see tvlb repair"
        )


def _paths_of(
    source: str, vlb: str | None, without: str | None, seed: int
) -> PathSet | WeightedPaths:
    if not is_table_file(source):
        network = parse_topology(source, without)
        return parse_path_set("all" if vlb is None else vlb, network, seed)
    _refuse_without(source, without)
    if vlb is not None:
        raise InvalidInput(f"--vlb has no meaning for a table: {source} has paths")
    return exported_paths(read_any_table(source))


def _modelled_share(
    paths: PathSet | WeightedPaths, to: str, pattern: str | None, seed: int
) -> float | None:
    """Return the MIN share at the optimum of the model; None of a table that fixes all weights."""
    if isinstance(paths, PathSet):
        network = paths.topology
        traffic = default_pattern(network) if pattern is None else parse_pattern(pattern)
        return modelled_min_share(paths, traffic, seed=seed)
    _refuse({"--pattern": pattern}, ("--pattern",), f"{to} of a table that fixes all weights")
    return None


def _export_routes(
    routes: Routes, to: RouteFormat, output: str, settled: Mapping[str, Any]
) -> dict[str, Any]:
    remarks = list(to.write(routes, Path(output), **settled))
    print_warnings(remarks)
    return {
        "written": _files_of(to.name, output),
        "format": to.name,
        "topology": str(routes.topology),
        "path_set": str(routes.path_set),
        "min_share": routes.min_share,
        "loop_free": routes.loop_free,
        "warnings": remarks,
    }
