"""The columns of a T-VLB table, and checks of single rows: each must be a path, in its place.

What a check finds is told by sorts of offences, counted, with the first of each named.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import ABSENT, PathRows, all_pairs, pair_index
from tvlb.table.kinds import Finding, findings_of
from tvlb.topology import Topology, Triples

COLUMN_TYPES: dict[str, np.dtype[Any]] = {
    "src_switch": np.dtype(np.int32),
    "dst_switch": np.dtype(np.int32),
    "intermediate": np.dtype(np.int32),
    "first_link": np.dtype(np.int32),
    "second_link": np.dtype(np.int32),
    "hops": np.dtype(np.int8),
    "weight": np.dtype(np.float64),
}


# Rows are sorted by the first columns.
_SORTED = 5


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of a table as they stand in its file, whether or not they make sense.

    Attributes
    ----------
    src_switch, dst_switch : int32 (rows,), the switch pair.
    intermediate, first_link, second_link : int32 (rows,), -1 where absent.
    hops : int8 (rows,), network links of the path.
    weight : float64 (rows,), draw weights; a good table has sum 1 for every pair.
    """

    src_switch: NDArray[np.int32]
    dst_switch: NDArray[np.int32]
    intermediate: NDArray[np.int32]
    first_link: NDArray[np.int32]
    second_link: NDArray[np.int32]
    hops: NDArray[np.int8]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.hops)

    @classmethod
    def from_rows(cls, rows: PathRows) -> "Columns":
        """Write out the switch pair of every row."""
        pair = rows.pair_of_row
        return cls(
            rows.source[pair],
            rows.target[pair],
            rows.intermediate,
            rows.first_link,
            rows.second_link,
            rows.hops,
            rows.weight,
        )

    @classmethod
    def none(cls) -> "Columns":
        """Return the columns of no rows."""
        return cls(**{name: np.zeros(0, dtype=kind) for name, kind in COLUMN_TYPES.items()})

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, in file order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def to_rows(self, topology: Topology) -> PathRows:
        """Group the rows by switch pair; pairs without rows are present and empty.

        Raises
        ------
        InvalidInput : a switch id is out of range, or the rows are not sorted by pair.
        """
        pair = self._pair_of_row(topology)
        source, target = all_pairs(topology)
        counts = np.bincount(pair, minlength=len(source))
        return PathRows(
            topology,
            source,
            target,
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            self.intermediate,
            self.first_link,
            self.second_link,
            self.hops,
            self.weight,
        )

    def _pair_of_row(self, topology: Topology) -> NDArray[np.int64]:
        switches = topology.num_switches
        source, target = self.src_switch, self.dst_switch
        wrong = (source < 0) | (target < 0) | (source >= switches) | (target >= switches)
        wrong |= source == target
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidInput(
                f"row {row}: {source[row]} -> {target[row]} is not a pair of different switches "
                f"of {topology}"
            )
        pair = pair_index(topology, source, target)
        if (backwards := np.diff(pair) < 0).any():
            row = int(backwards.argmax()) + 1
            raise InvalidInput(
                f"row {row}: {source[row]} -> {target[row]} is out of order; rows must be sorted "
                "by switch pair"
            )
        return pair


Mask = NDArray[np.bool_]


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
    return findings_of(
        wrong,
        lambda count, first: f"{what} ({count} rows), first {_describe_row(columns, first)}",
    )


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
    for values in [*columns.arrays().values()][:_SORTED]:
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
