"""The router with misrouting policies: cycle counts, reference rows, refusals."""

from dataclasses import replace

import pytest

from sim_bridge import FogConfig, FogScenario
from sim_bridge.routing import MISROUTING_ROUTINGS, written_out
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

SMALL = FogConfig(3000, 5000, "small")


def scenario(
    routing: str, pattern: str = "advr(1)", network: str = "2,4,2,9,palmtree"
) -> FogScenario:
    return FogScenario(parse_topology(network), routing, parse_pattern(pattern))


# FOGSim v5, defects repaired, palmtree, adv+1 at load .1, 3 seeds: latency, in the network, local
# hops, misrouted. Windows of 3,000 + 5,000 cycles.
@pytest.mark.parametrize(
    ("routing", "latency", "in_network", "local_hops", "misrouted"),
    [
        ("min", 163.543, 150.683, 1.504, 0.0),
        ("val-crg-gr", 231.118, 224.264, 1.111, None),
        ("acor-switch(3l)", 231.486, 224.636, 1.125, None),
        ("pb", 200.196, 193.242, 2.251, 0.392),
        ("pb-acor(3l)", 177.594, 170.395, 1.399, 0.297),
    ],
)
def test_rows_of_the_reference(
    routing: str, latency: float, in_network: float, local_hops: float, misrouted: float | None
) -> None:
    result = scenario(routing).run(0.0997, SMALL)
    assert result.latency_mean == pytest.approx(latency, rel=0.02)
    assert result.latency_network_mean == pytest.approx(in_network, rel=0.02)
    assert result.local_hops_mean == pytest.approx(local_hops, rel=0.04)
    assert misrouted is None or abs(result.misrouted - misrouted) < 0.02


# 1 + (hops + 1) crossbars + links + packet, of each traced packet without load.
def test_cycles_without_load() -> None:
    config = replace(SMALL, measured_cycles=20_000, traced_packets=50)
    result = scenario("val-rrg-sw", "uniform(others)").run(0.0005, config)
    kinds: list[int] = parse_topology("2,4,2,9,palmtree").network.link_kind.tolist()
    checked = 0
    for trace in result.traces:
        if trace.delivered is None:
            continue
        flight = sum((10, 100)[kinds[hop.link]] for hop in trace.hops[:-1])
        assert trace.delivered - trace.created == 1 + len(trace.hops) * 5 + flight + 10
        checked += 1
    assert checked > 30


def test_packets_behind_full_fifos_go_alike_whoever_follows_them() -> None:
    """Of those that are traced there is more than of others while they wait."""
    config = replace(SMALL, warmup_cycles=0, measured_cycles=2000, injection_buffer_phits=50)
    runs = [
        scenario("acor-switch(3l)").run(1.0, replace(config, traced_packets=traced))
        for traced in (0, 3, 100_000)
    ]
    assert len({(one.latency_mean, one.accepted, one.injected) for one in runs}) == 1
    assert runs[0].injected < 0.9
    none, some, every = (one.traces for one in runs)
    assert (len(none), len(some)) == (0, 3)
    assert set(some) <= set(every)
    assert {trace.source for trace in every if trace.hops} == set(range(72))


@pytest.mark.parametrize("routing", MISROUTING_ROUTINGS)
def test_equal_seeds_give_equal_figures(routing: str) -> None:
    config = replace(SMALL, warmup_cycles=200, measured_cycles=600, levels_group=0)
    runs = [scenario(routing).run(0.6, config) for _ in range(2)]
    assert runs[0].latency_mean == runs[1].latency_mean
    assert (runs[0].switch_accepted == runs[1].switch_accepted).all()
    assert scenario(routing).proof("fixed").vcs_needed == (2 if routing == "min" else 4)


def test_numbers_print_where_they_are_not_the_default() -> None:
    assert written_out("acor-switch(3l, hi=500, dt1=4)") == "acor-switch(3l,dt1=4)"
    assert written_out("pb(rval=0)") == "pb(rval=0)"
