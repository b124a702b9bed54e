"""When a random sample of patterns is enough."""

import math

import numpy as np
import pytest
from scipy import stats

from tvlb.search import PatternOrder, Precision, choose_patterns, probe
from tvlb.search.sampling import BATCH, PRECISION, assess
from tvlb.topology import Dragonfly


def _assess(low: np.ndarray, total: int = 1000, tolerance: float = 0.08) -> Precision:
    return assess(low, low + 1e-4, len(low), tolerance, total)


def test_half_width_by_hand() -> None:
    # Differences from the best 0.01, 0.02, 0.03: s = 0.01, t(0.975, 2) = 4.3027, n = 3 of 1000.
    low = np.array([[0.50, 0.51, 0.52], [0.49, 0.49, 0.49]])
    width = 4.3027 * 0.01 / math.sqrt(3) * math.sqrt(1 - 3 / 1000)
    assert _assess(low).half_width == pytest.approx(width / 0.51, rel=1e-4)
    assert _assess(low).possible == 2
    assert not _assess(low).enough


def test_paired_differences_do_not_see_what_all_sets_share() -> None:
    shared = np.random.default_rng(0).normal(0.0, 0.05, 20)
    low = 0.5 + shared + np.array([[0.0], [-0.01]])
    assert _assess(low).half_width == pytest.approx(0.0, abs=1e-12)


def test_sets_surely_below_the_cut_do_not_matter() -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.02, (3, 20))
    low = np.array([[0.50], [0.499], [0.30]]) + noise * np.array([[0.0], [0.001], [1.0]])
    found = _assess(low)
    assert found.possible == 2
    assert found.enough
    # With a tolerance that lets it in, its spread counts.
    assert not _assess(low, tolerance=0.5).enough


def test_all_patterns_and_one_pattern() -> None:
    noise = np.random.default_rng(2).normal(0.5, 0.05, (3, 10))
    assert _assess(noise, total=10) == Precision(0.0, 3)
    assert math.isnan(_assess(noise[:, :1]).half_width)
    assert not _assess(noise[:, :1]).enough


def test_intervals_hold_what_they_promise() -> None:
    # 95% of samples of 24 out of 96 hold the difference of the whole population: of 400 samples
    # 380 on average with a standard deviation of 4.4; the cut is at five of them.
    random = np.random.default_rng(3)
    whole = np.vstack([0.5 + random.normal(0, 0.01, 96), 0.49 + random.normal(0, 0.02, 96)])
    truth = (whole[0] - whole[1]).mean()
    held = 0
    for _ in range(400):
        sample = whole[:, random.permutation(96)[:24]]
        width = _assess(sample, total=96, tolerance=0.9).half_width * sample[0].mean()
        held += abs((sample[0] - sample[1]).mean() - truth) <= width
    assert held > 380 - 5 * math.sqrt(400 * 0.05 * 0.95)
    assert held < stats.binom.ppf(0.999999, 400, 0.975)


def test_auto_ends_with_the_batch_that_is_enough() -> None:
    topology = Dragonfly(2, 4, 4, 5)
    found = probe(topology, patterns="auto", seed=1, workers=2)
    assert len(found.sample.patterns) == BATCH < found.sample.available == 36
    assert found.sample.precision.half_width <= PRECISION
    assert "possible candidates" in found.sample.stopped
    # The same sample by number is the same curve.
    same = probe(topology, patterns=str(BATCH), seed=1)
    assert same.points == found.points
    assert same.sample.patterns == found.sample.patterns
    assert same.sample.stopped == "as many patterns as were asked for"


def test_auto_uses_everything_where_a_sample_never_suffices() -> None:
    topology = Dragonfly(1, 4, 4, 9)
    order: PatternOrder = choose_patterns(topology, "auto", 0)
    assert order.adaptive
    assert order.most == len(order.everything) == len(set(order.order)) == 52
    found = probe(topology, patterns="auto", seed=1, workers=2)
    assert found.sample.stopped == "all patterns were used"
    assert len(found.sample.patterns) == 52
    assert found.sample.precision.half_width == 0.0
