"""The table of a candidate, listed or compact."""

from dataclasses import replace

from tvlb.balance import (
    Balanced,
    BalancedSet,
    BalanceOptions,
    BalanceReport,
    WeightOptions,
    balance_pairs,
)
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, UgalRule, is_listable, parse_expression
from tvlb.search.preparation import Candidate
from tvlb.table import AnyTable, CompactTable, Table
from tvlb.topology import Topology


def table_of(
    topology: Topology, candidate: Candidate, seed: int, rule: UgalRule | None = None
) -> AnyTable:
    """Return the table of a candidate; compact where its paths are too many to list.

    Parameters
    ----------
    rule : of UGAL that it is for where the candidate has none; None for the published one.
    """
    return _table_of(topology, candidate, seed).made_for(candidate.ugal or rule)


def _table_of(topology: Topology, candidate: Candidate, seed: int) -> AnyTable:
    base = parse_expression(candidate.expression, topology, seed)
    if not is_listable(base):
        return compact_table_of(topology, candidate, seed)
    if candidate.balanced is None:
        return Table.from_rows(base, base.all_rows(), seed=seed, version=VERSION)
    if isinstance(candidate.balancing, WeightOptions):
        rows = candidate.path_set.all_rows()
        return Table.from_rows(base, rows, weights=candidate.balancing, seed=seed, version=VERSION)
    keep = candidate.balanced.keep
    assert keep is not None
    rows = base.all_rows()
    return Table.from_rows(base, rows.select(keep), ~keep, seed=seed, version=VERSION)


def incomplete_table(
    topology: Topology, candidate: Candidate, seed: int, where: str, rule: UgalRule | None = None
) -> AnyTable:
    """Return the table of the best set so far of a search that was interrupted.

    Parameters
    ----------
    where : the search was; its header says so.
    rule : see `table_of`.
    """
    table = table_of(topology, candidate, seed, rule)
    return replace(table, header=table.header.model_copy(update={"incomplete": where}))


def compact_table_of(
    topology: Topology, candidate: Candidate, seed: int, rule: UgalRule | None = None
) -> CompactTable:
    """Return the table of a candidate in the compact form, whatever its size.

    Parameters
    ----------
    rule : see `table_of`.

    Raises
    ------
    InvalidInput : it was balanced by weights, which only listed tables hold.
    """
    return _compact_table_of(topology, candidate, seed).made_for(candidate.ugal or rule)


def _compact_table_of(topology: Topology, candidate: Candidate, seed: int) -> CompactTable:
    base = parse_expression(candidate.expression, topology, seed)
    if candidate.balanced is None:
        return CompactTable.from_set(base, seed=seed, version=VERSION)
    if not isinstance(candidate.balancing, BalanceOptions):
        raise InvalidInput(
            f"the chosen table, {candidate.name}, lists weights that follow from no pair alone; "
            "there is no compact form of it"
        )
    return CompactTable.from_set(
        _by_rule(base, candidate.balanced, candidate.balancing, seed),
        seed=seed,
        version=VERSION,
        mean_vlb_hops=candidate.mean_hops,
        sampled_pairs=candidate.balanced.report.sampled_pairs,
    )


def count_table_paths(table: AnyTable, report: BalanceReport | None) -> int:
    """Return the paths of a table; before balancing where that saw only a sample of the pairs.

    Parameters
    ----------
    report : what balancing did to its set, None without.
    """
    given = sum(table.header.paths_by_hops.values())
    if report is None or table.header.compact is None or report.sampled_pairs is not None:
        return given
    return given - report.removed


def _by_rule(
    base: PathSet, balanced: Balanced, balancing: BalanceOptions, seed: int
) -> BalancedSet:
    """Return a balanced set as what the per-pair step gives, less what was removed besides."""
    if isinstance(balanced.path_set, BalancedSet):
        return balanced.path_set
    assert balanced.keep is not None
    rows = base.all_rows()
    by_pair = balance_pairs(rows, balancing, seed=seed).keep
    besides = rows.paths(by_pair & ~balanced.keep)
    return BalancedSet(base, balancing, seed, besides)
