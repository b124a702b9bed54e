"""What lies behind the means: batches, series, shares of the switches."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge import (
    MAX_CYCLES,
    SimulationConfig,
    SimulationResult,
    VctConfig,
    half_width,
    jain_index,
)
from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly

Run = Callable[..., SimulationResult]

LOADS = [("min", "uniform", 0.3), ("ugal-l", "shift(1,0)", 0.2), ("vlb", "shift(1,0)", 0.9)]


@pytest.mark.parametrize(("routing", "pattern", "load"), LOADS)
def test_shares_and_series_add_up(
    small: Dragonfly, run: Run, routing: str, pattern: str, load: float
) -> None:
    result = run(small, routing, "all", pattern, load)
    # Equal numbers of nodes per switch, so the mean of the shares is the accepted load.
    assert result.switch_accepted.mean() == pytest.approx(result.accepted, abs=1e-12)
    # What is sent and delivered in a window differs by what was on its way at its ends.
    assert result.switch_injected.mean() == pytest.approx(result.accepted, rel=0.1)
    assert 0.0 < jain_index(result.switch_accepted) <= 1.0 + 1e-12
    series = result.series
    assert series.cycle.tolist() == [1000 * i for i in range(len(series.cycle))]
    counted = result.cycles // 100 * 100
    lengths = np.minimum(counted - series.cycle, 1000)
    assert lengths.sum() == counted
    delivered = float((series.accepted * lengths).sum()) * small.num_nodes
    # No more than the last cycles can deliver is missing.
    most = (result.cycles - counted + 1) * small.num_nodes
    assert 0 <= result.flits - round(delivered, 6) <= most


# The end of a run at an odd cycle, or of one whose last packets are long delivered.
@pytest.mark.parametrize("measured", [200, 250, 1000, 1049])
def test_the_last_interval_is_like_the_others(small: Dragonfly, run: Run, measured: int) -> None:
    windows = SimulationConfig(warmup_cycles=2000, measured_cycles=measured, drain_limit_cycles=0)
    series = run(small, "min", "none", "uniform", 0.5, config=windows).series
    assert len(series.cycle) == -(-(2000 + measured // 100 * 100) // 1000)
    assert series.accepted[1:] == pytest.approx(0.5, rel=0.05)


def test_a_run_without_packets_has_a_series_of_zeros(small: Dragonfly, run: Run) -> None:
    series = run(small, "min", "none", "uniform", 0.0).series
    assert series.cycle.tolist() == [0, 1000, 2000]
    assert series.accepted.tolist() == [0.0] * 3
    assert np.isnan(series.latency_mean).all()


def test_intervals_change_nothing_but_the_series(small: Dragonfly, run: Run) -> None:
    detecting = SimulationConfig(warmup="detect", warmup_cycles=5000, measured_cycles=2010)
    usual = run(small, "min", "none", "uniform", 0.3, config=detecting)
    for interval in (50, 100, 200, 250):
        config = replace(detecting, interval=interval)
        other = run(small, "min", "none", "uniform", 0.3, config=config)
        for name in ("latency_mean", "accepted", "warmup_cycles", "cycles", "latency_ci95"):
            assert getattr(other, name) == getattr(usual, name)
        per_usual = 1000 // interval
        whole = other.cycles // 1000
        assert other.series.cycle.tolist() == [
            interval * place for place in range(len(other.series.cycle))
        ]
        fine = other.series.accepted[: whole * per_usual].reshape(whole, per_usual)
        assert fine.mean(axis=1) == pytest.approx(usual.series.accepted[:whole])
        packets = fine * other.series.latency_mean[: whole * per_usual].reshape(fine.shape)
        latency = packets.sum(axis=1) / fine.sum(axis=1)
        assert latency == pytest.approx(usual.series.latency_mean[:whole])


def test_a_series_is_no_longer_than_the_memory_takes() -> None:
    for make in (SimulationConfig, VctConfig):
        with pytest.raises(InvalidInput, match=r"interval 3: a run of up to .* take \d+ or more"):
            make(warmup_cycles=0, measured_cycles=3_000_001, interval=3)
        assert make(warmup_cycles=0, measured_cycles=3_000_001, interval=4).interval == 4
    # The longest runs there are may have the usual intervals.
    SimulationConfig(MAX_CYCLES, MAX_CYCLES, drain_limit_cycles=MAX_CYCLES)


def test_series_shows_the_warm_up(small: Dragonfly, run: Run) -> None:
    # The first 1,000 cycles miss what was on its way at their end: at most latency / 1,000 of it.
    result = run(small, "min", "none", "uniform", 0.4)
    first, second = result.series.accepted[:2]
    assert first < second == pytest.approx(0.4, rel=0.05)
    assert first > 0.4 * (1.0 - 2.0 * result.latency_mean / 1000.0)


def test_quantiles_rise(small: Dragonfly, run: Run) -> None:
    result = run(small, "ugal-l", "all", "shift(1,0)", 0.2)
    quantiles = [
        result.latency_p50, result.latency_p90, result.latency_p99, result.latency_p999
    ]  # fmt: skip
    assert quantiles == sorted(quantiles)
    assert result.latency_p50 < result.latency_p999


def test_intervals_cover_the_mean_of_long_runs(small: Dragonfly, run: Run) -> None:
    # 95% intervals of 40 independent runs miss the long-run mean 2 times on average; 8 or more
    # misses of a right interval have a probability below 0.1%.
    settled = SimulationConfig(warmup_cycles=500, measured_cycles=2000)
    results = [
        run(small, "ugal-l", "all", "shift(1,0)", 0.1, config=settled, seed=seed)
        for seed in range(40)
    ]
    for name in ("latency_mean", "accepted"):
        means = np.array([getattr(result, name) for result in results])
        width = np.array([getattr(result, name.split("_")[0] + "_ci95") for result in results])
        truth = 0.1 if name == "accepted" else means.mean()
        assert int((np.abs(means - truth) > width).sum()) < 8
        # And they are not wide for nothing: like the spread of the runs.
        assert width.mean() < 4.0 * means.std(ddof=1)


def test_a_window_shorter_than_the_batches_has_no_interval(small: Dragonfly, run: Run) -> None:
    tiny = SimulationConfig(warmup_cycles=100, measured_cycles=15)
    result = run(small, "min", "none", "uniform", 0.5, config=tiny)
    assert math.isnan(result.latency_ci95)
    assert math.isnan(result.accepted_ci95)


# Batches of 1 and 2 cycles, or of 49 and 50: a rate per batch must not depend on its length.
@pytest.mark.parametrize("measured", [30, 990, 1000])
def test_batches_of_unequal_length(small: Dragonfly, run: Run, measured: int) -> None:
    windows = SimulationConfig(warmup_cycles=500, measured_cycles=measured)
    result = run(small, "min", "none", "uniform", 0.5, config=windows)
    # 72 nodes deliver independently, a packet with probability 1/2 each: the mean of 20 batches
    # of n/20 cycles has the standard deviation sqrt(0.25 / (72 n)), times t(0.975, 19) = 2.093.
    expected = 2.093 * math.sqrt(0.25 / (72 * measured))
    assert 0.4 * expected < result.accepted_ci95 < 2.0 * expected


def test_half_width_by_hand() -> None:
    # Means 1 and 3: s = sqrt(2), t(0.975, 1) = 12.7062, half width t * s / sqrt(2) = 12.7062.
    assert half_width(np.array([1.0, 3.0])) == pytest.approx(12.7062, abs=1e-4)
    assert math.isnan(half_width(np.array([1.0])))
    assert math.isnan(half_width(np.array([1.0, math.nan])))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0.01, 10.0), min_size=1, max_size=20))
def test_jain_index_is_between_one_share_and_all_equal(values: list[float]) -> None:
    index = jain_index(np.array(values))
    assert 1.0 / len(values) - 1e-9 <= index <= 1.0 + 1e-9


def test_jain_index_by_hand() -> None:
    assert jain_index(np.array([1.0, 0.0, 0.0, 0.0])) == pytest.approx(0.25)
    assert jain_index(np.full(4, 0.3)) == pytest.approx(1.0)
    assert math.isnan(jain_index(np.zeros(3)))
