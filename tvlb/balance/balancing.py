"""Load balancing of a VLB path set by removing paths.

Reference: Rahman et al., SC'19, section 3.3.3. The removal rules are made exact in
docs/balance.md.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, PathSet, RowSet, check_listable, wiring
from tvlb.randomness import check_seed
from tvlb.topology import LinkKind

__all__ = [
    "BalanceOptions",
    "BalanceReport",
    "Balanced",
    "BalancedPairs",
    "KindUsage",
    "balance",
    "balance_pairs",
    "link_usage",
]


@dataclass(frozen=True)
class BalanceOptions:
    """Thresholds and floors of balancing.

    Attributes
    ----------
    local_threshold : a link is overloaded for a pair above this multiple of the mean usage over
        the links of its kind that the pair uses (links on every path of the pair left out); > 1.
    global_threshold : the same for usage summed over all pairs; > 1.
    floor_paths, floor_share : a pair keeps at least max(floor_paths, ceil(floor_share * n)) of
        its n paths (and always two first links and two intermediates where it had them).
    """

    local_threshold: float = 2.0
    global_threshold: float = 1.2
    floor_paths: int = 4
    floor_share: float = 0.5

    def __post_init__(self) -> None:
        for name in ("local_threshold", "global_threshold"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 1.0):
                raise InvalidInput(f"{name} {value} is out of range: it must be above 1")
        if self.floor_paths < 1:
            raise InvalidInput(f"floor_paths {self.floor_paths} is out of range: at least 1")
        if not 0.0 <= self.floor_share <= 1.0:
            raise InvalidInput(f"floor_share {self.floor_share} is out of range: 0..1")


@dataclass(frozen=True)
class KindUsage:
    """Usage of the links of one kind.

    Attributes
    ----------
    max_over_mean : largest usage over the mean of the links in use, summed over all pairs, every
        pair equally likely; nan if no link is in use.
    pair_mean, pair_max : mean and maximum over the pairs of a pair's own largest usage over its
        mean, links on every path of the pair left out; nan if no pair has a choice of links.
    quantiles : float64 (101,), percentiles 0..100 of usage / mean over the links in use.
    """

    max_over_mean: float
    pair_mean: float
    pair_max: float
    quantiles: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True)
class BalanceReport:
    """What balancing did.

    Attributes
    ----------
    before, after : usage by kind of link, all pairs together.
    removed_locally, removed_globally : paths removed by the per-pair and the all-pairs step.
    pairs_at_floor : pairs for which an overload stayed because no further path may be removed.
    paths_before : paths of all pairs before.
    """

    before: dict[LinkKind, KindUsage]
    after: dict[LinkKind, KindUsage]
    removed_locally: int
    removed_globally: int
    pairs_at_floor: int
    paths_before: int

    @property
    def removed(self) -> int:
        """Paths removed altogether."""
        return self.removed_locally + self.removed_globally


@dataclass(frozen=True, eq=False)
class Balanced:
    """A balanced path set.

    Attributes
    ----------
    path_set : the remaining paths, weights renormalised; prints as the original expression.
    keep : bool over the rows of the original set, `PathSet.all_rows`.
    report : what was done.
    """

    path_set: RowSet
    keep: NDArray[np.bool_]
    report: BalanceReport


@dataclass(frozen=True, eq=False)
class BalancedPairs:
    """What is left of some pairs, each balanced on its own.

    Attributes
    ----------
    keep : bool (rows,), the rows that stay.
    stopped : bool (pairs,), an overload stayed because no further path may be removed.
    """

    keep: NDArray[np.bool_]
    stopped: NDArray[np.bool_]

    @property
    def removed(self) -> int:
        """Paths removed, all pairs together."""
        return int((~self.keep).sum())


def balance(path_set: PathSet, options: BalanceOptions | None = None, *, seed: int = 0) -> Balanced:
    """Remove paths until no link is overloaded for a pair or over all pairs, or floors forbid.

    Parameters
    ----------
    seed : breaks ties between paths of equal length by the keyed order.

    Raises
    ------
    InvalidInput : the path set is too large to be listed, or the seed is out of range.

    Notes
    -----
    Pairs inside a group count towards the usage and keep their paths.
    """
    settings = _native_options(options, seed)
    check_listable(path_set)
    rows = path_set.all_rows()
    keep_bytes, stopped, removed_locally, removed_globally = _native.balance(
        wiring(path_set.topology), rows.native, settings
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
    return Balanced(RowSet(kept, str(path_set)), keep, report)


def balance_pairs(
    rows: PathRows, options: BalanceOptions | None = None, *, seed: int = 0
) -> BalancedPairs:
    """Remove paths of each pair until none of its links is overloaded, or floors forbid.

    This is the per-pair step of `balance` alone; no pair influences another.

    Parameters
    ----------
    rows : paths of any pairs; those inside a group keep theirs.
    options : `global_threshold` is not used.
    seed : breaks ties between paths of equal length by the keyed order.

    Raises
    ------
    InvalidInput : the seed is out of range.

    Notes
    -----
    About O(n log n) for a pair with n paths; docs/balance.md gives times.

    Examples
    --------
    >>> from tvlb.paths import parse_expression
    >>> from tvlb.topology import Dragonfly
    >>> ends = np.array([0], dtype=np.int32), np.array([5], dtype=np.int32)
    >>> rows = parse_expression("<=3", Dragonfly(2, 4, 2, 3)).rows(*ends)
    >>> found = balance_pairs(rows, BalanceOptions(local_threshold=1.4, floor_paths=2))
    >>> len(rows), found.removed, found.stopped.tolist()
    (4, 1, [False])
    """
    keep, stopped, _ = _native.balance_pairs(
        wiring(rows.topology), rows.native, _native_options(options, seed)
    )
    return BalancedPairs(keep.astype(bool), stopped.astype(bool))


def _native_options(options: BalanceOptions | None, seed: int) -> _native.BalanceOptions:
    check_seed(seed)
    settings = options or BalanceOptions()
    return _native.BalanceOptions(
        settings.local_threshold,
        settings.global_threshold,
        settings.floor_paths,
        settings.floor_share,
        seed,
    )


def link_usage(rows: PathRows) -> dict[LinkKind, KindUsage]:
    """Summarise link usage by kind, per pair and summed over all pairs of `rows`."""
    usage = rows.total_usage()
    per_pair = _native.pair_imbalance(wiring(rows.topology), rows.native).reshape(-1, 2)
    of_kind = rows.topology.network.link_kind
    return {kind: _kind_usage(usage[of_kind == kind], per_pair[:, kind]) for kind in LinkKind}


def _kind_usage(usage: NDArray[np.float64], per_pair: NDArray[np.float64]) -> KindUsage:
    used = usage[usage > 0]
    choice = per_pair[per_pair > 0]
    relative = used / used.mean() if len(used) else np.array([math.nan])
    return KindUsage(
        max_over_mean=float(relative.max()),
        pair_mean=float(choice.mean()) if len(choice) else math.nan,
        pair_max=float(choice.max()) if len(choice) else math.nan,
        quantiles=np.percentile(relative, np.arange(101)),
    )
