"""The compiled enumeration against plain Python, for every kind of expression and topology."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from operator import ne
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest

from tvlb.native import kernels
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
    shape: str

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
                kernels.path_key(SEED, *ends, path.intermediate, path.first_link, path.second_link),
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


def local_hops(shape: str) -> tuple[bool, bool, bool, bool]:
    """Whether there is one at the source, before and after the intermediate, at the target."""
    first, second = shape.split(".")
    return first[0] == "l", first[-1] == "l", second[0] == "l", second[-1] == "l"


class Lengths(NamedTuple):
    """A set by length, and which shapes it admits if a random fraction counts as admitted."""

    rule: Callable[[Paths, Any], Weighted]
    admits: Callable[[str], bool]


def at_most(hops: int) -> Callable[[str], bool]:
    return lambda shape: 2 + sum(local_hops(shape)) <= hops


def two_and_two(shape: str) -> bool:
    """Whether `<=3+(2,2)` admits a shape: halves of two hops, or three hops in all."""
    return at_most(3)(shape) or [len(half) for half in shape.split(".")] == [2, 2]


@dataclass(frozen=True)
class Meeting:
    """Paths that are in all of several sets, or those of the nearest shape.

    Attributes
    ----------
    shapes : of each set by shape, the weights by shape.
    """

    shapes: tuple[dict[str, Fraction], ...] = ()
    lengths: tuple[Lengths, ...] = ()
    shorts: tuple[Callable[[Paths, Any], Weighted], ...] = ()

    def common(self, paths: Paths, ends: Any) -> dict[Path, Fraction]:
        """Paths that all sets have, weights multiplied."""
        sets = [dict(rule(paths, ends)) for rule in (*self.shorts, *(x.rule for x in self.lengths))]
        for weights in self.shapes:
            sets.append({path: weights[path.shape] for path in paths if path.shape in weights})
        return {
            path: prod((one[path] for one in sets), start=Fraction(1))
            for path in paths
            if all(path in one for one in sets)
        }

    def __call__(self, paths: Paths, ends: Any) -> Weighted:
        weights = self.common(paths, ends)
        if not weights and self.shapes:
            weights = self.nearest(paths, ends)
        total = sum(weights.values())
        return [(path, weight / total) for path, weight in weights.items()]

    def nearest(self, paths: Paths, ends: Any) -> dict[Path, Fraction]:
        """Paths of the nearest shape among those of the shortest halves, else among all."""
        among = Meeting(shorts=self.shorts).common(paths, ends) or dict.fromkeys(paths, Fraction(1))
        named = set[str].intersection(*(set(weights) for weights in self.shapes))

        def rank(shape: str) -> tuple[Any, ...]:
            admitted = all(lengths.admits(shape) for lengths in self.lengths)
            taken = local_hops(shape)
            differing = min(sum(map(ne, taken, local_hops(one))) for one in named)
            return not admitted, differing, sum(taken), taken

        best = min((path.shape for path in among), key=rank, default="")
        return {path: weight for path, weight in among.items() if path.shape == best}


def weights(**by_shape: int | str) -> dict[str, Fraction]:
    """Weights by shape, written with an underscore for the dot; `any` is any half."""
    halves = {"any": ("g", "gl", "lg", "lgl")}
    found: dict[str, Fraction] = {}
    for name, weight in by_shape.items():
        first, second = (halves.get(half, (half,)) for half in name.split("_"))
        found |= {f"{one}.{other}": Fraction(weight) for one in first for other in second}
    return found


# Sets of which some have pairs without any of their paths, on every topology.
MEETINGS: dict[str, Meeting] = {
    "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)": Meeting((weights(g_g=8, g_gl=4, g_lg=4, g_lgl=1),)),
    "shape(g.?)": Meeting((weights(g_any=1),)),
    "shape(?.?:2)": Meeting((weights(any_any=2),)),
    "shape(g.lg:3, lgl.?:0.5)": Meeting((weights(lgl_any="1/2", g_lg=3),)),
    "shape(lg.gl)": Meeting((weights(lg_gl=1),)),
    "shape(g.g, lgl.?:3) & shape(lgl.lg:2, g.g)": Meeting(
        (weights(g_g=1, lgl_any=3), weights(lgl_lg=2, g_g=1))
    ),
    "shape(g.?) & <=4": Meeting((weights(g_any=1),), (Lengths(up_to(4), at_most(4)),)),
    "shape(lgl.lgl) & <=3": Meeting((weights(lgl_lgl=1),), (Lengths(up_to(3), at_most(3)),)),
    "shape(g.?:2, lg.?) & <=3+50%": Meeting(
        (weights(g_any=2, lg_any=1),), (Lengths(and_percent(3, 50), at_most(4)),)
    ),
    "shape(g.?) & <=2+1%": Meeting((weights(g_any=1),), (Lengths(and_percent(2, 1), at_most(3)),)),
    "shape(?.?:3) & <=4+60%": Meeting(
        (weights(any_any=3),), (Lengths(and_percent(4, 60), at_most(5)),)
    ),
    "shape(lgl.gl, lg.lg) & <=3+(2,2)": Meeting(
        (weights(lgl_gl=1, lg_lg=1),), (Lengths(and_composition(3, (2, 2)), two_and_two),)
    ),
    "shape(g.?) & short(2,3)": Meeting((weights(g_any=1),), (), (shortest_halves(first=2),)),
    "short(1,1) & shape(lgl.lgl)": Meeting(
        (weights(lgl_lgl=1),), (), (shortest_halves(first=1, second=1),)
    ),
    "shape(g.?:2, gl.?) & short(all) & <=3+50%": Meeting(
        (weights(g_any=2, gl_any=1),),
        (Lengths(and_percent(3, 50), at_most(4)),),
        (shortest_halves(),),
    ),
    "<=4 & short(2,3)": Meeting((), (Lengths(up_to(4), at_most(4)),), (shortest_halves(first=2),)),
    "short(2,3) & short(3,2)": Meeting(
        (), (), (shortest_halves(first=2), shortest_halves(second=2))
    ),
}


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
    # Of one length the smaller fraction is part of the larger; a shorter limit cuts the rest off.
    "<=4+60% & <=4+30%": and_percent(4, 30),
    "<=5+60% & <=4+30%": and_percent(4, 30),
    "<=5 & <=3+(1,3) & <=5+10%": and_composition(3, (1, 3)),
    **MEETINGS,
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
    for expression in ("all", "<=4+60%", "short(2,3)", "none", "shape(lg.?) & short(2,3)"):
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


@pytest.mark.parametrize("expression", MEETINGS)
def test_pairs_take_the_nearest_shape_that_have_no_other_path(
    expression: str, topology: Dragonfly, plain: PlainPaths
) -> None:
    path_set = parse_expression(expression, topology, SEED)
    sources, targets = all_pairs(topology)
    meeting = MEETINGS[expression]
    expected: list[bool] = []
    for ends in zip(sources.tolist(), targets.tolist(), strict=True):
        inside = plain.group(ends[0]) == plain.group(ends[1])
        paths = plain.detours(*ends)
        lacks = bool(meeting.shapes) and not inside and not meeting.common(paths, ends)
        expected.append(lacks and bool(paths))
    assert path_set.takes_nearest(sources, targets).tolist() == expected
    assert path_set.nearest_pairs() == sum(expected)


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
