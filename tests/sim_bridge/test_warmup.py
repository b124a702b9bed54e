"""Warm-up by detection: the truncation rule, and runs that use it."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge import SimulationConfig, SimulationResult
from sim_bridge._core import mser_truncation
from tvlb.topology import Dragonfly

Run = Callable[..., SimulationResult]

DETECT = SimulationConfig(warmup="detect", warmup_cycles=20_000, measured_cycles=2000)


def _by_definition(values: list[float]) -> list[float]:
    """Squared standard error of the mean per number of dropped values; at least 5 are kept."""
    return [
        float(np.var(values[dropped:])) / (len(values) - dropped)
        for dropped in range(len(values) - 4)
    ]


@given(st.lists(st.floats(0.0, 1000.0), min_size=5, max_size=60))
def test_mser_minimises_the_standard_error(values: list[float]) -> None:
    errors = _by_definition(values)
    chosen = mser_truncation(np.array(values))
    assert errors[chosen] <= min(errors) + 1e-9 * (1.0 + max(errors))


def test_mser_drops_a_transient_and_keeps_a_short_series() -> None:
    noise = np.random.default_rng(0).normal(50.0, 1.0, 100)
    transient = np.concatenate([np.linspace(5.0, 48.0, 12), noise])
    assert 10 <= mser_truncation(transient) <= 16
    assert mser_truncation(np.array([1.0, 9.0])) == 0


@pytest.mark.parametrize(("routing", "load"), [("min", 0.05), ("ugal-l", 0.1), ("ugal-l", 0.2)])
def test_a_steady_run_warms_up_sooner_and_measures_the_same(
    small: Dragonfly, run: Run, routing: str, load: float
) -> None:
    found = run(small, routing, "all", "shift(1,0)", load, config=DETECT)
    fixed = run(small, routing, "all", "shift(1,0)", load, config=replace(DETECT, warmup="fixed"))
    assert found.steady
    assert fixed.steady
    assert 2000 <= found.warmup_cycles < fixed.warmup_cycles == 20_000
    # Two independent means: their difference is within twice the sum of the half widths.
    allowed = 2 * (found.latency_ci95 + fixed.latency_ci95)
    assert abs(found.latency_mean - fixed.latency_mean) < allowed
    # Four standard deviations of the number of packets.
    packets = load * small.num_nodes * DETECT.measured_cycles
    assert abs(found.accepted / load - 1) < 4 / math.sqrt(packets)


def test_growing_queues_are_no_steady_state(small: Dragonfly, run: Run) -> None:
    result = run(small, "min", "none", "shift(1,0)", 0.3, config=DETECT)
    assert not result.steady
    assert result.warmup_cycles == 20_000
    assert result.saturated


def test_flits_are_counted_in_a_detected_window(small: Dragonfly, run: Run) -> None:
    result = run(small, "ugal-l", "all", "shift(1,0)", 0.1, config=DETECT)
    # Accepted per switch and over the network are counted in different places.
    assert result.switch_accepted.mean() == pytest.approx(result.accepted, abs=1e-12)
    assert result.undelivered == 0
    assert result.generated == pytest.approx(0.1, rel=0.03)
