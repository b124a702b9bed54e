"""Which points no other beats in cost and throughput together."""

from collections.abc import Iterable
from itertools import groupby

from tvlb.report.points import Point


def pareto_front(points: Iterable[Point], cost: str, benefit: str) -> list[int]:
    """Return the numbers of the points that no other is shown to beat, cheapest first.

    Parameters
    ----------
    cost, benefit : columns, the benefit with its interval, ``_low`` and ``_high``; points without
        one of them are left out.

    Notes
    -----
    A point is beaten by one that is no dearer if its interval lies wholly above. Intervals that
    overlap decide nothing, so a dearer point with as much may be there. Takes O(n log n).
    """
    low, high = f"{benefit}_low", f"{benefit}_high"
    known = [one for one in points if None not in (one[cost], one[low], one[high])]
    known.sort(key=lambda one: (one[cost], -one[benefit], one["point"]))
    front: list[int] = []
    best = 0.0
    for _, same in groupby(known, key=lambda one: one[cost]):
        members = list(same)
        best = max(best, *(one[low] for one in members))
        front += [one["point"] for one in members if one[high] >= best]
    return front
