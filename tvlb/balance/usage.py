"""How evenly paths use the links."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths import PathRows
from tvlb.topology import Topology, compiled


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


class UsageCount:
    """Adds up the usage of the links, some pairs at a time."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._kinds = topology.kinds.names
        self._usage = np.zeros(topology.num_links)
        self._per_pair: list[NDArray[np.float64]] = []

    def add(self, rows: PathRows, share: float = 1.0) -> None:
        """Add the pairs of `rows`, each counting `share` times."""
        self._usage += share * rows.total_usage()
        imbalance = kernels.pair_imbalance(compiled(self._topology), rows.native)
        self._per_pair.append(imbalance.reshape(-1, len(self._kinds)))

    @property
    def total(self) -> NDArray[np.float64]:
        """Usage of every link, float64 (links,)."""
        return self._usage

    def by_kind(self) -> dict[str, KindUsage]:
        """Summarise by kind of link, per pair and over all pairs."""
        per_pair = np.concatenate([np.zeros((0, len(self._kinds))), *self._per_pair])
        of_kind = self._topology.network.link_kind
        return {
            name: _kind_usage(self._usage[of_kind == kind], per_pair[:, kind])
            for kind, name in enumerate(self._kinds)
        }


def link_usage(rows: PathRows) -> dict[str, KindUsage]:
    """Summarise link usage by kind, per pair and summed over all pairs of `rows`."""
    count = UsageCount(rows.topology)
    count.add(rows)
    return count.by_kind()


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
