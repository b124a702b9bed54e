"""Step 1 on small networks: patterns, means, bounds, workers."""

import numpy as np
import pytest

from sim_bridge import StopFlag
from tvlb.errors import Cancelled, InvalidInput
from tvlb.model import throughput
from tvlb.paths import parse_expression
from tvlb.processes import Progress
from tvlb.search import choose_patterns, probe
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

TOPOLOGY = Dragonfly(2, 4, 2, 5)


def test_auto_and_all_are_both_pattern_sets() -> None:
    # TYPE_1_SET has (g-1)*a = 16 patterns, TYPE_2_SET 20.
    everything = choose_patterns(TOPOLOGY, "all", 0).first(36)
    assert len({str(pattern) for pattern in everything}) == 36
    assert choose_patterns(TOPOLOGY, "auto", 7).first(36) == everything


def test_first_patterns_of_the_seeded_order_are_nested() -> None:
    chosen = {
        n: {str(pattern) for pattern in choose_patterns(TOPOLOGY, str(n), 3).first(n)}
        for n in (1, 5, 36)
    }
    assert [len(chosen[n]) for n in (1, 5, 36)] == [1, 5, 36]
    assert chosen[1] < chosen[5] < chosen[36]
    other = {str(pattern) for pattern in choose_patterns(TOPOLOGY, "5", 4).first(5)}
    assert other != chosen[5]


@pytest.mark.parametrize("choice", ["0", "37", "-1", "many", "1.5", ""])
def test_bad_pattern_choices(choice: str) -> None:
    with pytest.raises(InvalidInput, match="patterns"):
        choose_patterns(TOPOLOGY, choice, 0)


@pytest.mark.usefixtures("in_process")
def test_bounds_hold_the_exact_models_and_respect_the_capacity_bound() -> None:
    found = probe(TOPOLOGY, patterns="2", seed=1)
    assert len(found.points) == 31
    assert [point.expression for point in found.points][:2] == ["<=3", "<=3+10%"]
    patterns = [parse_pattern(text) for text in found.sample.patterns]
    for point in (*found.points[::6], *found.strategic):
        path_set = parse_expression(point.expression, TOPOLOGY, seed=1)
        thetas = [throughput(TOPOLOGY, path_set, pattern, seed=1).theta for pattern in patterns]
        assert point.theta_low - 1e-6 <= np.mean(thetas) <= point.theta_up + 1e-6
        assert point.theta_mean == point.theta_low
        assert point.theta_sem == pytest.approx(np.std(thetas, ddof=1) / np.sqrt(2), abs=1e-3)
        # (a*h + k) / (2*p*a) = (8 + 2) / 16.
        assert point.theta_low <= point.theta_up <= 0.625 + 1e-6


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("gap", [1e-2, 1e-4])
def test_the_gap_is_kept_and_whole_sets_never_get_worse(gap: float) -> None:
    found = probe(TOPOLOGY, patterns="2", gap=gap)
    for point in (*found.points, *found.strategic):
        assert point.theta_up - point.theta_low <= gap * point.theta_up
    whole = [p for p in found.points if p.expression in ("<=3", "<=4", "<=5", "all")]
    for shorter in whole:
        longer = found.points[found.points.index(shorter) :]
        assert all(point.theta_low >= shorter.theta_low for point in longer)


def test_a_bad_gap_is_refused() -> None:
    with pytest.raises(InvalidInput, match="gap"):
        probe(TOPOLOGY, gap=0.0)


@pytest.mark.usefixtures("in_process")
def test_cut_is_below_the_best_by_the_tolerance() -> None:
    found = probe(TOPOLOGY, patterns="1", tolerance=0.08)
    best = max(point.theta_mean for point in found.points)
    assert found.cut == pytest.approx(0.92 * best)
    for point in (*found.points, *found.strategic):
        assert point.distance_to_cut == pytest.approx(point.theta_up - found.cut)


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_the_gap_costs_no_exact_candidate_its_place() -> None:
    # What reaches the exact cut reaches it with any gap.
    exact, coarse = (probe(TOPOLOGY, patterns="2", gap=gap) for gap in (1e-5, 1e-2))
    for fine, rough in zip(exact.points, coarse.points, strict=True):
        assert rough.within_tolerance or not fine.within_tolerance


@pytest.mark.slow
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
