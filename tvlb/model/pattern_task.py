"""Many path sets under one pattern: what a worker process of Step 1 does."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.model.solvers.regret import RegretSolver
from tvlb.model.throughput import PatternModel
from tvlb.paths import LengthSet, parse_expression
from tvlb.topology import Topology
from tvlb.traffic import Pattern


@dataclass(frozen=True)
class PatternTask:
    """Some path sets under one pattern: the unit of work of a process.

    Attributes
    ----------
    topology, pattern, seed : the network and its traffic.
    expressions : the path sets, shorter ones first.
    solver : bounds every LP.
    """

    topology: Topology
    pattern: Pattern
    expressions: tuple[str, ...]
    seed: int
    solver: RegretSolver


def solve_pattern(task: PatternTask) -> NDArray[np.float64]:
    """Return the lower and the upper bound on theta per path set, float64 (sets, 2).

    Notes
    -----
    Traffic routed with all paths of up to L hops can be routed the same way when longer paths are
    added, since those may stay unused. So the lower bound of such a set holds for every set that
    adds longer paths; once it meets the capacity bound, no further LP is solved for them.
    """
    model = PatternModel(task.topology, task.pattern, solver=task.solver, seed=task.seed)
    bound = model.bound.value
    proven: dict[int, float] = {}
    solved: list[tuple[float, float]] = []
    for expression in task.expressions:
        path_set = parse_expression(expression, task.topology, task.seed)
        length = path_set.max_hops if isinstance(path_set, LengthSet) else 0
        low = max((theta for shorter, theta in proven.items() if shorter <= length), default=0.0)
        up = bound
        if low < bound * (1.0 - task.solver.gap):
            found = model.solve(path_set)
            low, up = max(low, found.theta_low), found.theta_up
        if isinstance(path_set, LengthSet) and not path_set.has_extra:
            proven[length] = low
        solved.append((low, up))
    return np.array(solved)
