"""Requests: equal questions are equal requests, and every body is what the command line asks."""

import json
import re
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sim_bridge import Routing, SimulationConfig, VctConfig
from tvlb.errors import InvalidInput
from tvlb.paths import PUBLISHED_RULE
from tvlb.requests import (
    BeyondLimits,
    RequestLimits,
    SimulationBody,
    TableBody,
    VctSimulationBody,
    command_line,
    request_key,
    request_kinds,
)
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.problems import first_problem
from tvlb.search import SearchOptions

VCT: dict[str, Any] = {
    "topology": "hyperx(2, 3,3)", "router": "vct", "pattern": "dshift( 1)", "load": (0.1, 0.1, 0.2),
    "cycles": 2000,
}  # fmt: skip
SPACES = st.sampled_from(["", " ", "  "])


def key(body: Any) -> str:
    return request_key(body.resolved())


def test_defaults_are_those_of_the_library() -> None:
    assert TableBody(topology="4,8,4,9").options() == SearchOptions()
    body = SimulationBody(topology="4,8,4,9", load=(0.1,))
    network = body.network()
    usual = SimulationConfig().on(network).ruled(PUBLISHED_RULE, Routing("ugal-l"))
    assert body.simulation(network).config == usual


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
        ({"vlb": "shape(g.g:1, g.gl:1.0,g.lg, g.lgl)&<=4"}, {"vlb": "shape(g.?) & <=4"}),
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
        TableBody(topology="2,4,2,5", method="paper"),
        TableBody(topology="2,4,2,5", objective="front"),
        TableBody(topology="2,4,2,5", budget="small"),
        TableBody(topology="2,4,2,5", traffic=("uniform",)),
        TableBody(topology="2,4,2,5", traffic=("uniform", "shift(1,0)")),
        TableBody(topology="2,4,2,5", traffic=("shift(1,0)", "uniform")),
        ModelBody(topology="2,4,2,5"),
        ModelBody(topology="2,4,2,5", monotone=False),
        SimulationBody(topology="2,4,2,5", saturation=True),
    ]
    assert len({key(body) for body in bodies}) == len(bodies)


def test_resolving_twice_changes_nothing() -> None:
    for body in (
        TableBody(topology=" 2, 4,2,5"),
        TableBody(topology="2,4,2,5", method="paper", finalists=1),
        TableBody(topology="2,4,2,5", traffic=("uniform : 3", "type2(seed=1)"), budget=7),
        ModelBody(topology="2,4,2,5", vlb="<=6", pattern="mixed(75, 25, shift(1,0))"),
        ModelBody(topology="2,4,2,5", vlb="shape(?.lg:1e-9, g.g:0.10) & short(2, 3)"),
        SimulationBody(topology="2,4,2,5", load=(0.1, 0.1, 0.2)),
        VctSimulationBody(**VCT, routing="valiant"),
    ):
        once = body.resolved()
        assert once.resolved() == once
        assert request_kinds()[body.kind].read(once.model_dump_json()) == once


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


# The longest expression: eight sets with sixteen different weights of 17 digits each.
def test_whatever_a_path_set_prints_as_can_be_asked_for() -> None:
    weights = ",".join(
        f"{first}.{second}:{1.2345678901234567e-05 + i * 1e-07!r}"
        for i, (first, second) in enumerate(product(("g", "gl", "lg", "lgl"), repeat=2))
    )
    body = ModelBody(topology="2,4,2,5", vlb="&".join(8 * [f"shape({weights})"]))
    resolved = body.resolved()
    assert len(resolved.vlb) > 3500
    assert ModelBody.model_validate_json(resolved.model_dump_json()) == resolved


@pytest.mark.parametrize(
    "vlb",
    ["<=4 & none", "none & <=4", "shape()", "shape(g.g:-1)", "shape(g.g:nan)", "shape(g)",
     "<=4 &", "& <=4", "shape(g.?) <=4"],
)  # fmt: skip
def test_texts_that_are_no_path_sets_are_refused_with_the_grammar_of_the_network(vlb: str) -> None:
    bodies = (
        ModelBody(topology="2,4,2,5", vlb=vlb),
        SimulationBody(topology="2,4,2,5", vlb=vlb, load=(0.1,)),
    )
    for body in bodies:
        with pytest.raises(InvalidInput, match=r"expected all, none, .*<=L \(L = 2..6\)"):
            body.examined()


