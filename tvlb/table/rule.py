"""A table must hold what its expression gives, less what balancing removed, weighted as it says.

Its header must name its links rightly, and the mean of its hops.
"""

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import reweight
from tvlb.paths import PathRows, check_listable, keys_of_paths, keys_of_rows, members
from tvlb.table.columns import Columns
from tvlb.table.header import Removed, TableHeader
from tvlb.table.structure import Finding, rows_that
from tvlb.table.table import Table
from tvlb.topology import Topology

WEIGHT_TOLERANCE = 1e-9


def check_rule(table: Table) -> list[Finding]:
    """Compare the rows of a table, whose pairs must be in order, with its rule.

    Raises
    ------
    InvalidInput : the expression gives more rows than any table may have.
    """
    check_listable(table.base_set)
    given = table.base_set.all_rows()
    wanted, unknown = _without(given, table.removed)
    findings = unknown_removals(table.removed, unknown) + local_removals(
        table.removed, table.topology
    )
    # Balancing leaves every pair some paths, so a pair emptied by removals is missing as well.
    findings += _missing_pairs(given, table.rows)
    if _same_paths(wanted, table.rows):
        return findings + _check_weights(wanted, table)
    in_table, in_rule = members(keys_of_rows(wanted), keys_of_rows(table.rows))
    return [
        *findings,
        *rows_that(
            "a path of the rule is missing",
            ~in_table & (np.diff(table.rows.offset) > 0)[wanted.pair_of_row],
            Columns.from_rows(wanted),
        ),
        *rows_that(
            f"the path is not one of {table.header.expression} less the removed ones",
            ~in_rule,
            table.columns,
        ),
    ]


def _without(given: PathRows, removed: Removed) -> tuple[PathRows, NDArray[np.bool_]]:
    """Take the removed paths out of `given`; also tell which of them were never there."""
    if len(removed) == 0:
        return given, np.zeros(0, dtype=bool)
    taken, known = members(keys_of_rows(given), keys_of_paths(removed, given.topology.num_switches))
    return given.select(~taken), ~known


def unknown_removals(removed: Removed, unknown: NDArray[np.bool_]) -> list[Finding]:
    """Name the removed paths that the rule does not give, bool (removed,)."""
    if not unknown.any():
        return []
    count = int(np.count_nonzero(unknown))
    first = removed[int(unknown.argmax())].tolist()
    return [Finding(count, f"a removed path is not one of the rule ({count} paths), first {first}")]


def local_removals(removed: Removed, topology: Topology) -> list[Finding]:
    """Balancing never touches the detours inside a group."""
    source, target = (np.clip(ends, 0, None) for ends in removed[:, :2].T)
    last = topology.num_switches - 1
    inside = ~topology.has_choice(np.minimum(source, last), np.minimum(target, last))
    if not inside.any():
        return []
    count, first = int(np.count_nonzero(inside)), removed[int(inside.argmax())].tolist()
    return [Finding(count, f"a removed path is inside a group ({count} paths), first {first}")]


def _same_paths(wanted: PathRows, found: PathRows) -> bool:
    return (
        np.array_equal(wanted.offset, found.offset)
        and np.array_equal(wanted.intermediate, found.intermediate)
        and np.array_equal(wanted.first_link, found.first_link)
        and np.array_equal(wanted.second_link, found.second_link)
    )


def _check_weights(wanted: PathRows, table: Table) -> list[Finding]:
    weights, found = table.weights, table.rows
    if weights == "listed":
        return []
    if weights is not None:
        wanted = reweight(wanted, weights)
    differ = ~(np.abs(found.weight - wanted.weight) <= WEIGHT_TOLERANCE)
    return rows_that("the weight is not the rule's", differ, Columns.from_rows(found))


def _missing_pairs(wanted: PathRows, found: PathRows) -> list[Finding]:
    missing = (np.diff(wanted.offset) > 0) & (np.diff(found.offset) == 0)
    if not missing.any():
        return []
    pair, count = int(missing.argmax()), int(np.count_nonzero(missing))
    paths = int(wanted.offset[pair + 1] - wanted.offset[pair])
    return [
        Finding(
            count,
            f"a switch pair is missing ({count} pairs), first {wanted.source[pair]} -> "
            f"{wanted.target[pair]}, which should have {paths} paths",
        )
    ]


def check_name(topology: Topology) -> list[Finding]:
    """Compare the links of a header with what it calls them."""
    if topology.misnomer is None:
        return []
    return [Finding(1, f"the links of the header are not {topology.misnomer}")]


def check_counts(
    header: TableHeader, counts: dict[int, int], mean_hops: float | None
) -> list[Finding]:
    """Compare what a header counts with what was found."""
    findings: list[Finding] = []
    if header.paths_by_hops != counts:
        findings.append(
            Finding(1, f"the header counts paths by hops {header.paths_by_hops}, found {counts}")
        )
    if not _same_mean(header.mean_vlb_hops, mean_hops):
        findings.append(
            Finding(1, f"the header gives {header.mean_vlb_hops} mean VLB hops, found {mean_hops}")
        )
    return findings


def _same_mean(given: float | None, found: float | None) -> bool:
    """Whether two means agree; None stands for no mean."""
    if given is None or found is None:
        return given is found
    return abs(given - found) <= WEIGHT_TOLERANCE * max(1.0, found)
