"""The throughput model: an LP per path set and pattern, solved, then certified.

`throughput` solves one; `PatternModel` solves one pattern for many path sets.
"""

from tvlb.model.bounds import Bound, BoundKind, capacity_bound
from tvlb.model.certificate import TOLERANCE, Certificate, certify, require_proof
from tvlb.model.instance import Instance, PathClasses, RateOrder, build_instance
from tvlb.model.min_share import min_share
from tvlb.model.outcome import Outcome, Solution
from tvlb.model.pattern_task import PatternTask, solve_pattern
from tvlb.model.solvers import LpSolver, SolverKind, parse_solver, solver_kinds
from tvlb.model.solvers.pulp import MODEL_SUFFIXES
from tvlb.model.solvers.regret import RegretSolver
from tvlb.model.throughput import (
    PatternModel,
    Proof,
    Throughput,
    export_model,
    require_same_topology,
    throughput,
)

__all__ = [
    "MODEL_SUFFIXES",
    "TOLERANCE",
    "Bound",
    "BoundKind",
    "Certificate",
    "Instance",
    "LpSolver",
    "Outcome",
    "PathClasses",
    "PatternModel",
    "PatternTask",
    "Proof",
    "RateOrder",
    "RegretSolver",
    "Solution",
    "SolverKind",
    "Throughput",
    "build_instance",
    "capacity_bound",
    "certify",
    "export_model",
    "min_share",
    "parse_solver",
    "require_proof",
    "require_same_topology",
    "solve_pattern",
    "solver_kinds",
    "throughput",
]
