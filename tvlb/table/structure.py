"""Checks of single rows: each must be a path of the topology, in its place."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import ABSENT, MAX_HOPS, PathRows
from tvlb.table.chunks import pair_chunks
from tvlb.table.columns import Columns
from tvlb.table.findings import Finding, rows_that
from tvlb.topology import Dragonfly, LinkKind

__all__ = ["check_order", "check_paths", "first_invalid_row"]

Mask = NDArray[np.bool_]


def check_order(columns: Columns, topology: Dragonfly) -> list[Finding]:
    """Check that switch pairs exist, rows are sorted and no path is listed twice."""
    switches = topology.num_switches
    source, target = columns.src_switch, columns.dst_switch
    outside = (source < 0) | (source >= switches) | (target < 0) | (target >= switches)
    order = _compare_with_previous(columns)
    return [
        *rows_that(f"a switch id is not in 0..{switches - 1}", outside, columns),
        *rows_that("source and destination are the same switch", source == target, columns),
        *rows_that("the row is out of order", order < 0, columns),
        *rows_that("the path is listed twice", order == 0, columns),
    ]


def _compare_with_previous(columns: Columns) -> NDArray[np.int8]:
    """Return 1, 0 or -1 where a row's path sorts after, equal to or before the one above it."""
    order = np.zeros(len(columns), dtype=np.int8)
    order[:1] = 1
    for values in (
        columns.src_switch,
        columns.dst_switch,
        columns.intermediate,
        columns.first_link,
        columns.second_link,
    ):
        later, earlier = values[1:], values[:-1]
        undecided = order[1:] == 0
        order[1:][undecided & (later > earlier)] = 1
        order[1:][undecided & (later < earlier)] = -1
    return order


def check_paths(rows: PathRows) -> list[Finding]:
    """Check that every row is a path from its source to its destination."""
    columns = Columns.from_rows(rows)
    findings = [
        finding
        for what, wrong in _invalid_masks(rows, columns)
        for finding in rows_that(what, wrong, columns)
    ]
    return findings or rows_that("the links do not connect", _disconnected(rows), columns)


def first_invalid_row(rows: PathRows) -> str | None:
    """Describe the first finding of `check_paths`, or return None."""
    findings = check_paths(rows)
    return findings[0].text if findings else None


def _invalid_masks(rows: PathRows, columns: Columns) -> Iterator[tuple[str, Mask]]:
    """Yield each rule that a path must keep, with the rows that break it."""
    topology = rows.topology
    links, switches = topology.num_links, topology.num_switches
    unknown = (columns.intermediate < 0) | (columns.intermediate >= switches)
    for link in (columns.first_link, columns.second_link):
        unknown |= (link < ABSENT) | (link >= links)
    yield "an intermediate switch or link id does not exist", unknown
    group = topology.switch_group
    inside = group[columns.src_switch] == group[columns.dst_switch]
    for applies, masks in ((inside, _inside_group), (~inside, _between_groups)):
        for what, wrong in masks(topology, columns):
            yield what, wrong & applies & ~unknown


def _inside_group(topology: Dragonfly, columns: Columns) -> Iterator[tuple[str, Mask]]:
    group = topology.switch_group
    via = columns.intermediate % topology.num_switches
    yield (
        "a pair inside a group has a global link",
        (columns.first_link != ABSENT) | (columns.second_link != ABSENT),
    )
    yield (
        "the intermediate switch is no third switch of the group",
        (group[via] != group[columns.src_switch])
        | (via == columns.src_switch)
        | (via == columns.dst_switch),
    )
    yield "hops do not match the path", columns.hops != 2


def _between_groups(topology: Dragonfly, columns: Columns) -> Iterator[tuple[str, Mask]]:
    group, network = topology.switch_group, topology.network
    via = columns.intermediate % topology.num_switches
    yield (
        "the intermediate switch is in the source or destination group",
        (group[via] == group[columns.src_switch]) | (group[via] == group[columns.dst_switch]),
    )
    hops = np.zeros(len(columns), dtype=np.int64)
    halves = (
        ("first", columns.first_link, columns.src_switch, via),
        ("second", columns.second_link, via, columns.dst_switch),
    )
    for name, given, start, end in halves:
        link = given % topology.num_links
        enter, leave = network.link_source[link], network.link_target[link]
        hops += 1 + (enter != start) + (leave != end)
        yield (
            f"the {name} link is not a global link between the groups it should join",
            (given == ABSENT)
            | (network.link_kind[link] != LinkKind.GLOBAL)
            | (group[enter] != group[start])
            | (group[leave] != group[end]),
        )
    yield "hops do not match the path", columns.hops != hops


def _disconnected(rows: PathRows) -> Mask:
    """Walk the links of every path; true where a link does not start where the last one ended."""
    wrong = [_broken_walk(chunk) for chunk in pair_chunks(rows)]
    return np.concatenate(wrong) if wrong else np.zeros(0, dtype=bool)


def _broken_walk(rows: PathRows) -> Mask:
    network = rows.topology.network
    links = rows.links()
    pair = rows.pair_of_row
    at = rows.source[pair]
    wrong = np.zeros(len(rows), dtype=bool)
    for hop in range(MAX_HOPS):
        link = links[:, hop]
        taken = hop < rows.hops
        wrong |= taken != (link != ABSENT)
        wrong |= taken & (network.link_source[link] != at)
        at = np.where(taken, network.link_target[link], at)
    return wrong | (at != rows.target[pair])
