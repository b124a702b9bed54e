"""Whether a T-VLB table holds what it promises: paths, completeness, weights, no deadlock.

A table must hold what its expression gives, less what balancing removed, weighted as it says. Its
header must name its links rightly, and the mean of its hops.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import WeightOptions, balance, reweight, sample_of
from tvlb.errors import InvalidInput
from tvlb.paths import (
    PathRows,
    Switches,
    check_listable,
    is_listable,
    keys_of_paths,
    keys_of_rows,
    members,
    minimal,
    repeats,
    revisits,
)
from tvlb.table.deadlock import Channel, DeadlockCheck, VcSettings, check_deadlock
from tvlb.table.header import Removed, TableHeader
from tvlb.table.kinds import Finding, TableReport, findings_of
from tvlb.table.rows import Columns, check_order, check_paths, rows_that
from tvlb.table.strike import strike_rows
from tvlb.table.summary import Diversity, diversity
from tvlb.table.table import (
    AnyTable,
    CompactTable,
    Table,
    count_by_hops,
    mean_vlb_hops,
    paths_by_hops,
)
from tvlb.topology import Topology

_WEIGHT_TOLERANCE = 1e-9
_MOST_ROWS = 2_000_000
_DEFAULT = VcSettings()


def _check_rule(table: Table) -> list[Finding]:
    """Compare the rows of a table, whose pairs must be in order, with its rule.

    Raises
    ------
    InvalidInput : the expression gives more rows than any table may have.
    """
    check_listable(table.base_set)
    wanted, unknown, paths = _ruled(table)
    findings = [
        *_check_removals(table.removed, unknown, table.rule_topology),
        *_missing_pairs(paths, table.rows, lambda pair: f", which should have {paths[pair]} paths"),
    ]
    if _same_paths(wanted, table.rows):
        return findings + _check_rule_weights(wanted, table)
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


def _ruled(table: Table) -> tuple[PathRows, NDArray[np.bool_], NDArray[np.int64]]:
    """Return the rows by rule; which removed paths never were there; and paths that pairs have.

    The weights are those before balancing by weights, except of a table that was struck.
    """
    given = table.base_set.all_rows()
    wanted, unknown = _without(given, table.removed)
    struck, weights = table.header.struck, table.weights
    if struck is None:
        return wanted, unknown, np.diff(given.offset)
    if isinstance(weights, WeightOptions):
        wanted = reweight(wanted, weights)
    left = strike_rows(wanted, table.topology, struck.passing)
    return left, unknown, np.diff(left.offset)


def _without(given: PathRows, removed: Removed) -> tuple[PathRows, NDArray[np.bool_]]:
    """Take the removed paths out of `given`; also tell which of them were never there."""
    if len(removed) == 0:
        return given, np.zeros(0, dtype=bool)
    taken, known = members(keys_of_rows(given), keys_of_paths(removed, given.topology.num_switches))
    return given.select(~taken), ~known


def _check_removals(
    removed: Removed, unknown: NDArray[np.bool_], topology: Topology
) -> list[Finding]:
    """Name removed paths that the rule does not give, bool (removed,), or balancing never takes."""
    source, target = (np.clip(ends, 0, None) for ends in removed[:, :2].T)
    last = topology.num_switches - 1
    inside = ~topology.has_choice(np.minimum(source, last), np.minimum(target, last))

    def told(what: str) -> Callable[[int, int], str]:
        return lambda count, first: f"{what} ({count} paths), first {removed[first].tolist()}"

    return [
        *findings_of(unknown, told("a removed path is not one of the rule")),
        *findings_of(inside, told("a removed path is inside a group")),
    ]


def _same_paths(wanted: PathRows, found: PathRows) -> bool:
    return (
        np.array_equal(wanted.offset, found.offset)
        and np.array_equal(wanted.intermediate, found.intermediate)
        and np.array_equal(wanted.first_link, found.first_link)
        and np.array_equal(wanted.second_link, found.second_link)
    )


def _check_rule_weights(wanted: PathRows, table: Table) -> list[Finding]:
    weights, found = table.weights, table.rows
    if weights == "listed":
        return []
    if weights is not None and table.header.struck is None:
        wanted = reweight(wanted, weights)
    differ = ~(np.abs(found.weight - wanted.weight) <= _WEIGHT_TOLERANCE)
    return rows_that("the weight is not the rule's", differ, Columns.from_rows(found))


def _missing_pairs(
    given: NDArray[np.integer], found: PathRows, ending: Callable[[int], str] = lambda _: ""
) -> list[Finding]:
    """Balancing leaves every pair some paths, so one that lost all `given` paths is missing."""
    return findings_of(
        (given > 0) & (np.diff(found.offset) == 0),
        lambda count, pair: (
            f"a switch pair is missing ({count} pairs), first {found.source[pair]} -> "
            f"{found.target[pair]}{ending(pair)}"
        ),
    )


def _check_name(topology: Topology) -> list[Finding]:
    """Compare the links of a header with what it calls them."""
    if topology.misnomer is None:
        return []
    return [Finding(1, f"the links of the header are not {topology.misnomer}")]


def _check_counts(
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
    return abs(given - found) <= _WEIGHT_TOLERANCE * max(1.0, found)


@dataclass(frozen=True, eq=False)
class _CheckedSet:
    """The rows that are looked at.

    Attributes
    ----------
    rows : of all switch pairs, or of a sample of those between groups.
    sampled_pairs : size of the sample, None for all.
    """

    rows: PathRows
    sampled_pairs: int | None

    @classmethod
    def of(cls, table: CompactTable) -> "_CheckedSet":
        """Generate rows of a compact table."""
        path_set = table.path_set(table.header.expression)
        if is_listable(table.base_set):
            return cls(path_set.all_rows(), None)
        pairs = sample_of(table.base_set, _MOST_ROWS).between
        return cls(path_set.rows(*pairs), len(pairs[0]))


def _check_compact(table: CompactTable, checked: _CheckedSet) -> list[Finding]:
    """Compare the header with the rule, and the removed paths with the rows they come from."""
    counts, hops = count_by_hops(table.base_set), _mean_hops(table, checked)
    return [
        *_check_name(table.topology),
        *_check_removed(table),
        *_check_counts(table.header, counts, hops),
        *_check_sample(table),
        *_lost_pairs(table, checked.rows),
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
        *_check_removals(table.removed, ~known, table.topology),
        *_lost_pairs(table, kept),
    ]


def _pairs_of(removed: Removed, switches: int) -> tuple[Switches, Switches]:
    """Return the pairs of different, existing switches that lost paths."""
    pairs = np.unique(removed[:, :2], axis=0)
    valid = ((pairs >= 0) & (pairs < switches)).all(axis=1) & (pairs[:, 0] != pairs[:, 1])
    sources, targets = pairs[valid].T
    return np.ascontiguousarray(sources), np.ascontiguousarray(targets)


def _lost_pairs(table: CompactTable, rows: PathRows) -> list[Finding]:
    return _missing_pairs(table.base_set.most_paths(rows.source, rows.target), rows)


def _check_sample(table: CompactTable) -> list[Finding]:
    """Check that a sample is named exactly where balancing had to use one."""
    record = table.record
    sampled = record.balance is not None and not is_listable(table.base_set)
    expected = len(sample_of(table.base_set).between[0]) if sampled else None
    if record.sampled_pairs == expected:
        return []
    return [
        Finding(1, f"the header gives {record.sampled_pairs} sampled pairs, expected {expected}")
    ]


def _mean_hops(table: CompactTable, checked: _CheckedSet) -> float | None:
    record = table.record
    if checked.sampled_pairs is None:
        return mean_vlb_hops(checked.rows)
    if record.balance is None:
        mean = table.base_set.mean_hops()
    else:
        options = record.balance.options()
        mean = balance(table.base_set, options, seed=record.balance.seed).mean_hops
    return None if np.isnan(mean) else mean


@dataclass(frozen=True)
class VerifyReport(TableReport):
    """The outcome of `verify`.

    Attributes
    ----------
    diversity : choice per pair; None if the rows cannot be told apart by pair.
    scheme, vc_count : what the deadlock check was asked for.
    par : whether it included the paths of second decisions.
    vcs_needed : VCs that the scheme uses; None if invalid paths prevented the check.
    cycle : channels of one dependency cycle, empty if there is none.
    sampled_pairs : None, or the number of switch pairs between groups that were looked at.
    revisiting_paths : rows that visit a switch twice; None if the check for deadlock was prevented.
    repeating_paths : rows that visit the same switches as an earlier one of their pair, the same.
    minimal_paths : rows that visit the same switches as a MIN path of their pair, the same.
    nearest_pairs : switch pairs that the expression gives paths of the nearest shape, for lack of
        paths of its own shapes; None if the rows cannot be told apart by pair.
    listed_weights : the weights follow from no rule, and their values were not checked.
    """

    diversity: Diversity | None
    scheme: str
    vc_count: int | None
    par: bool
    vcs_needed: int | None
    cycle: tuple[Channel, ...]
    sampled_pairs: int | None = None
    revisiting_paths: int | None = None
    repeating_paths: int | None = None
    minimal_paths: int | None = None
    nearest_pairs: int | None = None
    listed_weights: bool = False

    @property
    def size(self) -> str:
        """See `TableReport.size`."""
        return f"{self.paths:,} paths, {self.vcs_needed} VCs needed"

    def remarks(self) -> list[str]:
        """See `TableReport.remarks`."""
        said: list[str] = []
        if self.sampled_pairs is not None:
            said.append(f"looked at: a sample of {self.sampled_pairs:,} switch pairs")
        if self.revisiting_paths is not None:
            said.append(
                f"visit a switch twice: {self.revisiting_paths:,} paths; the same switches as an "
                f"earlier one of their pair: {self.repeating_paths:,}; as a MIN path: "
                f"{self.minimal_paths:,}"
            )
        if self.nearest_pairs:
            said.append(f"nearest shape taken by: {self.nearest_pairs:,} switch pairs")
        if self.listed_weights:
            said.append("weights: listed, not derived from a rule; their values are not checked")
        return said


def verify(table: AnyTable, settings: VcSettings = _DEFAULT) -> VerifyReport:
    """Check a table.

    Parameters
    ----------
    settings : of the deadlock check.

    Returns
    -------
    VerifyReport : the problems and what was found; nothing is raised for a bad table.

    Raises
    ------
    InvalidInput : the routing has no place on the network.

    Notes
    -----
    The rows must be paths of the topology, sorted and different; exactly those that expression
    and seed give less the removed ones, with positive weights that sum to 1 per pair within 1e-9
    and are the rule's, found again by balancing where the header says so, or any where it says that
    they are listed; the header must describe them; and the channels of all MIN paths and rows
    must not depend on each other in a circle. Checks that earlier problems make meaningless are
    left out. Of a compact table with too many paths to list, the rows of a sample of the switch
    pairs are generated and looked at; their dependencies join those of all MIN paths.
    """
    if settings.routing is not None:
        settings.routing.check(table.topology)
    if isinstance(table, CompactTable):
        looked_at = _CheckedSet.of(table)
        rows = looked_at.rows
        findings = [*_check_compact(table, looked_at), *check_paths(rows), *_check_weights(rows)]
        return _report(table, findings, rows, settings, looked_at.sampled_pairs)
    return _report(table, check_content(table), _grouped(table), settings)


def check_content(table: AnyTable) -> list[Finding]:
    """Make all checks of `verify` but the one for deadlock; of a compact table only the header."""
    if isinstance(table, CompactTable):
        return _check_name(table.topology)
    findings = check_order(table.columns, table.topology)
    rows = _grouped(table)
    if rows is None:
        return findings
    return [
        *findings,
        *check_paths(rows),
        *_check_weights(rows),
        *_check_rule(table),
        *_check_counts(table.header, paths_by_hops(rows.hops), mean_vlb_hops(rows)),
        *_check_name(table.topology),
    ]


def _grouped(table: Table) -> PathRows | None:
    """Return the rows by switch pair, or None if their pairs do not exist or are out of order."""
    try:
        return table.rows
    except InvalidInput:
        return None


def _report(
    table: AnyTable,
    findings: list[Finding],
    rows: PathRows | None,
    settings: VcSettings,
    sampled_pairs: int | None = None,
) -> VerifyReport:
    """Look for deadlock, unless a row is no path, and put everything together."""
    checked = None if rows is None or check_paths(rows) else check_deadlock(rows, settings)
    findings = [*findings, *_check_cycle(checked)]
    followed = None if checked is None else rows
    return VerifyReport(
        table_id=table.id,
        paths=table.num_rows if rows is None else len(rows),
        problems=tuple(finding.text for finding in findings),
        problem_count=sum(finding.count for finding in findings),
        diversity=None if rows is None else diversity(rows),
        scheme=settings.on(table.topology),
        vc_count=settings.vc_count,
        par=settings.decides_again,
        vcs_needed=None if checked is None else checked.vcs_needed,
        cycle=() if checked is None else checked.cycle,
        sampled_pairs=sampled_pairs,
        revisiting_paths=None if followed is None else int(revisits(followed).sum()),
        repeating_paths=None if followed is None else int(repeats(followed).sum()),
        minimal_paths=None if followed is None else int(minimal(followed).sum()),
        nearest_pairs=None if rows is None else table.base_set.nearest_pairs(),
        listed_weights=table.header.weights == "listed",
    )


def _check_weights(rows: PathRows) -> list[Finding]:
    columns = Columns.from_rows(rows)
    # Written so that nan, which compares false with everything, is found.
    findings = rows_that("the weight is not positive", ~(rows.weight > 0), columns)
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    wrong = ~(np.abs(sums - 1) <= _WEIGHT_TOLERANCE) & (np.diff(rows.offset) > 0)
    return findings + findings_of(
        wrong,
        lambda count, pair: (
            f"the weights of a pair do not sum to 1 ({count} pairs), first "
            f"{rows.source[pair]} -> {rows.target[pair]} with {float(sums[pair])!r}"
        ),
    )


def _check_cycle(checked: DeadlockCheck | None) -> list[Finding]:
    return [Finding(1, checked.problem)] if checked is not None and checked.problem else []
