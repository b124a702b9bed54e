"""Runs with misrouting policies agree packet by packet with a slow simulation of the rules."""

from dataclasses import replace

import pytest

from sim_bridge import FogConfig, FogScenario, _core
from tests.slow_misrouting import SMALL, Packet, Policy, Simulator, destinations
from tvlb.topology import compiled, parse_topology
from tvlb.traffic import parse_pattern

CYCLES = 700
POLICIES = {
    "min": Policy(),
    "val-crg-gr": Policy.named("val-crg-gr"),
    "val-crg-sw": Policy.named("val-crg-sw"),
    "val-rrg-gr": Policy.named("val-rrg-gr"),
    "val-rrg-sw": Policy.named("val-rrg-sw"),
    "val-rrg-sw(recompute=0)": replace(Policy.named("val-rrg-sw"), recompute=False),
    "val-crg-sw(rval=0)": replace(Policy.named("val-crg-sw"), rval=False),
    "val-rrg-gr(source_group=1)": replace(Policy.named("val-rrg-gr"), source_group=True),
    "acor-packet(3l)": Policy.named("acor-packet-3l"),
    "acor-switch(2lb)": Policy.named("acor-switch-2lb"),
    "pb": Policy.named("pb"),
    "pb(recompute=0)": replace(Policy.named("pb"), recompute=False),
    "pb-acor(3l)": Policy.named("pb-acor-3l"),
}


def told(packet: Packet) -> tuple[object, ...]:
    delivered = packet.delivered if 0 <= packet.delivered < CYCLES else None
    return packet.created, packet.source, packet.destination, delivered, tuple(packet.hops)


def first_difference(routing: str, network: str, pattern: str, load: float) -> object:
    topology = parse_topology(network)
    config = FogConfig(0, CYCLES, "small", traced_packets=100_000)
    traces = FogScenario(topology, routing, parse_pattern(pattern), 3).run(load, config).traces
    fast = sorted(
        (
            one.created,
            one.source,
            one.destination,
            one.delivered,
            tuple(
                (hop.departure, hop.link, hop.vc if hop.link >= 0 else 0)
                for hop in one.hops
                if hop.departure < CYCLES
            ),
        )
        for one in traces
    )  # fmt: skip
    traffic = parse_pattern(pattern).resolve(topology, 3)
    ports = _core.MinPorts(compiled(topology)).ports
    draw = destinations(topology, traffic)
    slow = Simulator(
        topology,
        topology.num_switches // topology.node_groups,
        ports,
        SMALL,
        POLICIES[routing],
        draw,
        {0: load},
        3,
    ).run(CYCLES)
    expected = sorted(map(told, slow))
    if len(fast) != len(expected):
        return len(fast), len(expected)
    return next(
        ((one, other) for one, other in zip(fast, expected, strict=True) if one != other), None
    )


@pytest.mark.parametrize("routing", POLICIES)
def test_packets_take_the_same_ways_at_the_same_times(routing: str) -> None:
    network, load = "dfly(2,4,2,9,palmtree)", 0.5
    assert first_difference(routing, network, "uniform(others)", load) is None


# The first packets to nodes of their own switch, which find no packet before them.
def test_packets_within_a_switch_take_the_same_ways() -> None:
    network = "dfly(14,2,1,3,palmtree)"
    assert first_difference("val-crg-sw", network, "uniform(others)", 0.3) is None