@pytest.mark.parametrize("vlb", ["shape(g.?) & t.json", "<=4\n"])
def test_path_sets_never_name_files(vlb: str) -> None:
    for request in (ModelBody, SimulationBody):
        with pytest.raises(ValidationError):
            request.model_validate({"topology": "2,4,2,5", "vlb": vlb})


# What a network has is not known before it is: halves of other letters, and lengths.
@pytest.mark.parametrize(
    "vlb", ["shape(g.x)", "<=7", "<=4+(1,4)", "short(2,4)", "all & short(<=12)"]
)
def test_path_sets_of_other_networks_are_refused_in_words(vlb: str) -> None:
    bodies = (
        ModelBody(topology="2,4,2,5", vlb=vlb),
        SimulationBody(topology="2,4,2,5", vlb=vlb, load=(0.1,)),
    )
    for body in bodies:
        with pytest.raises(InvalidInput, match=r"expected all, .*<=L \(L = 2..6\)"):
            body.examined()


def test_costs_are_limited() -> None:
    body = TableBody(topology="4,8,4,9")
    RequestLimits().check_cost(body.cost())
    with pytest.raises(BeyondLimits, match="CPU seconds; this server computes at most 10"):
        RequestLimits(cpu_seconds=10).check_cost(body.cost())
    with pytest.raises(BeyondLimits, match="GiB"):
        RequestLimits(memory_bytes=1).check_cost(body.cost())


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"traces": 100_000}, "GiB of memory"), ({"traces": 200, "cycles": 10}, "MiB; this server")],
)
def test_what_many_runs_tell_is_limited(changes: dict[str, Any], named: str) -> None:
    """Each run is small, and a trace cannot be of a packet that there is not."""
    body = {"topology": "4,8,4,9", "load": [1.0], "warmup": 0, "cycles": 1000, "seeds": 1000}
    request = SimulationBody.model_validate(body | changes)
    with pytest.raises(BeyondLimits, match=named):
        request.examined(RequestLimits())
    request.model_copy(update={"seeds": 1}).examined(RequestLimits())


@pytest.mark.parametrize(
    "topology",
    ["x.json", "/etc/passwd", "4,8,4", "4,8,4,9,spiral", "0,8,4,9", "4,8,4,9\n", "٤,8,4,9"],
)
def test_texts_that_are_no_sizes_are_refused(topology: str) -> None:
    with pytest.raises(InvalidInput, match="topology"):
        TableBody(topology=topology)
    with pytest.raises(ValidationError):
        TableBody.model_validate({"topology": topology})


def test_whole_numbers_may_be_written_with_a_point() -> None:
    body = TableBody.model_validate_json('{"topology": "2,4,2,5", "seed": 3.0, "patterns": 4.0}')
    assert (body.seed, body.patterns) == (3, 4)
    with pytest.raises(ValidationError):
        TableBody.model_validate_json('{"topology": "2,4,2,5", "seed": 3.5}')


# On dfly(2,4,2,5), 40 nodes, the default budget is 40 * 750,000 flit-hops, of paths 1,000,000.
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"screening": {"warmup": 2000, "measured": 2000, "grid": 0.01}}, {}),
        ({"data_points": 3, "simulated_patterns": 2, "finalists": None}, {}),
        ({"budget": 30_000_000}, {"search": "both"}),
        ({"budget": 4e7, "search": "paths"}, {"budget": "default", "search": "paths"}),
        ({"queue": "port", "search": "paths"}, {"search": "paths"}),
        ({"objective": "latency@.20"}, {"objective": "latency@0.2"}),
        ({"method": "paper", "finalists": 2}, {"method": "paper"}),
        (
            {
                "method": "paper",
                "confirmation": {"warmup": 30000, "measured": 10000, "grid": 0.002},
            },
            {"method": "paper", "data_points": 8, "simulated_patterns": 5},
        ),
        ({"traffic": ["uniform:2", "shift( 1,0):2.0"]}, {"traffic": ["uniform", "shift(1,0)"]}),
        ({"traffic": ["uniform:0.5", "shift(1,0):1.5"]}, {"traffic": ["uniform", "shift(1,0):3"]}),
    ],
)
def test_equal_searches_are_equal_requests(first: dict[str, Any], second: dict[str, Any]) -> None:
    given = {"topology": "2,4,2,5"}
    bodies = [TableBody.model_validate(given | changes) for changes in (first, second)]
    assert key(bodies[0]) == key(bodies[1])
    # What is resolved is asked for as it is.
    assert bodies[0].resolved().options() == bodies[1].resolved().options()


