"""The per-pair step of balancing, for any pairs on their own."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.options import BalanceOptions
from tvlb.native import kernels
from tvlb.paths import PathRows
from tvlb.statistics import check_seed
from tvlb.topology import compiled


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
    check_seed(seed)
    settings = options or BalanceOptions()
    keep, stopped, _ = kernels.balance_pairs(
        compiled(rows.topology), rows.native, settings.native(seed)
    )
    return BalancedPairs(keep.astype(bool), stopped.astype(bool))
