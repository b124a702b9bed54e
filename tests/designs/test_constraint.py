"""Constraints: every text means what Python means by it, with doubles, and prints as it parses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.designs.sizings import DRAGONFLIES, SLIM_FLIES
from tvlb.designs import PriceList, Rate, quantity_names
from tvlb.designs import parse_constraint as parsed_constraint
from tvlb.designs.constraint import Constraint
from tvlb.designs.quantities import Sizes
from tvlb.errors import InvalidInput

NAMES = quantity_names(DRAGONFLIES)
SIZES = ((1, 2, 1, 3), (2, 4, 2, 9), (4, 8, 4, 9), (4, 8, 4, 33), (3, 6, 5, 7), (7, 1, 12, 4))


PRICES = PriceList(
    "EUR", Rate(100, 10), {"local": 3, "global": 7}, Rate(models=((8, 50), (64, 90))), {"global": 2}
)


def columns(rows: tuple[tuple[int, int, int, int], ...]) -> Sizes:
    values = np.array(rows, dtype=np.float64).T
    return Sizes(DRAGONFLIES, dict(zip("pahg", values, strict=True)), PRICES)


def parse_constraint(text: str) -> Constraint:
    return parsed_constraint(text, DRAGONFLIES)


def quantities(p: int, a: int, h: int, g: int) -> dict[str, float]:
    """What the names mean, a second time and with whole numbers."""
    global_cables = a * h // (g - 1) * math.comb(g, 2)
    local_cables = g * math.comb(a, 2)
    radix = p + (a - 1) + h
    cost = a * g * (100 + 10 * radix) + 3 * local_cables + 7 * global_cables
    values = {
        "p": p,
        "a": a,
        "h": h,
        "g": g,
        "radix": radix,
        "switches": a * g,
        "nodes": p * a * g,
        "cables": global_cables + local_cables,
        "global_cables": global_cables,
        "local_cables": local_cables,
        "links_per_pair": a * h / (g - 1),
        "cost": cost,
        "cost_per_node": cost / (p * a * g),
        "watts": a * g * (50 if radix <= 8 else 90) + 2 * global_cables,
    }
    assert set(values) == set(NAMES)
    return {name: float(value) for name, value in values.items()}


def joined(parts: st.SearchStrategy[str], symbols: list[str]) -> st.SearchStrategy[str]:
    return st.tuples(parts, st.sampled_from(symbols), parts).map(lambda t: f"({' '.join(t)})")


# Decimals, so that Python's numbers are doubles too.
ATOMS = st.sampled_from(NAMES) | st.sampled_from(["0.0", "1.0", "2.0", "0.1", "36.0", "2.5e3"])
NUMBERS = st.recursive(
    ATOMS,
    lambda inner: joined(inner, ["+", "-", "*", "/", "//", "%"]) | inner.map(lambda t: f"(-{t})"),
    max_leaves=4,
)
SYMBOLS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
CHAINS = st.tuples(NUMBERS, st.lists(st.tuples(SYMBOLS, NUMBERS), min_size=1, max_size=3)).map(
    lambda t: " ".join([t[0], *(word for link in t[1] for word in link)])
)
CONDITIONS = st.recursive(
    CHAINS,
    lambda inner: joined(inner, ["and", "or"]) | inner.map(lambda t: f"(not {t})"),
    max_leaves=4,
).filter(lambda text: len(text) < 250)


def by_python(text: str, row: tuple[int, int, int, int]) -> bool | None:
    """Whether a size satisfies a text by Python's own rules; None where it divides by zero."""
    try:
        return bool(eval(text, {"__builtins__": {}}, quantities(*row)))
    except ZeroDivisionError:
        return None


@given(text=CONDITIONS)
def test_all_sizes_at_once_as_python_one_by_one(text: str) -> None:
    expected = [by_python(text, row) for row in SIZES]
    constraint = parse_constraint(text)
    if None in expected:
        with pytest.raises(InvalidInput, match="divides by zero for p="):
            constraint.satisfied(columns(SIZES))
        return
    assert constraint.satisfied(columns(SIZES)).tolist() == expected


@given(text=CONDITIONS)
def test_the_canonical_text_parses_back(text: str) -> None:
    constraint = parse_constraint(text)
    assert parse_constraint(str(constraint)) == constraint
    assert [by_python(str(constraint), row) for row in SIZES] == [
        by_python(text, row) for row in SIZES
    ]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a==2*p==2*h", "a == 2 * p == 2 * h"),
        (" ((radix)) <= +36.0", "radix <= 36"),
        ("1_000<=nodes<=2e4", "1000 <= nodes <= 20000"),
        ("links_per_pair==2.50", "links_per_pair == 2.5"),
        ("not(p<2)and g>3", "not p < 2 and g > 3"),
        ("nodes < 1e300", "nodes < 1e+300"),
    ],
)
def test_canonical_texts(text: str, canonical: str) -> None:
    assert str(parse_constraint(text)) == canonical


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nodez < 3", f'unknown name "nodez"; use one of {", ".join(NAMES)}'),
        ("p + h", '"p + h" is a number; compare it with another, as in nodes <= 20000'),
        ("p < 3 < (h > 2)", '"h > 2" is true or false, where a number is expected'),
        (
            "a = 2*p",
            '"a = 2*p" is no constraint; expected a comparison such as a == 2*p == 2*h or '
            "1000 <= nodes <= 20000",
        ),
        (
            "p < 1e999",
            "a number of the constraint is out of range: at most 1e308",
        ),
        (
            "p" + "<1" * 120,
            "the constraint has 481 characters, with a blank around every operator; at most 300 "
            "are read",
        ),
    ],
)
def test_what_is_no_constraint(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_constraint(text)
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    "text",
    ["p ** 2 < 3", "p & 1 == 0", "max(p, 2) < 3", "p.real < 3", "p in (1, 2)", "'p' < 'q'",
     "p < True", "p < 2j", "(lambda: p)() < 3", "[p] < [3]", "__import__('os') < 3", "p is 3"],
)  # fmt: skip
def test_nothing_else_of_python_is_taken(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not part of a constraint; allowed are numbers"):
        parse_constraint(text)


@pytest.mark.parametrize("text", ["", "(" * 250, "p <", "p < 3\x00", "p; h", "p < 3 #\nh"])
def test_broken_texts(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no constraint"):
        parse_constraint(text)


def test_names_are_those_of_the_family() -> None:
    assert str(parsed_constraint("degree<=2*p", SLIM_FLIES)) == "degree <= 2 * p"
    known = "q, p, radix, switches, nodes, cables, global_cables, local_cables, degree"
    with pytest.raises(InvalidInput, match=rf'unknown name "a"; use one of {known}, cost, '):
        parsed_constraint("a > 1", SLIM_FLIES)


def test_division_by_zero_names_the_size() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_constraint("h / (p - 2) > 1").satisfied(columns(SIZES))
    assert str(caught.value) == '"h / (p - 2)" divides by zero for p=2, a=4, h=2, g=9'


def test_what_no_longer_matters_is_not_divided() -> None:
    constraint = parse_constraint("p != 2 and h / (p - 2) >= 1")
    # h / (p - 2) of the others: -1, 2, 2, 5, 2.4.
    assert constraint.satisfied(columns(SIZES)).tolist() == [False, False, True, True, True, True]
