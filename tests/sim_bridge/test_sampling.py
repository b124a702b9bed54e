"""The samplers draw what the path sets say."""

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy.special import chdtrc

from sim_bridge import _core
from sim_bridge.conversion import core_network
from sim_bridge.sampling import make_sampler, with_second_switches
from tvlb.errors import InvalidInput
from tvlb.paths import (
    ExpressionSet,
    PathSet,
    RowSet,
    all_pairs,
    expression_sets,
    parse_expression,
)
from tvlb.topology import (
    Dragonfly,
    Failures,
    ListedTopology,
    Topology,
    kinds_of,
    parse_topology,
    without,
)

DRAWS = 20_000
LENGTH_RULES = [
    *("<=2", "<=3", "<=4", "<=5"),
    *("<=2+50%", "<=3+1%", "<=4+60%", "<=5+10%", "<=5+99%"),
    *("<=2+(1,2)", "<=3+(1,3)", "<=3+(2,2)", "<=4+(2,3)", "<=4+(3,2)", "<=5+(3,3)"),
]
SHAPE_RULES = [
    *("shape(g.g:8, g.gl:4, g.lg:4, g.lgl)", "shape(lgl.lgl:0.3, gl.?, lg.g:2)", "shape(lg.gl)"),
    *("shape(lgl.lgl) & <=3", "shape(g.?) & <=4", "shape(?.?:3) & <=4+60%", "<=5 & <=4+10%"),
    *("shape(g.?:2, lg.?) & <=3+50%", "shape(g.?) & short(2,3)", "short(2,3) & <=4"),
]


def _frequencies(
    path_set: PathSet, source: int, target: int, draws: int = DRAWS
) -> dict[tuple[int, int, int], float]:
    topology = path_set.topology
    network = core_network(topology)
    ends = np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)
    sampler = make_sampler(network, path_set, lambda: ends)
    drawn = Counter(sampler.draw(source, target, 7, n) for n in range(draws))
    return {path: count / draws for path, count in drawn.items() if path is not None}


def _weights(path_set: PathSet, source: int, target: int) -> dict[tuple[int, int, int], float]:
    ends = np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)
    rows = path_set.rows(*ends)
    columns = rows.intermediate.tolist(), rows.first_link.tolist(), rows.second_link.tolist()
    return dict(zip(zip(*columns, strict=True), rows.weight.tolist(), strict=True))


# A frequency of n draws is off by at most 5 standard deviations, sqrt(w (1 - w) / n) each.
@pytest.mark.parametrize(
    "expression", ["all", "short(2,3)", "short(3,2)", "short(<=4)", "short(1,3)", "<=4+60%"]
)
@pytest.mark.parametrize("target", [8, 35, 1])
def test_frequencies_are_the_weights(small: Dragonfly, expression: str, target: int) -> None:
    path_set = parse_expression(expression, small)
    weights = _weights(path_set, 0, target)
    frequencies = _frequencies(path_set, 0, target)
    assert frequencies.keys() <= weights.keys()
    for path, weight in weights.items():
        slack = 5 * np.sqrt(weight * (1 - weight) / DRAWS)
        assert frequencies.get(path, 0.0) == pytest.approx(weight, abs=slack + 1e-12)


# Two cables per group pair: a half has one or two shortest MIN paths, so weights differ.
def test_unequal_weights_of_stored_rows() -> None:
    topology = Dragonfly(2, 4, 2, 5)
    stored = RowSet(parse_expression("short(all)", topology).all_rows(), "stored")
    weights, frequencies = _weights(stored, 0, 9), _frequencies(stored, 0, 9)
    assert len(set(weights.values())) > 1
    for path, weight in weights.items():
        slack = 5 * np.sqrt(weight * (1 - weight) / DRAWS)
        assert frequencies[path] == pytest.approx(weight, abs=slack)


