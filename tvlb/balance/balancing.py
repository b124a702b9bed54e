"""Load balancing of a VLB path set by removing paths.

Reference: Rahman et al., SC'19, section 3.3.3. The removal rules are made exact in
docs/balance.md.
"""

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.options import BalanceOptions
from tvlb.balance.per_pair import balance_pairs
from tvlb.balance.result import Balanced, BalanceReport
from tvlb.balance.sample import chunks, sample_of
from tvlb.balance.sets import BalancedSet, KeptSet
from tvlb.balance.usage import UsageCount, link_usage
from tvlb.native import kernels
from tvlb.paths import PathSet, RowSet, as_path_set, check_pairs, is_listable
from tvlb.statistics import check_seed
from tvlb.topology import Topology, as_topology, compiled


def balance(
    path_set: PathSet | str,
    options: BalanceOptions | None = None,
    *,
    seed: int = 0,
    topology: Topology | str | None = None,
) -> Balanced:
    """Remove paths until no link is overloaded for a pair or over all pairs, or floors forbid.

    Parameters
    ----------
    path_set : also as the text that commands take, with a topology.
    seed : breaks ties between paths of equal length by the keyed order.
    topology : of the text of a path set, itself or its text.

    Raises
    ------
    InvalidInput : the topology has too many switch pairs, or the seed is out of range.

    Notes
    -----
    Pairs inside a group count towards the usage and keep their paths. A set with too many paths to
    list gets the per-pair step only, carried out for each pair when its rows are asked for; the
    report is then of a sample of the pairs.
    """
    settings = options or BalanceOptions()
    check_seed(seed)
    given = as_path_set(path_set, None if topology is None else as_topology(topology), seed)
    check_pairs(given.topology)
    if is_listable(given):
        return _balance_listed(given, settings, seed)
    return _balance_by_rule(given, settings, seed)


def unbalanced(path_set: PathSet) -> BalanceReport:
    """Return the report of leaving a path set as it is."""
    if is_listable(path_set):
        rows = path_set.all_rows()
        usage = link_usage(rows)
        return BalanceReport(usage, usage, 0, 0, 0, len(rows), method=None)
    sample = sample_of(path_set)
    count = UsageCount(path_set.topology)
    paths = 0
    for rows in chunks(path_set, *sample.between):
        count.add(rows, sample.pairs_each)
        paths += len(rows)
    for rows in chunks(path_set, *sample.inside):
        count.add(rows)
    usage = count.by_kind()
    return BalanceReport(usage, usage, 0, 0, 0, paths, len(sample.between[0]), method=None)


def _balance_listed(path_set: PathSet, options: BalanceOptions, seed: int) -> Balanced:
    rows = path_set.all_rows()
    keep_bytes, stopped, removed_locally, removed_globally = kernels.balance(
        compiled(path_set.topology), rows.native, options.native(seed)
    )
    keep = keep_bytes.astype(bool)
    kept = rows.select(keep)
    report = BalanceReport(
        before=link_usage(rows),
        after=link_usage(kept),
        removed_locally=removed_locally,
        removed_globally=removed_globally,
        pairs_at_floor=int(stopped.sum()),
        paths_before=len(rows),
    )
    mean_hops = RowSet(kept, str(path_set)).mean_hops()
    return Balanced(KeptSet(path_set, keep), mean_hops, report)


def _balance_by_rule(path_set: PathSet, options: BalanceOptions, seed: int) -> Balanced:
    topology = path_set.topology
    sample = sample_of(path_set)
    before, after = UsageCount(topology), UsageCount(topology)
    paths = removed = at_floor = 0
    hops: list[NDArray[np.float64]] = []
    for rows in chunks(path_set, *sample.between):
        found = balance_pairs(rows, options, seed=seed)
        kept = rows.select(found.keep)
        before.add(rows, sample.pairs_each)
        after.add(kept, sample.pairs_each)
        paths += len(rows)
        removed += found.removed
        at_floor += int(found.stopped.sum())
        hops.append(kept.mean_hops_by_pair())
    for rows in chunks(path_set, *sample.inside):
        before.add(rows)
        after.add(rows)
    drawn = np.concatenate(hops)
    drawn = drawn[drawn > 0]
    report = BalanceReport(
        before=before.by_kind(),
        after=after.by_kind(),
        removed_locally=removed,
        removed_globally=0,
        pairs_at_floor=at_floor,
        paths_before=paths,
        sampled_pairs=len(sample.between[0]),
    )
    mean = float(drawn.mean()) if len(drawn) else float("nan")
    return Balanced(BalancedSet(path_set, options, seed), mean, report)
