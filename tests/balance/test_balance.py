"""Balancing: a hand-derived example, the definition written out slowly, and invariants."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.balance.reference_balance import balance_slowly
from tvlb.balance import BalanceOptions, balance, balance_pairs, link_usage
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, parse_expression
from tvlb.topology import Dragonfly

THREE_GROUPS = Dragonfly(2, 4, 2, 3)


def test_hand_derived_example_on_three_groups() -> None:
    # dfly(2,4,2,3): switch i of every group is cabled to switch i of both other groups. From
    # switch 0 to switch 5 the detours of up to 3 hops run through group 2 (switches 8..11):
    #   A: 0 -> 8 -> 4 -> 5   (intermediate 8, second link 8-4)
    #   B: 0 -> 8 -> 9 -> 5   (intermediate 8, second link 9-5)
    #   C: 0 -> 8 -> 9 -> 5   (intermediate 9, first link 0-8)
    #   D: 0 -> 1 -> 9 -> 5   (intermediate 9, first link 1-9)
    # Local usage: 4-5 1/4, 8-9 2/4, 0-1 1/4: mean 1/3, so 8-9 has 1.5 times the mean, above a
    # threshold of 1.4. Removing B or C leaves 1/3 on each of the three: ratio 1.
    options = BalanceOptions(local_threshold=1.4, floor_paths=2)
    found = balance(parse_expression("<=3", THREE_GROUPS), options)
    local_before = found.report.before["local"]
    local_after = found.report.after["local"]
    assert local_before.pair_max == pytest.approx(1.5)
    assert local_after.pair_max == pytest.approx(1.0)
    # 72 pairs of different index lose one path; the 24 pairs of equal index have one path only.
    assert found.report.removed_locally == 72
    assert found.report.removed_globally == 0
    assert found.report.pairs_at_floor == 0
    ends = np.array([0], dtype=np.int32), np.array([5], dtype=np.int32)
    rows = found.path_set.rows(*ends)
    # A and D stay, with one of B and C.
    kept = list(zip(rows.intermediate.tolist(), rows.links()[:, 0].tolist(), strict=True))
    assert len(kept) == 3
    assert rows.weight == pytest.approx([1 / 3] * 3)


def test_default_floor_keeps_four_paths() -> None:
    # The same overload (1.5) stays with the default floor: 4 paths are the fewest a pair keeps.
    found = balance(parse_expression("<=3", THREE_GROUPS), BalanceOptions(local_threshold=1.4))
    assert found.report.removed == 0
    assert found.report.pairs_at_floor == 72


def test_links_on_every_path_do_not_count() -> None:
    # 0 -> 4 has the single detour 0 -> 8 -> 4: both its links are on every path.
    found = balance(
        parse_expression("<=2", THREE_GROUPS), BalanceOptions(local_threshold=1.01, floor_paths=1)
    )
    assert found.report.removed == 0
    assert found.report.pairs_at_floor == 0


@pytest.mark.parametrize(
    ("shape", "expression"),
    [
        ((1, 2, 2, 3), "all"),
        ((2, 4, 2, 3), "all"),
        ((2, 4, 2, 3), "short(2,3)"),
        ((2, 4, 2, 5), "<=3"),
        ((2, 4, 2, 5), "<=4+30%"),
        ((2, 4, 2, 5), "short(2,3)"),
        ((1, 3, 2, 4), "<=4"),
    ],
)
@pytest.mark.parametrize("thresholds", [(2.0, 1.2), (1.3, 1.05), (6.0, 1.1)])
def test_kernel_follows_the_definition(
    shape: tuple[int, int, int, int], expression: str, thresholds: tuple[float, float]
) -> None:
    options = BalanceOptions(*thresholds, floor_paths=2, floor_share=0.3)
    path_set = parse_expression(expression, Dragonfly(*shape), seed=5)
    found = balance(path_set, options, seed=5)
    slow = balance_slowly(path_set.all_rows(), options, seed=5)
    assert found.keep is not None
    assert set(np.flatnonzero(found.keep).tolist()) == slow


@settings(max_examples=25, deadline=None)
@given(
    expression=st.sampled_from(["<=3", "<=4+50%", "<=4+(2,3)", "short(<=5)", "all"]),
    local=st.floats(1.05, 4.0),
    total=st.floats(1.01, 2.0),
    floor=st.integers(1, 6),
    share=st.floats(0.0, 1.0),
)
def test_floors_and_weights_hold(
    expression: str, local: float, total: float, floor: int, share: float
) -> None:
    topology = Dragonfly(2, 4, 2, 5)
    original = parse_expression(expression, topology).all_rows()
    found = balance(
        parse_expression(expression, topology), BalanceOptions(local, total, floor, share)
    )
    rows = found.path_set.all_rows()
    before, after = np.diff(original.offset), np.diff(rows.offset)
    assert (after >= np.minimum(before, np.maximum(floor, np.ceil(share * before)))).all()
    inside = topology.switch_group[rows.source] == topology.switch_group[rows.target]
    assert (after[inside] == before[inside]).all()
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(before))
    assert sums[after > 0] == pytest.approx(1.0)
    assert found.report.removed == len(original) - len(rows)
    for pair in np.flatnonzero(before > 0):
        old = slice(original.offset[pair], original.offset[pair + 1])
        new = slice(rows.offset[pair], rows.offset[pair + 1])
        for name in ("first_link", "intermediate"):
            had = len(np.unique(getattr(original, name)[old]))
            assert len(np.unique(getattr(rows, name)[new])) >= min(2, had)


def test_global_step_reaches_its_threshold_where_floors_allow() -> None:
    topology = Dragonfly(2, 4, 2, 5)
    options = BalanceOptions(local_threshold=100.0, global_threshold=1.05, floor_paths=1)
    found = balance(parse_expression("<=4+30%", topology), options)
    assert found.report.removed_locally == 0
    assert found.report.before["global"].max_over_mean > 1.05
    if found.report.pairs_at_floor == 0:
        for kind in found.report.before:
            assert found.report.after[kind].max_over_mean <= 1.05 + 1e-6


EACH_ON_ITS_OWN = [
    ((2, 4, 2, 5), "<=3", BalanceOptions(1.3, 1e9, 2, 0.3)),
    ((2, 4, 2, 5), "<=4+30%", BalanceOptions(1.05, 1e9, 1, 0.0)),
    ((2, 4, 2, 5), "short(all)", BalanceOptions(1.5, 1e9)),
    ((2, 4, 2, 9), "all", BalanceOptions(2.0, 1e9)),
    ((3, 6, 3, 7), "short(2,3)", BalanceOptions(1.3, 1e9, 2, 0.3)),
]


@pytest.mark.parametrize(("shape", "expression", "options"), EACH_ON_ITS_OWN)
def test_pairs_lose_what_the_whole_balance_removes_locally(
    shape: tuple[int, int, int, int], expression: str, options: BalanceOptions
) -> None:
    # No link reaches 1e9 times the mean, so balancing over all pairs has nothing to do.
    path_set = parse_expression(expression, Dragonfly(*shape), seed=5)
    whole = balance(path_set, options, seed=5)
    found = balance_pairs(path_set.all_rows(), options, seed=5)
    assert whole.report.removed_globally == 0
    assert (found.keep == whole.keep).all()
    assert found.removed == whole.report.removed_locally > 0
    assert found.stopped.sum() == whole.report.pairs_at_floor


@pytest.mark.parametrize(("shape", "expression", "options"), EACH_ON_ITS_OWN)
def test_no_pair_influences_another(
    shape: tuple[int, int, int, int], expression: str, options: BalanceOptions
) -> None:
    # Any pairs in any order: some twice, some inside a group, some of a switch with itself.
    topology = Dragonfly(*shape)
    draw = np.random.default_rng(1).integers(0, topology.num_switches, (2, 60)).astype(np.int32)
    sources, targets = np.append(draw, [[0, 0, 7, 7], [7, 1, 0, 7]], axis=1).astype(np.int32)
    rows = parse_expression(expression, topology, seed=5).rows(sources, targets)
    together = balance_pairs(rows, options, seed=5)
    for pair in range(len(sources)):
        alone = balance_pairs(rows.pairs(np.array([pair])), options, seed=5)
        owned = slice(rows.offset[pair], rows.offset[pair + 1])
        assert (together.keep[owned] == alone.keep).all()
        assert together.stopped[pair] == alone.stopped[0]
    inside = topology.switch_group[sources] == topology.switch_group[targets]
    assert together.keep[inside[rows.pair_of_row]].all()
    assert not together.stopped[inside].any()


def _few_pairs(shape: tuple[int, int, int, int], expression: str, pairs: int) -> PathRows:
    topology = Dragonfly(*shape)
    targets = np.linspace(0, topology.num_switches - 1, pairs, dtype=np.int32)
    sources = (targets * 7 + topology.switches_per_group) % topology.num_switches
    return parse_expression(expression, topology).rows(sources.astype(np.int32), targets)


@pytest.mark.parametrize(
    ("shape", "expression", "pairs"),
    [
        ((2, 4, 2, 5), "all", 20),
        ((2, 4, 2, 9), "<=5+50%", 10),
        ((3, 6, 3, 7), "short(2,3)", 20),
        ((4, 8, 4, 9), "short(2,3)", 10),
    ],
)
@pytest.mark.parametrize(
    "factors",
    [
        [1.0],
        [1 / 3, 2 / 3, 1 / 7, 0.1],
        # Links within and just beyond the slack of 1e-9 of each other: the order of the visit and
        # the link it compares with decide.
        (1 + 0.37e-9 * np.arange(12)).tolist(),
    ],
)
def test_pairs_follow_the_definition_whatever_the_weights(
    shape: tuple[int, int, int, int], expression: str, pairs: int, factors: list[float]
) -> None:
    rows = _few_pairs(shape, expression, pairs)
    drawn = np.random.default_rng(3).choice(factors, len(rows))
    rows = replace(rows, weight=rows.weight * drawn)
    options = BalanceOptions(1.2, 1e9, floor_paths=2, floor_share=0.1)
    found = balance_pairs(rows, options, seed=5)
    assert set(np.flatnonzero(found.keep).tolist()) == balance_slowly(rows, options, seed=5)


@pytest.mark.parametrize("shape", [(1, 2, 2, 3), (2, 4, 2, 3), (1, 3, 2, 4)])
@pytest.mark.parametrize("expression", ["<=3", "<=4", "short(2,3)", "all"])
@pytest.mark.parametrize("factors", [[1.0], [0.1, 1.0, 3.0]])
def test_pairs_stop_where_only_two_different_paths_are_left(
    shape: tuple[int, int, int, int], expression: str, factors: list[float]
) -> None:
    # Without a floor, links come to lie on every path that is left, or have none that may go.
    rows = parse_expression(expression, Dragonfly(*shape)).all_rows()
    drawn = np.random.default_rng(3).choice(factors, len(rows))
    rows = replace(rows, weight=rows.weight * drawn)
    options = BalanceOptions(1.01, 1e9, floor_paths=1, floor_share=0.0)
    found = balance_pairs(rows, options)
    assert set(np.flatnonzero(found.keep).tolist()) == balance_slowly(rows, options, seed=0)
    left = rows.select(found.keep)
    assert isinstance(rows.topology, Dragonfly)
    inside = rows.topology.switch_group[rows.source] == rows.topology.switch_group[rows.target]
    for pair in np.flatnonzero(~inside):
        usage = link_usage(left.pairs(np.array([pair]))).values()
        overloaded = any(one.pair_max > 1.01 * (1 + 1e-9) for one in usage)  # nan is not
        assert found.stopped[pair] == overloaded


def test_pairs_report_the_overload_that_a_floor_leaves() -> None:
    # As above: the default floor of 4 paths leaves the overload of 72 pairs.
    rows = parse_expression("<=3", THREE_GROUPS).all_rows()
    found = balance_pairs(rows, BalanceOptions(local_threshold=1.4))
    assert found.keep.all()
    assert found.stopped.sum() == 72


def test_pairs_refuse_a_bad_seed() -> None:
    rows = parse_expression("<=3", THREE_GROUPS).all_rows()
    with pytest.raises(InvalidInput, match="seed"):
        balance_pairs(rows, seed=-1)


@pytest.mark.parametrize(
    "options",
    [
        {"local_threshold": 1.0},
        {"global_threshold": float("nan")},
        {"floor_paths": 0},
        {"floor_share": 1.5},
    ],
)
def test_bad_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(options))):
        BalanceOptions(**options)  # pyright: ignore[reportArgumentType]  # wrong on purpose


def test_topologies_with_too_many_pairs_are_refused() -> None:
    with pytest.raises(InvalidInput, match="50,000,000"):
        balance(parse_expression("none", Dragonfly(1, 90, 1, 91, "palmtree")))
