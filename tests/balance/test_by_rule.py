"""Sets too large to list: balanced by rule, measured on a sample. The limit is put to 0 here."""

import numpy as np
import pytest

from tvlb.balance import Balanced, BalancedSet, BalanceOptions, balance, sample_of, unbalanced
from tvlb.paths import PathRows, PathSet, parse_expression
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 9)
# The step over all pairs finds nothing to do, so both ways must agree.
PER_PAIR = BalanceOptions(global_threshold=50.0)


def never(_: PathSet) -> bool:
    return False


def by_rule(path_set: PathSet, options: BalanceOptions, seed: int = 0) -> Balanced:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tvlb.balance.balancing.is_listable", never)
        return balance(path_set, options, seed=seed)


def assert_same_rows(first: PathRows, second: PathRows) -> None:
    for name in ("offset", "intermediate", "first_link", "second_link", "hops", "weight"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name


@pytest.mark.parametrize("expression", ["<=4", "<=4+60%", "short(2,3)", "all"])
def test_the_rule_leaves_what_listing_leaves(expression: str) -> None:
    path_set = parse_expression(expression, TOPOLOGY, 7)
    listed, found = balance(path_set, PER_PAIR, seed=7), by_rule(path_set, PER_PAIR, 7)
    assert listed.report.removed_globally == 0
    assert isinstance(found.path_set, BalancedSet)
    assert found.keep is None
    assert str(found.path_set) == expression
    assert_same_rows(found.path_set.all_rows(), listed.path_set.all_rows())


def test_pairs_may_be_asked_for_in_any_order() -> None:
    path_set = parse_expression("short(2,3)", TOPOLOGY)
    found = by_rule(path_set, BalanceOptions()).path_set
    sources, targets = np.array([3, 17, 3], dtype=np.int32), np.array([30, 0, 1], dtype=np.int32)
    together = found.rows(sources, targets)
    for pair in range(3):
        alone = found.rows(sources[pair : pair + 1], targets[pair : pair + 1])
        assert_same_rows(together.pairs(np.array([pair])), alone)


def test_the_report_of_a_sample_is_close_to_that_of_all_pairs() -> None:
    # 4,968 pairs of 138 patterns stand for the 1,152 between groups, each 4.3 times on average. The
    # largest of many estimates lies above the largest true value.
    path_set = parse_expression("short(2,3)", TOPOLOGY)
    exact, found = balance(path_set, PER_PAIR), by_rule(path_set, PER_PAIR)
    report = found.report
    assert report.sampled_pairs == 4_968
    assert report.removed_globally == 0
    share = report.removed / report.paths_before
    # Pairs inside groups, which are not in the sample, keep their 2 paths each.
    inside = 36 * 3 * 2
    between = exact.report.paths_before - inside
    assert share == pytest.approx(exact.report.removed / between, rel=0.02)
    assert found.mean_hops == pytest.approx(exact.mean_hops, rel=0.01)
    for kind in exact.report.before:
        for name in ("before", "after"):
            ours, theirs = getattr(report, name)[kind], getattr(exact.report, name)[kind]
            assert np.allclose(ours.quantiles[25:76], theirs.quantiles[25:76], rtol=0.05)
            assert 0.98 * theirs.max_over_mean < ours.max_over_mean < 1.1 * theirs.max_over_mean
            assert ours.pair_max == pytest.approx(theirs.pair_max)


def test_usage_without_balancing_is_that_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    path_set = parse_expression("<=4", TOPOLOGY)
    listed = unbalanced(path_set)
    assert listed.before == listed.after
    assert listed.removed == 0
    monkeypatch.setattr("tvlb.balance.balancing.is_listable", never)
    sampled = unbalanced(path_set)
    kind = "global"
    before = by_rule(path_set, PER_PAIR).report.before[kind]
    assert sampled.before[kind].max_over_mean == before.max_over_mean


def test_a_sample_of_less_than_a_pattern_spreads_over_the_switches() -> None:
    sample = sample_of(parse_expression("all", TOPOLOGY), most_rows=300)
    sources, targets = sample.between
    # all: (g-2) * a * k * k = 28 paths per pair, so 10 of the 36 switches.
    assert len(sources) == 10
    assert len(np.unique(sources // 4)) == 9
    assert (sources // 4 != targets // 4).all()
    assert sample.pairs_each * 10 == 36 * 32
    assert len(sample.inside[0]) == 36 * 3
