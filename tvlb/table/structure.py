"""Checks of single rows: each must be a path of the topology, in its place.

What a check finds is told by sorts of offences, counted, with the first of each named.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import ABSENT, PathRows
from tvlb.table.columns import Columns
from tvlb.topology import Topology, Triples

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Finding:
    """Offences of one sort.

    Attributes
    ----------
    count : how many there are.
    text : one line that names the sort and the first offender.
    """

    count: int
    text: str


def _describe_row(columns: Columns, row: int) -> str:
    """Name one row by its position and its path."""
    return (
        f"row {row}: {columns.src_switch[row]} -> {columns.dst_switch[row]} via "
        f"{columns.intermediate[row]}, links {columns.first_link[row]} and "
        f"{columns.second_link[row]}, {columns.hops[row]} hops, "
        f"weight {float(columns.weight[row])!r}"
    )


def rows_that(what: str, wrong: Mask, columns: Columns) -> list[Finding]:
    """Return the finding about the rows where `wrong` is true, if there are any."""
    if not wrong.any():
        return []
    count = int(np.count_nonzero(wrong))
    first = _describe_row(columns, int(wrong.argmax()))
    return [Finding(count, f"{what} ({count} rows), first {first}")]


def check_order(columns: Columns, topology: Topology) -> list[Finding]:
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
    ends = (columns.src_switch, columns.dst_switch)
    names = (columns.intermediate % switches, columns.first_link, columns.second_link)
    for what, wrong in topology.path_faults(Triples(*ends, *names, columns.hops)):
        yield what, wrong & ~unknown


def _disconnected(rows: PathRows) -> Mask:
    """Walk the links of every path; true where a link does not start where the last one ended."""
    wrong = [_broken_walk(chunk) for chunk in rows.chunks()]
    return np.concatenate(wrong) if wrong else np.zeros(0, dtype=bool)


def _broken_walk(rows: PathRows) -> Mask:
    network = rows.topology.network
    links = rows.links()
    pair = rows.pair_of_row
    at = rows.source[pair]
    wrong = np.zeros(len(rows), dtype=bool)
    for hop in range(links.shape[1]):
        link = links[:, hop]
        taken = hop < rows.hops
        wrong |= taken != (link != ABSENT)
        wrong |= taken & (network.link_source[link] != at)
        at = np.where(taken, network.link_target[link], at)
    return wrong | (at != rows.target[pair])
