"""A set as a mask gives what the set of its rows gives, for any pairs that are asked for."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.balance.test_by_rule import assert_same_rows
from tvlb.balance import BalancedSet, BalanceOptions, KeptSet, balance
from tvlb.paths import EmptySet, PathSet, RowSet, parse_expression
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 3, 2, 4)
SWITCHES = TOPOLOGY.num_switches
ALL = parse_expression("all", TOPOLOGY)
BASES: tuple[PathSet, ...] = (
    ALL,
    parse_expression("<=4+60%", TOPOLOGY, 5),
    parse_expression("<=4+(2,3)", TOPOLOGY),
    parse_expression("short(2,3)", TOPOLOGY),
    EmptySet(TOPOLOGY),
    RowSet(parse_expression("<=4", TOPOLOGY).all_rows(), "rows"),
    # Sets that bound the number of their paths by that of the set before.
    BalancedSet(ALL, BalanceOptions(), 0),
    KeptSet(ALL, np.arange(len(ALL.all_rows())) % 3 > 0),
)


def some_of(base: PathSet, seed: int, share: float = 0.5) -> NDArray[np.bool_]:
    return np.random.default_rng(seed).random(len(base.all_rows())) < share


# Two switches of one group and a switch with itself are among them.
pairs = st.lists(st.tuples(*[st.integers(0, SWITCHES - 1)] * 2), max_size=12)


@settings(deadline=None)
@given(st.sampled_from(BASES), st.integers(0, 99), st.floats(0.0, 1.0), pairs)
def test_any_pairs_have_the_rows_of_the_set_of_rows(
    base: PathSet, seed: int, share: float, ends: list[tuple[int, int]]
) -> None:
    keep = some_of(base, seed, share)
    kept, listed = KeptSet(base, keep), RowSet(base.all_rows().select(keep), str(base))
    sources, targets = np.array(ends, dtype=np.int32).reshape(-1, 2).T
    assert_same_rows(kept.rows(sources, targets), listed.rows(sources, targets))
    bound = kept.most_paths(sources, targets)
    assert (bound >= listed.most_paths(sources, targets)).all()


@pytest.mark.parametrize("base", BASES, ids=lambda base: f"{type(base).__name__} {base}")
def test_the_whole_is_that_of_the_set_of_rows(base: PathSet) -> None:
    keep = some_of(base, 1)
    kept, listed = KeptSet(base, keep), RowSet(base.all_rows().select(keep), str(base))
    assert (kept.keep == keep).all()
    assert_same_rows(kept.all_rows(), listed.all_rows())
    assert_same_rows(kept.rows_of_source(5), listed.rows_of_source(5))
    assert repr(kept.mean_hops()) == repr(listed.mean_hops())
    assert str(kept) == str(base)


def test_it_travels_small_whether_it_was_asked_or_not() -> None:
    keep = some_of(ALL, 2)
    kept = KeptSet(ALL, keep)
    before = pickle.dumps(kept)
    expected = kept.rows_of_source(0)
    after = pickle.dumps(kept)
    assert len(after) == len(before)
    # A bit per path, and the network.
    assert len(after) < len(pickle.dumps(TOPOLOGY)) + len(keep) / 8 + 500
    for data in (before, after):
        copy = pickle.loads(data)
        assert_same_rows(copy.rows_of_source(0), expected)
        assert (copy.keep == keep).all()


def test_balancing_what_was_balanced_counts_what_is_left() -> None:
    options = BalanceOptions(local_threshold=1.2, floor_paths=1)
    first = balance(parse_expression("<=4", TOPOLOGY), options)
    second = balance(first.path_set, options)
    assert first.report.removed > 0
    assert second.report.paths_before == len(first.path_set.all_rows())
    assert second.keep is not None
    rows = first.path_set.all_rows().select(second.keep)
    assert_same_rows(second.path_set.rows_of_source(3), RowSet(rows, "").rows_of_source(3))


@pytest.mark.parametrize("change", [-1, 1, 8])
def test_a_mask_of_another_length_is_refused(change: int) -> None:
    paths = len(ALL.all_rows())
    kept = KeptSet(ALL, np.ones(paths + change, dtype=bool))
    with pytest.raises(ValueError, match=f"{paths + change} paths, all has {paths}"):
        kept.rows_of_source(0)
    with pytest.raises((ValueError, IndexError)):
        kept.all_rows()
