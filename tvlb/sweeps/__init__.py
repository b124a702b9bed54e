"""Sweeps: many networks computed at once, and compared point by point.

`run_points` computes what a store lacks, on any workers; `write_outputs` writes rows and
report.
"""

from tvlb.sweeps.engine import run_points
from tvlb.sweeps.outputs import (
    OUTPUT_NAMES,
    RESULT_NAMES,
    Swept,
    reported,
    rows_of,
    sweep,
    told_of,
    write_outputs,
)
from tvlb.sweeps.points import Point, PointResult, Stored, TableStore, points_of

__all__ = [
    "OUTPUT_NAMES",
    "RESULT_NAMES",
    "Point",
    "PointResult",
    "Stored",
    "Swept",
    "TableStore",
    "points_of",
    "reported",
    "rows_of",
    "run_points",
    "sweep",
    "told_of",
    "write_outputs",
]
