"""Ranges: lists, runs and the largest g."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.designs.sizings import DRAGONFLIES, SLIM_FLIES
from tvlb.designs import Range, parse_range
from tvlb.errors import InvalidInput

P, _, _, G = DRAGONFLIES.parameters
Q, _ = SLIM_FLIES.parameters
SMALL = st.integers(1, 40)
LISTS = st.lists(SMALL.map(str) | st.just("max"), min_size=1, max_size=5).map(",".join)
RUNS = st.builds("{}..{} step {}".format, SMALL, st.integers(40, 60) | st.just("max"), SMALL)


def values(text: str, most: int) -> list[int]:
    """The values of a text where "max" is `most`, by Python's range."""
    if ".." not in text:
        return sorted(most if item == "max" else int(item) for item in text.split(","))
    run, step = text.split(" step ")
    first, last = run.split("..")
    return list(range(int(first), (most if last == "max" else int(last)) + 1, int(step)))


@given(text=LISTS | RUNS, most=st.integers(2, 80))
def test_values(text: str, most: int) -> None:
    parsed = parse_range(text, G)
    assert parse_range(str(parsed), G) == parsed
    count = int(parsed.counts(np.array([most]))[0])
    taken = parsed.take(np.arange(count), np.full(count, most))
    assert sorted(set(taken.tolist())) == sorted(set(values(text, most)))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" 4 ", "4"),
        ("8, 4,4", "4, 8"),
        ("2..9 step 3", "2..8 step 3"),
        ("2 .. 8 step 1", "2..8"),
        ("4..5 step 2", "4"),
    ],
)
def test_canonical_texts(text: str, canonical: str) -> None:
    assert str(parse_range(text, P)) == canonical


def test_the_largest_g_comes_last() -> None:
    assert parse_range("max, 9, 5", G) == Range((5, 9), largest=True)


_P_EXPECTED = 'a number, numbers as in "4, 8", or a range as in "2..16 step 2"'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("8..2", 'the range "8..2" is empty: its last value is below its first'),
        ("0", "0 is out of range: 1..10000000"),
        ("1..99999999", "99999999 is out of range: 1..10000000"),
        ("2..8 step 0", "0 is out of range: 1..10000000"),
        ("3..max", '"3..max" is no range of p, which has no "max"'),
        ("2-8", f'"2-8" is no range; expected {_P_EXPECTED}'),
        ("", f'"" is no range; expected {_P_EXPECTED}'),
        ("2..4, 8", f'"2..4, 8" is no range; expected {_P_EXPECTED}'),
        ("٣", f'"٣" is no range; expected {_P_EXPECTED}'),
        (",".join(["1"] * 1001), "the list has 1001 values; at most 1000 are allowed"),
    ],
)
def test_what_is_no_range(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_range(text, P)
    assert str(caught.value) == problem


def test_a_range_cannot_begin_at_the_largest() -> None:
    with pytest.raises(InvalidInput, match='write "max" for the largest'):
        parse_range("max..9", G)


@pytest.mark.parametrize("text", ["2", "3..54", "5, 60"])
def test_values_are_in_the_range_of_the_parameter(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^(2|54|60) is out of range: 3\.\.53$"):
        parse_range(text, Q)


def test_a_step_may_be_longer_than_the_range() -> None:
    assert str(parse_range("3..53 step 99", Q)) == "3"
