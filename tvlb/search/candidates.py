"""From the probe curve to the path sets that Step 2 simulates."""

import hashlib
from collections.abc import Sequence

import numpy as np

from tvlb.balance import sample_of
from tvlb.paths import PathRows, is_listable, parse_expression
from tvlb.search.probe import ProbePoint, ProbeResult
from tvlb.topology import Dragonfly

__all__ = ["MAX_DATA_POINTS", "choose_candidates", "content_key"]

MAX_DATA_POINTS = 8
_MOST_SAMPLED_ROWS = 2_000_000


def choose_candidates(
    topology: Dragonfly,
    probe: ProbeResult,
    seed: int = 0,
    data_points: int = MAX_DATA_POINTS,
) -> tuple[list[str], dict[str, str]]:
    """Return the expressions to simulate, and those merged into others that mean the same paths.

    Notes
    -----
    Data points within the tolerance of the best mean, at most `data_points` spread over their range
    with the shortest one always in, then the strategic choices within the tolerance. `all` is not
    listed: it is the baseline that every candidate is compared with. Sets that equal it, or a
    shorter expression, are merged into that; where all paths are too many to list, sets are equal
    that have the same mean hops and the same paths between a sample of the pairs.
    """
    distinct = _Distinct(topology, seed)
    eligible = [point for point in probe.points if point.within_tolerance]
    points = [point for point in eligible if point.expression != "all" and distinct.is_new(point)]
    chosen = _spread(points, data_points)
    extra = [
        point for point in probe.strategic if point.within_tolerance and distinct.is_new(point)
    ]
    return [point.expression for point in [*chosen, *extra]], distinct.merged


class _Distinct:
    """Recognises path sets that were seen before, beginning with `all`."""

    def __init__(self, topology: Dragonfly, seed: int) -> None:
        self._topology = topology
        self._seed = seed
        conventional = parse_expression("all", topology)
        self._sample = (
            None
            if is_listable(conventional)
            else sample_of(conventional, _MOST_SAMPLED_ROWS).between
        )
        self._seen: dict[str, str] = {self._key("all"): "all"}
        self.merged: dict[str, str] = {}

    def is_new(self, point: ProbePoint) -> bool:
        key = self._key(point.expression)
        if key in self._seen:
            self.merged[point.expression] = self._seen[key]
            return False
        self._seen[key] = point.expression
        return True

    def _key(self, expression: str) -> str:
        path_set = parse_expression(expression, self._topology, self._seed)
        if self._sample is None:
            return content_key(path_set.all_rows())
        return f"{path_set.mean_hops()!r} {content_key(path_set.rows(*self._sample))}"


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
