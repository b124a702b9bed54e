"""Design spaces: the sizes, and what is refused before anything is enumerated."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.designs.sizings import DRAGONFLIES, HYPERXES, SLIM_FLIES
from tvlb.designs import DesignSpace, parse_constraint, parse_range
from tvlb.designs import space as module
from tvlb.errors import InvalidInput
from tvlb.topology import Sizing
from tvlb.topology.slimfly.topology import slimfly_sizes


def space_of(sizing: Sizing, texts: dict[str, str], *constraints: str) -> DesignSpace:
    return DesignSpace(
        sizing,
        {
            one.name: parse_range(texts[one.name], one)
            for one in sizing.parameters
            if one.name in texts
        },
        tuple(parse_constraint(text, sizing) for text in constraints),
    )


def space(p: str, a: str, h: str, g: str, *constraints: str) -> DesignSpace:
    return space_of(DRAGONFLIES, {"p": p, "a": a, "h": h, "g": g}, *constraints)


def test_balanced_designs() -> None:
    # a = 2p = 2h leaves one size per p: radix p + a - 1 + h = 4p - 1 <= 36 means p <= 9, and
    # g = a*h + 1 = 2p^2 + 1 gives 2p^2 (2p^2 + 1) nodes: p = 4 has 32 * 33 = 1,056, p = 8 has
    # 128 * 129 = 16,512, and p = 9 already 162 * 163 = 26,406.
    found = space(
        "1..20", "1..40", "1..20", "max",
        "a == 2*p == 2*h", "radix <= 36", "1000 <= nodes <= 20000",
    ).sizes()  # fmt: skip
    assert found.tolist() == [[p, 2 * p, p, 2 * p * p + 1] for p in (4, 5, 6, 7, 8)]


def test_links_per_pair() -> None:
    # 8 * 4 / (g - 1) = 4 means g = 9; g = 3..33 are possible, 31 sizes.
    assert space("4", "8", "4", "3..max").sizes()[:, 3].tolist() == list(range(3, 34))
    assert space("4", "8", "4", "1..99", "links_per_pair == 4").sizes().tolist() == [[4, 8, 4, 9]]
    # Not a whole number of links: 32 / 10 = 3.2.
    assert space("4", "8", "4", "3..max", "links_per_pair == 3.2").sizes()[:, 3].tolist() == [11]


def test_cables() -> None:
    # dfly(2,4,2,9): 9 * 4 * 2 / 2 = 36 global cables and 9 * 6 = 54 local ones.
    found = space("2", "4", "2", "3..max", "global_cables == 36", "local_cables == 54")
    assert found.sizes().tolist() == [[2, 4, 2, 9]]
    assert space("2", "4", "2", "9", "cables == 90").sizes().tolist() == [[2, 4, 2, 9]]
    # With g = 8 the 8 global ports of a group hold one cable to each of 7 others; one is left.
    assert space("2", "4", "2", "8", "global_cables == 28").sizes().tolist() == [[2, 4, 2, 8]]


@given(
    p=st.integers(1, 3),
    a=st.integers(1, 5),
    h=st.integers(1, 4),
    g=st.sampled_from(["3..max", "1..max step 3", "max", "5, max", "4, 9, 5", "2..12 step 2"]),
    chunk=st.integers(1, 50),
)
def test_sizes_are_all_combinations_in_order(p: int, a: int, h: int, g: str, chunk: int) -> None:
    expected = [
        [*sizes, groups]
        for sizes in itertools.product(range(1, p + 1), range(1, a + 1), range(1, h + 1))
        for groups in range(3, sizes[1] * sizes[2] + 2)
        if groups in groups_of(g, sizes[1] * sizes[2] + 1)
    ]
    asked = space(f"1..{p}", f"1..{a}", f"1..{h}", g)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        if expected:
            assert asked.sizes().tolist() == expected
        else:
            with pytest.raises(InvalidInput, match=r"no combination of p = .* has 3 <= g"):
                asked.sizes()


def groups_of(text: str, most: int) -> set[int]:
    return {
        "3..max": set(range(3, most + 1)),
        "1..max step 3": set(range(1, most + 1, 3)),
        "max": {most},
        "5, max": {5, most},
        "4, 9, 5": {4, 5, 9},
        "2..12 step 2": set(range(2, 13, 2)),
    }[text]


@pytest.mark.parametrize(
    ("ranges", "problem"),
    [
        (
            ("1..1000", "1..1000", "1..1000", "9"),
            "the ranges have 1,000,000,000 combinations of p, a, h and g",
        ),
        (
            ("1..10000000", "1..10000000", "1..10000000", "2..10000000"),
            "the ranges have 9,999,999,000,000,000,000,000,000,000 combinations of p, a, h and g",
        ),
        (
            ("1..1000", "1..1000", "1..1000", "3..max"),
            "the ranges have 1,000,000,000 combinations of p, a and h alone",
        ),
        # Sum of a*h - 1 over a, h = 1..100: 5,050^2 - 10,000 = 25,492,500, with 10 values of p.
        (
            ("1..10", "1..100", "1..100", "3..max"),
            "the ranges have 254,925,000 combinations of p, a, h and g",
        ),
    ],
)
def test_too_many_combinations(ranges: tuple[str, str, str, str], problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        space(*ranges, "p == 1").sizes()
    assert str(caught.value) == f"{problem}; at most 10,000,000 are examined"


def test_the_first_constraint_that_leaves_nothing() -> None:
    # a*h + 1 = 9: g = 3..9 are 7 sizes, g >= 5 leaves 5, and radix is 2 + 4 - 1 + 2 = 7.
    asked = space("2", "4", "2", "3..max", "g >= 5", "radix == 8", "g == 100")
    with pytest.raises(InvalidInput) as caught:
        asked.sizes()
    assert str(caught.value) == (
        'the constraint "radix == 8" leaves none of the 5 sizes that were left before it'
    )


def test_no_dragonfly_at_all() -> None:
    with pytest.raises(InvalidInput) as caught:
        space("4", "1", "1", "3..max").sizes()
    assert str(caught.value) == (
        "no combination of p = 4, a = 1, h = 1, g = 3..max has 3 <= g <= a*h + 1"
    )


@given(
    q=st.sampled_from(["3..53", "5", "4, 6, 7", "3..23 step 2"]),
    p=st.sampled_from([None, "1..128", "4, 2", "3..9 step 3"]),
    chunk=st.integers(1, 50),
)
def test_slim_flies_are_those_that_can_be_built(q: str, p: str | None, chunk: int) -> None:
    columns = {
        "3..53": range(3, 54),
        "5": [5],
        "4, 6, 7": [4, 6, 7],
        "3..23 step 2": range(3, 24, 2),
    }[q]
    nodes = {None: [None], "1..128": range(1, 129), "4, 2": [2, 4], "3..9 step 3": [3, 6, 9]}[p]
    expected: list[list[int]] = []
    for each in itertools.product(columns, nodes):
        try:
            sizes = slimfly_sizes(*each)
        except InvalidInput:
            continue
        expected.append([each[0], sizes.nodes // sizes.switches])
    texts = {"q": q} if p is None else {"q": q, "p": p}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        found = space_of(SLIM_FLIES, texts)
        assert found.sizes().tolist() == expected
    # At its usual value a parameter is left out, as in the text of the network.
    usual = {
        each: slimfly_sizes(each).nodes // slimfly_sizes(each).switches for each, _ in expected
    }
    assert found.parameters() == [
        {"q": each} if nodes == usual[each] else {"q": each, "p": nodes} for each, nodes in expected
    ]


def test_no_slim_fly_at_all() -> None:
    with pytest.raises(InvalidInput) as caught:
        space_of(SLIM_FLIES, {"q": "6"}).sizes()
    assert str(caught.value) == (
        "no combination of q = 6 has q a prime power 3..53 and at most 128 ports per switch"
    )
    # (3 * 53 - 1) / 2 = 79 links leave 49 ports.
    assert space_of(SLIM_FLIES, {"q": "53", "p": "40..128"}).sizes()[:, 1].max() == 49


def test_a_hyperx_has_as_many_dimensions_as_sides_are_given() -> None:
    flat = space_of(HYPERXES, {"p": "2", "s1": "2..3", "s2": "3"}, "radix <= 6")
    assert flat.parameters() == [{"p": 2, "s1": 2, "s2": 3}, {"p": 2, "s1": 3, "s2": 3}]
    with pytest.raises(InvalidInput) as caught:
        space_of(HYPERXES, {"p": "2", "s1": "3", "s3": "3"}).sizes()
    assert str(caught.value) == (
        "no combination of p = 2, s1 = 3, s3 = 3 has three switches, no gap between sides and at "
        "most 128 ports per switch"
    )