def test_unequal_links_per_group_pair_are_drawn_uniformly() -> None:
    cables = [[0, 2], [0, 2], [1, 3], [0, 4], [3, 5], [1, 6], [3, 7], [4, 6]]
    topology = Dragonfly.from_cables(1, 2, 4, 4, cables)
    path_set = parse_expression("all", topology)
    weights, frequencies = _weights(path_set, 0, 5), _frequencies(path_set, 0, 5)
    for path, weight in weights.items():
        assert frequencies[path] == pytest.approx(weight, rel=0.1)


def _pairs(topology: Topology, count: int) -> list[tuple[int, int]]:
    """Some pairs of different switches, the same in every run."""
    stream = np.random.default_rng(1)
    ends = [stream.choice(topology.num_switches, 2, replace=False) for _ in range(count)]
    return [(int(source), int(target)) for source, target in ends]


def _check_draws(path_set: PathSet, source: int, target: int) -> None:
    """Draw 300 times as often as the pair has paths; at 1e-4 no fixed stream is far off."""
    weights = _weights(path_set, source, target)
    draws = 300 * len(weights)
    drawn = _frequencies(path_set, source, target, draws)
    assert drawn.keys() == weights.keys()
    if len(weights) > 1:
        squares = sum(
            draws * (drawn[path] - weight) ** 2 / weight for path, weight in weights.items()
        )
        # The upper tail of the chi-squared distribution.
        assert chdtrc(len(weights) - 1, squares) > 1e-4


# Three groups (one between), one switch per group, one link per switch, full size, two links per
# pair, another wiring.
NETWORKS = ["2,4,2,3", "1,1,2,3", "1,2,1,3", "2,4,2,9", "2,4,2,5", "3,6,3,7,palmtree"]


@pytest.mark.parametrize("text", NETWORKS)
@pytest.mark.parametrize("expression", [*LENGTH_RULES, *SHAPE_RULES])
def test_rules_draw_their_paths_by_weight(text: str, expression: str) -> None:
    topology = parse_topology(text)
    path_set = parse_expression(expression, topology, 5)
    for source, target in _pairs(topology, 3):
        _check_draws(path_set, source, target)


# By a rule or from a list, as the family has it; a pair without a path draws none.
@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("text", ["2,4,2,5", "ring(6)", "leaves(4,3)"])
@pytest.mark.parametrize("kind", expression_sets(), ids=lambda kind: kind.name)
def test_every_kind_draws_its_paths_by_weight(kind: type[ExpressionSet], text: str) -> None:
    topology = parse_topology(text)
    checked = 0
    for example in (*kind.examples, "shape(?.?)"):
        try:
            path_set = parse_expression(example, topology, 5)
        except InvalidInput:
            continue  # of other networks
        checked += type(path_set) is kind
        for source, target in _pairs(topology, 3):
            _check_draws(path_set, source, target)
    assert checked or not kind.forms(topology)


# Of the 32 targets in other groups, 0 has g.g paths to two at most; lgl.lgl is never short enough.
@pytest.mark.parametrize("expression", ["shape(g.g)", "shape(lgl.lgl) & <=3", "shape(lg.g) & <=3"])
def test_nearest_shapes_are_drawn_by_weight(small: Dragonfly, expression: str) -> None:
    path_set = parse_expression(expression, small)
    targets = np.arange(4, 36, dtype=np.int32)
    taken = path_set.takes_nearest(np.zeros_like(targets), targets)
    assert taken.sum() >= 20
    for target in targets:
        _check_draws(path_set, 0, int(target))


def test_every_pair_of_a_set_by_shape_has_a_path(small: Dragonfly) -> None:
    ends = all_pairs(small)
    for expression in ("shape(g.g)", "shape(lgl.lgl) & <=3", "shape(g.?) & <=2+1%"):
        sampler = make_sampler(
            core_network(small), parse_expression(expression, small), lambda ends=ends: ends
        )
        assert not sampler.pairs_without_path(*ends)


