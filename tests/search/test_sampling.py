"""When a random sample of patterns is enough."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from tvlb.search import Assessment, choose_patterns, probe
from tvlb.search.sampling import BATCH, PRECISION, assess
from tvlb.topology import Dragonfly


def _assess(low: NDArray[np.float64], total: int = 1000) -> Assessment:
    return assess(low, low, len(low), 0.08, total)


def _around(mean: float, spread: float, patterns: int = 20, seed: int = 0) -> NDArray[np.float64]:
    """Values with exactly this mean and standard deviation."""
    noise = np.random.default_rng(seed).normal(size=patterns)
    noise -= noise.mean()
    return mean + spread * noise / noise.std(ddof=1)


def test_half_width_by_hand() -> None:
    # Distances to the cut 0.92 * 0.5 of -0.01, 0, 0.01: s = 0.01, t(0.975, 2) = 4.3027, 3 of 1000.
    low = np.array([[0.5, 0.5, 0.5], [0.45, 0.46, 0.47]])
    width = 4.3027 * 0.01 / math.sqrt(3) * math.sqrt(1 - 3 / 1000)
    found = _assess(low)
    assert found.reference == 0
    assert found.half_width == pytest.approx(width / 0.5, rel=1e-4)
    assert found.undecided.tolist() == [False, True]


def test_what_all_sets_share_does_not_matter() -> None:
    # The cut follows the best set up and down: the distance is 0.08 of what is shared.
    shared = _around(0.5, 0.05)
    assert not _assess(np.vstack([shared, 0.9 * shared])).undecided.any()
    assert _assess(np.vstack([shared, _around(0.45, 0.05, seed=1)])).undecided[1]


@pytest.mark.parametrize(("mean", "undecided"), [(0.30, False), (0.46, True), (0.49, False)])
def test_only_sets_near_the_cut_need_more_patterns(mean: float, *, undecided: bool) -> None:
    # The cut is at 0.46, the half-width t(0.975, 19) * 0.02 / sqrt(20) = 0.0094, 1.9% of 0.5.
    low = np.vstack([np.full(20, 0.5), _around(mean, 0.02)])
    assert _assess(low).undecided.tolist() == [False, undecided]


def test_rivals_for_the_best_need_more_patterns_too() -> None:
    rivals = np.vstack([_around(0.5, 0.02), _around(0.499, 0.02, seed=1)])
    assert _assess(rivals).undecided.tolist() == [False, True]
    # A strategic choice does not set the cut, so it may well be better.
    found = assess(rivals, rivals, 1, 0.08, 1000)
    assert found.undecided.tolist() == [False, False]


def test_near_the_cut_a_precise_distance_is_enough() -> None:
    # A standard deviation of 0.002 gives a half-width of 0.00094, 0.19% of the best mean.
    low = np.vstack([np.full(20, 0.5), _around(0.46, 0.002)])
    assert not _assess(low).undecided.any()
    assert PRECISION * 0.9 < _assess(low).half_width < PRECISION


def test_a_set_that_was_left_out_keeps_what_is_known() -> None:
    low = np.vstack([np.full(20, 0.5), _around(0.46, 0.02)])
    low[1, 16:] = np.nan
    shorter = np.vstack([low[0, :16], low[1, :16]])
    assert _assess(low).half_width == pytest.approx(_assess(shorter).half_width)
    assert _assess(low).reference == 0


def test_all_patterns_and_one_pattern() -> None:
    low = np.vstack([_around(0.5, 0.05, 10), _around(0.46, 0.05, 10, seed=1)])
    assert not _assess(low, total=10).undecided.any()
    assert _assess(low, total=10).half_width == 0.0
    assert _assess(low[:, :1]).undecided.all()
    assert math.isnan(_assess(low[:, :1]).half_width)


def test_intervals_hold_what_they_promise() -> None:
    # 95% of samples of 24 out of 96 hold the distance of the whole population: of 400 samples 380
    # on average with a standard deviation of 4.4; five of them are allowed.
    random = np.random.default_rng(3)
    whole = np.vstack([np.full(96, 0.5), 0.46 + random.normal(0, 0.02, 96)])
    truth = abs((whole[1] - 0.46).mean())
    held = 0
    for _ in range(400):
        sample = whole[:, random.permutation(96)[:24]].copy()
        # Moved onto the cut, so that the half-width is reported.
        off = (sample[1] - 0.46).mean()
        sample[1] -= off
        held += abs(off - truth * np.sign((whole[1] - 0.46).mean())) <= (
            _assess(sample, total=96).half_width * 0.5
        )
    assert abs(held - 380) < 5 * 4.4


@pytest.mark.usefixtures("in_process")
def test_auto_ends_with_the_batch_that_is_enough() -> None:
    topology = Dragonfly(2, 4, 4, 5)
    found = probe(topology, patterns="auto", seed=1)
    assert len(found.sample.patterns) == BATCH < found.sample.available == 36
    assert found.sample.half_width <= PRECISION
    assert "side of the cut" in found.sample.stopped
    # The same sample by number is the same curve.
    same = probe(topology, patterns=str(BATCH), seed=1)
    assert same.points == found.points
    assert same.sample.patterns == found.sample.patterns
    assert same.sample.stopped == "as many patterns as were asked for"


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_auto_agrees_with_all_about_the_candidates() -> None:
    topology = Dragonfly(2, 4, 2, 5)
    auto, whole = (probe(topology, patterns=choice) for choice in ("auto", "all"))
    assert len(auto.sample.patterns) < len(whole.sample.patterns) == 36
    assert whole.sample.stopped == "all patterns were used"
    for sampled, exact in zip(auto.points, whole.points, strict=True):
        assert sampled.patterns <= exact.patterns
        # Either the same side of the cut, or too near to it to matter.
        near = abs(exact.distance_to_cut) < 2 * PRECISION * exact.theta_mean
        assert near or sampled.within_tolerance == exact.within_tolerance
        # Estimates from different numbers of patterns, by the difference from the best.
        error = math.hypot(sampled.theta_sem, exact.theta_sem)
        assert abs(sampled.theta_mean - exact.theta_mean) < 5 * error + 1e-3
    assert any(point.patterns < len(auto.sample.patterns) for point in auto.points)


def test_the_order_is_a_permutation() -> None:
    order = choose_patterns(Dragonfly(1, 4, 4, 9), "auto", 0)
    assert order.adaptive
    assert order.most == len(order.everything) == len(set(order.order)) == 52
