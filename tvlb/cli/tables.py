"""`tvlb show` and `verify`: what tables and networks are."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Annotated, Any

import typer
from rich.console import Console

from sim_bridge import PATH_ROUTINGS, Routing
from tvlb.cli.numbers import integer
from tvlb.cli.options import FabricOption, Json, VcSchemeOption, WithoutOption
from tvlb.cli.terminal import grid, in_words, print_json, print_result, stdout
from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.languages import choose, one_of
from tvlb.requests.network import NetworkFacts
from tvlb.table import (
    TABLE_SUFFIXES,
    ForwardingTable,
    PathItem,
    TableReport,
    VcSettings,
    audit_of,
    audited_file,
    by_suffix,
    is_dump,
    is_table_file,
    pair_paths,
    read_any_table,
)
from tvlb.topology import Topology, parse_topology


def show(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="A table file or a topology, as it is parsed.",
            show_default=False,
        ),
    ],
    pair: Annotated[
        str | None,
        typer.Option(
            metavar="SRC,DST",
            help="List the paths of a table for this pair of switches, numbers or names.",
        ),
    ] = None,
    without: WithoutOption = None,
    json: Json = False,
) -> None:
    """Show what a table holds, or what a network amounts to."""
    if pair is not None and pair.count(",") == 0:
        raise InvalidInput(f"pair {pair!r} is malformed: expected two switches such as 0,17")
    is_table = is_table_file(subject) or (
        subject.endswith(TABLE_SUFFIXES) and not os.path.exists(subject)
    )
    if not is_table and is_dump(subject):
        raise InvalidInput(
            f"{subject} is a dump of forwarding tables: tvlb verify tells of it with the output of "
            "ibnetdiscover as --fabric, tvlb export makes it a table"
        )
    if not is_table:
        if pair is not None:
            raise InvalidInput(f"--pair {pair}: {subject} is a network, and tables have paths")
        facts = NetworkFacts.of(parse_topology(subject, without))
        print_result(facts.plain(), _print_network, json=json)
        return
    if without is not None:
        raise InvalidInput(f"--without {without}: tvlb repair makes the table of what is left")
    loaded = read_any_table(subject)
    if pair is not None:
        ends = _parse_pair(pair, loaded.topology)
        _show_pair(pair_paths(loaded, *ends), ends, loaded.topology, json)
        return
    summary = loaded.summary()
    if json:
        print_json(plain(summary))
        return
    console = stdout()
    facts: Any = plain(summary)
    for name, value in facts.items():
        console.print(f"{name.replace('_', ' ')}: {in_words(value)}")
    if (caution := loaded.topology.caution) is not None:
        console.print(f"note: {caution}")


def _print_network(facts: Mapping[str, Any], console: Console) -> None:
    for line in _facts_in_words(facts):
        console.print(line)
    cables = grid(("cables", "number", "latency, cycles (iq)", "(vct)"), ("cables",))
    for one in facts["cables"]:
        cables.add_row(one["kind"], f"{one['cables']:,}", *map(str, list(one.values())[2:]))
    console.print(cables)
    for router, rows in groupby(facts["vcs_needed"], itemgetter("router")):
        by_routing = groupby([*rows], itemgetter("routing"))
        counts = {
            routing: {one["policy"]: one["vcs"] for one in mine} for routing, mine in by_routing
        }
        policies = next(iter(counts.values()))
        table = grid(("routing", *policies), ("routing",), f"VCs that router {router} needs")
        for routing, vcs in counts.items():
            table.add_row(routing, *("-" if one is None else str(one) for one in vcs.values()))
        console.print(table)
    if facts["uncounted"]:
        console.print(f"No VCs are told, nor are paths listed: {facts['uncounted']}")
    if facts["caution"]:
        console.print(f"note: {facts['caution']}")
    if facts["labels"]:
        console.print(
            "Switches: " + ", ".join(f"{i} {one}" for i, one in enumerate(facts["labels"]))
        )


def _facts_in_words(facts: Mapping[str, Any]) -> Iterator[str]:
    def between(ends: Sequence[int]) -> str:
        low, high = ends
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"

    groups = f" in {facts['groups']:,} groups" if facts["groups"] else ""
    yield f"{facts['topology']}: {facts['nodes']:,} nodes, {facts['switches']:,} switches{groups}"
    yield (
        f"Switches: {between(facts['radix'])} ports; {facts['switches_with_nodes']:,} with "
        f"{between(facts['nodes_per_switch'])} nodes"
    )
    mean = facts["min_hops_mean"]
    yield (
        f"MIN paths: up to {facts['diameter']} links"
        + ("" if mean is None else f", {mean:.3f} on average")
        + (", from a sample of switches" if facts["is_sampled"] else "")
    )
    cut = facts["connectivity"]
    yield (
        f"Every switch has at least {facts['fewest_cables']:,} cables"
        + ("" if cut is None else f"; {cut:,} have to fail to cut the network")
    )


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


def _refuse_others(given: Mapping[str, object], own: Sequence[str], called: str) -> None:
    """Refuse options of other files."""
    for name, value in given.items():
        if value is not None and name not in own:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(f"{option} is given, which has no meaning for {called}")


def verify_command(
    table: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help=f"A table file: {one_of(by_suffix(lambda each: each.read))}; a dump of the "
            "forwarding tables of OpenSM; or segment lists, as exported to srv6.",
            show_default=False,
        ),
    ],
    vcs: VcSchemeOption = None,
    vc_count: Annotated[
        int | None,
        integer(
            "Virtual channels of the network.", "1 or more", show_default="as the scheme needs"
        ),
    ] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            help=f"Routing that draws from the table, {one_of(PATH_ROUTINGS)}; where it decides "
            "again on the way, these routes are looked at too.",
            show_default="one that decides at the source only",
        ),
    ] = None,
    fabric: FabricOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="OLD",
            help="Of forwarding tables: the one that is in use, to tell what would change.",
        ),
    ] = None,
    without: WithoutOption = None,
    json: Json = False,
) -> None:
    """Check a table: valid paths, no pair missing, weights, diversity, no deadlock.

    Of forwarding tables, whether a packet could be lost, circle or wait for ever. Of segment lists,
    whether every packet arrives by its path, also where some of the network is down.
    """
    given = {"vcs": vcs, "vc_count": vc_count, "routing": routing}
    given |= {"fabric": fabric, "against": against, "without": without}
    report: TableReport
    if other := audit_of(table):
        _refuse_others(given, other.options, other.called)
        report = other.audit(table, **{name: given[name] for name in other.options})
    elif isinstance(loaded := read_any_table(table), ForwardingTable):
        _refuse_others(given, ("fabric", "against"), "forwarding tables")
        report = audited_file(table, fabric, against)
    else:
        _refuse_others(given, ("vcs", "vc_count", "routing"), "tables of paths")
        chosen = None if routing is None else choose(Routing, "routing", routing)
        if chosen is not None and chosen not in PATH_ROUTINGS:
            raise InvalidInput(
                f"routing {chosen} draws from no table: choose {one_of(PATH_ROUTINGS)}"
            )
        report = loaded.verify(VcSettings(vcs, vc_count, chosen))
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
