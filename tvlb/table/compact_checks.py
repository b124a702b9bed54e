"""Checks of compact tables: what the header says must follow from the rule."""

from dataclasses import dataclass

import numpy as np

from tvlb.balance import balance, sample_of
from tvlb.paths import PathRows, is_listable, keys_of_paths, keys_of_rows, members
from tvlb.table.compact import CompactTable, count_by_hops
from tvlb.table.findings import Finding
from tvlb.table.header_checks import check_arrangement, same_mean
from tvlb.table.table import mean_vlb_hops

__all__ = ["CheckedSet", "check_compact"]

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
    findings = check_arrangement(table.topology) + _check_removed(table)
    counts, header = count_by_hops(table.base_set), table.header
    if header.paths_by_hops != counts:
        findings.append(
            Finding(1, f"the header counts paths by hops {header.paths_by_hops}, found {counts}")
        )
    hops = _mean_hops(table, checked)
    if not same_mean(header.mean_vlb_hops, hops):
        findings.append(
            Finding(1, f"the header gives {header.mean_vlb_hops} mean VLB hops, found {hops}")
        )
    empty = np.diff(checked.rows.offset) == 0
    if empty.any() and sum(counts.values()) > 0:
        pair = int(empty.argmax())
        ends = f"{checked.rows.source[pair]} -> {checked.rows.target[pair]}"
        if len(table.base_set.rows(*_pair(checked.rows, pair))):
            findings.append(Finding(int(empty.sum()), f"a switch pair is missing, first {ends}"))
    return findings


def _check_removed(table: CompactTable) -> list[Finding]:
    if len(table.removed) == 0:
        return []
    pairs = np.unique(table.removed[:, :2], axis=0)
    switches = table.topology.num_switches
    valid = ((pairs >= 0) & (pairs < switches)).all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    rows = table.base_set.rows(
        np.ascontiguousarray(pairs[valid, 0]), np.ascontiguousarray(pairs[valid, 1])
    )
    _, known = members(keys_of_rows(rows), keys_of_paths(table.removed, switches))
    if known.all():
        return []
    first = table.removed[int((~known).argmax())].tolist()
    count = int((~known).sum())
    return [Finding(count, f"a removed path is not one of the rule ({count} paths), first {first}")]


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


def _pair(
    rows: PathRows, pair: int
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int32]], np.ndarray[tuple[int], np.dtype[np.int32]]]:
    return rows.source[pair : pair + 1], rows.target[pair : pair + 1]
