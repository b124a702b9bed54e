"""Whether a table holds what it promises: paths, completeness, weights, no deadlock."""

from dataclasses import dataclass, replace

import numpy as np

from tvlb.errors import InvalidInput, VerificationFailed
from tvlb.paths import PathRows, repeats, revisits
from tvlb.table.columns import Columns
from tvlb.table.compact import AnyTable, CompactTable
from tvlb.table.compact_checks import CheckedSet, check_compact
from tvlb.table.deadlock import Channel, DeadlockCheck, VcSettings, check_deadlock
from tvlb.table.diversity import Diversity, diversity
from tvlb.table.rule import WEIGHT_TOLERANCE, check_counts, check_name, check_rule
from tvlb.table.structure import Finding, check_order, check_paths, rows_that
from tvlb.table.table import Table, mean_vlb_hops, paths_by_hops

_DEFAULT = VcSettings()


@dataclass(frozen=True)
class VerifyReport:
    """The outcome of `verify`.

    Attributes
    ----------
    table_id : id of the table.
    paths : number of rows.
    problems : one line per sort of problem, with its first offender; empty for a good table.
    problem_count : offenders of all sorts together.
    diversity : choice per pair; None if the rows cannot be told apart by pair.
    scheme, vc_count : what the deadlock check was asked for.
    par : whether it included the paths of second decisions.
    vcs_needed : VCs that the scheme uses; None if invalid paths prevented the check.
    cycle : channels of one dependency cycle, empty if there is none.
    sampled_pairs : None, or the number of switch pairs between groups that were looked at.
    revisiting_paths : rows that visit a switch twice; None if the check for deadlock was prevented.
    repeating_paths : rows that visit the same switches as an earlier one of their pair, the same.
    nearest_pairs : switch pairs that the expression gives paths of the nearest shape, for lack of
        paths of its own shapes; None if the rows cannot be told apart by pair.
    listed_weights : the weights follow from no rule, and their values were not checked.
    """

    table_id: str
    paths: int
    problems: tuple[str, ...]
    problem_count: int
    diversity: Diversity | None
    scheme: str
    vc_count: int | None
    par: bool
    vcs_needed: int | None
    cycle: tuple[Channel, ...]
    sampled_pairs: int | None = None
    revisiting_paths: int | None = None
    repeating_paths: int | None = None
    nearest_pairs: int | None = None
    listed_weights: bool = False

    @property
    def ok(self) -> bool:
        """Whether the table passed every check."""
        return not self.problems

    def raise_if_failed(self) -> None:
        """Raise VerificationFailed with all problems if there are any."""
        if self.problems:
            listed = "\n".join(f"  {problem}" for problem in self.problems)
            raise VerificationFailed(f"{self.problem_count} problems in the table:\n{listed}")


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
        return _verify_compact(table, settings)
    findings = check_content(table)
    rows = _grouped(table)
    if rows is None:
        return _report(table, findings, None, settings, None)
    checked = check_deadlock(rows, settings) if not check_paths(rows) else None
    findings += _check_cycle(checked)
    return _report(table, findings, rows, settings, checked)


def _verify_compact(table: CompactTable, settings: VcSettings) -> VerifyReport:
    checked_set = CheckedSet.of(table)
    rows = checked_set.rows
    findings = [*check_compact(table, checked_set), *check_paths(rows), *_check_weights(rows)]
    checked = None if check_paths(rows) else check_deadlock(rows, settings)
    findings += _check_cycle(checked)
    report = _report(table, findings, rows, settings, checked)
    return replace(report, paths=len(rows), sampled_pairs=checked_set.sampled_pairs)


def check_content(table: AnyTable) -> list[Finding]:
    """Make all checks of `verify` but the one for deadlock; of a compact table only the header."""
    if isinstance(table, CompactTable):
        return check_name(table.topology)
    findings = check_order(table.columns, table.topology)
    rows = _grouped(table)
    if rows is None:
        return findings
    return [
        *findings,
        *check_paths(rows),
        *_check_weights(rows),
        *check_rule(table),
        *check_counts(table.header, paths_by_hops(rows.hops), mean_vlb_hops(rows)),
        *check_name(table.topology),
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
    checked: DeadlockCheck | None,
) -> VerifyReport:
    followed = None if checked is None else rows
    return VerifyReport(
        table_id=table.id,
        paths=len(table.columns),
        problems=tuple(finding.text for finding in findings),
        problem_count=sum(finding.count for finding in findings),
        diversity=None if rows is None else diversity(rows),
        scheme=settings.on(table.topology),
        vc_count=settings.vc_count,
        par=settings.decides_again,
        vcs_needed=None if checked is None else checked.vcs_needed,
        cycle=() if checked is None else checked.cycle,
        revisiting_paths=None if followed is None else int(revisits(followed).sum()),
        repeating_paths=None if followed is None else int(repeats(followed).sum()),
        nearest_pairs=None if rows is None else table.base_set.nearest_pairs(),
        listed_weights=table.header.weights == "listed",
    )


def _check_weights(rows: PathRows) -> list[Finding]:
    columns = Columns.from_rows(rows)
    # Written so that nan, which compares false with everything, is found.
    findings = rows_that("the weight is not positive", ~(rows.weight > 0), columns)
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    wrong = ~(np.abs(sums - 1) <= WEIGHT_TOLERANCE) & (np.diff(rows.offset) > 0)
    if wrong.any():
        pair, count = int(wrong.argmax()), int(np.count_nonzero(wrong))
        findings.append(
            Finding(
                count,
                f"the weights of a pair do not sum to 1 ({count} pairs), first "
                f"{rows.source[pair]} -> {rows.target[pair]} with {float(sums[pair])!r}",
            )
        )
    return findings


def _check_cycle(checked: DeadlockCheck | None) -> list[Finding]:
    if checked is None or not checked.cycle:
        return []
    channels = [*checked.cycle, checked.cycle[0]]
    return [Finding(1, f"routing deadlock: {' waits for '.join(map(str, channels))}")]
