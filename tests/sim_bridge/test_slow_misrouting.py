"""Runs with misrouting policies agree packet by packet with a slow simulation of the rules."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sim_bridge import FogConfig, FogResult, FogScenario
from tests.slow_misrouting import Packet, Simulator, figures, series
from tvlb.topology import Dragonfly, Failures, parse_topology, without
from tvlb.traffic import parse_pattern

ROUTINGS = (
    "min",
    "val-crg-gr",
    "val-crg-sw(rval=0)",
    "val-rrg-gr(source_group=1)",
    "val-rrg-sw",
    "acor-packet(3l)",
    "acor-switch(2lb)",
    "pb(recompute=0)",
    "pb-acor(3l)",
)
NETWORKS = (
    "dfly(1,2,1,3,palmtree)",
    "dfly(2,2,1,2)",
    "dfly(3,2,2,3)",
    "dfly(1,3,1,4,palmtree)",
    "dfly(2,4,2,3)",
    "dfly(2,4,2,5)",
    "dfly(2,4,2,9,palmtree)",
)
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
# With a second cable between groups, so that MIN paths keep their length where a switch is down.
DAMAGED = ("dfly(2,2,1,2)", "dfly(2,4,2,3)", "dfly(2,4,2,5)")
ANYWHERE = ("uniform", "uniform(others)", "permutation(derangement,seed=1)")
PATTERNS = (*ANYWHERE, "advr(1)", "advl", "hot", "mixed(50,50,shift(1,0))")


@dataclass(frozen=True)
class Case:
    """A run, and how it is told where it goes wrong."""

    network: str
    routing: str
    pattern: str
    load: float
    seed: int
    config: FogConfig
    is_damaged: bool = False

    @property
    def topology(self) -> Dragonfly:
        healthy = parse_topology(self.network)
        found = without(healthy, Failures(switches=(1,))) if self.is_damaged else healthy
        assert isinstance(found, Dragonfly)
        return found


def told(packet: Packet, end: int) -> tuple[object, ...]:
    delivered = packet.delivered if 0 <= packet.delivered < end else None
    detour = delivered is not None and packet.misrouted
    ends = packet.created, packet.source, packet.destination, delivered
    return *ends, detour, tuple(packet.hops)


# A grant says beforehand when the packet leaves, be it behind the end.
def told_fast(result: FogResult, end: int) -> list[tuple[object, ...]]:
    return sorted(
        (
            one.created,
            one.source,
            one.destination,
            one.delivered,
            one.delivered is not None and one.vlb,
            tuple(
                (hop.departure, hop.link, hop.vc if hop.link >= 0 else 0)
                for hop in one.hops
                if hop.departure < end
            ),
        )
        for one in result.traces
    )


def check(case: Case) -> None:
    """Compare all packets, then all figures."""
    topology, pattern, end = case.topology, parse_pattern(case.pattern), case.config.most_cycles
    given = topology, case.routing, pattern, case.seed
    fast = FogScenario(*given).run(case.load, case.config)
    slow = Simulator(*given, case.load, case.config)
    slow.run()
    window = range(case.config.warmup_cycles, end)
    expected = sorted(told(one, end) for one in slow.packets if one.created in window)
    for one, other in zip(told_fast(fast, end), expected, strict=False):
        assert one == other
    assert len(fast.traces) == len(expected)
    expected = figures(slow)
    np.testing.assert_equal({name: getattr(fast, name) for name in expected}, expected)
    course = series(slow)
    np.testing.assert_equal({name: getattr(fast.series, name) for name in course}, course)


@pytest.mark.parametrize("routing", ROUTINGS)
def test_packets_take_the_same_ways_at_the_same_times(routing: str) -> None:
    config = FogConfig(100, 400, "small", interval=150, traced_packets=100_000, levels_group=1)
    check(Case(NETWORKS[-1], routing, "uniform(others)", 0.6, 3, config))


# The first packets to nodes of their own switch, which find no packet before them.
def test_packets_within_a_switch_take_the_same_ways() -> None:
    config = FogConfig(0, 300, "small", traced_packets=100_000)
    check(Case("dfly(14,2,1,3,palmtree)", "val-crg-sw", "uniform(others)", 0.3, 3, config))


@st.composite
def configs(draw: st.DrawFn) -> FogConfig:
    """Draw small routers and short runs."""
    packet, transfer = draw(st.sampled_from([(1, 1), (2, 1), (4, 4), (6, 3), (10, 5), (10, 10)]))

    def cycles(most: int) -> int:
        return draw(st.integers(1, most))

    def packets(most: int) -> int:
        return packet * cycles(most)

    measured = 60 + cycles(240)
    return FogConfig(
        draw(st.integers(0, 100)),
        measured,
        packet_phits=packet,
        speedup=packet / transfer,
        rounds=cycles(3),
        crossbar_latency=cycles(30),
        local_buffer_phits=packets(4),
        global_buffer_phits=packets(6),
        output_buffer_phits=packets(5),
        injection_buffer_phits=packets(6),
        arbiter=draw(st.sampled_from(["transit-first", "lrs"])),
        local_latency=cycles(15),
        global_latency=cycles(40),
        levels_group=draw(st.sampled_from([None, 0, 1])),
        traced_packets=100_000,
        interval=cycles(measured),
    )


@st.composite
def routings(draw: st.DrawFn) -> str:
    """Draw a policy and its numbers, small enough for levels to change."""
    name = draw(
        st.sampled_from(
            ["min", "val-crg-gr", "val-crg-sw", "val-rrg-gr", "val-rrg-sw", "acor-packet"]
            + 2 * ["acor-switch", "pb", "pb-crg-sw", "pb-acor"]
        )
    )
    inside: list[str] = []
    ranges: dict[str, tuple[int, int]] = {}
    has_levels = "acor" in name
    if has_levels:
        inside.append(draw(st.sampled_from(["2la", "2lb", "3l"])))
    if has_levels and name != "acor-packet":
        ranges |= {"hi": (1, 60), "it1": (1, 8), "dt1": (0, 6)}
        ranges |= {"it2": (1, 12), "dt2": (0, 6)} if inside == ["3l"] else {}
    if name != "min":
        ranges["source_group"] = 0, 1
        ranges |= {} if has_levels else {"rval": (0, 1), "recompute": (0, 1)}
    if name.startswith("pb"):
        ranges |= {"cg": (0, 200), "tg": (0, 3), "t": (-2, 3)}
    inside += [f"{key}={draw(st.integers(*of))}" for key, of in ranges.items()]
    return f"{name}({','.join(inside)})" if inside else name


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw runs of every policy on small networks."""
    networks = [(name, False) for name in NETWORKS] + [(name, True) for name in DAMAGED]
    (network, is_damaged), config = draw(st.sampled_from(networks)), draw(configs())
    patterns = ANYWHERE if is_damaged else PATTERNS + ("advc",) * ("palmtree" in network)
    pattern = draw(st.sampled_from(patterns))
    loads = st.floats(0.02, 1.0).map(lambda load: round(load, 2))
    if draw(st.booleans()):
        at = draw(st.integers(1, config.most_cycles - 1))
        pattern = f"step({pattern},{at},{draw(st.just(0.0) | loads)})"
    seed = draw(st.integers(0, 2**63 - 1))
    return Case(network, draw(routings()), pattern, draw(loads), seed, config, is_damaged)


@settings(max_examples=12, derandomize=True, phases=[Phase.generate], suppress_health_check=SLOW)
@given(cases())
def test_all_of_them_do_whatever_the_numbers(case: Case) -> None:
    check(case)


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=SLOW)
@given(cases())
def test_many_of_them_do(case: Case) -> None:
    check(case)
