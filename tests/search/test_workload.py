"""Traffic that tables are searched for, and traffic that they are judged on."""

import math
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.search import SearchOptions
from tvlb.search.workload import (
    Workload,
    held_out_workload,
    parse_traffic,
    traffic_texts,
    training_workload,
)
from tvlb.topology import Dragonfly, DragonflyPlus
from tvlb.traffic import MatrixPattern, Permutation, Shift, TimeMixed, Type2, Uniform, type2_set

TOPOLOGY = Dragonfly(2, 4, 2, 5)
SMALLEST = [Dragonfly(1, 1, 2, 3), Dragonfly(1, 2, 1, 3), Dragonfly(4, 1, 2, 3)]
NAMES = ["uniform", "shift(1,0)", "type2(seed=3)", "tmixed(50,50,shift(1,0))", "permutation"]


def parsed(*texts: str) -> Workload:
    found = parse_traffic(texts)
    assert found is not None
    return found


def test_no_traffic_is_none() -> None:
    assert parse_traffic(()) is None


def test_shares_are_scaled_to_1_and_are_1_where_none_is_given() -> None:
    found = parsed("uniform", "shift(1,0):2", " type2(seed=3) : 0.5 ")
    assert found.patterns == (Uniform(), Shift(1, 0), Type2(3))
    assert found.shares == (1 / 3.5, 2 / 3.5, 0.5 / 3.5)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("uniform:0",), "shares are above 0"),
        (("uniform:-1",), "shares are above 0"),
        (("uniform:nan",), "shares are above 0"),
        (("uniform:inf",), "shares are above 0"),
        (("uniform:1000001",), "at most 1,000,000"),
        (("uniform:",), "uniform:"),
        ((":2",), ":2"),
        (("shift(1,0):one",), "one"),
        (("nothing",), "nothing"),
        (("uniform", "uniform:2"), "'uniform' is named twice"),
        (("shift(1,0)", "shift( 1, 0 )"), "named twice"),
        (tuple(f"type2(seed={seed})" for seed in range(101)), "at most 100"),
    ],
)
def test_bad_traffic_is_refused(texts: tuple[str, ...], said: str) -> None:
    with pytest.raises(InvalidInput, match=said.replace("(", r"\(").replace(")", r"\)")):
        parse_traffic(texts)
    with pytest.raises(InvalidInput):
        traffic_texts(texts)


# Four times any of these is exact.
shares = st.lists(st.sampled_from([0.125, 0.75, 1.0, 3.0, 7.5, 4000.0]), min_size=1, max_size=5)


@given(shares)
def test_equal_traffic_is_equal_texts(counted: list[float]) -> None:
    texts = [f"{name}:{share}" for name, share in zip(NAMES, counted, strict=False)]
    printed = traffic_texts(texts)
    assert traffic_texts(printed) == printed
    assert parsed(*printed).patterns == parsed(*texts).patterns
    assert parsed(*printed).shares == pytest.approx(parsed(*texts).shares, rel=1e-12)
    assert math.fsum(parsed(*texts).shares) == pytest.approx(1.0, abs=1e-12)
    scaled = [f"{name}:{4 * share}" for name, share in zip(NAMES, counted, strict=False)]
    assert traffic_texts(scaled) == printed


def test_shares_too_different_for_whole_numbers_stay_as_they_are() -> None:
    texts = ("uniform:0.125", "shift(1,0):1000000")
    assert traffic_texts(texts) == texts


def test_a_file_of_traffic_is_read_once(tmp_path: Path) -> None:
    # What is searched and what is judged is the same, even if the file is written meanwhile.
    path = tmp_path / "matrix.csv"
    path.write_text("# level=switch\nsrc,dst,rate\n0,4,1.0\n")
    options = SearchOptions(traffic=(str(path),))
    path.write_text("# level=switch\nsrc,dst,rate\n0,8,1.0\n")
    assert options.workload is not None
    (pattern,) = options.workload.patterns
    assert isinstance(pattern, MatrixPattern)
    assert pattern.entries == ((0, 4, 1.0),)
    path.unlink()
    assert options.workload.patterns == (pattern,)


# Type2 patterns by number, each with a share; equal shares are frequent.
workloads = st.lists(st.integers(1, 4), min_size=1, max_size=30).map(
    lambda counted: Workload(
        tuple(Type2(number) for number in range(len(counted))),
        tuple(count / sum(counted) for count in counted),
    )
)


@given(workloads)
def test_weightier_patterns_come_first_and_equal_ones_stay_in_order(workload: Workload) -> None:
    found = workload.weightiest_first()
    pairs = list(zip(found.patterns, found.shares, strict=True))
    assert set(pairs) == set(zip(workload.patterns, workload.shares, strict=True))
    assert len(pairs) == len(workload.patterns)
    given = workload.patterns.index
    for (one, share), (other, less) in pairwise(pairs):
        assert share > less or (share == less and given(one) < given(other))
    assert found.weightiest_first() == found
    assert found.rounds == 1


