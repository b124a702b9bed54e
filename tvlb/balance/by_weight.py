"""Load balancing of a VLB path set by changing draw weights; docs/balance.md has the rule."""

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.options import WeightOptions
from tvlb.balance.result import Balanced, BalanceReport
from tvlb.balance.sets import ReweightedSet, weighed
from tvlb.balance.usage import link_usage
from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.paths import MAX_ROWS, PathRows, PathSet, RowSet, as_path_set, is_listable
from tvlb.topology import Topology, as_topology, compiled


def balance_weights(
    path_set: PathSet | str,
    options: WeightOptions | None = None,
    *,
    topology: Topology | str | None = None,
) -> Balanced:
    """Draw paths over busy links less often, so that the usage of the links evens out.

    Parameters
    ----------
    path_set : also as the text that commands take, with a topology.
    topology : of the text of a path set, itself or its text.

    Raises
    ------
    InvalidInput : the set has too many paths or switch pairs to list them all.

    Notes
    -----
    Every path stays, and no kind of link ends further from even than the worse of the two was.
    Cost: about 25 ns per path and round on one core, and 40 bytes of memory per path.

    Examples
    --------
    >>> balanced = balance_weights("<=4", topology="2,4,2,5")
    >>> balanced
    <Balanced <=4 on dfly(2,4,2,5) by weights: 4,080 paths, 3.835 hops on average>
    >>> for kind, before in balanced.report.before.items():
    ...     after = balanced.report.after[kind]
    ...     print(f"{kind} {before.max_over_mean:.3f} {after.max_over_mean:.3f}")
    local 1.090 1.004
    global 1.123 1.009
    """
    given = as_path_set(path_set, None if topology is None else as_topology(topology))
    if not is_listable(given):
        raise InvalidInput(
            f"{given} on {given.topology} has more than {MAX_ROWS:,} paths; balancing by "
            "weights lists them all"
        )
    settings = options or WeightOptions()
    rows = given.all_rows()
    found = ReweightedSet(given, _factors(rows, settings), settings.floor)
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
    return Balanced(found, RowSet(reweighted, str(given)).mean_hops(), report)


def reweight(rows: PathRows, options: WeightOptions | None = None) -> PathRows:
    """Give the rows of all pairs, as from `PathSet.all_rows`, the weights of `balance_weights`."""
    settings = options or WeightOptions()
    return weighed(rows, _factors(rows, settings), settings.floor)


def _factors(rows: PathRows, options: WeightOptions) -> NDArray[np.float64]:
    """Find the factor of every link, float64 (links,)."""
    return kernels.balance_weights(compiled(rows.topology), rows.native, options.native())
