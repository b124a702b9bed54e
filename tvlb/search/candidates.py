"""From the probe curve to the path sets that Step 2 simulates."""

import hashlib
from collections.abc import Sequence

import numpy as np

from tvlb.paths import PathRows
from tvlb.search.probe import ProbePoint, ProbeResult

__all__ = ["MAX_DATA_POINTS", "choose_candidates", "content_key"]

MAX_DATA_POINTS = 8


def choose_candidates(probe: ProbeResult) -> list[str]:
    """Return the expressions to simulate, data points first, shortest first.

    Notes
    -----
    Data points within the tolerance of the best mean, at most eight spread over their range with
    the shortest one always in, then the strategic choices within the tolerance. `all` is not
    listed: it is the baseline that every candidate is compared with.
    """
    eligible = [
        point for point in probe.points if point.within_tolerance and point.expression != "all"
    ]
    chosen = _spread(eligible, MAX_DATA_POINTS)
    chosen += [point for point in probe.strategic if point.within_tolerance]
    return [point.expression for point in chosen]


def _spread(points: Sequence[ProbePoint], limit: int) -> list[ProbePoint]:
    """Pick at most `limit` points evenly, the first and the last included."""
    if len(points) <= limit:
        return list(points)
    return [points[index] for index in np.linspace(0, len(points) - 1, limit).round().astype(int)]


def content_key(rows: PathRows) -> str:
    """Hash of the paths and weights, to recognise expressions that mean the same set."""
    digest = hashlib.sha256()
    for column in (
        rows.offset,
        rows.intermediate,
        rows.first_link,
        rows.second_link,
        # Weights of equal sets may be rounded differently by different rules.
        rows.weight.astype("float32"),
    ):
        digest.update(column.tobytes())
    return digest.hexdigest()