@given(workloads)
def test_rounds_make_eight_cases_of_few_patterns(workload: Workload) -> None:
    found = workload.in_rounds()
    given = len(workload.patterns)
    assert found.first_round == workload.first_round == workload.patterns
    assert found.patterns == workload.patterns * found.rounds
    assert len(found.patterns) == len(found.shares) == len(found.share)
    # As few as that takes: one round less would be fewer than eight.
    assert len(found.patterns) >= 8
    assert found.rounds == 1 or len(found.patterns) - given < 8
    assert math.fsum(found.shares) == pytest.approx(1.0, abs=1e-12)
    # No pattern counts more or less for it.
    by_pattern = found.share.reshape(found.rounds, given).sum(axis=0)
    assert by_pattern == pytest.approx(workload.share)


@pytest.mark.parametrize(
    ("patterns", "rounds"), [(1, 8), (2, 4), (3, 3), (4, 2), (5, 2), (7, 2), (8, 1), (100, 1)]
)
def test_rounds_by_hand(patterns: int, rounds: int) -> None:
    workload = Workload.even([Type2(number) for number in range(patterns)])
    found = workload.in_rounds()
    assert (found.rounds, len(found.patterns)) == (rounds, rounds * patterns)
    assert found.share == pytest.approx(1 / (rounds * patterns))
    if rounds == 1:
        assert found == workload


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("topology", [TOPOLOGY, *SMALLEST], ids=str)
def test_training_traffic_is_mostly_adversarial(topology: Dragonfly, seed: int) -> None:
    found = training_workload(topology, 2, seed)
    first, *random, second, benign = found.patterns
    assert isinstance(first, Shift)
    assert isinstance(second, Shift)
    assert isinstance(benign, TimeMixed)
    assert random == [Type2(0), Type2(1)]
    assert first != second
    assert found.shares == pytest.approx((0.21, 0.21, 0.21, 0.21, 0.16))
    for pattern in found.patterns:
        pattern.resolve(topology, seed)


@pytest.mark.parametrize("seed", range(10))
def test_held_out_traffic_is_never_searched(seed: int) -> None:
    searched = {str(one) for one in training_workload(TOPOLOGY, 5, seed).patterns}
    probed = {str(one) for one in type2_set(TOPOLOGY)}
    found = held_out_workload(TOPOLOGY, seed)
    names = [str(one) for one in found.patterns]
    assert len(set(names)) == len(names) == 10
    assert not {*names} & (searched | probed)
    # Searches and probes count theirs from 0.
    drawn = [one.seed for one in found.patterns if isinstance(one, Type2 | Permutation)]
    assert len(set(drawn)) == 6
    assert min(one for one in drawn if one is not None) >= 100
    assert sum(isinstance(one, Uniform | Permutation | TimeMixed) for one in found.patterns) == 3
    assert found.shares == (0.1,) * 10
    assert found.rounds == 1


@pytest.mark.parametrize("seed", range(3))
def test_rules_are_tried_and_judged_where_nodes_fill_a_link_of_their_switch(seed: int) -> None:
    near = "switch-permutation(neighbours,seed="
    searched = [str(one) for one in training_workload(TOPOLOGY, 2, seed, rules=True).patterns]
    assert searched.count(f"{near}0)") == 1
    judged = [str(one) for one in held_out_workload(TOPOLOGY, seed, rules=True).patterns]
    of_paths = [str(one) for one in held_out_workload(TOPOLOGY, seed).patterns]
    (other,) = {*judged} - {*of_paths}
    assert other.startswith(near)
    assert other not in searched
    assert len(judged) == len(of_paths) == 10
    # Leaves of a Dragonfly+ have links to spines only.
    apart = DragonflyPlus(2, 2, 2, 5)
    assert held_out_workload(apart, seed, rules=True) == held_out_workload(apart, seed)
    assert len(training_workload(apart, 2, seed, rules=True).patterns) == 5


@pytest.mark.parametrize("topology", SMALLEST, ids=str)
def test_held_out_traffic_fits_the_smallest_networks(topology: Dragonfly) -> None:
    for rules in (False, True):
        for pattern in held_out_workload(topology, 0, rules=rules).patterns:
            pattern.resolve(topology, 0)


def test_traffic_depends_on_the_seed() -> None:
    drawn = {str(training_workload(TOPOLOGY, 2, seed).patterns[0]) for seed in range(20)}
    # Of 16 shifts.
    assert len(drawn) > 5
    # Of a million, so that hardly any comes twice: what judges one search tells nothing of another.
    judging = [
        str(one)
        for seed in range(20)
        for one in held_out_workload(TOPOLOGY, seed).patterns
        if isinstance(one, Type2 | Permutation)
    ]
    assert len(set(judging)) == len(judging) == 120
