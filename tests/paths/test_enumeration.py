"""The compiled enumeration against plain Python, for every kind of expression and topology."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
import pytest

from tvlb import _native
from tvlb.paths import PathRows, PathSet, all_pairs, min_rows, parse_expression
from tvlb.topology import Dragonfly

SEED = 11


class Path(Protocol):
    """The plain path of conftest."""

    intermediate: int
    first_link: int
    second_link: int
    links: tuple[int, ...]
    composition: tuple[int, int]

    @property
    def hops(self) -> int: ...


class PlainPaths(Protocol):
    """The plain account of conftest."""

    def group(self, switch: int) -> int: ...
    def minimal(self, start: int, end: int) -> Iterator[tuple[int, tuple[int, ...]]]: ...
    def detours(self, start: int, end: int) -> "list[Path]": ...


Paths = list[Path]
Weighted = list[tuple[Path, Fraction]]


def equally(paths: Paths) -> Weighted:
    return [(path, Fraction(1, len(paths))) for path in paths]


def up_to(length: int) -> Callable[[Paths, Any], Weighted]:
    return lambda paths, _: equally([path for path in paths if path.hops <= length])


def and_composition(length: int, parts: tuple[int, int]) -> Callable[[Paths, Any], Weighted]:
    return lambda paths, _: equally(
        [path for path in paths if path.hops <= length or path.composition == parts]
    )


def and_percent(length: int, percent: int) -> Callable[[Paths, Any], Weighted]:
    """Of the longer paths the first floor(f * n + 1/2) in keyed order."""

    def choose(paths: Paths, ends: tuple[int, int]) -> Weighted:
        longer = sorted(
            (path for path in paths if path.hops == length + 1),
            key=lambda path: (
                _native.path_key(SEED, *ends, path.intermediate, path.first_link, path.second_link),
                path,
            ),
        )
        count = int(Fraction(percent, 100) * len(longer) + Fraction(1, 2))
        kept = set(longer[:count])
        return equally([path for path in paths if path.hops <= length or path in kept])

    return choose


def shortest_halves(
    first: int = 3, second: int = 3, total: int = 6
) -> Callable[[Paths, Any], Weighted]:
    """Intermediates equally likely, then both halves uniform among the shortest MIN paths."""

    def choose(paths: Paths, _: Any) -> Weighted:
        by_via: dict[int, Paths] = defaultdict(list)
        for path in paths:
            by_via[path.intermediate].append(path)
        chosen: list[Paths] = []
        for listed in by_via.values():
            m = min(path.composition[0] for path in listed)
            n = min(path.composition[1] for path in listed)
            if m <= first and n <= second and m + n <= total:
                chosen.append([path for path in listed if path.composition == (m, n)])
        # m x n shortest combinations are equally likely, so the two uniform draws of the halves
        # are one uniform draw of the pair.
        return [
            (path, Fraction(1, len(chosen) * len(listed))) for listed in chosen for path in listed
        ]

    return choose


RULES: dict[str, Callable[[Paths, Any], Weighted]] = {
    "all": up_to(6),
    "none": lambda paths, _: [],
    "<=2": up_to(2),
    "<=3": up_to(3),
    "<=5": up_to(5),
    "<=3+10%": and_percent(3, 10),
    "<=4+60%": and_percent(4, 60),
    "<=5+99%": and_percent(5, 99),
    "<=2+(1,2)": and_composition(2, (1, 2)),
    "<=4+(2,3)": and_composition(4, (2, 3)),
    "<=4+(3,2)": and_composition(4, (3, 2)),
    "<=5+(3,3)": and_composition(5, (3, 3)),
    "short(2,3)": shortest_halves(first=2),
    "short(3,2)": shortest_halves(second=2),
    "short(1,1)": shortest_halves(first=1, second=1),
    "short(<=4)": shortest_halves(total=4),
    "short(all)": shortest_halves(),
}


def rows_of(rows: PathRows, pair: int) -> list[tuple[int, int, int, int]]:
    cut = slice(rows.offset[pair], rows.offset[pair + 1])
    return list(
        zip(
            rows.intermediate[cut].tolist(),
            rows.first_link[cut].tolist(),
            rows.second_link[cut].tolist(),
            rows.hops[cut].tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("expression", RULES)
def test_rows_are_those_of_the_definition(
    expression: str, topology: Dragonfly, plain: PlainPaths
) -> None:
    path_set = parse_expression(expression, topology, SEED)
    rows = path_set.all_rows()
    links = rows.links().tolist()
    pairs = zip(rows.source.tolist(), rows.target.tolist(), strict=True)
    for pair, ends in enumerate(pairs):
        detours = plain.detours(*ends)
        inside = plain.group(ends[0]) == plain.group(ends[1])
        # Inside a group every expression but none means all detours.
        rule = up_to(6) if inside and expression != "none" else RULES[expression]
        expected = rule(detours, ends)
        assert rows_of(rows, pair) == [
            (path.intermediate, path.first_link, path.second_link, path.hops)
            for path, _ in expected
        ]
        cut = slice(rows.offset[pair], rows.offset[pair + 1])
        weights = [float(weight) for _, weight in expected]
        assert rows.weight[cut].tolist() == pytest.approx(weights, rel=1e-14)
        for (path, _), found in zip(expected, links[cut], strict=True):
            assert tuple(link for link in found if link >= 0) == path.links


def test_min_paths_are_one_per_global_link(topology: Dragonfly, plain: PlainPaths) -> None:
    rows = min_rows(topology, *all_pairs(topology))
    links = rows.links().tolist()
    for pair, ends in enumerate(zip(rows.source.tolist(), rows.target.tolist(), strict=True)):
        expected = list(plain.minimal(*ends))
        cut = slice(rows.offset[pair], rows.offset[pair + 1])
        assert rows.first_link[cut].tolist() == [link for link, _ in expected]
        assert [tuple(x for x in walk if x >= 0) for walk in links[cut]] == [
            walk for _, walk in expected
        ]
        assert rows.weight[cut].tolist() == [1 / len(expected)] * len(expected)
    assert (rows.intermediate == -1).all()
    assert (rows.second_link == -1).all()


def test_a_switch_has_no_paths_to_itself(parallel: Dragonfly) -> None:
    same = np.array([3, 5], dtype=np.int32)
    for expression in ("all", "<=4+60%", "short(2,3)", "none"):
        assert len(parse_expression(expression, parallel).rows(same, same)) == 0
    assert len(min_rows(parallel, same, same)) == 0


def test_number_of_paths_of_a_pair() -> None:
    # (g-2) * a * k * k between groups, a - 2 inside.
    for p, a, h, g in ((2, 4, 2, 3), (2, 4, 2, 5), (2, 4, 2, 9)):
        topology = Dragonfly(p, a, h, g)
        k = topology.links_per_group_pair[0]
        rows = parse_expression("all", topology).all_rows()
        group = topology.switch_group
        inside = group[rows.source] == group[rows.target]
        counts = np.diff(rows.offset)
        assert (counts[inside] == a - 2).all()
        assert (counts[~inside] == (g - 2) * a * k * k).all()


@pytest.mark.parametrize("expression", RULES)
def test_profile_equals_the_rows(expression: str, topology: Dragonfly) -> None:
    path_set = parse_expression(expression, topology, SEED)
    profile = path_set.profile(*all_pairs(topology))
    listed = path_set.all_rows().class_usage()
    assert np.array_equal(profile.count, listed.count)
    assert profile.weight == pytest.approx(listed.weight, abs=1e-12)


@pytest.mark.parametrize("expression", ["all", "<=3+10%", "short(2,3)"])
def test_class_usage_adds_up_weights_over_links(expression: str, topology: Dragonfly) -> None:
    path_set = parse_expression(expression, topology, SEED)
    rows = path_set.all_rows()
    expected: dict[tuple[int, int], float] = defaultdict(float)
    total = np.zeros(topology.num_links)
    details = zip(
        rows.pair_of_row.tolist(),
        rows.hops.tolist(),
        rows.weight.tolist(),
        rows.links().tolist(),
        strict=True,
    )
    for pair, hops, weight, links in details:
        for link in links[:hops]:
            expected[pair * 7 + hops, link] += weight
            total[link] += weight
    usage = path_set.class_usage(*all_pairs(topology))
    keys = list(zip(usage.entry_class.tolist(), usage.entry_link.tolist(), strict=True))
    assert keys == sorted(expected)
    assert usage.entry_value.tolist() == pytest.approx([expected[key] for key in keys])
    assert rows.total_usage() == pytest.approx(total)


def test_pairs_can_be_asked_for_in_any_order_and_number(parallel: Dragonfly) -> None:
    path_set: PathSet = parse_expression("<=4+60%", parallel, SEED)
    everything = path_set.all_rows()
    sources = np.array([7, 0, 7], dtype=np.int32)
    targets = np.array([0, 9, 1], dtype=np.int32)
    asked = path_set.rows(sources, targets)
    for position, (source, target) in enumerate(zip(sources, targets, strict=True)):
        pair = source * 11 + target - (target > source)
        assert rows_of(asked, position) == rows_of(everything, int(pair))
    from_seven = path_set.rows_of_source(7)
    assert from_seven.target.tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]
    assert rows_of(from_seven, 0) == rows_of(asked, 0)