def test_length_rules_with_unequal_and_parallel_links() -> None:
    cables = [[0, 2], [0, 2], [1, 3], [0, 4], [3, 5], [1, 6], [3, 7], [4, 6]]
    topology = Dragonfly.from_cables(1, 2, 4, 4, cables)
    shapes = ("shape(g.?:3, lg.?)", "shape(gl.lg)", "shape(lgl.?:2, g.lg) & short(all)")
    for expression in ("<=3", "<=4", "<=4+50%", "<=4+(3,2)", "<=5", *shapes):
        path_set = parse_expression(expression, topology)
        for source, target in zip(*all_pairs(topology), strict=True):
            _check_draws(path_set, int(source), int(target))


# (0, 8) has one path up to 3 hops and two of 4, of which floor(2 f + 1/2) are kept.
@pytest.mark.parametrize(("percent", "kept"), [(1, 0), (24, 0), (25, 1), (74, 1), (75, 2)])
def test_percentages_at_their_borders(small: Dragonfly, percent: int, kept: int) -> None:
    path_set = parse_expression(f"<=3+{percent}%", small)
    assert len(_frequencies(path_set, 0, 8, 1000)) == 1 + kept
    _check_draws(path_set, 0, 8)


def test_the_seed_of_a_set_chooses_the_longer_paths(small: Dragonfly) -> None:
    supports = [
        set(_frequencies(parse_expression("<=4+50%", small, seed), 0, 8)) for seed in (0, 1)
    ]
    assert supports[0] != supports[1]


# Made for (0, 8), asked for the switches where PAR revises, and for a pair inside a group.
@pytest.mark.parametrize("expression", ["<=4", "<=4+50%", "<=4+(2,3)", "shape(g.g, g.lg)"])
def test_rules_draw_for_any_pair(small: Dragonfly, expression: str) -> None:
    network = core_network(small)
    path_set = parse_expression(expression, small)
    pair = np.array([0], dtype=np.int32), np.array([8], dtype=np.int32)
    sampler = make_sampler(network, path_set, lambda: pair)
    for source, target in ((1, 8), (2, 8), (3, 8), (1, 2)):
        drawn = {sampler.draw(source, target, 7, n) for n in range(5000)}
        assert drawn == _weights(path_set, source, target).keys()


# A pair alone, and all pairs in runs of one: the rows of (0, 9) are the same.
@pytest.mark.parametrize("expression", ["<=4", "short(all)"])
def test_stored_rows_do_not_depend_on_how_they_are_listed(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    topology = Dragonfly(2, 4, 2, 5)
    network = core_network(topology)
    stored = RowSet(parse_expression(expression, topology).all_rows(), "stored")
    at_once = make_sampler(network, stored, lambda: all_pairs(topology))
    monkeypatch.setattr("sim_bridge.sampling._ROWS_AT_ONCE", 1)
    one_by_one = make_sampler(network, stored, lambda: all_pairs(topology))
    for source, target in _pairs(topology, 20):
        for number in range(50):
            path = at_once.draw(source, target, 3, number)
            assert one_by_one.draw(source, target, 3, number) == path


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ((99, 0, 0), "switch id is out of range"),
        ((4, -1, -1), "-1 names no MIN path from switch 4 to switch 8"),
        ((4, 0, 0), "0 names no MIN path from switch 4 to switch 8"),
        ((0, 0, 0), "is no intermediate"),
        ((9, 0, 0), "is no intermediate"),
    ],
)
def test_rows_that_are_no_paths_are_refused(
    small: Dragonfly, row: tuple[int, int, int], complaint: str
) -> None:
    network = core_network(small)
    stored = _core.explicit_rows(network, expected=1, weighted=False)
    middle, first, second = (np.array([value], dtype=np.int32) for value in row)
    with pytest.raises(ValueError, match=complaint):
        stored.append(
            sources=np.array([0], dtype=np.int32),
            targets=np.array([8], dtype=np.int32),
            offset=np.array([0, 1], dtype=np.int64),
            intermediate=middle,
            first_link=first,
            second_link=second,
            cumulative=np.zeros(0),
        )


