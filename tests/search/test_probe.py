"""Step 1 on small networks: patterns, means, bounds, workers."""

import numpy as np
import pytest

from tvlb.errors import Cancelled, InvalidInput
from tvlb.model import throughput
from tvlb.paths import parse_expression
from tvlb.search import Progress, StopFlag, choose_patterns, probe
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

TOPOLOGY = Dragonfly(2, 4, 2, 5)


def test_auto_and_all_are_both_pattern_sets() -> None:
    # TYPE_1_SET has (g-1)*a = 16 patterns, TYPE_2_SET 20.
    everything = [str(pattern) for pattern in choose_patterns(TOPOLOGY, "all", 0)]
    assert len(everything) == 36
    assert [str(pattern) for pattern in choose_patterns(TOPOLOGY, "auto", 7)] == everything


def test_first_patterns_of_the_seeded_order_are_nested() -> None:
    chosen = {
        n: {str(pattern) for pattern in choose_patterns(TOPOLOGY, str(n), 3)} for n in (1, 5, 36)
    }
    assert [len(chosen[n]) for n in (1, 5, 36)] == [1, 5, 36]
    assert chosen[1] < chosen[5] < chosen[36]
    other = {str(pattern) for pattern in choose_patterns(TOPOLOGY, "5", 4)}
    assert other != chosen[5]


@pytest.mark.parametrize("choice", ["0", "37", "-1", "many", "1.5", ""])
def test_bad_pattern_choices(choice: str) -> None:
    with pytest.raises(InvalidInput, match="patterns"):
        choose_patterns(TOPOLOGY, choice, 0)


def test_points_equal_single_models_and_respect_the_bound() -> None:
    found = probe(TOPOLOGY, patterns="2", seed=1)
    assert len(found.points) == 31
    assert [point.expression for point in found.points][:2] == ["<=3", "<=3+10%"]
    patterns = [parse_pattern(text) for text in found.patterns]
    for point in (*found.points[::6], *found.strategic):
        path_set = parse_expression(point.expression, TOPOLOGY, seed=1)
        thetas = [throughput(TOPOLOGY, path_set, pattern, seed=1).theta for pattern in patterns]
        # Each bound is within 0.1% of the other, the estimate half way.
        assert point.theta_low - 1e-6 <= np.mean(thetas) <= point.theta_up + 1e-6
        assert point.theta_mean == pytest.approx(np.mean(thetas), rel=6e-4)
        assert point.theta_sem == pytest.approx(np.std(thetas, ddof=1) / np.sqrt(2), abs=6e-4)
        # (a*h + k) / (2*p*a) = (8 + 2) / 16.
        assert point.theta_low <= point.theta_up <= 0.625 + 1e-6
        assert point.theta_up - point.theta_low <= 1e-3 * point.theta_up


def test_cut_is_below_the_best_by_the_tolerance() -> None:
    found = probe(TOPOLOGY, patterns="1", tolerance=0.08)
    best = max(point.theta_mean for point in found.points)
    assert found.cut == pytest.approx(0.92 * best)
    for point in (*found.points, *found.strategic):
        assert point.distance_to_cut == pytest.approx(point.theta_mean - found.cut)


def test_workers_do_not_change_the_figures_and_progress_counts() -> None:
    events: list[Progress] = []
    one = probe(TOPOLOGY, patterns="3", workers=1, report=events.append)
    two = probe(TOPOLOGY, patterns="3", workers=2)
    assert one == two
    assert [event.done for event in events] == [0, 1, 2, 3]
    assert {event.total for event in events} == {3}


def test_a_set_stop_flag_cancels() -> None:
    stop = StopFlag()
    stop.set()
    with pytest.raises(Cancelled):
        probe(TOPOLOGY, patterns="1", stop=stop)


@pytest.mark.parametrize("tolerance", [-0.1, 1.0, float("nan")])
def test_bad_tolerance(tolerance: float) -> None:
    with pytest.raises(InvalidInput, match="tolerance"):
        probe(TOPOLOGY, tolerance=tolerance)


def test_two_groups_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 3"):
        probe(Dragonfly(1, 2, 1, 2))
