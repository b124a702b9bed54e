"""Which points no other beats in cost and throughput together."""

from collections.abc import Iterable

from tvlb.report.points import Point

__all__ = ["pareto_front"]


def pareto_front(points: Iterable[Point], cost: str, benefit: str) -> list[int]:
    """Return the numbers of the points on the Pareto front, cheapest first.

    Parameters
    ----------
    cost, benefit : columns; points without one of the figures are left out.

    Notes
    -----
    A point is beaten by one that is no dearer and gives more, or is cheaper and gives no less.
    Equal points do not beat each other. Takes O(n log n) for n points.
    """
    known = [one for one in points if one[cost] is not None and one[benefit] is not None]
    known.sort(key=lambda one: (one[cost], -one[benefit], one["point"]))
    front: list[Point] = []
    for one in known:
        last = front[-1] if front else None
        if last is None or one[benefit] > last[benefit] or _equal(one, last, cost, benefit):
            front.append(one)
    return [one["point"] for one in front]


def _equal(one: Point, other: Point, cost: str, benefit: str) -> bool:
    return one[cost] == other[cost] and one[benefit] == other[benefit]
