"""Sweeps: which points they have, in which order, and that equal sweeps are equal documents."""

import json
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from tvlb.errors import InvalidInput
from tvlb.processes import Progress
from tvlb.requests import BeyondLimits, RequestLimits, SweepBody, TableBody, request_key
from tvlb.requests.sweep import MAX_POINTS
from tvlb.topology import ARRANGEMENTS, Dragonfly, NamedTopology

BALANCED = {
    "p": "1..3",
    "a": "2..6",
    "h": "1..3",
    "g": "max",
    "constraints": ["a == 2*p == 2*h"],
}


def sweep(**changes: Any) -> SweepBody:
    return SweepBody.model_validate(changes)


def shown(body: SweepBody) -> list[str]:
    return [f"{point.topology} {point.routing} {point.seed}" for point in body.points()]


def test_the_order_of_the_points() -> None:
    # Balanced: g = 2p^2 + 1.
    body = sweep(
        topologies=["2,4,2,5", "dfly(2,4,2,9,palmtree)"],
        generators=[BALANCED],
        arrangements=["relative", "absolute"],
        routings=["par", "ugal-l"],
        seeds=[7, 1],
    )
    networks = [
        "dfly(2,4,2,5,relative)",
        "dfly(2,4,2,5)",
        "dfly(2,4,2,9,palmtree)",
        "dfly(1,2,1,3,relative)",
        "dfly(1,2,1,3)",
        "dfly(2,4,2,9,relative)",
        "dfly(2,4,2,9)",
        "dfly(3,6,3,19,relative)",
        "dfly(3,6,3,19)",
    ]
    assert shown(body) == [
        f"{network} {routing} {seed}"
        for network in networks
        for routing in ("par", "ugal-l")
        for seed in (7, 1)
    ]


def test_slim_flies_by_ranges() -> None:
    # Of 3..9 only 6 is no prime power; p is half of the degree 5, 6, 7, 11, 12, 13, rounded up.
    body = sweep(generators=[{"family": "slimfly", "q": "3..9"}])
    assert [one.topology for one in body.points()] == [f"slimfly({q})" for q in (3, 4, 5, 7, 8, 9)]
    body = sweep(
        topologies=["slimfly(5,4)", "slimfly(5,4,3)"],
        generators=[
            {"family": "slimfly", "q": [5, 4], "p": "3..4", "constraints": ["radix > degree + 3"]},
            {"family": "slimfly", "q": 4, "constraints": ["p == 3"]},
            BALANCED,
        ],
        arrangements=["palmtree"],
    )
    # The usual p is left out, and so is a network that was there before.
    assert [one.topology for one in body.points()] == [
        "slimfly(5)",
        "slimfly(5,4,3)",
        "slimfly(4,4)",
        "slimfly(4)",
        "dfly(1,2,1,3,palmtree)",
        "dfly(2,4,2,9,palmtree)",
        "dfly(3,6,3,19,palmtree)",
    ]


def test_a_generator_without_a_family_is_the_request_that_it_was() -> None:
    plain, named = (sweep(generators=[BALANCED | more]) for more in ({}, {"family": "dfly"}))
    assert plain == named
    (generator,) = plain.model_dump(mode="json")["generators"]
    assert generator.keys() == {"p", "a", "h", "g", "constraints"}
    slim = sweep(generators=[{"family": "slimfly", "q": 5}])
    assert slim.model_dump(mode="json")["generators"] == [
        {"family": "slimfly", "q": "5", "constraints": []}
    ]
    assert SweepBody.model_validate_json(slim.model_dump_json()) == slim


def test_prices_of_slim_flies() -> None:
    prices = {"switch": {"fixed": 100, "per_port": 10}, "cable": {"local": 1, "global": 2}}
    generator = {"family": "slimfly", "q": "3..5", "constraints": ["cost <= 32 * 190 + 32 + 128"]}
    body = sweep(generators=[generator], prices=prices)
    # q = 3: 18 switches of 5 + 3 ports, 9 * 2 local cables and 27 global ones; q = 4: 32 switches
    # of 6 + 3 ports, 16 * 2 and 64; q = 5 has 50 switches.
    assert [bill and bill.cost for bill in body.expanded().bills] == [
        18 * 180 + 18 + 2 * 27,
        32 * 190 + 32 + 2 * 64,
    ]


