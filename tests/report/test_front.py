"""The Pareto front, by hand."""

from tvlb.report.front import pareto_front
from tvlb.report.points import Point


def costing(number: int, cost: float | None, benefit: float | None) -> Point:
    return {"point": number, "cost": cost, "benefit": benefit}


def test_the_front_is_what_nothing_beats() -> None:
    made = [
        costing(0, 1.0, 0.2),
        costing(1, 1.0, 0.3),
        costing(2, 2.0, 0.3),  # as good as 1, and dearer
        costing(3, 2.0, 0.5),
        costing(4, 2.0, 0.5),  # equal to 3
        costing(5, 3.0, 0.4),
        costing(6, None, 0.9),
        costing(7, 0.5, None),
    ]
    assert pareto_front(made, "cost", "benefit") == [1, 3, 4]
    assert pareto_front([], "cost", "benefit") == []
