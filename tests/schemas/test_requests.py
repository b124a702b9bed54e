"""Requests: equal questions are equal requests, and every body is what the command line asks."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tvlb.errors import InvalidInput
from tvlb.schemas import (
    REQUESTS,
    BeyondLimits,
    ModelBody,
    RequestLimits,
    SimulationBody,
    TableBody,
    request_key,
)
from tvlb.search import SearchOptions, SimulationConfig

SPACES = st.sampled_from(["", " ", "  "])


def key(body: Any) -> str:
    return request_key(body.resolved())


def test_defaults_are_those_of_the_library() -> None:
    assert TableBody(topology="4,8,4,9").options() == SearchOptions()
    body = SimulationBody(topology="4,8,4,9", load=(0.1,))
    assert body.config() == SimulationConfig()


@given(blanks=st.lists(SPACES, min_size=8, max_size=8))
def test_blanks_make_no_difference(blanks: list[str]) -> None:
    a, b, c, d, e, f, g, h = blanks
    text = f"dfly({a}2{b},{c}4{d},{e}2{f},{g}5{h})"
    assert key(TableBody(topology=text)) == key(TableBody(topology="2,4,2,5"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"vlb": "<=6"}, {"vlb": "all"}),
        ({"vlb": "<=4 + 60%"}, {"vlb": "<=4+60%"}),
        ({"pattern": "shift( 1, 0)"}, {}),
        ({"solver": "rm+:1e-3"}, {"solver": "rm+:0.001"}),
    ],
)
def test_other_words_for_the_same(first: dict[str, Any], second: dict[str, Any]) -> None:
    bodies = [ModelBody(topology="2,4,2,5", **changes) for changes in (first, second)]
    assert key(bodies[0]) == key(bodies[1])


def test_different_questions_have_different_keys() -> None:
    bodies = [
        TableBody(topology="2,4,2,5"),
        TableBody(topology="2,4,2,5,palmtree"),
        TableBody(topology="2,4,2,5", seed=1),
        TableBody(topology="2,4,2,5", balance=False),
        TableBody(topology="2,4,2,5", routing="par"),
        TableBody(topology="2,4,2,5", patterns=4),
        ModelBody(topology="2,4,2,5"),
        ModelBody(topology="2,4,2,5", monotone=False),
        SimulationBody(topology="2,4,2,5", saturation=True),
    ]
    assert len({key(body) for body in bodies}) == len(bodies)


def test_resolving_twice_changes_nothing() -> None:
    for body in (
        TableBody(topology=" 2, 4,2,5"),
        ModelBody(topology="2,4,2,5", vlb="<=6", pattern="mixed(75, 25, shift(1,0))"),
        SimulationBody(topology="2,4,2,5", load=(0.1, 0.1, 0.2)),
    ):
        once = body.resolved()
        assert once.resolved() == once
        assert REQUESTS[body.kind].model_validate_json(once.model_dump_json()) == once


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("65,32,32,33", "68,640 nodes"),
        ("1,2,1,1000", "2,000 switches"),
        ("1,2,511,512", "261,632 global cables"),
        ("1,512,1,2", "261,632 local cables"),
        ("1,4,999999999,5", "global cables"),
    ],
)
def test_sizes_are_limited_before_anything_is_built(text: str, named: str) -> None:
    limits = RequestLimits(switches=1100)
    with pytest.raises(BeyondLimits, match=named):
        TableBody(topology=text).examined(limits)


def test_costs_are_limited() -> None:
    body = TableBody(topology="4,8,4,9")
    RequestLimits().check_cost(body.cost())
    with pytest.raises(BeyondLimits, match="CPU seconds; this server computes at most 10"):
        RequestLimits(cpu_seconds=10).check_cost(body.cost())
    with pytest.raises(BeyondLimits, match="GiB"):
        RequestLimits(memory_bytes=1).check_cost(body.cost())


@pytest.mark.parametrize(
    "topology",
    ["x.json", "/etc/passwd", "4,8,4", "4,8,4,9,spiral", "0,8,4,9", "4,8,4,9\n", "٤,8,4,9"],
)
def test_texts_that_are_no_sizes_are_refused(topology: str) -> None:
    with pytest.raises(ValidationError):
        TableBody(topology=topology)


def test_whole_numbers_may_be_written_with_a_point() -> None:
    body = TableBody.model_validate_json('{"topology": "2,4,2,5", "seed": 3.0, "patterns": 4.0}')
    assert (body.seed, body.patterns) == (3, 4)
    with pytest.raises(ValidationError):
        TableBody.model_validate_json('{"topology": "2,4,2,5", "seed": 3.5}')


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"warmup": "detect"}, {"warmup": "detect:30000"}),
        ({"vc_count": None}, {"vc_count": 4}),
        ({"load": (0.1, 0.1)}, {"load": (0.1,)}),
    ],
)
def test_defaults_are_filled_in(first: dict[str, Any], second: dict[str, Any]) -> None:
    given = {"topology": "2,4,2,5", "load": (0.1,)}
    bodies = [SimulationBody.model_validate(given | changes) for changes in (first, second)]
    assert key(bodies[0]) == key(bodies[1])


def test_nothing_to_simulate() -> None:
    with pytest.raises(InvalidInput, match="load is empty"):
        SimulationBody(topology="2,4,2,5").resolved()