def test_points_are_examined_requests() -> None:
    options = {
        "method": "paper",
        "patterns": 4,
        "tolerance": 0.1,
        "balance": False,
        "finalists": 1,
    }
    cables = [[3, 0], [1, 4], [5, 2]]
    body = sweep(
        topologies=["2,4,2,9", {"p": 1, "a": 2, "h": 1, "g": 3, "links": cables}],
        routings=["ugal-g", "par"],
        seeds=[3],
        options=options,
    )
    expansion = body.expanded(RequestLimits())
    asked = [
        TableBody.model_validate(options | {"topology": one, "routing": routing, "seed": 3})
        for one in ("2,4,2,9", {"p": 1, "a": 2, "h": 1, "g": 3, "links": cables})
        for routing in ("ugal-g", "par")
    ]
    examined = [one.examined(RequestLimits()) for one in asked]
    assert expansion.points == tuple(point for point, _ in examined)
    for cost, (_, alone) in zip(expansion.costs, examined, strict=True):
        # Of a sweep also common traffic is simulated.
        common = cost.stages["common"]
        assert 0 < common < alone.cpu_seconds
        assert cost.stages == alone.stages | {"common": common}
        assert cost.cpu_seconds == pytest.approx(alone.cpu_seconds + common)
    assert list(map(request_key, expansion.points)) == [request_key(one) for one, _ in examined]
    assert expansion.points == body.points()


def test_work_that_routings_share_counts_once() -> None:
    alone = sweep(topologies=["2,4,2,5"]).expanded().cost
    other = sweep(topologies=["2,4,2,5"], routings=["par"]).expanded().cost
    both = sweep(topologies=["2,4,2,5"], routings=["ugal-l", "par"]).expanded().cost
    shared = alone.stages["probe"]
    assert other.stages["probe"] == both.stages["probe"] == shared
    assert both.cpu_seconds == pytest.approx(alone.cpu_seconds + other.cpu_seconds - shared)


def test_costly_constraints_are_refused_before_they_are_evaluated() -> None:
    # It took a minute of processor time: 10^7 sizes, and 80 numbers and names for each.
    ranges = {"p": "1..100", "a": "1..100", "h": "1..100", "g": "3..12"}
    many = [f"p + a + {number} != g" for number in range(20)]
    with pytest.raises(InvalidInput, match=r"make 800,000,000 evaluations .* at most 200,000,000"):
        sweep(generators=[{**ranges, "constraints": many}]).points()


def test_the_networks_that_are_built_are_reported() -> None:
    told: list[Progress] = []
    body = sweep(generators=[{"p": "1..150", "a": 2, "h": 1, "g": 3}])
    body.expanded(report=told.append)
    assert told == [Progress("expand", 100, 150)]


def test_costs_add_up_and_memory_does_not() -> None:
    networks = ("2,4,2,5", "4,8,4,9")
    expansion = sweep(topologies=networks).expanded()
    costs = [sweep(topologies=[text]).expanded().cost for text in networks]
    assert expansion.cost.cpu_seconds == pytest.approx(sum(one.cpu_seconds for one in costs))
    assert expansion.cost.memory_bytes == costs[1].memory_bytes
    for stage, seconds in expansion.cost.stages.items():
        assert seconds == pytest.approx(sum(one.stages[stage] for one in costs))


