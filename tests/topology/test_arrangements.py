"""How the global ports are wired."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.topology import ARRANGEMENTS, Dragonfly

Cable = tuple[int, int]


def between(topology: Dragonfly, first: int, second: int) -> list[Cable]:
    """Cables of two groups, with the end in `first` first."""
    a = topology.switches_per_group
    found = [
        (int(x), int(y)) if x // a == first else (int(y), int(x))
        for x, y in topology.cables
        if {int(x) // a, int(y) // a} == {first, second}
    ]
    return sorted(found)


# The rotating cursor worked by hand. dfly(2,4,2,3): the cursor starts at (group 1, switch 0) and
# goes 1.0, 2.0, (0.1 own group), 1.1, 2.1, ...: switch 0 takes 4 and 8, switch 1 takes 5 and 9, ...
WORKED: list[tuple[tuple[int, int, int, int], tuple[int, int], list[Cable]]] = [
    ((2, 4, 2, 3), (0, 1), [(0, 4), (1, 5), (2, 6), (3, 7)]),
    ((2, 4, 2, 3), (0, 2), [(0, 8), (1, 9), (2, 10), (3, 11)]),
    ((2, 4, 2, 3), (1, 2), [(4, 8), (5, 9), (6, 10), (7, 11)]),
    ((4, 8, 4, 9), (0, 1), [(0, 8), (2, 9), (4, 10), (6, 11)]),
    ((4, 8, 4, 9), (0, 2), [(0, 16), (2, 17), (4, 18), (6, 19)]),
    ((4, 8, 4, 9), (3, 5), [(24, 44), (27, 45), (29, 46), (30, 47)]),
]


@pytest.mark.parametrize(("shape", "groups", "cables"), WORKED)
def test_absolute_wiring_worked_by_hand(
    shape: tuple[int, int, int, int], groups: tuple[int, int], cables: list[Cable]
) -> None:
    assert between(Dragonfly(*shape), *groups) == cables


UNIFORM = [
    (2, 4, 2, 3),
    (2, 4, 2, 5),
    (2, 4, 2, 9),
    (4, 8, 4, 9),
    (4, 8, 4, 17),
    (4, 8, 4, 33),
    (13, 26, 13, 27),
    (3, 6, 3, 7),
    (3, 6, 3, 10),
    (6, 12, 6, 73),
    (8, 16, 8, 129),
    (16, 32, 16, 17),
]


@pytest.mark.parametrize("shape", UNIFORM)
def test_absolute_wiring_is_uniform_without_parallel_cables(
    shape: tuple[int, int, int, int],
) -> None:
    topology = Dragonfly(*shape)
    _, a, h, g = shape
    assert topology.links_per_group_pair == (a * h // (g - 1),) * 2
    assert topology.unconnected_ports == 0
    assert int(topology.network.link_ordinal.max()) == 0
    degree = np.bincount(topology.cables.ravel())
    assert (degree == h).all()


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, int, int]:
    a, h = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    return a, h, draw(st.integers(2, a * h + 1))


def walked(a: int, h: int, g: int) -> list[Cable]:
    """Wire by the rule as it is written: a round of the cursor without a partner ends a switch."""
    free, joined = dict.fromkeys(range(a * g), h), Counter[Cable]()
    cursor = [group * a + index for index in range(a) for group in range(g)]
    place, cables = 1, list[Cable]()
    for switch in range(a * g):
        since = 0
        while free[switch] > 0 and since < a * g:
            target, place, since = cursor[place], (place + 1) % (a * g), since + 1
            pair = (min(switch, target) // a, max(switch, target) // a)
            if pair[0] != pair[1] and free[target] > 0 and joined[pair] < a * h // (g - 1):
                cables.append((min(switch, target), max(switch, target)))
                free[switch], free[target] = free[switch] - 1, free[target] - 1
                joined[pair] += 1
                since = 0
    return sorted(cables)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shapes())
def test_absolute_wiring_equals_a_plain_walk(shape: tuple[int, int, int]) -> None:
    topology = Dragonfly(1, *shape)
    assert [(int(x), int(y)) for x, y in topology.cables] == walked(*shape)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shapes(), st.sampled_from([*ARRANGEMENTS]))
def test_every_arrangement_joins_every_pair_equally(
    shape: tuple[int, int, int], arrangement: str
) -> None:
    a, h, g = shape
    topology = Dragonfly(1, a, h, g, arrangement)
    k = a * h // (g - 1)
    assert topology.links_per_group_pair == (k, k)
    # What does not divide stays unconnected and is reported.
    assert topology.unconnected_ports == g * (a * h - k * (g - 1))
    assert np.bincount(topology.cables.ravel(), minlength=a * g).max() <= h


def test_ports_that_do_not_divide_stay_free() -> None:
    # 6 ports per group, 4 other groups: k = 1, and 2 of 6 ports of each of 5 groups stay free.
    topology = Dragonfly(2, 3, 2, 5)
    assert topology.links_per_group_pair == (1, 1)
    assert topology.unconnected_ports == 10


def rotated(cables: np.ndarray, a: int, g: int) -> Counter[Cable]:
    """Move every switch to the next group; cables as a multiset."""
    moved = np.sort((cables + a) % (a * g), axis=1)
    return Counter((int(x), int(y)) for x, y in moved)


@pytest.mark.parametrize("arrangement", ["palmtree", "circulant", "relative"])
@pytest.mark.parametrize("shape", [(4, 2, 9), (4, 2, 5), (4, 2, 3), (3, 2, 4), (3, 2, 7)])
def test_invariance_under_rotation_of_the_groups(
    arrangement: str, shape: tuple[int, int, int]
) -> None:
    topology = Dragonfly(1, *shape, arrangement)
    a, _, g = shape
    here = Counter((int(x), int(y)) for x, y in topology.cables)
    assert rotated(topology.cables, a, g) == here


def test_palmtree_by_its_definition() -> None:
    # With g = a*h+1, switch s of group i has ports n = s*h .. s*h+h-1 to groups i - n - 1.
    topology = Dragonfly(2, 4, 2, 9, "palmtree")
    for group in range(9):
        for port in range(8):
            other = (group - port - 1) % 9
            cables = between(topology, group, other)
            assert [cable[0] for cable in cables] == [group * 4 + port // 2]


def test_relative_by_its_definition() -> None:
    # Ports n = 0, 1, 2, ... of every group i reach groups i + n + 1.
    topology = Dragonfly(2, 4, 2, 9, "relative")
    for group in range(9):
        for port in range(8):
            cables = between(topology, group, (group + port + 1) % 9)
            assert [cable[0] for cable in cables] == [group * 4 + port // 2]


def test_circulant_by_its_definition() -> None:
    # Ports n = 0, 1, 2, 3, ... of every group reach offsets +1, -1, +2, -2, ...
    topology = Dragonfly(2, 4, 2, 9, "circulant")
    for group in range(9):
        for port, offset in enumerate([1, -1, 2, -2, 3, -3, 4, -4]):
            cables = between(topology, group, (group + offset) % 9)
            assert [cable[0] for cable in cables] == [group * 4 + port // 2]


def test_consecutive_by_its_definition() -> None:
    # Ports n = 0, 1, 2, ... of every group reach the other groups in their order.
    topology = Dragonfly(2, 4, 2, 9, "consecutive")
    for group in range(9):
        for port, other in enumerate(one for one in range(9) if one != group):
            cables = between(topology, group, other)
            assert [cable[0] for cable in cables] == [group * 4 + port // 2]
    # What the T-UGAL paper calls absolute is another wiring.
    own = {(int(x), int(y)) for x, y in Dragonfly(2, 4, 2, 9).cables}
    assert len(own - {(int(x), int(y)) for x, y in topology.cables}) == 27


def test_unknown_arrangements_are_refused() -> None:
    with pytest.raises(InvalidInput, match="choose one of absolute, palmtree, relative, circ"):
        Dragonfly(2, 4, 2, 9, "spiral")
