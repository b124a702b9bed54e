"""From the probe curve to the path sets that Step 2 simulates."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tvlb.balance import sample_of
from tvlb.paths import (
    MeetSet,
    PathRows,
    PathSet,
    SimpleSet,
    is_listable,
    parse_expression,
    revisits,
)
from tvlb.processes.units import Unit, Units
from tvlb.search.probe import ProbeResult
from tvlb.topology import Topology

MAX_DATA_POINTS = 8
_MOST_SAMPLED_ROWS = 2_000_000


def choose_candidates(
    topology: Topology,
    probe: ProbeResult,
    seed: int,
    data_points: int,
    units: Units,
) -> tuple[list[str], dict[str, str]]:
    """Return the expressions to simulate, and those merged into others that mean the same paths.

    Notes
    -----
    Data points within the tolerance of the best mean, at most `data_points` spread over their range
    with the shortest one always in, then the strategic choices within the tolerance. The
    conventional set is not listed: it is the baseline that every candidate is compared with. Sets
    that equal it, or a shorter expression, are merged into that; where all paths are too many to
    list, sets are equal that have the same mean hops and the same paths between a sample of the
    pairs.
    """
    conventional = topology.conventional_set
    eligible = [
        point.expression
        for point in probe.points
        if point.within_tolerance and point.expression != conventional
    ]
    extra = [point.expression for point in probe.strategic if point.within_tolerance]
    expressions = [conventional, *eligible, *extra]
    listed = is_listable(parse_expression("all", topology))
    contents = units.map([ContentUnit(topology, one, seed, listed) for one in expressions])
    first: dict[str, str] = {}
    merged: dict[str, str] = {}
    for expression, content in zip(expressions, contents, strict=True):
        if content in first:
            merged[expression] = first[content]
        else:
            first[content] = expression
    points = [one for one in eligible if one not in merged]
    return [*_spread(points, data_points), *(one for one in extra if one not in merged)], merged


def loop_free_form(path_set: PathSet) -> PathSet | None:
    """Return the paths of an expression's set that visit no switch twice, None if all are so.

    Nor is there such a form of a set that is too large to list.
    """
    if not is_listable(path_set) or not revisits(path_set.all_rows()).any():
        return None
    return MeetSet((path_set, SimpleSet(path_set.topology)))


@dataclass(frozen=True)
class ContentUnit(Unit[str]):
    """Tell a path set from others by a hash of its paths and weights.

    Attributes
    ----------
    listed : whether all paths are hashed, or those between a sample of the pairs.
    """

    topology: Topology
    expression: str
    seed: int
    listed: bool

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {
            "unit": "content",
            "network": self.topology.identity,
            "expression": self.expression,
            "seed": self.seed,
            "listed": self.listed,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        path_set = parse_expression(self.expression, self.topology, self.seed)
        if self.listed:
            return content_key(path_set.all_rows()).encode()
        everything = parse_expression("all", self.topology)
        sample = sample_of(everything, _MOST_SAMPLED_ROWS).between
        return f"{path_set.mean_hops()!r} {content_key(path_set.rows(*sample))}".encode()

    def decode(self, data: bytes) -> str:
        """See `Unit.decode`."""
        return data.decode()


def _spread(points: Sequence[str], limit: int) -> list[str]:
    """Pick at most `limit` points evenly, the first and the last included."""
    if len(points) <= limit:
        return list(points)
    return [points[int(index)] for index in np.linspace(0, len(points) - 1, limit).round()]


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