def test_points_are_not_repeated() -> None:
    body = sweep(
        topologies=["2,4,2,9", "dfly(2, 4, 2, 9)", "2,4,2,9,absolute", "1,2,1,3,palmtree"],
        generators=[BALANCED, BALANCED | {"p": 2}],
        arrangements=["absolute", "palmtree", "absolute"],
        seeds=[0, 0],
        routings=["par", "par"],
    )
    points = body.points()
    assert [point.topology for point in points] == [
        "dfly(2,4,2,9)",
        "dfly(2,4,2,9,palmtree)",
        "dfly(1,2,1,3,palmtree)",
        "dfly(1,2,1,3)",
        "dfly(3,6,3,19)",
        "dfly(3,6,3,19,palmtree)",
    ]
    assert len({request_key(point) for point in points}) == len(points)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"topologies": ["2,4,2,9"]}, {"topologies": ["dfly (2, 4,2 ,9 )", "2,4,2,9"]}),
        (
            {"topologies": [{"p": 1, "a": 2, "h": 1, "g": 3, "links": [[3, 0], [1, 4], [5, 2]]}]},
            {"topologies": [{"p": 1, "a": 2, "h": 1, "g": 3, "links": [[0, 3], [2, 5], [1, 4]]}]},
        ),
        (
            {"generators": [BALANCED]},
            {
                "generators": [
                    BALANCED
                    | {"p": "1 .. 3 step 1", "g": ["max"], "constraints": ["(a==2*p==2*h)"]}
                ]
            },
        ),
        (
            {"generators": [{"p": 2, "a": 4, "h": 2, "g": [9, 5, 5]}]},
            {"generators": [{"p": [2.0], "a": "4", "h": "2..2", "g": "5,9"}]},
        ),
        ({"topologies": ["2,4,2,9"], "options": {"tolerance": 0.08}}, {"topologies": ["2,4,2,9"]}),
    ],
)
def test_other_words_for_the_same(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert sweep(**first) == sweep(**second)


def test_a_sweep_is_its_own_document() -> None:
    body = sweep(
        name="all of it",
        topologies=["2,4,2,9,absolute", {"p": 1, "a": 2, "h": 1, "g": 3, "links": [[0, 3]]}],
        generators=[BALANCED],
        options={"patterns": "all", "screening": {"warmup": 1, "measured": 2, "grid": 0.1}},
    )
    assert SweepBody.model_validate_json(body.model_dump_json()) == body
    assert body.topologies[0] == "dfly(2,4,2,9,absolute)"


def test_the_options_are_those_of_a_table() -> None:
    options = SweepBody.model_json_schema()["$defs"]["TableOptions"]["properties"]
    table = TableBody.model_json_schema()["properties"]
    assert options == {
        name: schema
        for name, schema in table.items()
        if name not in ("topology", "routing", "seed")
    }
    point = sweep(topologies=["2,4,2,9"]).points()[0]
    assert point == TableBody(topology="2,4,2,9").resolved()


def test_the_example_is_a_sweep() -> None:
    (example,) = SweepBody.model_json_schema()["examples"]
    # Balanced with radix 4p - 1 <= 11: p = 1, 2, 3, and one listed; 2 arrangements, 2 routings.
    # Slim Flies of q = 3, 4 and 5 have 8, 9 and 11 ports.
    points = SweepBody.model_validate_json(json.dumps(example)).points()
    assert len(points) == (4 * 2 + 3) * 2


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_every_arrangement_fits_every_size(arrangement: str) -> None:
    sizes = sweep(generators=[{"p": 1, "a": "1..5", "h": "1..3", "g": "3..max"}])
    for row in sizes.generators[0].space().sizes().tolist():
        network = Dragonfly(*row, arrangement=arrangement)
        each = row[1] * row[2] // (row[3] - 1)
        assert network.links_per_group_pair == (each, each)


def test_a_wiring_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.empty((0, 2), dtype=np.int32)
    monkeypatch.setitem(ARRANGEMENTS, "palmtree", lambda shape: nothing)
    body = sweep(generators=[BALANCED], arrangements=["absolute", "palmtree"])
    with pytest.raises(InvalidInput) as caught:
        body.points()
    assert str(caught.value) == (
        "dfly(1,2,1,3,palmtree): dfly(1,2,1,3) with arrangement palmtree leaves groups 0 and 1 "
        "without a direct link; every group pair needs at least one"
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, "the sweep has no points: give topologies, generators, or both"),
        (
            {"topologies": ["hyperx(2,2,2)"], "options": {"global_latency": 3}},
            "hyperx(2,2,2): global_latency = 3: hyperx(2,2,2) has x and y links only, and "
            "link_latencies sets those that it names, such as x=3,y=3",
        ),
        (
            {"topologies": ["2,4,2,9"], "options": {"vc_count": 4}, "routings": ["par"]},
            "dfly(2,4,2,9): vc_count 4 is too few: won needs 5 for par on dfly(2,4,2,9)",
        ),
        (
            {"topologies": ["2,4,2,9"], "options": {"local_latency": 500}},
            "dfly(2,4,2,9): screening 2000,2000,0.01: the links of a VLB path take up to 2,030 "
            "cycles on dfly(2,4,2,9), and the warm-up of 2,000 must be at least that",
        ),
        (
            {"topologies": ["slimfly(5)"], "arrangements": ["palmtree"]},
            "arrangements palmtree: the sweep has no Dragonfly without an arrangement of its own",
        ),
        (
            {"topologies": ["2,4,2,9", "2,4,2,10"]},
            "dfly(2,4,2,10): g=10 is out of range: 4 switches with 2 global ports each reach at "
            "most a*h+1 = 9 groups",
        ),
        (
            {"topologies": ["2,4,2,2"]},
            "dfly(2,4,2,2): g=2 is out of range: a VLB path between groups needs a third group, "
            "so g must be at least 3",
        ),
        (
            {"topologies": [{"p": 1, "a": 2, "h": 1, "g": 3, "links": [[0, 1]]}]},
            "dfly(1,2,1,3,file): link [0,1] joins two switches of one group",
        ),
        (
            {"topologies": ["1,2,1,3"], "options": {"patterns": 25}},
            "dfly(1,2,1,3): patterns '25': expected auto, all or a number of patterns, 1..24",
        ),
        (
            # 29 sizes of g, 4 arrangements, 3 routings, 29 seeds.
            {
                "generators": [{"p": 2, "a": 6, "h": 5, "g": "3..max"}],
                "arrangements": list(ARRANGEMENTS),
                "routings": ["ugal-l", "ugal-g", "par"],
                "seeds": list(range(29)),
            },
            "the sweep has 12,615 points (145 topologies, 3 routings, 29 seeds); at most 10,000 "
            "are computed",
        ),
        (
            {"generators": [BALANCED, BALANCED | {"constraints": ["p == h", "radix < 3"]}]},
            # p = h, any a: 3 * 5 sizes; the least radix is 1 + 2 - 1 + 1 = 3.
            'generators[1]: the constraint "radix < 3" leaves none of the 15 sizes that were left '
            "before it",
        ),
        (
            {"generators": [BALANCED, BALANCED | dict.fromkeys("pah", "1..1000")]},
            "generators[1]: the ranges have 1,000,000,000 combinations of p, a, h and g; at most "
            "10,000,000 are examined",
        ),
        (
            # 3 * 5 * 3 combinations, and 10^7 more.
            {"generators": [BALANCED, {"p": "1..10000000", "a": 2, "h": 1, "g": 3}]},
            "generators[1]: with those before it there are 10,000,045 combinations; at most "
            "10,000,000 are examined",
        ),
        (
            {"generators": [{"p": 1, "a": "200", "h": "200", "g": "max"}]},
            "dfly(1,200,200,40001): dfly(1,200,200,40001) has 8000200 switches and 3192079800 "
            "directed links; the limits are 20000 and 20000000",
        ),
    ],
)
def test_what_cannot_be_expanded(changes: dict[str, Any], problem: str) -> None:
    body = sweep(**changes)
    with pytest.raises(InvalidInput) as caught:
        body.expanded()
    assert str(caught.value) == problem


