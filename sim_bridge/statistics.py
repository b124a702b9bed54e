"""What lies behind the means of a run: confidence, course over time, fairness.

Reference: batch means as in Law, Simulation Modeling and Analysis, section 9.5.3; fairness index of
Jain, Chiu, Hawe, 1984.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tvlb.languages.figures import COUNT, CYCLES, REAL, Quantity, Values, figure
from tvlb.statistics import t_quantile


@dataclass(frozen=True, eq=False)
class Series:
    """The course of a run in intervals of cycles, warm-up and drain included.

    The last one may be shorter, and the run's last cycles beyond a multiple of 100 are left out; of
    intervals that are no such multiple, an unfinished one. Arrays of (intervals,); means are NaN
    without packets, and there are none of levels where there are no levels.
    """

    cycle: NDArray[np.int64] = figure("First cycle of each interval", Values(COUNT))
    accepted: NDArray[np.float64] = figure(
        "Delivered in it", Values(Quantity(unit="packets/cycle/node"))
    )
    latency_mean: NDArray[np.float64] = figure(
        "Mean latency of the packets delivered in it", Values(CYCLES), null="without any"
    )
    level_mean: NDArray[np.float64] | None = figure(
        "Of routings by level: mean level, from 1, of the packets delivered in it by VLB paths",
        Values(REAL),
        null="without any",
        is_later=True,
        default=None,
    )


def make_series(
    told: Mapping[str, Any], interval: int, nodes: int, *, has_levels: bool = False
) -> Series:
    """Return the course from what the core tells: sums per `series_step` cycles.

    The core counts a delivery when it is certain, some cycles ahead, so only steps that are over
    are complete. After the last delivery it has none.
    """
    step: int = told["series_step"]
    complete, per_interval = told["cycles"] // step, interval // step

    def summed(name: str) -> NDArray[np.int64]:
        return _coarsen(told[f"series_{name}"], complete, per_interval)

    counts = summed("packets")
    start = np.arange(len(counts), dtype=np.int64) * interval
    length = np.minimum(complete * step - start, interval)
    level_mean = 1 + ratio(summed("level"), summed("detours")) if has_levels else None
    return Series(start, counts / (length * nodes), ratio(summed("latency"), counts), level_mean)


def _coarsen(sums: list[int], complete: int, per_interval: int) -> NDArray[np.int64]:
    values = np.zeros(math.ceil(complete / per_interval) * per_interval, dtype=np.int64)
    known = min(len(sums), complete)
    values[:known] = sums[:known]
    return values.reshape(-1, per_interval).sum(axis=1)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> NDArray[np.float64]:
    """Divide element by element, float64; NaN where the denominator is 0."""
    below = np.array(denominator, dtype=np.float64)
    result = np.full(len(below), math.nan)
    np.divide(np.array(numerator, dtype=np.float64), below, out=result, where=below > 0)
    return result


def half_width(batches: NDArray[np.float64]) -> float:
    """Return half the 95% confidence interval of the mean from batch means.

    Notes
    -----
    Student's t on the batch means, all of them: `tvlb.statistics.estimate` leaves out those that
    NaN. Batches must be long against the correlation time; just below saturation they are not, and
    the interval is too narrow. NaN if a batch is empty.
    """
    count = len(batches)
    if count < 2 or np.isnan(batches).any():
        return math.nan
    return float(t_quantile(count - 1)) * float(batches.std(ddof=1)) / math.sqrt(count)


def jain_index(values: NDArray[np.float64]) -> float:
    """Return (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has all; NaN if none has."""
    squares = float((values * values).sum())
    return float(values.sum()) ** 2 / (len(values) * squares) if squares > 0 else math.nan
