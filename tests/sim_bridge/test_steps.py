"""Loads that change in the course of a run: when packets are generated, and what refuses them."""

import math
from collections.abc import Iterator
from typing import Any

import pytest

from sim_bridge import (
    PacketTrace,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    VctConfig,
    VctScenario,
    Warmup,
    search_saturation,
)
from sim_bridge.routers.vct import LongRun, stability
from tvlb.errors import InvalidInput
from tvlb.forwarding import MeasureOptions
from tvlb.model import PatternModel
from tvlb.paths import parse_expression
from tvlb.requests import simulation_body
from tvlb.search import SearchOptions
from tvlb.search.workload import parse_traffic
from tvlb.statistics.randomness import mix64
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_named_pattern, parse_pattern

SMALL = Dragonfly(2, 4, 2, 5)
STEP = parse_pattern("step(uniform,700,0.2)")
_GOLDEN, _MASK = 0x9E3779B97F4A7C15, 2**64 - 1
_GENERATION = 1
PACKET = 4  # phits


def traced(router: str, pattern: str, load: float, warmup: int, cycles: int) -> list[PacketTrace]:
    """All packets generated in the window."""
    parsed = parse_pattern(pattern)
    if router == "iq":
        config = SimulationConfig(
            warmup_cycles=warmup, measured_cycles=cycles, traced_packets=100_000
        )
        paths = parse_expression("all", SMALL)
        found = Scenario(SMALL, "min", paths, parsed, 3).run(load, config)
    else:
        virtual = VctConfig(warmup, cycles, packet_phits=PACKET, traced_packets=100_000)
        found = VctScenario(SMALL, "min", parsed, 3).run(load, virtual)
    return sorted(found.traces, key=lambda one: (one.source, one.created))


def stream(node: int) -> Iterator[int]:
    """Draws of a node's generation, by sim_bridge/src/common/rng.hpp."""
    state = mix64(mix64(mix64(3 + _GOLDEN) + _GENERATION & _MASK) + node & _MASK)
    while True:
        state = state + _GOLDEN & _MASK
        yield mix64(state)


def generated(node: int, rates: tuple[float, float], step: int, end: int) -> list[int]:
    """Cycles of a node's packets: geometric gaps, of which the one at the step is drawn anew."""
    draws, at = stream(node), -1
    cycles: list[int] = []
    while at < end:
        after = at >= step
        gap = 1 + int(math.log1p(-next(draws) * 2.0**-64) / math.log1p(-rates[after]))
        if not after and at + gap >= step:
            at = step - 1
            gap = 1 + int(math.log1p(-next(draws) * 2.0**-64) / math.log1p(-rates[1]))
        at += gap
        cycles.append(at)
    return [one for one in cycles if one < end]


@pytest.mark.parametrize("router", ["iq", "vct"])
def test_the_gap_at_the_step_is_drawn_anew(router: str) -> None:
    found = traced(router, str(STEP), 0.1, 0, 1200)
    by_node = {node: [one.created for one in found if one.source == node] for node in range(40)}
    flits = 1 if router == "iq" else PACKET
    for node, created in by_node.items():
        expected = generated(node, (0.1 / flits, 0.2 / flits), 700, 1200)
        # Of virtual cut-through, packets that have not left their node are not traced.
        assert created == expected[: len(created)]
        assert len(expected) - len(created) <= (0 if router == "iq" else 2)


# At load 0 nothing is drawn, so that all begins at the step as it would in cycle 0.
@pytest.mark.parametrize("router", ["iq", "vct"])
def test_a_run_that_begins_at_the_step_is_a_later_one(router: str) -> None:
    later = traced(router, "step(uniform,500,0.2)", 0.0, 500, 400)
    sooner = traced(router, "uniform", 0.2, 0, 400)
    assert len(sooner) > 500
    assert [(one.source, one.destination, one.created - 500) for one in later] == [
        (one.source, one.destination, one.created) for one in sooner
    ]
    ended = traced(router, "step(uniform,500,0)", 0.2, 400, 300)
    assert max(one.created for one in ended) < 500


def test_the_load_steps_in_the_series() -> None:
    config = VctConfig(0, 6000, packet_phits=PACKET)
    run = VctScenario(SMALL, "min", parse_pattern("step(uniform,3000,0.6)")).run(0.2, config)
    assert run.series[:3] == pytest.approx(0.2, rel=0.1)
    assert run.series[4:] == pytest.approx(0.6, rel=0.1)


def test_what_needs_a_load_that_stays_refuses_steps() -> None:
    paths = parse_expression("all", SMALL)
    queued = Scenario(SMALL, "min", paths, STEP)
    text = str(STEP)
    refused = [
        lambda: PatternModel(SMALL, STEP),
        lambda: parse_traffic([f"{text}:2", "uniform"]),
        lambda: SearchOptions(traffic=(text,)),
        lambda: MeasureOptions(pattern=text).check(SMALL),
        lambda: search_saturation(queued),
        lambda: SimulationRequest(queued, SimulationConfig(), saturation=True),
        lambda: stability(SMALL, routing="min", pattern=STEP, config=LongRun(), workers=1),
    ]
    for each in refused:
        with pytest.raises(InvalidInput, match=r"step\(uniform,700,0.2\) changes the load"):
            each()
    detecting = SimulationConfig(warmup=Warmup.DETECT)
    with pytest.raises(InvalidInput, match=r"warm-up detect: .* never steady; give cycles"):
        queued.run(0.1, detecting)


def test_steps_are_within_the_run_and_of_a_stationary_pattern() -> None:
    for router in ("iq", "vct"):
        body = simulation_body(router)
        asked: dict[str, Any] = {"topology": str(SMALL), "router": router, "load": [0.1]}
        asked |= {"routing": "min", "warmup": 500}
        late = body(**asked, cycles=200, pattern=str(STEP))
        with pytest.raises(InvalidInput, match=r"T = 700 is not before the end .* 0\.\.699"):
            late.examined()
        resolved, _ = body(**asked, cycles=201, pattern=str(STEP)).examined()
        assert resolved.pattern == str(STEP)
    with pytest.raises(InvalidInput, match="PATTERN 'step' is not uniform, shift"):
        parse_named_pattern("step(step(uniform,5,0.1),9,0.2)")
    for text in ("step(uniform,0,0.5)", "step(uniform,5,1.5)", "step(uniform,5)"):
        with pytest.raises(InvalidInput, match="step"):
            parse_named_pattern(text)
    nested = parse_named_pattern("step(mixed(50,50,shift(1,0)),5,.25)")
    assert str(nested) == "step(mixed(50,50,shift(1,0)),5,0.25)"
