"""Path sets as values: text, mean hops, draws, saved rows, and published figures."""

from collections.abc import Callable

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.paths import (
    EmptySet,
    LengthSet,
    PathSet,
    RowSet,
    ShortSet,
    all_pairs,
    min_rows,
    parse_expression,
    strategic_choices,
)
from tvlb.randomness import KeyedStream
from tvlb.topology import Dragonfly

SMALL = Dragonfly(2, 4, 2, 9)
PAPER = Dragonfly(4, 8, 4, 9)


@pytest.mark.parametrize(
    "text",
    ["all", "none", "<=2", "<=5", "<=2+1%", "<=4+60%", "<=5+99%", "<=2+(1,2)", "<=4+(2,3)",
     "<=4+(3,2)", "<=5+(3,3)", "<=3+(1,3)", "short(2,3)", "short(3,2)", "short(1,1)",
     "short(<=2)", "short(<=5)", "short(all)"],
)  # fmt: skip
def test_str_parses_back(text: str) -> None:
    path_set = parse_expression(text, SMALL, seed=4)
    assert str(path_set) == text
    assert parse_expression(str(path_set), SMALL, seed=4) == path_set


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("<=6", "all"),
        (" <= 4 + 60 % ", "<=4+60%"),
        ("short( 2 , 3 )", "short(2,3)"),
        ("short(<=6)", "short(all)"),
        ("short(3,3)", "short(all)"),
        ("<=4+05%", "<=4+5%"),
    ],
)
def test_other_spellings(text: str, canonical: str) -> None:
    assert str(parse_expression(text, SMALL)) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "ALL", "<=1", "<=7", "<=0", "<=-3", "<4", "<=4+0%", "<=4+100%", "<=4+1.5%", "<=4+%",
     "<=6+10%", "<=4+(2,2)", "<=4+(4,1)", "<=4+(5,0)", "<=6+(3,4)", "<=4+(2,3)+10%", "<=4+10",
     "short", "short()", "short(0,3)", "short(2,4)", "short(<=1)", "short(<=7)", "short(2)",
     "short(2,3", "4", "<=4;", "<=99999999999", "all+10%"],
)  # fmt: skip
def test_bad_text_shows_the_grammar(text: str) -> None:
    with pytest.raises(InvalidInput, match="expected all, none, <=L"):
        parse_expression(text, SMALL)


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


def test_draws_follow_the_weights(parallel: Dragonfly) -> None:
    path_set = parse_expression("short(all)", parallel)
    ends = np.array([0], dtype=np.int32), np.array([9], dtype=np.int32)
    rows = path_set.rows(*ends)
    assert len(set(rows.weight.tolist())) > 1  # parallel cables share an intermediate's weight
    listed = list(
        zip(
            rows.intermediate.tolist(),
            rows.first_link.tolist(),
            rows.second_link.tolist(),
            strict=True,
        )
    )
    stream = KeyedStream(1, "test")
    draws = 4000
    drawn = [path_set.draw(0, 9, stream) for _ in range(draws)]
    assert set(drawn) <= set(listed)
    for triple, weight in zip(listed, rows.weight.tolist(), strict=True):
        # Binomial: within five standard deviations.
        spread = (draws * weight * (1 - weight)) ** 0.5
        assert abs(drawn.count(triple) - draws * weight) < 5 * spread


def test_drawing_from_an_empty_set_gives_nothing() -> None:
    assert EmptySet(SMALL).draw(0, 8, KeyedStream(0, "test")) is None


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
    ],
)
def test_values_out_of_range_are_refused(make: Callable[[], PathSet]) -> None:
    with pytest.raises(InvalidInput):
        make()
