"""Path sets as values: text, mean hops, draws, saved rows, and published figures."""

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.paths import (
    EmptySet,
    LengthSet,
    MeetSet,
    PathSet,
    RowSet,
    ShapeRule,
    ShapeSet,
    ShortSet,
    all_pairs,
    min_rows,
    parse_expression,
    shapes_of,
    strategic_choices,
)
from tvlb.topology import Dragonfly

SMALL = Dragonfly(2, 4, 2, 9)
PAPER = Dragonfly(4, 8, 4, 9)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("<=6", "all"),
        (" <= 4 + 60 % ", "<=4+60%"),
        ("short( 2 , 3 )", "short(2,3)"),
        ("short(<=6)", "short(all)"),
        ("short(3,3)", "short(all)"),
        ("<=4+05%", "<=4+5%"),
        (" shape( g.lg : 2.50 ,g . g:1 ) ", "shape(g.g, g.lg:2.5)"),
        ("shape(g.lg:1e3, g.lgl:.5, g.gl:1.)", "shape(g.gl, g.lg:1000, g.lgl:0.5)"),
        ("shape(g.g:2,g.gl:2,g.lg:2,g.lgl:2)", "shape(g.?:2)"),
        ("shape(?.g, ?.gl, ?.lg, ?.lgl)", "shape(?.?)"),
        ("shape(1.?, 2.3:4)", "shape(g.?, gl.lgl:4, lg.lgl:4)"),
        ("shape(?.lg)", "shape(g.lg, gl.lg, lg.lg, lgl.lg)"),
        ("shape(g.?)&<=6&short(3,3)", "shape(g.?) & all & short(all)"),
    ],
)
def test_other_spellings(text: str, canonical: str) -> None:
    assert str(parse_expression(text, SMALL)) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "ALL", "<=1", "<=7", "<=0", "<=-3", "<4", "<=4+0%", "<=4+100%", "<=4+1.5%", "<=4+%",
     "<=6+10%", "<=4+(2,2)", "<=4+(4,1)", "<=4+(5,0)", "<=6+(3,4)", "<=4+(2,3)+10%", "<=4+10",
     "short", "short()", "short(0,3)", "short(2,4)", "short(<=1)", "short(<=7)", "short(2)",
     "short(2,3", "4", "<=4;", "<=99999999999", "all+10%", "shape", "shape()", "shape(g)",
     "shape(g.g.g)", "shape(4.g)", "shape(g.l)", "shape(lll.g)", "shape(g.g,)", "shape(g.g:)",
     "shape(g.g:1:2)", "shape(g.g:0)", "shape(g.g:-1)", "shape(g.g:1e-10)", "shape(g.g:1e10)",
     "shape(g.g:nan)", "shape(g.g:inf)", "shape(g.g:1_0)", "shape(g.g:\u0663)", "shape(g.g:0x1)",
     "shape(g.g,g.g)", "shape(g.g,g.?)", "shape(g.g))", "shape((g.g))", "<=4 &", "& <=4",
     "<=4 && <=5", "none & <=4", "<=4 & none", "t.json & <=4", "shape(g.g) & shape(g.lg)",
     " & ".join(9 * ["<=4"])],
)  # fmt: skip
def test_bad_text_shows_the_grammar(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected all, none, "):
        parse_expression(text, SMALL)


WEIGHTS = st.one_of(st.floats(1e-9, 1e9), st.integers(1, 10**9), st.sampled_from([0, 1]))
SHAPE_SETS = (
    st.lists(WEIGHTS, min_size=16, max_size=16)
    .filter(any)
    .map(lambda weights: ShapeSet(SMALL, tuple(weights)))
)
OTHER_SETS = st.sampled_from(["all", "<=2", "<=3+7%", "<=4+(2,3)", "short(2,3)", "short(<=4)"]).map(
    lambda text: parse_expression(text, SMALL, seed=4)
)


@given(SHAPE_SETS)
def test_shapes_parse_back_to_the_last_bit(path_set: ShapeSet) -> None:
    assert parse_expression(str(path_set), SMALL) == path_set
    without_blanks = str(path_set).replace(" ", "")
    assert parse_expression(without_blanks, SMALL) == path_set


@given(SHAPE_SETS, st.lists(OTHER_SETS, min_size=1, max_size=7), st.integers(0, 7))
def test_meetings_parse_back(shapes: ShapeSet, others: list[PathSet], place: int) -> None:
    sets = [*others[:place], shapes, *others[place:]]
    path_set = MeetSet(tuple(sets))
    assert parse_expression(str(path_set), SMALL, seed=4) == path_set
    nested = MeetSet((MeetSet((*sets[:2],)), *sets[2:])) if len(sets) > 2 else path_set
    assert nested == path_set


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: MeetSet((LengthSet(SMALL),)), "only several path sets"),
        (lambda: MeetSet((LengthSet(SMALL), EmptySet(SMALL))), "none cannot meet"),
        (
            lambda: MeetSet((LengthSet(SMALL), RowSet(LengthSet(SMALL, 2).all_rows(), "t.csv"))),
            "t.csv cannot meet",
        ),
        (lambda: MeetSet((LengthSet(SMALL), LengthSet(PAPER))), "cannot meet each other"),
        (
            lambda: MeetSet((LengthSet(SMALL, 4, 5, seed=1), LengthSet(SMALL, 4, 5, seed=2))),
            "different seeds",
        ),
        (
            lambda: MeetSet(
                (ShapeSet(SMALL, (1.0,) + 15 * (0.0,)), ShapeSet(SMALL, 15 * (0.0,) + (1.0,)))
            ),
            "no shape in common",
        ),
    ],
)
def test_what_cannot_meet(make: Callable[[], PathSet], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        make()


def test_the_order_of_meeting_sets_does_not_matter(parallel: Dragonfly) -> None:
    parts = ("<=3+60%", "shape(g.?:2, lg.lg:5)", "short(all)", "shape(?.lg:3, ?.g)")
    first, *others = (
        parse_expression(" & ".join(order), parallel, seed=2).all_rows()
        for order in permutations(parts)
    )
    for rows in others:
        assert np.array_equal(rows.offset, first.offset)
        assert np.array_equal(rows.second_link, first.second_link)
        assert rows.weight == pytest.approx(first.weight, rel=1e-12)


# One cable per group pair and h = 2: a g.g path takes a cable of the source to a switch and that
# switch's other cable, which does not lead back, so every switch has two of them. All other pairs
# between groups take another shape.
def test_nearest_shapes_on_a_small_dragonfly() -> None:
    path_set = parse_expression("shape(g.g)", SMALL)
    sources, targets = all_pairs(SMALL)
    between = SMALL.switch_group[sources] != SMALL.switch_group[targets]
    rows = path_set.rows(sources, targets)
    sizes = np.diff(rows.offset)
    paths = sum(
        int(far // 4 != source // 4)
        for source in range(36)
        for landing in neighbours(source)
        for far in neighbours(landing)
    )
    assert paths == 36 * 2
    assert int((rows.hops == 2)[np.repeat(between, sizes)].sum()) == paths
    own = between & (np.minimum.reduceat(rows.hops, rows.offset[:-1]) == 2)
    assert path_set.nearest_pairs() == 36 * 32 - own.sum()
    assert sizes[between].min() > 0


# Of the shapes that are one local hop away the one at the target (1) comes first, then after (2)
# and before (4) the intermediate, then at the source (8); then two hops away, and so on.
def test_nearest_shapes_in_order() -> None:
    assert ShapeRule(shapes_of(SMALL), (1.0,) + 15 * (0.0,), near_to=frozenset({0})).nearest == (
        0, 1, 2, 4, 8, 3, 5, 6, 9, 10, 12, 7, 11, 13, 14, 15,
    )  # fmt: skip


def neighbours(switch: int) -> list[int]:
    """Far ends of the cables of a switch of dfly(2,4,2,9)."""
    ends = SMALL.cables.tolist()
    return [y for x, y in ends if x == switch] + [x for x, y in ends if y == switch]


# With one switch per group only g.g exists, four local hops away; of 3 groups and 6 pairs.
@pytest.mark.parametrize("expression", ["shape(lgl.lgl)", "shape(lgl.lgl) & short(3,1)"])
def test_nearest_shapes_without_local_links(expression: str) -> None:
    topology = Dragonfly(1, 1, 2, 3)
    path_set = parse_expression(expression, topology)
    assert path_set.nearest_pairs() == 6
    assert path_set.all_rows().hops.tolist() == [2] * 6


# Two switches per group and no third group: nothing to take, however near.
def test_no_shape_is_near_without_a_third_group() -> None:
    path_set = parse_expression("shape(g.?)", Dragonfly(1, 2, 1, 2))
    assert len(path_set.all_rows()) == path_set.nearest_pairs() == 0
    assert np.isnan(path_set.mean_hops())


def test_strategic_choices() -> None:
    assert [str(choice) for choice in strategic_choices(SMALL)] == [
        "<=4+(2,3)",
        "<=4+(3,2)",
        "short(2,3)",
        "short(3,2)",
        "short(<=4)",
        "short(<=5)",
        "short(all)",
    ]


def hop_shares(path_set: PathSet) -> list[float]:
    """Shares of the draw weight by hops 2..6 over the inter-group pairs."""
    sources, targets = all_pairs(path_set.topology)
    assert isinstance(path_set.topology, Dragonfly)
    group = path_set.topology.switch_group
    between = group[sources] != group[targets]
    weight = path_set.profile(sources[between], targets[between]).weight
    return weight.mean(axis=0)[2:].tolist()


def test_min_hops_of_the_papers_topology() -> None:
    # 7 of 8 switches need a local hop at either end: 1 + 7/8 + 7/8.
    sources, targets = all_pairs(PAPER)
    rows = min_rows(PAPER, sources, targets)
    group = PAPER.switch_group
    between = (group[sources] != group[targets])[rows.pair_of_row]
    mean = (rows.hops * rows.weight)[between].sum() / (72 * 64)
    assert mean == pytest.approx(2.75)


def test_conventional_vlb_hops_of_the_papers_topology() -> None:
    # Two MIN paths of 2.75 hops each.
    every = parse_expression("all", PAPER)
    assert every.mean_hops() == pytest.approx(5.5)
    assert hop_shares(every) == pytest.approx([0.0002, 0.0064, 0.071, 0.338, 0.585], abs=6e-4)
    # 864, 26496, 293184, 1395072 and 2413152 of 4608 pairs * 896 paths.
    assert hop_shares(every)[4] == pytest.approx(2413152 / (4608 * 896))


def test_published_strategic_choice_on_the_papers_topology() -> None:
    choice = parse_expression("short(2,3)", PAPER)
    assert choice.mean_hops() == pytest.approx(4.1198, abs=5e-5)
    shares = hop_shares(choice)
    assert shares[:4] == pytest.approx([0.0045, 0.110, 0.647, 0.239], abs=5e-4)
    assert shares[4] == 0


def intermediates(topology: Dragonfly, source: int, target: int) -> list[int]:
    ends = np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)
    return sorted(set(parse_expression("short(2,3)", topology).rows(*ends).intermediate.tolist()))


def test_intermediates_are_the_switches_within_two_hops() -> None:
    # T(s): far ends of every global link of the group, plus every switch of each group that s
    # itself links to. Switch 0 links to group 1 (switches 4..7); the others of its group reach
    # one switch in each further group. Group 2 holds the destination.
    assert intermediates(SMALL, 0, 8) == [4, 5, 6, 7, 12, 16, 20, 24, 28, 32]


def reachable(topology: Dragonfly, source: int) -> set[int]:
    """T(s), straight from the cables."""
    a, group = topology.switches_per_group, source // topology.switches_per_group
    found: set[int] = set()
    for x, y in topology.cables.tolist():
        for near, far in ((x, y), (y, x)):
            if near // a == group:
                found.add(far)
            if near == source:
                found.update(range(far // a * a, far // a * a + a))
    return found


@pytest.mark.parametrize(("topology", "sizes"), [(SMALL, {10, 13}), (PAPER, {40, 44})])
def test_number_of_intermediates(topology: Dragonfly, sizes: set[int]) -> None:
    # The smaller number where s links to the destination's group itself.
    a = topology.switches_per_group
    found: set[int] = set()
    for source in range(a):
        for target in range(a, topology.num_switches, a):
            in_target_group = set(range(target, target + a))
            expected = reachable(topology, source) - in_target_group
            assert intermediates(topology, source, target) == sorted(expected)
            linked = in_target_group <= reachable(topology, source)
            assert len(expected) == (min(sizes) if linked else max(sizes))
            found.add(len(expected))
    assert found == sizes


def test_mean_hops_is_undefined_without_paths() -> None:
    assert np.isnan(EmptySet(SMALL).mean_hops())
    # With two groups no third one is left to detour through.
    assert np.isnan(parse_expression("all", Dragonfly(1, 3, 2, 2)).mean_hops())


@pytest.mark.parametrize("expression", ["all", "short(2,3)", "none"])
def test_saved_rows_are_the_same_set(expression: str, parallel: Dragonfly) -> None:
    rule = parse_expression(expression, parallel)
    saved = RowSet(rule.all_rows(), "saved")
    assert str(saved) == "saved"
    sources = np.array([0, 5, 3, 11], dtype=np.int32)
    targets = np.array([9, 5, 4, 2], dtype=np.int32)
    expected, found = rule.rows(sources, targets), saved.rows(sources, targets)
    for name in ("source", "target", "offset", "intermediate", "first_link", "second_link", "hops"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert found.weight == pytest.approx(expected.weight, rel=1e-14)
    everything = all_pairs(parallel)
    assert saved.profile(*everything).weight == pytest.approx(rule.profile(*everything).weight)


def test_selecting_rows_renormalises_the_survivors(parallel: Dragonfly) -> None:
    rows = parse_expression("short(all)", parallel).all_rows()
    keep = np.arange(len(rows)) % 3 != 0
    kept = rows.select(keep)
    sums = np.bincount(kept.pair_of_row, weights=kept.weight, minlength=len(rows.source))
    assert sums[np.diff(kept.offset) > 0] == pytest.approx(1)
    # Survivors of one pair keep their proportions: one common factor per pair.
    factor = kept.weight / rows.weight[keep]
    for begin, end in zip(kept.offset[:-1], kept.offset[1:], strict=True):
        assert factor[begin:end] == pytest.approx(
            np.full(end - begin, factor[begin:end].max(initial=0))
        )


@pytest.mark.parametrize(
    "make",
    [
        lambda: LengthSet(SMALL, 1),
        lambda: LengthSet(SMALL, 7),
        lambda: LengthSet(SMALL, 4, 100),
        lambda: LengthSet(SMALL, 4, -5),
        lambda: LengthSet(SMALL, 6, 10),
        lambda: LengthSet(SMALL, 4, composition=(2, 2)),
        lambda: ShortSet(SMALL, max_first=0),
        lambda: ShortSet(SMALL, max_second=4),
        lambda: ShortSet(SMALL, max_total=7),
        lambda: ShapeSet(SMALL, (1.0, 1.0)),
        lambda: ShapeSet(SMALL, 16 * (0.0,)),
        lambda: ShapeSet(SMALL, 15 * (1.0,) + (float("nan"),)),
        lambda: ShapeSet(SMALL, 15 * (1.0,) + (-1.0,)),
        lambda: ShapeSet(SMALL, 15 * (1.0,) + (1e10,)),
    ],
)
def test_values_out_of_range_are_refused(make: Callable[[], PathSet]) -> None:
    with pytest.raises(InvalidInput):
        make()
