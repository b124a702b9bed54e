"""What the simulations of one stage of Step 2 found."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.search.work import Work

__all__ = ["Figures", "Runs"]


@dataclass(frozen=True, eq=False)
class Figures:
    """Figures of every entrant on every pattern, and what it took to find them.

    Attributes
    ----------
    values : by name, float64 (entrants, patterns) or (entrants, patterns, loads), all alike.
    work : of the simulations.
    """

    values: Mapping[str, NDArray[np.float64]]
    work: Work


@dataclass(frozen=True, eq=False)
class Runs:
    """Figures of one simulation each, arrays (entrants, patterns, loads).

    Attributes
    ----------
    latency : float64, mean latency, cycles.
    accepted : float64, packets/cycle/node.
    saturated : bool.
    """

    latency: NDArray[np.float64]
    accepted: NDArray[np.float64]
    saturated: NDArray[np.bool_]
