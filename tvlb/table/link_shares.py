"""How much the paths of a table use every link."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import UsageCount, chunks, sample_of
from tvlb.table.compact import AnyTable, CompactTable

# Enough for a picture, and few enough for a reader who waits.
_SAMPLED_ROWS = 2_000_000


@dataclass(frozen=True, eq=False)
class LinkShares:
    """Usage of the links.

    Attributes
    ----------
    relative : float64 (links,), usage over the mean of the links of its kind that are in use,
        when every switch pair draws its paths equally often.
    sampled_pairs : number of pairs between groups that it is of; None for all.
    """

    relative: NDArray[np.float64]
    sampled_pairs: int | None


def link_shares(table: AnyTable) -> LinkShares:
    """Return the usage of the links, for a compact table that of a sample of the pairs.

    Raises
    ------
    InvalidInput : a row of the table is not a path of its topology.
    """
    topology = table.topology
    path_set = table.path_set(f"table {table.id[:12]}")
    if not isinstance(table, CompactTable):
        return LinkShares(_relative(table.rows.total_usage(), table), None)
    count = UsageCount(topology)
    sample = sample_of(path_set, _SAMPLED_ROWS)
    for ends, each in ((sample.between, sample.pairs_each), (sample.inside, 1.0)):
        for rows in chunks(path_set, *ends):
            count.add(rows, each)
    return LinkShares(_relative(count.total, table), len(sample.between[0]))


def _relative(usage: NDArray[np.float64], table: AnyTable) -> NDArray[np.float64]:
    relative = np.zeros(len(usage))
    kinds = table.topology.network.link_kind
    for kind in range(len(table.topology.kinds.names)):
        inside = (kinds == kind) & (usage > 0)
        if inside.any():
            relative[inside] = usage[inside] / usage[inside].mean()
    return relative
