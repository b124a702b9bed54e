"""The substitution that makes the monotonicity rows disappear.

The rates of one flow that do not rise with length form a cone whose extreme rays are "uniform
over all VLB paths up to length L". With one variable per such vertex the rows r(l) >= r(l')
hold by themselves: r(l) is the sum of the vertices at l and beyond.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tvlb.model.instance import PathClasses

_CELLS_PER_CHUNK = 4_000_000


def to_vertices(classes: PathClasses, num_links: int) -> PathClasses:
    """Replace each class by "this class and the shorter ones of its flow, uniformly".

    Returns
    -------
    Classes with the same `flow` and `hops` (now the largest length of the vertex), cumulated
    `weight`, and the link shares of the union.
    """
    cumulated = _cumulated(classes, classes.weight)
    pieces = [_union(classes, cumulated, num_links, *span) for span in _spans(classes, num_links)]
    empty = np.zeros(0, dtype=np.int64)
    sizes = np.concatenate([empty, *(sizes for sizes, _, _ in pieces)])
    return replace(
        classes,
        weight=cumulated,
        offset=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        link=np.concatenate([empty.astype(np.int32), *(link for _, link, _ in pieces)]),
        share=np.concatenate([np.zeros(0), *(share for _, _, share in pieces)]),
    )


def to_class_flow(classes: PathClasses, shipped: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the flow on each class, float64 (classes,), from the flow on each vertex."""
    per_weight = shipped / _cumulated(classes, classes.weight)
    for rank in range(_longest_flow(classes) - 1, 0, -1):
        longer = np.flatnonzero(_rank(classes) == rank)
        per_weight[longer - 1] += per_weight[longer]
    return per_weight * classes.weight


def to_vertex_flow(classes: PathClasses, shipped: NDArray[np.float64]) -> NDArray[np.float64]:
    """Invert `to_class_flow`; negative where the rates rise with length."""
    rate = shipped / classes.weight
    drop = rate.copy()
    longer = np.flatnonzero(classes.has_shorter)
    drop[longer - 1] -= rate[longer]
    return drop * _cumulated(classes, classes.weight)


def _rank(classes: PathClasses) -> NDArray[np.int64]:
    """Position of each class within its flow, int64 (classes,)."""
    position = np.arange(len(classes))
    start = np.maximum.accumulate(np.where(classes.has_shorter, 0, position))
    return position - start


def _longest_flow(classes: PathClasses) -> int:
    return int(_rank(classes).max(initial=-1)) + 1


def _cumulated(classes: PathClasses, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over each class and the shorter ones of its flow, along the first axis."""
    total, rank = values.copy(), _rank(classes)
    for position in range(1, int(rank.max(initial=0)) + 1):
        longer = np.flatnonzero(rank == position)
        total[longer] += total[longer - 1]
    return total


def _spans(classes: PathClasses, num_links: int) -> Iterator[tuple[int, int]]:
    """Cut the classes into runs of whole flows that are small enough to spread out densely."""
    if len(classes) == 0:
        return
    limit = max(1, _CELLS_PER_CHUNK // num_links)
    starts = np.flatnonzero(~classes.has_shorter)
    ends = np.append(starts[1:], len(classes))
    begin = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - begin > limit and start > begin:
            yield begin, start
            begin = start
    yield begin, len(classes)


def _union(
    classes: PathClasses, cumulated: NDArray[np.float64], num_links: int, begin: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Entries per vertex, links and shares of the vertices ``begin:end``."""
    part = _part(classes, begin, end)
    dense = np.zeros((end - begin, num_links))
    owner = part.class_of_entry
    dense[owner, part.link] = part.share * part.weight[owner]
    dense = _cumulated(part, dense)
    row, link = np.nonzero(dense)
    share = np.minimum(dense[row, link] / cumulated[begin:end][row], 1.0)
    return np.bincount(row, minlength=end - begin), link.astype(np.int32), share


def _part(classes: PathClasses, begin: int, end: int) -> PathClasses:
    first, last = classes.offset[begin], classes.offset[end]
    return PathClasses(
        flow=classes.flow[begin:end],
        hops=classes.hops[begin:end],
        weight=classes.weight[begin:end],
        offset=classes.offset[begin : end + 1] - first,
        link=classes.link[first:last],
        share=classes.share[first:last],
    )
