"""How many different ways a table gives to each pair of switches."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import PathRows


@dataclass(frozen=True)
class Spread:
    """Smallest and mean value over some pairs."""

    minimum: int
    mean: float


@dataclass(frozen=True)
class Diversity:
    """Choice per inter-group pair of switches that have paths, pairs without any path included.

    Attributes
    ----------
    pairs : number of inter-group pairs.
    paths : paths of a pair.
    first_links : different first global links of a pair's paths.
    intermediates : different intermediate switches of a pair's paths.
    """

    pairs: int
    paths: Spread
    first_links: Spread
    intermediates: Spread


def diversity(rows: PathRows) -> Diversity:
    """Count paths, first links and intermediates of every pair with a choice."""
    ends = rows.source, rows.target
    between = rows.topology.has_choice(*ends) & rows.topology.has_paths(*ends)
    return Diversity(
        pairs=int(np.count_nonzero(between)),
        paths=_spread(np.diff(rows.offset)[between]),
        first_links=_spread(_distinct(rows, rows.first_link)[between]),
        intermediates=_spread(_distinct(rows, rows.intermediate)[between]),
    )


def _distinct(rows: PathRows, values: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the different values of each pair, int64 (pairs,)."""
    shift = np.int64(1) << 32
    seen = np.unique(rows.pair_of_row * shift + (values.astype(np.int64) + (1 << 31)))
    return np.bincount(seen // shift, minlength=len(rows.source))


def _spread(counts: NDArray[np.int64]) -> Spread:
    return Spread(int(counts.min()), float(counts.mean()))