def test_a_size_that_no_topology_text_can_name() -> None:
    sizes = {"p": 10_000_000, "a": 10_000_000, "h": 10_000_000, "g": "max"}
    with pytest.raises(InvalidInput, match=r"out of range"):
        SweepBody.model_validate({"generators": [sizes]}).points()


@pytest.mark.parametrize("text", ["\x9b31m", "left\u202eright", "two\u2028lines", "a\x1bb"])
def test_names_are_one_line_of_text(text: str) -> None:
    with pytest.raises(ValidationError, match="control characters"):
        SweepBody.model_validate({"name": text, "topologies": ["4,8,4,9"]})


# 27 times 1,000 switches and 19,000 links: a switch that is down counts, too.
def test_large_networks_are_counted_before_any_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    network = "hyperx(1,5,5,5,8)"
    topologies = [{"network": network, "without": {"switches": [i]}} for i in range(27)]
    monkeypatch.setattr(NamedTopology, "build", None)
    with pytest.raises(BeyondLimits, match=r"513,000,000 over all networks .* most 500,000,000"):
        SweepBody.model_validate({"topologies": topologies}).expanded(RequestLimits())
    with pytest.raises(BeyondLimits, match=r"^dfly\(8,16,8,128\): the topology has 2,048 switches"):
        sweep(topologies=[network, "8,16,8,128"]).expanded(RequestLimits())


