"""Traces of sampled packets."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from sim_bridge import (
    PATH_ROUTINGS,
    PacketTrace,
    Routing,
    SimulationConfig,
    SimulationResult,
    simulate,
)
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly, LinkKind
from tvlb.traffic import Pattern

Run = Callable[..., SimulationResult]
Flows = Callable[..., Pattern]
Figures = Callable[[SimulationResult], tuple[object, ...]]

CONFIG = SimulationConfig(warmup_cycles=500, measured_cycles=1000, traced_packets=50)


def _is_a_path(topology: Dragonfly, trace: PacketTrace) -> bool:
    """Links lead from the source's switch to the destination's, the last hop to the node."""
    network = topology.network
    at = trace.source // topology.nodes_per_switch
    for hop in trace.hops[:-1]:
        if hop.switch != at or network.link_source[hop.link] != at:
            return False
        at = int(network.link_target[hop.link])
    last = trace.hops[-1]
    return (last.switch, last.link) == (trace.destination // topology.nodes_per_switch, -1)


@pytest.mark.parametrize("routing", PATH_ROUTINGS)
def test_traces_are_paths_in_time(small: Dragonfly, run: Run, routing: Routing) -> None:
    result = run(small, routing, "all", "shift(1,0)", 0.1, config=CONFIG)
    assert len(result.traces) == 50
    for trace in result.traces:
        assert _is_a_path(small, trace)
        departures = [hop.departure for hop in trace.hops]
        # In the switch 2 cycles after injection, and 12 or 17 cycles from switch to switch.
        assert 500 <= trace.created <= trace.injected <= departures[0] - 3
        assert all(b - a >= 12 for a, b in itertools.pairwise(departures))
        assert trace.delivered == departures[-1] + 2
        assert all(hop.vc < 5 for hop in trace.hops)
    shares = [trace.vlb for trace in result.traces]
    assert any(shares) == routing.draws_vlb
    assert all(shares) == routing.prefers_vlb


def test_traces_spread_over_the_window_and_change_nothing(
    small: Dragonfly, run: Run, figures: Figures
) -> None:
    traced = run(small, "par", "all", "shift(1,0)", 0.1, config=CONFIG)
    created = [trace.created for trace in traced.traces]
    assert max(created) - min(created) > 800
    injected = [trace.injected for trace in traced.traces]
    assert injected == sorted(injected)
    plain = run(small, "par", "all", "shift(1,0)", 0.1, config=replace(CONFIG, traced_packets=0))
    assert plain.traces == ()
    assert figures(plain) == figures(traced)


# 5 + 12 for a local link: at the switch at 2, departs at 3, at the next switch's node at 17.
def test_a_trace_at_zero_load(small: Dragonfly, flows: Flows) -> None:
    result = simulate(
        small,
        routing="min",
        path_set=parse_expression("none", small),
        pattern=flows((0, 3)),
        load=0.005,
        config=replace(CONFIG, traced_packets=1),
    )
    (trace,) = result.traces
    assert (trace.source, trace.destination, trace.vlb) == (0, 3, False)
    assert trace.delivered == trace.created + 17
    assert [(hop.switch, hop.departure - trace.created) for hop in trace.hops] == [(0, 3), (1, 15)]


# Alone in the network, a packet takes 5 cycles and for each link its latency and 2 more.
@pytest.mark.parametrize("routing", PATH_ROUTINGS)
@pytest.mark.parametrize("latencies", [(10, 15), (3, 40)])
def test_lone_packets_take_the_latency_of_their_links(
    small: Dragonfly, flows: Flows, routing: Routing, latencies: tuple[int, int]
) -> None:
    local, of_global = latencies
    result = simulate(
        small,
        routing=routing,
        path_set=parse_expression("all", small),
        pattern=flows((0, 60)),
        load=0.002,
        config=SimulationConfig(
            warmup_cycles=0,
            measured_cycles=50_000,
            traced_packets=1000,
            local_latency=local,
            global_latency=of_global,
        ),
    )
    kinds = small.network.link_kind
    lone = 0
    before = -1
    for trace in result.traces:
        links = [kinds[hop.link] for hop in trace.hops[:-1]]
        assert trace.delivered is not None
        if trace.created > before:
            way = sum((local if kind == LinkKind.LOCAL else of_global) + 2 for kind in links)
            assert trace.delivered == trace.created + 5 + way
            lone += 1
        before = max(before, trace.delivered)
    assert lone > 60


def test_traces_take_every_third_of_three_times_as_many(small: Dragonfly, flows: Flows) -> None:
    def created(traced: int) -> list[int]:
        result = simulate(
            small,
            routing="min",
            path_set=parse_expression("none", small),
            pattern=flows((0, 60)),
            load=1.0,
            config=replace(CONFIG, warmup_cycles=0, traced_packets=traced),
        )
        return [trace.created for trace in result.traces]

    # One packet per cycle for 1,000 cycles, spaced by 1,000 / N on average.
    assert created(1000)[::2] == created(500)
    assert created(300) == [-(-10 * index // 3) for index in range(300)]


def test_packets_that_do_not_arrive_have_no_delivery(small: Dragonfly, run: Run) -> None:
    stuck = replace(CONFIG, drain_limit_cycles=0, traced_packets=1000)
    result = run(small, "min", "none", "shift(1,0)", 0.5, config=stuck)
    assert any(trace.delivered is None for trace in result.traces)
