"""The call syntax and the arguments that functions declare for it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge import simulate
from tvlb.errors import InvalidInput
from tvlb.guarantee import worst
from tvlb.languages import (
    Call,
    Choice,
    NumberArgument,
    Several,
    Signature,
    WholeArgument,
    parse_call,
)
from tvlb.paths import as_path_set
from tvlb.topology import as_topology
from tvlb.traffic import as_pattern


def made(
    size: Annotated[int, WholeArgument("N", -5, 20)],
    share: Annotated[float, NumberArgument("F", 0, 1)] = 0.5,
    way: Annotated[str, Choice("WAY", ("up", "down"))] = "up",
    seed: Annotated[int | None, WholeArgument("S", 0, 99, keyword=True)] = None,
) -> tuple[int, float, str, int | None]:
    return size, share, way, seed


MADE = Signature("made", made)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("uniform", Call("uniform")),
        (" shift( 1 ,-2 )", Call("shift", ("1", "-2"))),
        ("dfly (4,8,4,9)", Call("dfly", ("4", "8", "4", "9"))),
        ("acor-switch(3l, hi = 500)", Call("acor-switch", ("3l",), (("hi", "500"),))),
        ("mixed(75,25,shift(1,0),seed=4)",
         Call("mixed", ("75", "25", "shift(1,0)"), (("seed", "4"),))),
        # The sign of a limit makes no keyword.
        ("short(<=4)", Call("short", ("<=4",))),
        ("a(k=b(x=1,y))", Call("a", (), (("k", "b(x=1,y)"),))),
        ("a(k=)", Call("a", (), (("k", ""),))),
    ],
)  # fmt: skip
def test_calls_are_taken_apart(text: str, call: Call) -> None:
    assert parse_call(text) == call
    assert parse_call(str(call)) == call


WORDS = st.from_regex(r"[a-z0-9]{1,5}(-[a-z0-9]{1,3})?", fullmatch=True)
CALLS = st.recursive(
    st.builds(Call, WORDS),
    lambda inner: st.builds(
        Call,
        WORDS,
        st.lists(inner.map(str), max_size=3).map(tuple),
        st.dictionaries(
            st.from_regex(r"[a-z][a-z0-9_]{0,4}", fullmatch=True), inner.map(str), max_size=2
        ).map(lambda found: tuple(found.items())),
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(CALLS)
def test_str_parses_back(call: Call) -> None:
    assert parse_call(str(call)) == call


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no name with arguments in brackets"),
        ("Shift(1)", "is no name"),
        ("shift(1)x", "is no name"),
        ("a--b", "is no name"),
        ("shift\N{FULLWIDTH DIGIT ONE}", "is no name"),
        ("shift()", "an empty argument"),
        ("shift(1,)", "an empty argument"),
        ("shift(1,(2)", "an open bracket"),
        ("shift(1))((2)", "do not match"),
        ("a(k=1,k=2)", "gives k twice"),
        ("a(k=1,k=1)", "gives k twice"),
        ("a(" * 10 + "x" + ")" * 10, "too deep"),
        ("a(" + "1," * 2000 + "1)", "is longer than 4,000 characters"),
    ],
)
def test_what_is_no_call_is_refused_in_one_short_line(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint) as refusal:
        parse_call(text)
    assert len(str(refusal.value)) < 200
    assert "\n" not in str(refusal.value)


READERS: list[Callable[[Any], object]] = [
    as_topology,
    as_pattern,
    partial(as_path_set, topology=None),
    lambda value: simulate("2,4,2,3", path_set=[value], load=0.1),
    lambda value: worst("2,4,2,3", value),
]


@pytest.mark.parametrize("value", [None, 3, b"all", ["all"], [0] * 999])
@pytest.mark.parametrize("read", READERS)
def test_python_refuses_what_is_neither_a_text_nor_an_object(
    read: Callable[[Any], object], value: object
) -> None:
    shown = re.escape(repr(value)[:80])
    with pytest.raises(InvalidInput, match=rf"^{shown} is no \w+, nor the text"):
        read(value)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("made(3)", (3, 0.5, "up", None)),
        ("made(-5, .25)", (-5, 0.25, "up", None)),
        ("made(20, 1e-3, down, seed=99)", (20, 0.001, "down", 99)),
        ("made(seed=0, 007)", (7, 0.5, "up", 0)),
    ],
)
def test_arguments_are_bound_to_parameters(
    text: str, values: tuple[int, float, str, int | None]
) -> None:
    assert MADE.bind(parse_call(text)) == values


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("made", r"'made' is not made\(N\[,F\]\[,WAY\]\[,seed=S\]\)"),
        ("made(1,1,up,9)", "is not made"),
        ("made(size=1)", "is not made"),
        ("made(1,share=1)", "is not made"),
        ("made(1,speed=1)", "is not made"),
        ("made(21)", r"^N '21' is out of range: integers -5\.\.20$"),
        ("made(1.0)", r"N '1\.0' is out of range"),
        ("made(9999999999999999999999)", "N '9+' is out of range"),
        ("made(\N{ARABIC-INDIC DIGIT ONE})", "is out of range"),
        ("made(1,1.5)", r"F '1\.5' is out of range: numbers 0\.\.1"),
        ("made(1,nan)", "F 'nan' is out of range"),
        ("made(1,1,left)", "WAY 'left' is unknown; choose one of up, down"),
        ("made(1,seed=-1)", r"seed '-1' is out of range: integers 0\.\.99"),
        ("made(1,seed=)", "seed '' is out of range"),
    ],
)
def test_arguments_that_do_not_fit_are_named_with_what_is_allowed(
    text: str, complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        MADE.bind(parse_call(text))


@dataclass(frozen=True)
class Made:
    """What a signature writes as the call that makes it."""

    size: Annotated[int, WholeArgument("N", 0, 99)] = 1
    depth: Annotated[int, WholeArgument("M", 0, 99)] = 2
    seed: Annotated[int | None, WholeArgument("S", 0, 99, keyword=True)] = None


OPTIONAL = Signature("made", Made)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Made(), "made"),
        (Made(3), "made(3)"),
        # An argument by position can only be left out if those after it are.
        (Made(depth=5), "made(1,5)"),
        (Made(seed=7), "made(seed=7)"),
        (Made(1, 5, 7), "made(1,5,seed=7)"),
    ],
)
def test_values_are_written_as_the_call_that_makes_them(value: Made, text: str) -> None:
    assert OPTIONAL.text(value) == text
    assert OPTIONAL.bind(parse_call(text)) == value


@dataclass(frozen=True)
class Lattice:
    """A list of sides behind one number, and a key."""

    nodes: Annotated[int, WholeArgument("P", 0, 9)]
    sides: Annotated[tuple[int, ...], Several("K1,K2,...", WholeArgument("K", 0, 9), 2, 3)]
    seed: Annotated[int, WholeArgument("S", 0, 99, keyword=True)] = 0


LIST = Signature("made", Lattice)


def test_the_last_argument_may_be_a_list() -> None:
    assert LIST.form == "made(P,K1,K2,...[,seed=S])"
    assert LIST.bind(parse_call("made( 4, 8 ,9, seed=2)")) == Lattice(4, (8, 9), 2)
    for value, text in ((Lattice(4, (8, 9)), "made(4,8,9)"), (Lattice(1, (2, 3, 4), 5),
                        "made(1,2,3,4,seed=5)")):  # fmt: skip
        assert LIST.text(value) == text
        assert LIST.bind(parse_call(text)) == value


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("made(4)", r"'made\(4\)' is not made\(P,K1,K2,\.\.\.\[,seed=S\]\)"),
        ("made(4,8)", r"K1,K2,\.\.\. has 1 values; allowed are 2\.\.3"),
        ("made(4,8,8,8,8)", r"has 4 values; allowed are 2\.\.3"),
        ("made(4,8,12)", r"K1,K2,\.\.\. '12' is out of range: integers 0\.\.9"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        LIST.bind(parse_call(text))


@pytest.mark.parametrize("signature", [MADE, OPTIONAL, LIST])
@pytest.mark.parametrize(
    "text",
    ["made", "made(3)", "made( 3 , 0 )", "made(seed=3)", "made(3, seed=4)", "made(3,0,seed=4)",
     "made(3,1,up)", "made(1,2,3)", "made()", "made(x)", "made(3,,)", "made(3,0,seed=)", "madex",
     "made(1,2, 3 ,4,seed=9)", "made(1,2,3,4,5)"],
)  # fmt: skip
def test_the_regular_expression_tells_what_can_be_bound(
    signature: Signature[object], text: str
) -> None:
    try:
        signature.bind(parse_call(text))
    except InvalidInput:
        assert re.fullmatch(signature.regex, text) is None
    else:
        assert re.fullmatch(signature.regex, text)