def test_every_point_is_within_the_limits_of_a_server() -> None:
    body = sweep(topologies=["2,4,2,9", "4,8,4,33"], routings=["ugal-l", "par"])
    with pytest.raises(BeyondLimits) as caught:
        body.points(RequestLimits(switches=200))
    assert str(caught.value) == (
        "dfly(4,8,4,33): the topology has 264 switches; this server computes at most 200"
    )
    # PAR takes longer than UGAL-L; the limit is between them.
    first, second = (one.cost.cpu_seconds for one in map(routed, ("ugal-l", "par")))
    with pytest.raises(BeyondLimits, match=r"^dfly\(2,4,2,9\): the request takes about"):
        body.points(RequestLimits(cpu_seconds=(first + second) / 2))


def routed(routing: str) -> Any:
    return sweep(topologies=["2,4,2,9"], routings=[routing]).expanded()


def test_as_many_points_as_are_allowed() -> None:
    body = sweep(topologies=["1,2,1,3"] * 2 + ["2,4,2,5"], seeds=list(range(1000)))
    assert len(body.points()) == 2000
    body = sweep(
        generators=[{"p": "1..5", "a": 2, "h": 1, "g": 3}],
        routings=["ugal-l", "par"],
        seeds=list(range(1000)),
    )
    assert len({request_key(point) for point in body.points()}) == MAX_POINTS


@pytest.mark.parametrize(
    "changes",
    [
        {"topologies": ["machine.json"]},
        {"topologies": ["4,8,4,9,spiral"]},
        {"topologies": ["0,8,4,9"]},
        {"topologies": [None]},
        {"generators": [BALANCED | {"g": True}]},
        {"generators": [BALANCED | {"p": [1, "2..3"]}]},
        {"generators": [BALANCED | {"p": 1.5}]},
        {"generators": [{"family": "slimfly"}]},
        {"generators": [{"family": "slimfly", "q": 5, "a": 2}]},
        {"generators": [BALANCED | {"family": "slimfly"}]},
        {"generators": [BALANCED | {"family": None}]},
        {"generators": [{"family": ["dfly"], "q": 5}]},
        {"generators": [7]},
        {"name": "two\nlines"},
        {"seeds": ["0"]},
        {"routings": ["min"]},
        {"workers": 2},
    ],
)
def test_what_is_no_sweep(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        sweep(**changes)


def test_prices_are_checked_before_anything_is_computed() -> None:
    prices = {"switch": {"8": 100, "16": 300}, "cable": {"global": 7, "local": 3}}
    given = sweep(topologies=["2,4,2,9"], prices=prices)
    # 36 switches of 7 ports, 54 local cables and 36 global ones.
    (bill,) = given.expanded().bills
    assert bill is not None
    assert (bill.cost, bill.watts) == (36 * 100 + 54 * 3 + 36 * 7, None)
    with pytest.raises(InvalidInput, match=r"dfly\(6,12,6,9\): prices.switch has switches "):
        sweep(topologies=["6,12,6,9"], prices=prices).expanded()
    with pytest.raises(InvalidInput, match=r'prices\.cable lacks "global"'):
        sweep(topologies=["2,4,2,9"], prices=prices | {"cable": {"local": 3}}).expanded()
    generator = {"p": 2, "a": 4, "h": 2, "g": "3..9", "constraints": ["cost_per_node < 54.6"]}
    cheap = sweep(generators=[generator], prices=prices)
    # Six groups of 8 nodes cost 418 each, and their 15 global cables 7: 54.44 for each node.
    assert [one.topology for one in cheap.points()] == ["dfly(2,4,2,6)"]


def test_a_sweep_without_prices_is_the_request_that_it_was() -> None:
    given = sweep(topologies=["2,4,2,9"])
    assert "prices" not in given.model_dump(mode="json")
    prices = {"switch": {"fixed": 100}, "cable": {"local": 1, "global": 1}}
    priced = sweep(topologies=["2,4,2,9"], prices=prices)
    assert SweepBody.model_validate(priced.model_dump(mode="json")) == priced
    # What the network costs changes no table.
    assert priced.points() == given.points()


def test_a_routing_without_a_place_is_refused_before_any_work() -> None:
    with pytest.raises(InvalidInput, match=r"^dflyplus\(2,2,2,5\): routing par decides again"):
        sweep(topologies=["dflyplus(2,2,2,5)"], routings=["ugal-l", "par"]).points()
