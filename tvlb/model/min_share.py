"""How much of the traffic takes MIN paths where the throughput model is at its best."""

from tvlb.model.throughput import PatternModel
from tvlb.paths import PathSet
from tvlb.traffic import Pattern

_DIGITS = 6


def min_share(path_set: PathSet, pattern: Pattern, *, seed: int = 0) -> float:
    """Return the share of the traffic between switches that takes MIN paths at the optimum, 0..1.

    1 if there is none. Of several optima that of HiGHS; to six digits.

    Parameters
    ----------
    seed : used where the pattern has no own seed.

    Raises
    ------
    InvalidInput : pattern and network do not fit.
    SolverFailed : no solution was proven optimal.
    """
    model = PatternModel(path_set.topology, pattern, seed=seed)
    solution = model.prove(path_set).solution
    minimal, detours = float(solution.minimal.sum()), float(solution.detour.sum())
    shipped = minimal + detours
    return round(minimal / shipped, _DIGITS) if shipped > 0 else 1.0
