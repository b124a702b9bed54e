"""Balancing by weights: the definition written out slowly, one round by hand, and invariants."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.balance.reference_weights import reweight_slowly
from tests.balance.test_by_rule import assert_same_rows
from tvlb.balance import (
    BalanceOptions,
    BalanceReport,
    ReweightedSet,
    WeightOptions,
    balance,
    balance_weights,
    reweight,
)
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, PathSet, RowSet, parse_expression
from tvlb.topology import Dragonfly, LinkKind

FIVE_GROUPS = Dragonfly(2, 4, 2, 5)
SHAPES = "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)"


def between_groups(rows: PathRows) -> NDArray[np.bool_]:
    """Tell which rows are of a pair of different groups."""
    assert isinstance(rows.topology, Dragonfly)
    group = rows.topology.switch_group
    return (group[rows.source] != group[rows.target])[rows.pair_of_row]


def worst(report: BalanceReport, when: str) -> float:
    """The largest usage over the mean of its kind, before or after."""
    usage = report.before if when == "before" else report.after
    return float(np.nanmax([one.max_over_mean for one in usage.values()]))


@pytest.mark.parametrize(
    ("shape", "expression"),
    [
        ((2, 4, 2, 3), "<=4+30%"),
        ((2, 4, 2, 3), "short(2,3)"),
        ((2, 4, 2, 5), "<=3"),
        ((2, 4, 2, 5), "<=4"),
        ((2, 4, 2, 5), "short(2,3)"),
        ((2, 4, 2, 5), SHAPES),
        ((1, 2, 2, 3), "<=4+30%"),
        ((1, 1, 3, 4), "all"),
        ((2, 4, 2, 5), "none"),
    ],
)
@pytest.mark.parametrize(
    "options",
    [WeightOptions(rounds=6), WeightOptions(4, 1.0, 0.5), WeightOptions(rounds=5, step=3.0)],
)
def test_kernel_follows_the_definition(
    shape: tuple[int, int, int, int], expression: str, options: WeightOptions
) -> None:
    rows = parse_expression(expression, Dragonfly(*shape), seed=5).all_rows()
    found = reweight(rows, options).weight
    assert found == pytest.approx(reweight_slowly(rows, options), rel=1e-12)


def test_unequal_weights_follow_the_definition() -> None:
    rows = parse_expression("all", Dragonfly(1, 3, 2, 4, "circulant")).all_rows()
    drawn = np.random.default_rng(3).choice([0.01, 1.0, 3.0], len(rows))
    total = np.bincount(rows.pair_of_row, weights=drawn)[rows.pair_of_row]
    rows = rows.with_weights(drawn / total).select(drawn != 1.0)
    found = reweight(rows, WeightOptions(rounds=8)).weight
    assert (found != rows.weight).any()
    assert found == pytest.approx(reweight_slowly(rows, WeightOptions(rounds=8)), rel=1e-12)


def test_one_round_lowers_a_path_by_the_excess_usage_of_its_links() -> None:
    # In the first round every link has the factor exp(-step * (usage / mean of its kind - 1)).
    rows = parse_expression("short(2,3)", FIVE_GROUPS).all_rows()
    usage = rows.total_usage()
    kind = FIVE_GROUPS.network.link_kind
    excess = np.zeros(len(usage))
    for one in LinkKind:
        excess[kind == one] = usage[kind == one] / usage[kind == one].mean() - 1
    links = rows.links()
    total = np.where(links >= 0, excess[links], 0.0).sum(axis=1)
    expected = rows.weight * np.where(between_groups(rows), np.exp(-0.25 * total), 1.0)
    expected /= np.bincount(rows.pair_of_row, weights=expected)[rows.pair_of_row]
    found = reweight(rows, WeightOptions(rounds=1, step=0.25, floor=1e-6))
    assert found.weight == pytest.approx(expected, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    expression=st.sampled_from(["<=2", "<=3", "<=4+50%", "short(<=5)", "all", "none", SHAPES]),
    topology=st.sampled_from([FIVE_GROUPS, Dragonfly(1, 3, 2, 4, "circulant")]),
    options=st.builds(
        WeightOptions, st.integers(1, 12), st.floats(0.01, 10.0), st.floats(1e-6, 1.0)
    ),
)
def test_every_path_stays_and_nothing_gets_less_even(
    expression: str, topology: Dragonfly, options: WeightOptions
) -> None:
    base = parse_expression(expression, topology)
    before = base.all_rows()
    found = balance_weights(base, options)
    rows = found.path_set.all_rows()
    assert_same_rows(rows.with_weights(before.weight), before)
    assert (rows.weight >= before.weight * options.floor * (1 - 1e-12)).all()
    assert (rows.weight > 0).all()
    sums = np.bincount(rows.pair_of_row, weights=rows.weight, minlength=len(rows.source))
    assert sums[np.diff(rows.offset) > 0] == pytest.approx(1.0, abs=1e-12)
    inside = ~between_groups(rows)
    assert (rows.weight[inside] == before.weight[inside]).all()
    if len(rows):
        assert worst(found.report, "after") <= worst(found.report, "before") * (1 + 1e-12)
    assert (found.report.method, found.report.removed, found.keep) == ("weights", 0, None)
    assert found.report.paths_before == len(rows)
    assert found.mean_hops == pytest.approx(found.path_set.mean_hops(), nan_ok=True)


@pytest.mark.parametrize("expression", ["short(2,3)", "shape(g.?)", SHAPES])
def test_the_paper_s_network_comes_out_even(expression: str) -> None:
    report = balance_weights(parse_expression(expression, Dragonfly(4, 8, 4, 9))).report
    assert worst(report, "before") > 1.08
    assert worst(report, "after") < 1.006


def test_sets_that_are_even_keep_their_weights_to_the_last_bit() -> None:
    # All VLB paths of a regular Dragonfly use all links of a kind alike.
    base = parse_expression("all", FIVE_GROUPS)
    found = balance_weights(base).path_set
    assert isinstance(found, ReweightedSet)
    assert (found.factors == 1.0).all()
    assert_same_rows(found.all_rows(), base.all_rows())


def test_balancing_again_finds_the_same_to_the_last_bit() -> None:
    base = parse_expression("<=4+30%", FIVE_GROUPS, seed=7)
    first, second = (balance_weights(base).path_set for _ in range(2))
    assert_same_rows(first.all_rows(), second.all_rows())
    assert_same_rows(first.all_rows(), reweight(base.all_rows()))


BASES: tuple[PathSet, ...] = (
    parse_expression("<=4", FIVE_GROUPS),
    parse_expression("short(2,3)", FIVE_GROUPS),
    RowSet(parse_expression("<=3", FIVE_GROUPS).all_rows(), "rows"),
    balance(parse_expression("all", FIVE_GROUPS), BalanceOptions(1.5)).path_set,
)


@pytest.mark.parametrize("base", BASES, ids=lambda base: f"{type(base).__name__} {base}")
def test_any_pairs_have_the_rows_of_the_whole(base: PathSet) -> None:
    found = balance_weights(base).path_set
    listed = RowSet(found.all_rows(), str(base))
    # Two switches of one group and a switch with itself are among them.
    sources = np.array([3, 0, 0, 7, 19, 3], dtype=np.int32)
    targets = np.array([9, 1, 19, 7, 0, 9], dtype=np.int32)
    assert_same_rows(found.rows(sources, targets), listed.rows(sources, targets))
    assert_same_rows(found.rows_of_source(5), listed.rows_of_source(5))
    assert (found.most_paths(sources, targets) >= listed.most_paths(sources, targets)).all()
    assert repr(found.mean_hops()) == repr(listed.mean_hops())
    assert str(found) == str(base)


def test_it_travels_as_a_number_per_link() -> None:
    base = parse_expression("short(2,3)", Dragonfly(4, 8, 4, 9))
    found = balance_weights(base).path_set
    data = pickle.dumps(found)
    links = base.topology.num_links
    assert len(data) < len(pickle.dumps(base)) + 8 * links + 500
    assert_same_rows(pickle.loads(data).rows_of_source(17), found.rows_of_source(17))


def test_sets_that_cannot_be_listed_are_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match=r"all on dfly\(13,26,13,27\) has more than 50,000,000"):
        balance_weights(parse_expression("all", Dragonfly(13, 26, 13, 27)))


@pytest.mark.parametrize(
    ("settings_", "complaint"),
    [
        ({"rounds": 0}, r"rounds 0 is out of range: 1\.\.10000"),
        ({"rounds": 10_001}, "rounds 10001"),
        ({"step": 0.0}, "step 0.0 is out of range: above 0, at most 10"),
        ({"step": float("nan")}, "step nan"),
        ({"step": 10.5}, "step 10.5"),
        ({"floor": 0.0}, r"floor 0.0 is out of range: 1e-06\.\.1"),
        ({"floor": 1.5}, "floor 1.5"),
        ({"floor": float("nan")}, "floor nan"),
    ],
)
def test_settings_out_of_range_are_refused(settings_: dict[str, float], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        WeightOptions(**settings_)  # pyright: ignore[reportArgumentType]
