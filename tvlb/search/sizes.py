"""How large a question is, from the parameters of the network alone: nothing is listed.

Numbers are expected values over pairs of switches in different groups, as if the ends of the global
cables were drawn at random.
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
from tvlb.topology import Dragonfly
from tvlb.traffic import Pattern

__all__ = ["ProgramSize", "all_paths", "program_size"]

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


def _cables(topology: Dragonfly) -> float:
    """Mean number of cables between two groups."""
    return 2 * len(topology.cables) / (topology.groups * (topology.groups - 1))


def _vias(topology: Dragonfly) -> int:
    return (topology.groups - 2) * topology.switches_per_group


def _min_paths(topology: Dragonfly) -> _Counts:
    """MIN paths of 1, 2 and 3 hops between two switches, float64 (3,)."""
    at_end = 1.0 / topology.switches_per_group
    away = 1.0 - at_end
    return _cables(topology) * np.array([at_end * at_end, 2 * at_end * away, away * away])


def _shortest_halves(topology: Dragonfly) -> _Counts:
    """Shortest MIN paths by hops, float64 (3,): a longer one counts if there is no shorter."""
    expected = _min_paths(topology)
    some = 1.0 - np.exp(-expected)
    none_shorter = np.array([1.0, 1.0 - some[0], (1.0 - some[0]) * (1.0 - some[1])])
    return none_shorter * expected


def _halves(topology: Dragonfly, first: _Counts, second: _Counts) -> _Counts:
    """VLB paths by hops of both halves, float64 (3, 3)."""
    return _vias(topology) * np.outer(first, second)


_HOPS = np.add.outer(np.arange(1, 4), np.arange(1, 4))


def _path_counts(topology: Dragonfly, path_set: PathSet) -> _Counts:
    """VLB paths of a pair by hops of both halves, float64 (3, 3); unknown sets count as `all`."""
    if isinstance(path_set, EmptySet):
        return np.zeros((3, 3))
    if isinstance(path_set, ShortSet):
        shortest = _shortest_halves(topology)
        within = np.zeros((3, 3))
        within[: path_set.max_first, : path_set.max_second] = 1.0
        return _halves(topology, shortest, shortest) * within * (path_set.max_total >= _HOPS)
    counts = _halves(topology, _min_paths(topology), _min_paths(topology))
    if isinstance(path_set, LengthSet):
        return counts * _kept(path_set)
    rule = path_set.rule if isinstance(path_set, WeightedSet) else None
    return counts if rule is None else counts * _kept_shapes(rule)


def _kept(path_set: LengthSet) -> _Counts:
    kept = np.where(path_set.max_hops >= _HOPS, 1.0, 0.0)
    if path_set.composition is not None:
        first, second = path_set.composition
        kept[first - 1, second - 1] = 1.0
    kept[path_set.max_hops + 1 == _HOPS] += path_set.percent / 100
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


def all_paths(topology: Dragonfly) -> float:
    """VLB paths of all pairs of switches in different groups."""
    switches = topology.num_switches
    pairs = switches * (switches - topology.switches_per_group)
    return pairs * _vias(topology) * _cables(topology) ** 2


def program_size(topology: Dragonfly, path_set: PathSet | str, pattern: Pattern) -> ProgramSize:
    """Return the size of one linear program.

    Parameters
    ----------
    path_set : a set or an expression; anything else, such as a table, counts as `all`.
    """
    flows = pattern.count_flows(topology)
    counts = _path_counts(topology, _parsed(path_set, topology))
    by_hops = np.array([counts[total == _HOPS].sum() for total in range(2, 7)])
    minimal = _min_paths(topology)
    classes = float(_touched(by_hops, 1.0).sum() + _touched(minimal, 1.0).sum())
    return ProgramSize(
        rows=topology.num_links + flows,
        columns=1 + flows * classes,
        nonzeros=flows * (_links_in_use(topology, by_hops) + float(minimal @ np.arange(1, 4))),
        examined=flows * _vias(topology) * _cables(topology) ** 2,
        paths=flows * float(by_hops.sum()),
    )


def _parsed(path_set: PathSet | str, topology: Dragonfly) -> PathSet:
    if isinstance(path_set, PathSet):
        return path_set
    try:
        return parse_expression(path_set, topology)
    except InvalidInput:
        return LengthSet(topology)


def _touched(draws: _Counts, links: float) -> _Counts:
    """Return the expected number of different links after so many draws."""
    return links * (1.0 - np.exp(-draws / links))


def _links_in_use(topology: Dragonfly, by_hops: _Counts) -> float:
    """Links used by the VLB paths of a pair, summed over its classes.

    A path of h hops has h-2 local ones: half of them at the intermediate switch, where all groups
    but two have links, and a quarter at either end.
    """
    inner_groups = max(topology.groups - 2, 1)
    around = max(topology.switches_per_group - 1, 1)
    middle = inner_groups * topology.switches_per_group * around
    local = by_hops * np.arange(5)
    touched = (
        2 * _touched(by_hops, inner_groups * _cables(topology))
        + _touched(local / 2, middle)
        + 2 * _touched(local / 4, around)
    )
    return float(touched.sum())