def test_shares_that_have_no_small_whole_numbers_stay_as_they_are() -> None:
    body = TableBody(topology="2,4,2,5", traffic=("uniform:1e-9", "shift(1,0):0.1"))
    once = body.resolved()
    assert once.traffic == ("uniform:1e-09", "shift(1,0):0.1")
    assert TableBody.model_validate_json(once.model_dump_json()).resolved() == once


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"method": "random"}, "method"),
        ({"objective": "latency"}, "unknown objective 'latency'"),
        ({"objective": "latency@2"}, "0.001..1"),
        ({"objective": 3}, "objective"),
        ({"budget": "huge"}, "budget"),
        ({"budget": 1.5}, "budget"),
        ({"budget": 10**15 + 1}, "budget"),
        ({"traffic": ["/etc/passwd.csv"]}, "'/etc/passwd.csv': a request cannot name a file"),
        ({"traffic": ["uniform:much"]}, "pattern 'uniform:much'"),
        ({"traffic": ["uniform"] * 101}, "100"),
        ({"traffic": "uniform"}, "traffic"),
    ],
)
def test_searches_that_are_malformed(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(named)):
        TableBody.model_validate({"topology": "2,4,2,5"} | changes)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"finalists": 2}, "finalists 2 has no meaning for method search"),
        ({"method": "paper", "objective": "front"}, "objective front has no meaning"),
        ({"method": "paper", "budget": 5}, "budget 5 has no meaning"),
        ({"method": "paper", "traffic": ["uniform"]}, "traffic uniform has no meaning"),
        ({"traffic": ["uniform"], "simulated_patterns": 2}, "simulated_patterns 2"),
        ({"traffic": ["uniform", "uniform:2"]}, "traffic 'uniform' is named twice"),
        ({"traffic": ["uniform:0"]}, "shares are above 0"),
        ({"traffic": ["shift(5,0)"]}, "5"),
    ],
)
def test_searches_that_cannot_be(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(named)):
        TableBody.model_validate({"topology": "2,4,2,5"} | changes).examined()


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


def test_a_simulation_is_of_the_class_of_its_router() -> None:
    earlier = '{"topology": "2,4,2,5", "load": [0.1]}'
    assert isinstance(request_kinds()["simulation"].read(earlier), SimulationBody)
    for router, kind in (("iq", SimulationBody), ("vct", VctSimulationBody)):
        text = f'{{"topology": "2,4,2,5", "load": [0.1], "router": "{router}"}}'
        assert type(request_kinds()["simulation"].read(text)) is kind