# T(0) less the destination group, of the published routing, on dfly(2,4,2,9).
def test_intermediates_of_short_2_3(small: Dragonfly) -> None:
    drawn = _frequencies(parse_expression("short(2,3)", small), 0, 8, 2000)
    assert {path[0] for path in drawn} == {4, 5, 6, 7, 12, 16, 20, 24, 28, 32}


# 44 intermediates, or 40 where the source has a link to the destination group.
@pytest.mark.parametrize(("target", "size"), [(8, 40), (32, 40), (40, 44)])
def test_number_of_intermediates_of_short_2_3(medium: Dragonfly, target: int, size: int) -> None:
    network = medium.network
    ends = (network.link_source == 0) & (network.link_target // 8 == target // 8)
    assert ends.any() == (size == 40)
    drawn = _frequencies(parse_expression("short(2,3)", medium), 0, target, 4000)
    assert len({path[0] for path in drawn}) == size


def _hops(topology: Dragonfly, source: int, target: int, path: tuple[int, int, int]) -> int:
    network = topology.network
    middle, first, second = path
    return (
        2
        + int(source != network.link_source[first])
        + int(network.link_target[first] != middle)
        + int(middle != network.link_source[second])
        + int(network.link_target[second] != target)
    )


# 4.1198 over all pairs of different groups; 4608 pairs x 4 draws have a standard error of 0.005.
def test_mean_hops_of_short_2_3(medium: Dragonfly) -> None:
    path_set = parse_expression("short(2,3)", medium)
    network = core_network(medium)
    sources, targets = all_pairs(medium)
    between = medium.switch_group[sources] != medium.switch_group[targets]
    pairs = list(zip(sources[between].tolist(), targets[between].tolist(), strict=True))
    sampler = make_sampler(network, path_set, lambda: (sources, targets))
    total = 0
    for number, (source, target) in enumerate(pairs * 4):
        path = sampler.draw(source, target, 1, number)
        assert path is not None
        total += _hops(medium, source, target, path)
    assert total / (4 * len(pairs)) == pytest.approx(4.1198, abs=0.02)


def test_an_empty_set_draws_nothing(small: Dragonfly) -> None:
    network = core_network(small)
    pair = np.array([0], dtype=np.int32), np.array([8], dtype=np.int32)
    for expression in ("none", "<=2", "<=2+1%"):
        sampler = make_sampler(network, parse_expression(expression, small), lambda pair=pair: pair)
        assert sampler.draw(0, 8, 0, 0) is None
        assert sampler.pairs_without_path(*pair) == [0]


# (0, 8) may be revised in any switch of group 0; (1, 2) is inside a group and never revised.
def test_second_switches_of_par(small: Dragonfly) -> None:
    sources, targets = with_second_switches(
        small, np.array([0, 1], dtype=np.int32), np.array([8, 2], dtype=np.int32)
    )
    pairs = list(zip(sources.tolist(), targets.tolist(), strict=True))
    assert pairs == [(0, 8), (1, 2), (1, 8), (2, 8), (3, 8)]


@pytest.mark.parametrize(
    "failures",
    [Failures(links=((0, 4),)), Failures(links=((0, 1), (0, 2))), Failures(switches=(9,))],
    ids=str,
)
@pytest.mark.parametrize("pair", [(0, 4), (1, 5), (0, 1), (2, 35)])
def test_all_paths_of_what_failures_leave_are_equally_likely(
    small: Dragonfly, failures: Failures, pair: tuple[int, int]
) -> None:
    path_set = parse_expression("all", without(small, failures))
    weights = _weights(path_set, *pair)
    found = _frequencies(path_set, *pair)
    assert found.keys() <= weights.keys()
    for path, weight in weights.items():
        deviation = np.sqrt(weight * (1.0 - weight) / DRAWS)
        assert found.get(path, 0.0) == pytest.approx(weight, abs=5 * deviation + 1e-12)


def _irregular() -> Topology:
    """Two groups of cabinets with threefold and single cables, and a switch at the end of one."""
    rows = [[0, 1], [2, 3], [4, 5], [6, 7]]
    columns = [pair for pair in ([0, 2], [1, 3], [4, 6], [5, 7]) for _ in range(3)]
    optical = [[0, 4], [3, 4], [3, 7], [1, 6], [1, 6], [7, 8]]
    kinds = kinds_of({"green": 5, "black": 6, "optical": 15})
    return ListedTopology([1] * 9, [rows, columns, optical], kinds)


def _failed() -> Topology:
    return without(Dragonfly(1, 3, 2, 4, "circulant"), Failures(links=((0, 1), (0, 3))))


# What is left of a Dragonfly, a network of the user's own, and one of which only some switches are
# intermediates; numbers of MIN paths that differ much, and one for every pair; then a rule whose
# drawn paths differ in weight, on a whole Dragonfly.
RULES = {
    _failed: (
        *("all", "<=3", "<=4+30%", "<=3+(2,2)", "shape(g.?:9, lg.lg)", "shape(lgl.lgl) & <=3"),
        *("shape(g.?:2, lg.?:5) & <=3+40%", "short(all)", "short(2,3)", "short(<=3)"),
    ),
    _irregular: (
        *("all", "<=4", "<=4+30%", "<=4+1%", "<=5+(2,4)", "shape(?.?:3) & <=5+60%"),
        *("shape(gb.bg:16777216, g.?, o.o:0.5)", "shape(o.o) & <=5", "shape(g.?:9, b.?) & <=4+50%"),
        *("short(all)", "short(2,1)", "shape(g.g:1e-9)", "shape(o.?:9, b.g:0.25)"),
    ),
    lambda: parse_topology("dflyplus(2,2,2,3)"): (
        *("all", "<=4", "short(<=5)", "shape(ll.?:3, lgl.ll)"),
    ),
    lambda: parse_topology("random(24,1,5,seed=2)"): ("all", "<=4", "<=5+(3,3)", "short(2,2)"),
    lambda: parse_topology("hypercube(1,4)"): ("all", "<=5", "short(<=4)"),
    lambda: parse_topology("slimfly(5)"): ("all", "<=3", "ori", "nta", "3h"),
    lambda: parse_topology("hyperx(1,3,3)"): ("all", "<=3+50%"),
    lambda: Dragonfly(2, 4, 2, 5): ("shape(g.?:2, lg.?) & <=3+50%",),
}


# Every path by its weight, and no other, as the list has it; every pair without a path is known.
@pytest.mark.parametrize(
    ("make", "expression"), [(make, one) for make, several in RULES.items() for one in several]
)
def test_rules_draw_from_any_network_what_its_lists_have(
    make: Callable[[], Topology], expression: str
) -> None:
    topology = make()
    path_set = parse_expression(expression, topology, 5)
    sampler = make_sampler(core_network(topology), path_set, lambda: all_pairs(topology))
    assert not isinstance(sampler, _core.ExplicitRows)
    rows = path_set.all_rows()
    lacking = np.flatnonzero(np.diff(rows.offset) == 0)
    assert sampler.pairs_without_path(rows.source, rows.target) == lacking.tolist()
    for source, target in _pairs(topology, 6):
        _check_draws(path_set, source, target)


# From 0 to 1 the heavy paths, two of them by 2 and back by 0, are not simple; one by 3 is left.
def test_a_pair_whose_proposals_are_all_refused_draws_from_its_list() -> None:
    kinds = kinds_of({"near": 1, "far": 1})
    heavy = ListedTopology([1] * 4, [[[0, 1], [0, 2], [0, 2]], [[0, 3], [1, 3]]], kinds)
    path_set = parse_expression("shape(n.?:1e9, f.?:1e-9)", heavy)
    assert len(_weights(path_set, 0, 1)) == 1
    _check_draws(path_set, 0, 1)
