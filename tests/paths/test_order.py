"""Random fractions: the keyed order, its counts and its nesting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.native import kernels
from tvlb.paths import PathRows, data_points, parse_expression
from tvlb.topology import Dragonfly

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(value: int) -> int:
    """The output function of SplitMix64."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def path_key(seed: int, *numbers: int) -> int:
    """Fold source, target, intermediate, first and second link into the seed, 32 bits each."""
    state = mix((seed + GOLDEN) & MASK)
    for number in numbers:
        state = mix(((state + GOLDEN) & MASK) ^ (number & 0xFFFFFFFF))
    return state


IDS = st.integers(-1, 2**31 - 1)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, MASK), st.tuples(IDS, IDS, IDS, IDS, IDS))
def test_the_key_is_a_public_formula(seed: int, numbers: tuple[int, int, int, int, int]) -> None:
    assert kernels.path_key(seed, *numbers) == path_key(seed, *numbers)


def test_key_of_one_path_is_pinned() -> None:
    # The order is part of the table format: a changed value makes old tables wrong.
    assert kernels.path_key(0, 0, 8, 4, 108, 117) == 2068474568344411161


def triples(rows: PathRows) -> set[tuple[int, ...]]:
    columns = (rows.pair_of_row, rows.intermediate, rows.first_link, rows.second_link)
    return set(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_smaller_fractions_are_contained_in_larger_ones(length: int) -> None:
    topology = Dragonfly(2, 4, 2, 5)
    before = triples(parse_expression(f"<={length}", topology).all_rows())
    for percent in (1, 10, 20, 50, 90, 99):
        expression = f"<={length}+{percent}%"
        now = triples(parse_expression(expression, topology, seed=3).all_rows())
        assert before <= now
        before = now
    assert before <= triples(parse_expression(f"<={length + 1}", topology).all_rows())


@pytest.mark.parametrize("percent", [1, 5, 10, 25, 50, 75, 99])
def test_a_fraction_keeps_the_nearest_whole_number_per_pair(percent: int) -> None:
    # floor(f * n + 0.5) of the n paths of a pair, halves up.
    topology = Dragonfly(2, 4, 2, 5)
    every = parse_expression("all", topology).all_rows().class_usage().count
    kept = parse_expression(f"<=4+{percent}%", topology).all_rows().class_usage().count
    group = topology.switch_group
    rows = parse_expression("all", topology).all_rows()
    between = group[rows.source] != group[rows.target]
    expected = (every[between, 5] * percent * 2 + 100) // 200
    assert kept[between, 5].tolist() == expected.tolist()
    assert np.array_equal(kept[between, :5], every[between, :5])
    assert not kept[between, 6].any()


def test_seeds_choose_differently_and_repeatably() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    chosen = [triples(parse_expression("<=4+50%", topology, seed).all_rows()) for seed in (0, 0, 1)]
    assert chosen[0] == chosen[1] != chosen[2]
    # Sets without a fraction do not depend on the seed.
    assert triples(parse_expression("<=4", topology, 0).all_rows()) == triples(
        parse_expression("<=4", topology, 1).all_rows()
    )


def test_the_31_data_points_grow() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    points = data_points(topology)
    names = [str(point) for point in points]
    assert names == [
        f"<={length}" + (f"+{10 * tenth}%" if tenth else "")
        for length in (3, 4, 5)
        for tenth in range(10)
    ] + ["all"]
    sizes = [len(point.all_rows()) for point in points]
    assert sizes == sorted(sizes)