def test_virtual_cut_through_with_its_defaults() -> None:
    body = VctSimulationBody(**VCT)
    config = VctConfig(measured_cycles=2000, vc_count=2)
    assert body.simulation(body.network()).config == config.on(body.network())
    assert body.resolved().model_dump(mode="json") == {
        "topology": "hyperx(2,3,3)",
        "traces": 0,
        "router": "vct",
        "pattern": "dshift(1)",
        "load": [0.1, 0.2],
        "seed": 0,
        "seeds": 1,
        "routing": "min",
        "warmup": 20_000,
        "cycles": 2000,
        "vcs": "ladder",
        "vc_count": 2,
        "packet": 16,
        "input_buffer": 64,
        "output_buffer": 32,
        "source_queue": 20,
        "local_latency": None,
        "global_latency": None,
        "link_latencies": "x=1,y=1",
        "server_latency": 1,
        "vlb": "all",
        "table": None,
        "ugal_rule": None,
        "queue": None,
        "threshold": None,
        "vlb_factor": None,
        "candidates": None,
        "interval": 1000,
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"routing": "valiant"}, {"routing": "valiant(minfirst)", "vc_count": 4}),
        ({"load": [0.1, 0.2]}, {"pattern": "dshift(1)", "warmup": 20_000}),
        ({"seed": 3.0}, {"seed": 3, "seeds": 1}),
    ],
)
def test_equal_runs_of_virtual_cut_through_are_equal_requests(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    bodies = [VctSimulationBody.model_validate(VCT | changes) for changes in (first, second)]
    assert key(bodies[0]) == key(bodies[1])
    assert key(bodies[0]) != key(VctSimulationBody(**VCT, packet=8))


@pytest.mark.parametrize(
    "asked", [{"routing": "ugal-l", "vlb": "0" * 64}, {"routing": "static", "table": "0" * 64}]
)
def test_stored_tables_are_not_read_to_check_a_request(asked: dict[str, str]) -> None:
    body = VctSimulationBody(**VCT | asked).resolved()
    told = body.model_dump(mode="json")
    assert told.items() >= asked.items()
    # What a table was made for is known when it is read.
    assert told["queue"] is None
    assert body.cost().cpu_seconds > 0.0


def test_many_runs_are_not_light() -> None:
    assert VctSimulationBody(**VCT | {"load": (0.1,)}, seeds=100).is_light
    assert not VctSimulationBody(**VCT | {"load": (0.1,)}, seeds=101).is_light


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"router": "x"}, "router 'x': choose one of iq, vct"),
        ({"router": "iq", "packet": 8}, "packet: unknown key; use one of topology, "),
        ({"load": None}, 'the key "load" is missing'),
        ({"load": []}, "load: expected a list of 1..1000 values, not 0"),
        ({"load": [1.5]}, "load[0]: load 1.5 is out of range: 0..1"),
        ({"saturation": True}, "saturation: unknown key; use one of topology, "),
        ({"warmup": "detect"}, "warmup 'detect' is not an integer"),
        ({"warmup": -1}, "warmup -1 is out of range: 0..100000000"),
        ({"routing": "table"}, 'routing: expected "min", "valiant(minfirst)", '),
        ({"vcs": "won"}, "vcs 'won': choose one of ladder, reuse, 2phases, any"),
        ({"packet": 0}, "packet 0 is out of range: 1..1024"),
    ],
)
def test_simulations_that_are_malformed(changes: dict[str, Any], told: str) -> None:
    text = json.dumps({name: given for name, given in (VCT | changes).items() if given is not None})
    model = request_kinds()["simulation"].form_of(text).body
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(text)
    line = str(first_problem(model, caught.value))
    assert line.startswith(told)
    assert "\n" not in line


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vc_count": 1}, "vc_count 1 is too few: ladder needs at least 2 here"),
        ({"routing": "valiant", "vcs": "any"}, "vcs any is for routing min"),
        ({"input_buffer": 40}, "input_buffer 40 is not 1 to 127 packets of 16 phits"),
        ({"global_latency": 9}, "global_latency = 9: hyperx(2,3,3) has x and y links only"),
        ({"pattern": "adv(1)"}, "it has no groups"),
        ({"seed": 2**63 - 1, "seeds": 2}, "seed 9223372036854775808 is out of range"),
    ],
)
def test_simulations_that_cannot_be(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(told)):
        VctSimulationBody.model_validate(VCT | changes).examined()


@pytest.mark.parametrize(
    "options",
    ["", "--search paths", "--search rule", "--search paths --queue vc", "--method paper"],
)
def test_the_command_of_a_table_has_what_was_asked_for(options: str) -> None:
    words = options.split()
    asked = {name[2:]: value for name, value in zip(words[::2], words[1::2], strict=True)}
    body = TableBody.model_validate({"topology": "1,2,1,3", **asked}).resolved()
    assert command_line(body) == " ".join(["tvlb table 'dfly(1,2,1,3)'", *words])
