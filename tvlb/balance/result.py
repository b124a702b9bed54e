"""What balancing a path set gives, whichever way it is done."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tvlb.balance.sets import BalancedSet, KeptSet, ReweightedSet
from tvlb.balance.usage import KindUsage
from tvlb.documents import Frame

BalanceMethod = Literal["removal", "weights"]
"""The ways of balancing: paths over busy links are removed, or drawn less often."""


@dataclass(frozen=True)
class BalanceReport:
    """What balancing did.

    Attributes
    ----------
    before, after : usage by kind of link, all pairs together.
    removed_locally, removed_globally : paths removed by the per-pair and the all-pairs step; 0 if
        balanced by weights.
    pairs_at_floor : pairs for which an overload stayed because no further path may be removed; 0 if
        balanced by weights.
    paths_before : paths of all pairs before.
    sampled_pairs : None, or the number of pairs between groups that all these figures are of.
    method : the way of balancing; None if the set was left as it is.
    """

    before: dict[str, KindUsage]
    after: dict[str, KindUsage]
    removed_locally: int
    removed_globally: int
    pairs_at_floor: int
    paths_before: int
    sampled_pairs: int | None = None
    method: BalanceMethod | None = "removal"

    @property
    def removed(self) -> int:
        """Paths removed altogether."""
        return self.removed_locally + self.removed_globally


@dataclass(frozen=True, eq=False)
class Balanced(Frame):
    """A balanced path set.

    Attributes
    ----------
    path_set : what balancing made of the set; prints as the original expression.
    mean_hops : mean hops of a path drawn from it over the inter-group pairs, nan without any; of
        the sampled pairs if there is a sample.
    report : what was done.
    """

    path_set: KeptSet | BalancedSet | ReweightedSet
    mean_hops: float
    report: BalanceReport

    @property
    def keep(self) -> NDArray[np.bool_] | None:
        """Bool over the rows of the original set, `PathSet.all_rows`.

        None if they are too many, or if balancing changed weights and removed nothing.
        """
        return self.path_set.keep if isinstance(self.path_set, KeptSet) else None

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each kind of links."""
        return [
            {
                "kind": kind,
                "max_over_mean_before": before.max_over_mean,
                "max_over_mean_after": self.report.after[kind].max_over_mean,
            }
            for kind, before in self.report.before.items()
        ]

    def __repr__(self) -> str:
        report = self.report
        done = f"{report.removed:,} of {report.paths_before:,} paths removed"
        if report.method == "weights":
            done = f"{report.paths_before:,} paths"
        way = f"{self.path_set} on {self.path_set.topology} by {report.method}"
        return f"<Balanced {way}: {done}, {self.mean_hops:.3f} hops on average>"
