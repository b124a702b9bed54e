"""Load balancing of a VLB path set by changing draw weights; docs/balance.md has the rule."""

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.balance.options import WeightOptions
from tvlb.balance.result import Balanced, BalanceReport
from tvlb.balance.sets import ReweightedSet, weighed
from tvlb.balance.usage import link_usage
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, PathRows, PathSet, RowSet, is_listable
from tvlb.topology import compiled

__all__ = ["balance_weights", "reweight"]


def balance_weights(path_set: PathSet, options: WeightOptions | None = None) -> Balanced:
    """Draw paths over busy links less often, so that the usage of the links evens out.

    Raises
    ------
    InvalidInput : the set has too many paths or switch pairs to list them all.

    Notes
    -----
    Every path stays, and no kind of link ends further from even than the worse of the two was.
    Cost: about 25 ns per path and round on one core, and 40 bytes of memory per path.

    Examples
    --------
    >>> from tvlb.paths import parse_expression
    >>> from tvlb.topology import Dragonfly
    >>> report = balance_weights(parse_expression("<=4", Dragonfly(2, 4, 2, 5))).report
    >>> for kind, before in report.before.items():
    ...     after = report.after[kind]
    ...     print(f"{kind} {before.max_over_mean:.3f} {after.max_over_mean:.3f}")
    local 1.090 1.004
    global 1.123 1.009
    """
    if not is_listable(path_set):
        raise InvalidInput(
            f"{path_set} on {path_set.topology} has more than {MAX_ROWS:,} paths; balancing by "
            "weights lists them all"
        )
    settings = options or WeightOptions()
    rows = path_set.all_rows()
    found = ReweightedSet(path_set, _factors(rows, settings), settings.floor)
    reweighted = weighed(rows, found.factors, found.floor)
    report = BalanceReport(
        before=link_usage(rows),
        after=link_usage(reweighted),
        removed_locally=0,
        removed_globally=0,
        pairs_at_floor=0,
        paths_before=len(rows),
        method="weights",
    )
    return Balanced(found, RowSet(reweighted, str(path_set)).mean_hops(), report)


def reweight(rows: PathRows, options: WeightOptions | None = None) -> PathRows:
    """Give the rows of all pairs, as from `PathSet.all_rows`, the weights of `balance_weights`."""
    settings = options or WeightOptions()
    return weighed(rows, _factors(rows, settings), settings.floor)


def _factors(rows: PathRows, options: WeightOptions) -> NDArray[np.float64]:
    """Find the factor of every link, float64 (links,)."""
    return _native.balance_weights(compiled(rows.topology), rows.native, options.native())
