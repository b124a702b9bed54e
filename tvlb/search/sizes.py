"""How large a question is, from the parameters of the network alone: nothing is listed.

Numbers are expected values over pairs of switches; see `tvlb.topology.ExpectedPaths`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import (
    EmptySet,
    LengthSet,
    PathSet,
    ShapeRule,
    ShortSet,
    WeightedSet,
    parse_expression,
)
from tvlb.topology import Topology, touched
from tvlb.traffic import Pattern

__all__ = ["ProgramSize", "program_size"]

_Counts = NDArray[np.float64]


@dataclass(frozen=True)
class ProgramSize:
    """One linear program.

    Attributes
    ----------
    rows, columns, nonzeros : of its matrix.
    examined, paths : VLB paths looked at to build it, and those of the path set.
    """

    rows: float
    columns: float
    nonzeros: float
    examined: float
    paths: float


def _shortest(expected: _Counts) -> _Counts:
    """Shortest MIN paths by hops: a longer one counts if there is no shorter."""
    some = 1.0 - np.exp(-expected)
    none_shorter = np.cumprod(np.concatenate([[1.0], 1.0 - some[:-1]]))
    return none_shorter * expected


def _hops(most: int) -> NDArray[np.int64]:
    """Hops of a VLB path by hops of both halves, int64 (most, most)."""
    return np.add.outer(np.arange(1, most + 1), np.arange(1, most + 1))


def _path_counts(topology: Topology, path_set: PathSet) -> _Counts:
    """VLB paths of a pair by hops of both halves, from 1; unknown sets count as `all`."""
    expected = topology.expected_paths
    half = expected.min_paths_by_hops
    hops = _hops(len(half))
    if isinstance(path_set, EmptySet):
        return np.zeros(hops.shape)
    if isinstance(path_set, ShortSet):
        shortest = _shortest(half)
        within = np.zeros(hops.shape)
        within[: path_set.max_first, : path_set.max_second] = 1.0
        counts = expected.intermediates * np.outer(shortest, shortest)
        return counts * within * (path_set.max_total >= hops)
    counts = expected.intermediates * np.outer(half, half)
    if isinstance(path_set, LengthSet):
        return counts * _kept(path_set, hops)
    rule = path_set.rule if isinstance(path_set, WeightedSet) else None
    return counts if rule is None else counts * _kept_shapes(rule)


def _kept(path_set: LengthSet, hops: NDArray[np.int64]) -> _Counts:
    kept = np.where(path_set.max_hops >= hops, 1.0, 0.0)
    if path_set.composition is not None:
        first, second = path_set.composition
        kept[first - 1, second - 1] = 1.0
    kept[path_set.max_hops + 1 == hops] += path_set.percent / 100
    return kept


def _kept_shapes(rule: ShapeRule) -> _Counts:
    """Share of the paths by hops of both halves that weigh anything.

    Half of the MIN halves of two hops have their local hop at either end.
    """
    kept = np.zeros((3, 3))
    for code, weight in enumerate(rule.weight):
        first = 1 + (code >> 2).bit_count()
        second = 1 + (code & 3).bit_count()
        kept[first - 1, second - 1] += (weight > 0) * 0.5 ** ((first == 2) + (second == 2))
    return kept


def program_size(topology: Topology, path_set: PathSet | str, pattern: Pattern) -> ProgramSize:
    """Return the size of one linear program.

    Parameters
    ----------
    path_set : a set or an expression; anything else, such as a table, counts as `all`.
    """
    flows = pattern.count_flows(topology)
    expected = topology.expected_paths
    minimal = expected.min_paths_by_hops
    counts, hops = _path_counts(topology, _parsed(path_set, topology)), _hops(len(minimal))
    by_hops = np.array([counts[total == hops].sum() for total in range(2, 2 * len(minimal) + 1)])
    classes = float(touched(by_hops, 1.0).sum() + touched(minimal, 1.0).sum())
    links = topology.links_in_use(by_hops) + float(minimal @ np.arange(1, len(minimal) + 1))
    return ProgramSize(
        rows=topology.num_links + flows,
        columns=1 + flows * classes,
        nonzeros=flows * links,
        examined=flows * expected.intermediates * expected.min_paths**2,
        paths=flows * float(by_hops.sum()),
    )


def _parsed(path_set: PathSet | str, topology: Topology) -> PathSet:
    if isinstance(path_set, PathSet):
        return path_set
    try:
        return parse_expression(path_set, topology)
    except InvalidInput:
        return LengthSet(topology)
