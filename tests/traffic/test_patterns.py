"""What every pattern sends where."""

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly
from tvlb.traffic import (
    MatrixPattern,
    Mixed,
    Permutation,
    Shift,
    TimeMixed,
    Type2,
    Uniform,
    parse_pattern,
    type1_set,
    type2_set,
)

TOPOLOGY = Dragonfly(2, 4, 2, 9)


@pytest.mark.parametrize(("groups", "switches"), [(0, 0), (1, 0), (2, 3), (8, 1), (0, 2)])
def test_shift_by_its_definition(groups: int, switches: int) -> None:
    # Node (i, j, n) sends to ((i + dg) mod g, (j + ds) mod a, n).
    destination = Shift(groups, switches).destinations(TOPOLOGY, 0)
    for i in range(9):
        for j in range(4):
            for n in range(2):
                target = ((i + groups) % 9 * 4 + (j + switches) % 4) * 2 + n
                assert destination[(i * 4 + j) * 2 + n] == target


@pytest.mark.parametrize("shift", [Shift(9, 0), Shift(-1, 0), Shift(0, 4), Shift(1, -1)])
def test_shift_must_fit_the_topology(shift: Shift) -> None:
    with pytest.raises(InvalidInput, match="is out of range; allowed are 0"):
        shift.resolve(TOPOLOGY, 0)


def test_type1_set_is_every_shift_between_groups() -> None:
    # (g - 1) * a patterns, ordered by group shift, then switch shift.
    patterns = type1_set(TOPOLOGY)
    assert len(patterns) == 8 * 4
    assert (str(patterns[0]), str(patterns[5]), str(patterns[-1])) == (
        "shift(1,0)",
        "shift(2,1)",
        "shift(8,3)",
    )


def test_type2_permutes_groups_without_fixed_points_and_switches_in_each() -> None:
    for pattern in type2_set(TOPOLOGY):
        switch = pattern.destinations(TOPOLOGY, 0)[::2] // 2
        groups = switch.reshape(9, 4) // 4
        assert (groups == groups[:, :1]).all()
        assert sorted(groups[:, 0].tolist()) == list(range(9))
        assert (groups[:, 0] != np.arange(9)).all()
        assert (np.sort(switch.reshape(9, 4) % 4, axis=1) == np.arange(4)).all()


def test_type2_switch_permutations_are_independent_and_may_fix_switches() -> None:
    indices = [
        tuple(row)
        for pattern in type2_set(TOPOLOGY)
        for row in (pattern.destinations(TOPOLOGY, 0)[::2] // 2 % 4).reshape(9, 4).tolist()
    ]
    # 180 draws of 24 permutations: all appear, the identity among them.
    assert len(set(indices)) == 24
    assert (0, 1, 2, 3) in indices


def test_type2_nodes_talk_to_the_same_position() -> None:
    destination = Type2(3).destinations(TOPOLOGY, 0)
    assert (destination % 2 == np.arange(72) % 2).all()


def test_type2_set_has_twenty_different_seeds() -> None:
    patterns = type2_set(TOPOLOGY)
    assert patterns == [Type2(seed) for seed in range(20)]
    assert len({pattern.destinations(TOPOLOGY, 0).tobytes() for pattern in patterns}) == 20


@pytest.mark.parametrize("make", [Type2, Permutation])
def test_an_own_seed_goes_before_the_seed_of_the_run(
    make: type[Type2] | type[Permutation],
) -> None:
    own, run = make(seed=1), make()
    assert np.array_equal(own.destinations(TOPOLOGY, 5), own.destinations(TOPOLOGY, 6))
    assert np.array_equal(own.destinations(TOPOLOGY, 5), run.destinations(TOPOLOGY, 1))
    assert not np.array_equal(run.destinations(TOPOLOGY, 5), run.destinations(TOPOLOGY, 6))


def test_permutation_reaches_every_node_once() -> None:
    destination = Permutation(seed=3).destinations(TOPOLOGY, 0)
    assert sorted(destination.tolist()) == list(range(72))


def test_uniform_draws_over_all_nodes() -> None:
    traffic = Uniform().resolve(TOPOLOGY, 0)
    assert (traffic.uniform_fraction == 1).all()
    assert (traffic.rate == 1).all()


@pytest.mark.parametrize(("percent", "count"), [(0, 0), (25, 18), (50, 36), (33, 24), (100, 72)])
def test_mixed_splits_the_nodes(percent: int, count: int) -> None:
    # u percent of 72 nodes, to the nearest: 33% is 23.76 -> 24.
    traffic = Mixed(percent, 100 - percent, Shift(1, 0)).resolve(TOPOLOGY, 4)
    assert np.count_nonzero(traffic.uniform_fraction == 1) == count
    assert np.count_nonzero(traffic.uniform_fraction == 0) == 72 - count
    assert np.array_equal(traffic.destination, Shift(1, 0).destinations(TOPOLOGY, 0))


def test_mixed_draws_its_nodes_once_per_seed() -> None:
    def uniform_nodes(pattern: Mixed, seed: int) -> list[float]:
        return pattern.resolve(TOPOLOGY, seed).uniform_fraction.tolist()

    free, own = Mixed(50, 50, Shift(1, 0)), Mixed(50, 50, Shift(1, 0), seed=7)
    assert uniform_nodes(free, 1) == uniform_nodes(free, 1) != uniform_nodes(free, 2)
    assert uniform_nodes(own, 1) == uniform_nodes(own, 2) == uniform_nodes(free, 7)


def test_time_mixed_splits_the_packets() -> None:
    traffic = TimeMixed(25, 75, Shift(1, 0)).resolve(TOPOLOGY, 0)
    assert (traffic.uniform_fraction == 0.25).all()


@pytest.mark.parametrize(("uniform", "adversarial"), [(50, 51), (-1, 101), (101, -1), (0, 0)])
def test_shares_add_up_to_100(uniform: int, adversarial: int) -> None:
    for make in (Mixed, TimeMixed):
        with pytest.raises(InvalidInput, match=r"must be 0\.\.100 and add up to 100"):
            make(uniform, adversarial, Shift(1, 0))


@pytest.mark.parametrize(
    ("pattern", "flows"),
    [
        ("shift(1,0)", 36),
        ("type2(seed=1)", 36),
        ("uniform", 36 * 35),
        ("tmixed(50,50,shift(1,0))", 36 * 35),
        ("mixed(0,100,shift(1,0))", 36),
        # Two nodes per switch: of 4 switches one has no uniform node.
        ("mixed(50,50,shift(1,0))", 36 / 4 + 36 * 35 * 3 / 4),
    ],
)
def test_flows_of_patterns(pattern: str, flows: int) -> None:
    assert parse_pattern(pattern).count_flows(TOPOLOGY) == flows


def test_flows_of_a_matrix_are_its_entries() -> None:
    entries = ((0, 9, 1.0), (9, 0, 1.0))
    assert MatrixPattern("m.csv", "switch", entries).count_flows(TOPOLOGY) == 2
