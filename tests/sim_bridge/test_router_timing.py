"""Latency and throughput of the router model, derived by hand from its rules."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sim_bridge import SimulationConfig, SimulationResult, simulate
from sim_bridge.routers.iq.round_trip import round_trip_warnings
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly, LinkKind
from tvlb.traffic import Pattern

Run = Callable[..., SimulationResult]
Flows = Callable[..., Pattern]

# About 20 packets, each alone in the network.
SPARSE = SimulationConfig(warmup_cycles=0, measured_cycles=20_000)


def _global_link_ends(topology: Dragonfly) -> tuple[int, int]:
    """The switches of the only cable from group 0 to group 1."""
    link = topology.group_links[topology.group_link_offset[1]]
    return int(topology.network.link_source[link]), int(topology.network.link_target[link])


def _latency_alone(
    topology: Dragonfly, flows: Flows, source: int, target: int, config: SimulationConfig
) -> tuple[float, float]:
    """Median and mean latency between two switches of a flow that meets no other packet."""
    per_switch = topology.nodes_per_switch
    result = simulate(
        topology,
        routing="min",
        path_set=parse_expression("none", topology),
        pattern=flows((source * per_switch, target * per_switch + 1)),
        load=0.001,
        config=config,
    )
    return result.latency_p50, result.latency_mean


# A packet generated at t is in the switch at t+2, wins its VC in step 1 and crosses in step 2 of
# that cycle, so it departs at t+3. The node gets it two cycles later: 5. A link adds its latency
# L, one cycle to arrive and one to depart in the next cycle (step 2 again): L + 2.
@pytest.mark.parametrize("scheme", ["won", "per-hop"])
def test_zero_load_latency_is_5_plus_latency_plus_2_per_link(
    small: Dragonfly, flows: Flows, scheme: str
) -> None:
    config = replace(SPARSE, vc_scheme=scheme)
    x, y = _global_link_ends(small)
    other_x, other_y = (x + 1) % 4, 4 + (y + 1) % 4

    def latency(source: int, target: int) -> tuple[float, float]:
        return _latency_alone(small, flows, source, target, config)

    assert latency(x, x) == (5, 5)
    assert latency(x, other_x) == (17, 17)  # 5 + (10 + 2)
    assert latency(x, y) == (22, 22)  # 5 + (15 + 2)
    assert latency(x, other_y) == (34, 34)  # 22 + 12
    assert latency(other_x, other_y) == (46, 46)  # 34 + 12


def test_link_latencies_are_parameters(small: Dragonfly, flows: Flows) -> None:
    x, y = _global_link_ends(small)
    config = replace(SPARSE, local_latency=3, global_latency=40)
    other_x = (x + 1) % 4
    # 5 + (3 + 2) + (40 + 2)
    assert _latency_alone(small, flows, other_x, y, config) == (52, 52)


# With one internal step per cycle stage 2 follows stage 1 in the next cycle and a flit granted in
# t departs in t: in the switch at t+2, granted and gone at t+3, at the node at t+5 as before.
def test_zero_load_latency_without_speedup(small: Dragonfly, flows: Flows) -> None:
    x, y = _global_link_ends(small)
    assert _latency_alone(small, flows, x, y, replace(SPARSE, speedup=1)) == (22, 22)


# MIN on shift(2,0): the 32 nodes of a group share 4 global links, all flits in VC 0. A VC slot's
# round trip over L = 15 is 2L + 4 or 2L + 5 cycles, so 32 slots sustain 32/35..32/34 flits/cycle:
# 0.1143..0.1176 per node. 16 slots sustain half. (A window of 2,000 cycles adds the flits that
# were on their way when it began: up to 0.5%.)
@pytest.mark.parametrize(("buffer", "low", "high"), [(32, 0.1143, 0.1182), (16, 0.0571, 0.0592)])
def test_credit_round_trip_caps_min(
    medium: Dragonfly, run: Run, buffer: int, low: float, high: float
) -> None:
    config = SimulationConfig(warmup_cycles=3000, measured_cycles=2000, buffer_flits=buffer)
    result = run(medium, "min", "none", "shift(2,0)", 0.14, config=config)
    assert low <= result.accepted <= high
    assert result.saturated


# Both nodes of a switch send over one link, 2 flits/cycle offered. All flits use VC 0, so either
# the link carries a flit in every cycle or its buffer limits it: 25 cycles of round trip at L = 10
# are below 32 slots, 35 at L = 15 are not (32/35..32/34), nor is 25 with 16 (16/25..16/24).
@pytest.mark.parametrize(
    ("kind", "buffer", "low", "high"),
    [
        ("local", 32, 1.0, 1.0),
        ("global", 64, 1.0, 1.0),
        ("global", 32, 32 / 35, 32 / 34),
        ("local", 16, 16 / 25, 16 / 24),
    ],
)
def test_a_single_link_saturates(
    small: Dragonfly, flows: Flows, kind: str, buffer: int, low: float, high: float
) -> None:
    x, y = _global_link_ends(small)
    target = y if kind == "global" else (x + 1) % 4
    result = simulate(
        small,
        routing="min",
        path_set=parse_expression("none", small),
        pattern=flows((2 * x, 2 * target), (2 * x + 1, 2 * target + 1)),
        load=1.0,
        config=SimulationConfig(warmup_cycles=1000, measured_cycles=7000, buffer_flits=buffer),
    )
    # A window need not be a whole number of round trips.
    assert low - 1e-12 <= result.link_load.max() <= high + 32 / 7000 * (high < 1.0)
    assert result.accepted * small.num_nodes == pytest.approx(result.link_load.max(), abs=0.01)
    warned = any(kind in text for text in round_trip_warnings(small, result.config))
    assert warned == (high < 1.0)


# Only the 4 of 8 switches that own a link between groups A and A+2 feed it; a link's flow is the
# load of 8 nodes.
def test_link_load_is_the_flow_over_each_link(medium: Dragonfly, run: Run) -> None:
    config = SimulationConfig(warmup_cycles=2000, measured_cycles=4000)
    result = run(medium, "min", "none", "shift(2,0)", 0.05, config=config)
    global_links = medium.network.link_kind == LinkKind.GLOBAL
    used = result.link_load[global_links]
    used = used[used > 0]
    assert len(used) == 9 * 4
    assert used.mean() == pytest.approx(8 * 0.05, rel=0.02)
    assert np.all(np.abs(used - 0.4) < 0.06)


def test_uniform_traffic_is_delivered_at_high_load(small: Dragonfly, run: Run) -> None:
    result = run(small, "min", "none", "uniform", 0.5)
    assert not result.saturated
    assert result.undelivered == 0
    # Within seed noise of 38.5, the independent simulator's figure.
    assert result.latency_mean == pytest.approx(38.5, rel=0.015)
