"""From the probe curve to candidates: tolerance, spread, strategic choices."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.paths import table1_points
from tvlb.search import ProbePoint, ProbeResult, choose_candidates
from tvlb.topology import Dragonfly

NAMES = [str(point) for point in table1_points(Dragonfly(2, 4, 2, 5))]


def _point(name: str, theta: float, cut: float) -> ProbePoint:
    return ProbePoint(name, theta, math.nan, theta, theta, 1, 4.0, theta - cut)


def _curve(thetas: list[float], tolerance: float, strategic: dict[str, float]) -> ProbeResult:
    cut = (1 - tolerance) * max(thetas)
    return ProbeResult(
        points=tuple(_point(n, t, cut) for n, t in zip(NAMES, thetas, strict=True)),
        strategic=tuple(_point(n, t, cut) for n, t in strategic.items()),
        best=NAMES[thetas.index(max(thetas))],
        cut=cut,
        patterns=("shift(1,0)",),
    )


def test_flat_curve_gives_eight_points_from_the_shortest_to_the_longest() -> None:
    # 30 points but `all` are level; 8 spread over positions 0..29 start at <=3 and end at <=5+90%.
    found = choose_candidates(_curve([0.5] * 31, 0.08, {}))
    assert len(found) == 8
    assert (found[0], found[-1]) == ("<=3", "<=5+90%")
    assert "all" not in found


def test_tolerance_is_inclusive() -> None:
    # 0.46 = 0.92 * 0.5 lies exactly on the cut of 8%, 0.459 just below.
    thetas = [0.459] * 29 + [0.46, 0.5]
    assert choose_candidates(_curve(thetas, 0.08, {})) == ["<=5+90%"]


def test_strategic_choices_need_their_own_mean_within_the_tolerance() -> None:
    thetas = [0.1] * 30 + [0.5]
    strategic = {"short(2,3)": 0.47, "short(<=4)": 0.3}
    assert choose_candidates(_curve(thetas, 0.08, strategic)) == ["short(2,3)"]


def test_nothing_but_all_gives_no_candidate() -> None:
    assert choose_candidates(_curve([0.1] * 30 + [0.5], 0.08, {})) == []


@given(
    st.lists(st.floats(0.01, 1.0), min_size=31, max_size=31),
    st.floats(0.0, 0.5),
)
def test_at_most_eight_all_eligible_and_shortest_in(thetas: list[float], tolerance: float) -> None:
    curve = _curve(thetas, tolerance, {})
    found = choose_candidates(curve)
    eligible = [p.expression for p in curve.points if p.within_tolerance and p.expression != "all"]
    assert len(found) <= 8
    assert set(found) <= set(eligible)
    if eligible:
        assert found[0] == eligible[0]
    if len(eligible) <= 8:
        assert found == eligible


@pytest.mark.parametrize("count", [9, 17, 30])
def test_spread_has_no_duplicates(count: int) -> None:
    found = choose_candidates(_curve([0.5] * count + [0.1] * (31 - count), 0.08, {}))
    assert len(set(found)) == len(found) == 8
