"""From the probe curve to candidates: tolerance, spread, strategic choices."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.here import Memory, units_here
from tvlb.paths import PathSet, data_points, parse_expression
from tvlb.processes import Units
from tvlb.search import MAX_DATA_POINTS, ProbePoint, ProbeResult, Sample, choose_candidates
from tvlb.search.candidates import content_key
from tvlb.topology import Dragonfly

# On this network all 31 data points are different sets.
TOPOLOGY = Dragonfly(2, 4, 2, 9)
NAMES = [str(point) for point in data_points(TOPOLOGY)]


# What tells equal sets is computed once for all tests.
UNITS = units_here(Memory())


def _candidates(
    curve: ProbeResult,
    *,
    topology: Dragonfly = TOPOLOGY,
    data_points: int = MAX_DATA_POINTS,
    units: Units = UNITS,
) -> tuple[list[str], dict[str, str]]:
    return choose_candidates(topology, curve, 0, data_points, units)


def _choose(curve: ProbeResult) -> list[str]:
    return _candidates(curve)[0]


def _point(name: str, theta: float, cut: float) -> ProbePoint:
    return ProbePoint(name, theta, math.nan, theta, theta, 1, 4.0, theta - cut)


def _curve(thetas: list[float], tolerance: float, strategic: dict[str, float]) -> ProbeResult:
    cut = (1 - tolerance) * max(thetas)
    return ProbeResult(
        points=tuple(_point(n, t, cut) for n, t in zip(NAMES, thetas, strict=True)),
        strategic=tuple(_point(n, t, cut) for n, t in strategic.items()),
        best=NAMES[thetas.index(max(thetas))],
        cut=cut,
        sample=Sample(("shift(1,0)",), 1, 0.0, "all patterns were used"),
    )


def test_flat_curve_gives_eight_points_from_the_shortest_to_the_longest() -> None:
    # 30 points but `all` are level; 8 spread over positions 0..29 start at <=3 and end at <=5+90%.
    found = _choose(_curve([0.5] * 31, 0.08, {}))
    assert len(found) == 8
    assert (found[0], found[-1]) == ("<=3", "<=5+90%")
    assert "all" not in found


def test_tolerance_is_inclusive() -> None:
    # 0.46 = 0.92 * 0.5 lies exactly on the cut of 8%, 0.459 just below.
    thetas = [0.459] * 29 + [0.46, 0.5]
    assert _choose(_curve(thetas, 0.08, {})) == ["<=5+90%"]


def test_strategic_choices_need_their_own_mean_within_the_tolerance() -> None:
    thetas = [0.1] * 30 + [0.5]
    strategic = {"short(2,3)": 0.47, "short(<=4)": 0.3}
    assert _choose(_curve(thetas, 0.08, strategic)) == ["short(2,3)"]


def test_nothing_but_all_gives_no_candidate() -> None:
    assert _choose(_curve([0.1] * 30 + [0.5], 0.08, {})) == []


def test_equal_sets_are_merged_before_the_spread() -> None:
    # dfly(1,2,2,3) has 8 inter-group detours per pair: 10% more of few paths is often none.
    topology = Dragonfly(1, 2, 2, 3)
    found, merged = _candidates(_curve([0.5] * 31, 0.08, {}), topology=topology)
    rows = [content_key(parse_expression(name, topology).all_rows()) for name in found]
    assert len(set(rows)) == len(found)
    assert set(found).isdisjoint(merged)
    for name, kept in merged.items():
        same = [parse_expression(one, topology).all_rows() for one in (name, kept)]
        assert content_key(same[0]) == content_key(same[1])


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.floats(0.01, 1.0), min_size=31, max_size=31),
    st.floats(0.0, 0.5),
)
def test_at_most_eight_all_eligible_and_shortest_in(thetas: list[float], tolerance: float) -> None:
    curve = _curve(thetas, tolerance, {})
    found = _choose(curve)
    eligible = [p.expression for p in curve.points if p.within_tolerance and p.expression != "all"]
    assert len(found) <= 8
    assert set(found) <= set(eligible)
    if eligible:
        assert found[0] == eligible[0]
    if len(eligible) <= 8:
        assert found == eligible


@pytest.mark.parametrize("count", [9, 17, 30])
def test_spread_has_no_duplicates(count: int) -> None:
    found = _choose(_curve([0.5] * count + [0.1] * (31 - count), 0.08, {}))
    assert len(set(found)) == len(found) == 8


def test_where_paths_are_too_many_a_sample_tells_equal_sets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # With one link per group pair, short(<=4) means the same paths as <=4, and all as <=6.
    strategic = {"short(<=4)": 0.5, "short(2,3)": 0.5}
    curve = _curve([0.5] * 31, 0.08, strategic)
    listed = _candidates(curve)
    monkeypatch.setattr("tvlb.search.candidates.is_listable", _never)
    assert _candidates(curve, units=units_here()) == listed
    assert listed[1]["short(<=4)"] == "<=4"


def test_fewer_data_points_keep_the_ends() -> None:
    found = _candidates(_curve([0.5] * 31, 0.08, {}), data_points=3)[0]
    assert (len(found), found[0], found[-1]) == (3, "<=3", "<=5+90%")


def _never(_: PathSet) -> bool:
    return False
