"""What a solver says about a linear program, in words that do not depend on the solver."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels


class Outcome(StrEnum):
    """How a solver ended."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    LIMIT = "limit"
    ERROR = "error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver returned, not yet checked.

    Attributes
    ----------
    outcome, reported : how the solver ended, and in its own words.
    theta : the claimed optimum.
    minimal, detour : float64 (classes,), flits/cycle shipped on each class of the instance.
    price : float64 (links,), capacity prices; zero where the solver gave none.
    rows, columns, nonzeros : size of the model that was solved.
    state : where an iterative solver ended, None for others.
    """

    outcome: Outcome
    reported: str
    theta: float
    minimal: NDArray[np.float64]
    detour: NDArray[np.float64]
    price: NDArray[np.float64]
    rows: int
    columns: int
    nonzeros: int
    state: kernels.RegretState | None = None
