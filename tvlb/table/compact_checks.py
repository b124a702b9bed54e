"""Checks of compact tables: what the header says must follow from the rule."""

from dataclasses import dataclass

import numpy as np

from tvlb.balance import balance, sample_of
from tvlb.paths import PathRows, Switches, is_listable, keys_of_paths, keys_of_rows, members
from tvlb.table.compact import CompactTable, count_by_hops
from tvlb.table.header import Removed
from tvlb.table.rule import check_counts, check_name, local_removals, unknown_removals
from tvlb.table.structure import Finding
from tvlb.table.table import mean_vlb_hops

_MOST_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class CheckedSet:
    """The rows that are looked at.

    Attributes
    ----------
    rows : of all switch pairs, or of a sample of those between groups.
    sampled_pairs : size of the sample, None for all.
    """

    rows: PathRows
    sampled_pairs: int | None

    @classmethod
    def of(cls, table: CompactTable) -> "CheckedSet":
        """Generate rows of a compact table."""
        path_set = table.path_set(table.header.expression)
        if is_listable(table.base_set):
            return cls(path_set.all_rows(), None)
        pairs = sample_of(table.base_set, _MOST_ROWS).between
        return cls(path_set.rows(*pairs), len(pairs[0]))


def check_compact(table: CompactTable, checked: CheckedSet) -> list[Finding]:
    """Compare the header with the rule, and the removed paths with the rows they come from."""
    counts, hops = count_by_hops(table.base_set), _mean_hops(table, checked)
    return [
        *check_name(table.topology),
        *_check_removed(table),
        *check_counts(table.header, counts, hops),
        *_check_sample(table),
        *_missing_pairs(table, checked.rows),
    ]


def _check_removed(table: CompactTable) -> list[Finding]:
    if len(table.removed) == 0:
        return []
    sources, targets = _pairs_of(table.removed, table.topology.num_switches)
    rows = table.base_set.rows(sources, targets)
    keys = keys_of_paths(table.removed, table.topology.num_switches)
    _, known = members(keys_of_rows(rows), keys)
    kept = table.path_set(table.header.expression).rows(sources, targets)
    return [
        *unknown_removals(table.removed, ~known),
        *local_removals(table.removed, table.topology),
        *_missing_pairs(table, kept),
    ]


def _pairs_of(removed: Removed, switches: int) -> tuple[Switches, Switches]:
    """Return the pairs of different, existing switches that lost paths."""
    pairs = np.unique(removed[:, :2], axis=0)
    valid = ((pairs >= 0) & (pairs < switches)).all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    sources, targets = pairs[valid].T
    return np.ascontiguousarray(sources), np.ascontiguousarray(targets)


def _missing_pairs(table: CompactTable, rows: PathRows) -> list[Finding]:
    """Balancing leaves every pair some paths."""
    given = table.base_set.most_paths(rows.source, rows.target)
    missing = (given > 0) & (np.diff(rows.offset) == 0)
    if not missing.any():
        return []
    pair, count = int(missing.argmax()), int(np.count_nonzero(missing))
    ends = f"{rows.source[pair]} -> {rows.target[pair]}"
    return [Finding(count, f"a switch pair is missing ({count} pairs), first {ends}")]


def _check_sample(table: CompactTable) -> list[Finding]:
    """Check that a sample is named exactly where balancing had to use one."""
    record = table.header.compact
    assert record is not None
    sampled = record.balance is not None and not is_listable(table.base_set)
    expected = len(sample_of(table.base_set).between[0]) if sampled else None
    if record.sampled_pairs == expected:
        return []
    return [
        Finding(1, f"the header gives {record.sampled_pairs} sampled pairs, expected {expected}")
    ]


def _mean_hops(table: CompactTable, checked: CheckedSet) -> float | None:
    record = table.header.compact
    assert record is not None
    if checked.sampled_pairs is None:
        return mean_vlb_hops(checked.rows)
    if record.balance is None:
        mean = table.base_set.mean_hops()
    else:
        options = record.balance.options()
        mean = balance(table.base_set, options, seed=record.balance.seed).mean_hops
    return None if np.isnan(mean) else mean
