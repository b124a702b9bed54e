"""A table must hold exactly what its expression gives, less what balancing removed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import PathRows, check_listable
from tvlb.table.columns import Columns
from tvlb.table.findings import Finding, rows_that
from tvlb.table.header import Removed
from tvlb.table.table import Table

__all__ = ["check_rule"]

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
    findings = _unknown_removals(table.removed, unknown) + _local_removals(table)
    # Balancing leaves every pair some paths, so a pair emptied by removals is missing as well.
    findings += _missing_pairs(given, table.rows)
    if _same_paths(wanted, table.rows):
        return findings + _check_weights(wanted, table.rows)
    in_table, in_rule = _members(_keys_of_rows(wanted), _keys_of_rows(table.rows))
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


@dataclass(frozen=True, eq=False)
class _Keys:
    """Paths as two integers each, int64 (paths,); equal exactly for equal paths."""

    switches: NDArray[np.int64]
    links: NDArray[np.int64]


def _keys(
    pair: NDArray[np.int64],
    intermediate: NDArray[np.int32],
    first_link: NDArray[np.int32],
    second_link: NDArray[np.int32],
) -> _Keys:
    # Ids are int32, valid or not, so different paths get different keys even where a sum wraps.
    shift = np.int64(1) << 32
    return _Keys(pair * shift + intermediate, first_link * shift + second_link)


def _keys_of_rows(rows: PathRows) -> _Keys:
    return _keys(rows.pair_of_row, rows.intermediate, rows.first_link, rows.second_link)


def _keys_of_removed(removed: Removed, switches: int) -> _Keys:
    source, target = removed[:, 0].astype(np.int64), removed[:, 1].astype(np.int64)
    pair = source * (switches - 1) + target - (target > source)
    # Pairs that do not exist must not coincide with one that does.
    exists = (source >= 0) & (target >= 0) & (source < switches) & (target < switches)
    pair[~exists | (source == target)] = -1
    return _keys(pair, removed[:, 2], removed[:, 3], removed[:, 4])


def _members(left: _Keys, right: _Keys) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which paths of `left` are in `right`, and which of `right` in `left`."""
    switches = np.concatenate([left.switches, right.switches])
    links = np.concatenate([left.links, right.links])
    order = np.lexsort((links, switches))
    same = (np.diff(switches[order]) == 0) & (np.diff(links[order]) == 0)
    # A run of equal paths may hold several of one side; it counts if it holds both sides.
    run = np.concatenate([[0], np.cumsum(~same)]) if len(order) else np.zeros(0, dtype=np.int64)
    from_left = order < len(left.links)
    runs = int(run[-1]) + 1 if len(run) else 0
    both = np.bincount(run, weights=from_left, minlength=runs) > 0
    both &= np.bincount(run, weights=~from_left, minlength=runs) > 0
    member = np.zeros(len(order), dtype=bool)
    member[order] = both[run]
    return member[: len(left.links)], member[len(left.links) :]


def _without(given: PathRows, removed: Removed) -> tuple[PathRows, NDArray[np.bool_]]:
    """Take the removed paths out of `given`; also tell which of them were never there."""
    if len(removed) == 0:
        return given, np.zeros(0, dtype=bool)
    taken, known = _members(
        _keys_of_rows(given), _keys_of_removed(removed, given.topology.num_switches)
    )
    return given.select(~taken), ~known


def _unknown_removals(removed: Removed, unknown: NDArray[np.bool_]) -> list[Finding]:
    if not unknown.any():
        return []
    count = int(np.count_nonzero(unknown))
    first = removed[int(unknown.argmax())].tolist()
    return [Finding(count, f"a removed path is not one of the rule ({count} paths), first {first}")]


def _local_removals(table: Table) -> list[Finding]:
    """Balancing never touches the detours inside a group."""
    source, target = (np.clip(ends, 0, None) for ends in table.removed[:, :2].T)
    last = table.topology.num_switches - 1
    group = table.topology.switch_group
    inside = group[np.minimum(source, last)] == group[np.minimum(target, last)]
    if not inside.any():
        return []
    count, first = int(np.count_nonzero(inside)), table.removed[int(inside.argmax())].tolist()
    return [Finding(count, f"a removed path is inside a group ({count} paths), first {first}")]


def _same_paths(wanted: PathRows, found: PathRows) -> bool:
    return (
        np.array_equal(wanted.offset, found.offset)
        and np.array_equal(wanted.intermediate, found.intermediate)
        and np.array_equal(wanted.first_link, found.first_link)
        and np.array_equal(wanted.second_link, found.second_link)
    )


def _check_weights(wanted: PathRows, found: PathRows) -> list[Finding]:
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
