"""The Pareto front, by hand."""

from tvlb.report.front import pareto_front
from tvlb.report.points import Point


def costing(number: int, cost: float | None, benefit: float | None, half: float = 0.0) -> Point:
    ends = (None, None) if benefit is None else (benefit - half, benefit + half)
    names = ("benefit", "benefit_low", "benefit_high")
    return {"point": number, "cost": cost, **dict(zip(names, (benefit, *ends), strict=True))}


def test_the_front_is_what_nothing_beats() -> None:
    made = [
        costing(0, 1.0, 0.2),
        costing(1, 1.0, 0.3),
        costing(2, 2.0, 0.29),  # less than 1, and dearer
        costing(3, 2.0, 0.5),
        costing(4, 2.0, 0.5),  # equal to 3
        costing(5, 3.0, 0.4),
        costing(6, None, 0.9),
        costing(7, 0.5, None),
    ]
    assert pareto_front(made, "cost", "benefit") == [1, 3, 4]
    assert pareto_front([], "cost", "benefit") == []


def test_intervals_that_overlap_beat_nothing() -> None:
    made = [
        costing(0, 1.0, 0.30, 0.02),
        costing(1, 1.0, 0.27, 0.02),  # up to 0.29: 0 may have less
        costing(2, 1.0, 0.25, 0.02),  # up to 0.27, and 0 has 0.28 at least
        costing(3, 2.0, 0.27, 0.02),
        costing(4, 3.0, 0.50, 0.30),  # anything from 0.2 up, so that it beats nobody
        costing(5, 4.0, 0.29, 0.00),
    ]
    assert pareto_front(made, "cost", "benefit") == [0, 1, 3, 4, 5]


def test_without_an_interval_nothing_is_shown() -> None:
    bare = {"point": 0, "cost": 1.0, "benefit": 0.9, "benefit_low": None, "benefit_high": None}
    assert pareto_front([bare, costing(1, 2.0, 0.3)], "cost", "benefit") == [1]
