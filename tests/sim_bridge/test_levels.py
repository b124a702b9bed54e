"""Routings that draw from several path sets, one for each level."""

from dataclasses import replace

import pytest

from sim_bridge import (
    LEVEL_ROUTINGS,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationResult,
    simulate,
)
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.requests import command_line, simulation_body
from tvlb.topology import named_families, parse_topology
from tvlb.traffic import parse_pattern

QUICK = SimulationConfig(warmup_cycles=200, measured_cycles=400, drain_limit_cycles=2000)
SMALL = "2,4,2,9"
# Routes of the example of a torus are too long for these routers.
EXAMPLES = [
    *({one.example for one in named_families().values()} - {"torus(4,8,8)"}),
    "torus(2,4,4)",
]
EXAMPLES.sort()


def run(routing: str, sets: list[str] | str, load: float = 0.2) -> SimulationResult:
    """Simulate traffic between neighbouring groups."""
    return simulate(
        SMALL, routing=routing, path_set=sets, load=load, pattern="shift(1,0)", config=QUICK
    )


@pytest.mark.parametrize("routing", LEVEL_ROUTINGS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_family_has_levels(example: str, routing: str) -> None:
    topology = parse_topology(example)
    sets = [parse_expression(one, topology) for one in ("short(all)", "all")]
    scenario = Scenario(topology, routing, sets, parse_pattern("uniform"), 1)
    found = scenario.run(0.05, replace(QUICK, warmup_cycles=100, measured_cycles=200))
    assert found.flits_injected == found.flits + found.flits_in_network
    if found.misrouted == 0:
        assert found.level_shares is None
    else:
        assert found.level_shares is not None
        assert [*found.level_shares] == ["short(all)", "all"]
        assert sum(found.level_shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("by_level", "plain"),
    [("acor-switch(sets,it1=1000000)", "vlb"), ("ugal-acor(sets,it1=1000000)", "ugal-l")],
)
def test_who_never_rises_draws_from_the_first_set_alone(by_level: str, plain: str) -> None:
    # Equal draws, so equal runs; the level rises after a million attempts within 500 cycles.
    ours = run(by_level, ["<=4", "all"], 0.3)
    path_set = parse_expression("<=4", parse_topology(SMALL))
    scenario = Scenario(parse_topology(SMALL), plain, path_set, parse_pattern("shift(1,0)"), 0)
    theirs = scenario.run(0.3, replace(QUICK, decide="each-attempt"))
    assert ours.config == theirs.config
    assert ours.level_shares == {"<=4": 1.0, "all": 0.0}
    assert (ours.latency_mean, ours.accepted, ours.flit_hops, ours.vlb_share) == (
        theirs.latency_mean,
        theirs.accepted,
        theirs.flit_hops,
        theirs.vlb_share,
    )


def test_levels_rise_with_blocked_attempts_and_fall_without() -> None:
    # By the first blocked attempt to the second level, from which it falls only after more cycles
    # than the run has.
    stays = run("acor-switch(sets,hi=1000000,it1=1,dt1=0)", ["<=4", "all"], 0.4)
    assert stays.level_shares == {"<=4": 0.0, "all": 1.0}
    assert stays.series.level_mean is not None
    assert stays.series.level_mean[-1] > 1.9
    # Where any number lets it fall, one cycle later, few packets are drawn at the second.
    falls = run("acor-switch(sets,hi=1,it1=1000,dt1=1000000)", ["<=4", "all"], 0.4)
    assert falls.level_shares == {"<=4": 1.0, "all": 0.0}


def test_packets_rise_by_their_own_attempts() -> None:
    # Without load none waits; with much, some do, and only these.
    few = run("acor-packet", ["<=4", "<=5", "all"], 0.01).level_shares
    many = run("acor-packet", ["<=4", "<=5", "all"], 0.4).level_shares
    assert few is not None
    assert many is not None
    assert few["<=4"] > 0.98 > many["<=4"] > 0
    assert many["all"] > 0


def test_a_pair_without_a_path_takes_the_next_set() -> None:
    # Paths of two hops lead to few switches; `none` has none at all.
    found = run("acor-packet", ["none", "all"], 0.1)
    assert found.level_shares == {"none": 0.0, "all": 1.0}
    assert found.misrouted == 1


def test_named_sequences_are_their_sets() -> None:
    topology = parse_topology(SMALL)
    any_set = parse_expression("all", topology)
    named = Scenario(topology, "acor-switch(3l,it2=40)", any_set, parse_pattern("uniform"))
    assert named.routing == "acor-switch(sets,it2=40)"
    assert [*map(str, named.path_sets)] == ["shape(g.?)", "shape(g.?, gl.?)", "all"]
    with pytest.raises(InvalidInput, match="hyperx"):
        simulate("hyperx(2,3,3)", routing="acor-packet(2la)", load=0.1)


@pytest.mark.parametrize(
    ("routing", "sets", "words"),
    [
        ("acor-switch", ["all"], "2 to 3 path sets"),
        ("acor-switch", ["<=2", "<=3", "<=4", "all"], "given: 4"),
        ("acor-switch", ["<=4", "<=4"], "given twice"),
        ("ugal-l", ["<=4", "all"], "one path set, not from 2"),
        ("acor-switch(3l)", ["<=4", "all"], "path sets of its own"),
        ("acor-switch(sets,it2=9)", ["<=4", "all"], "it2 is of three path sets"),
        ("acor-switch(2lb,it2=9)", ["all"], "it2 is of"),
        ("acor-switch(4l)", ["<=4", "all"], "4l"),
        ("acor-packet(sets,hi=9)", ["<=4", "all"], "hi"),
        ("ugal-acor(sets,it1=0)", ["<=4", "all"], "it1"),
        ("acor-switch", ["none", "all & none"], "all & none"),
    ],
)
def test_what_does_not_fit_is_refused(routing: str, sets: list[str], words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        run(routing, sets)
    assert "\n" not in str(refused.value)


def test_requests_name_several_sets() -> None:
    body = simulation_body("iq")(
        topology=SMALL, routing="ugal-acor(sets, hi=100)", vlb=["<=4+60%", "all"], load=[0.1]
    )
    resolved, _ = body.examined()
    asked = resolved.model_dump(mode="json")
    assert asked["routing"] == "ugal-acor(sets,hi=100)"
    assert asked["vlb"] == ["<=4+60%", "all"]
    assert asked["decide"] == "each-attempt"
    assert resolved.examined()[0] == resolved
    command = command_line(resolved)
    assert command is not None
    assert "--vlb '<=4+60%' --vlb all" in command
    # One in a list is that one, so that equal requests are one.
    one = simulation_body("iq")(topology=SMALL, vlb=["<=4"], load=[0.1])
    assert dict(one)["vlb"] == "<=4"
    named = simulation_body("iq")(topology=SMALL, routing="acor-packet(2la)", load=[0.1])
    assert named.examined()[0].model_dump()["vlb"] == ("shape(g.?)", "all")
    assert Routing("acor-packet").value == "acor-packet(sets)"
    short = simulation_body("iq")(
        topology=SMALL, routing="acor-packet", vlb=["<=4", "all"], load=[0.1]
    )
    assert short.examined()[0].model_dump()["routing"] == "acor-packet(sets)"
