"""The linear program handed to HiGHS directly, as one compressed matrix."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from types import MappingProxyType

import highspy
import numpy as np
from numpy.typing import NDArray

from tvlb.errors import SolverFailed
from tvlb.model.instance import Instance, PathClasses, RateOrder
from tvlb.model.outcome import Outcome, Solution
from tvlb.model.solvers import LpSolver, SolverKind
from tvlb.model.vertices import to_class_flow, to_vertices

_ITERATIONS_PER_LINE = 20
_SECONDS_BETWEEN_LOOKS = 0.1

# What HiGHS says; anything else means UNKNOWN.
_OUTCOMES = MappingProxyType(
    {
        "kOptimal": Outcome.OPTIMAL,
        "kInfeasible": Outcome.INFEASIBLE,
        "kUnbounded": Outcome.UNBOUNDED,
        "kUnboundedOrInfeasible": Outcome.INFEASIBLE,
        "kIterationLimit": Outcome.LIMIT,
        "kTimeLimit": Outcome.LIMIT,
        "kSolutionLimit": Outcome.LIMIT,
        "kObjectiveBound": Outcome.LIMIT,
        "kObjectiveTarget": Outcome.LIMIT,
        "kInterrupt": Outcome.LIMIT,
        "kMemoryLimit": Outcome.ERROR,
        "kLoadError": Outcome.ERROR,
        "kModelError": Outcome.ERROR,
        "kPresolveError": Outcome.ERROR,
        "kSolveError": Outcome.ERROR,
        "kPostsolveError": Outcome.ERROR,
    }
)


@dataclass(frozen=True)
class HighsMethod:
    """A named setting of HiGHS options, (name, value) each."""

    name: str
    options: tuple[tuple[str, str | int | float], ...]


# Measured on dfly(4,8,4,9), shift(2,0), one shared core, CPU seconds inside HiGHS for `<=4` /
# `<=4+60%` / `all`. Primal simplex without presolve: 0.05 / 0.13-0.22 / 0.36-0.40 on vertices,
# 0.07 / 0.18 / 0.38 on classes with monotonicity rows, which are a third more rows. Interior point
# with crossover: 0.05 / 0.15 / 0.44. Dual simplex, HiGHS' own choice: 0.06 / 0.31 / 1.0 with
# presolve on; without it, and once with it, `all` was not solved in 7 s. Demand as >= instead of
# = was no faster. Starting from "all traffic on the longest vertex" or other pricing rules were
# slower on `all` (0.7-8 s).
DEFAULT_METHODS = (
    HighsMethod(
        "primal simplex",
        (("solver", "simplex"), ("simplex_strategy", 4), ("presolve", "off")),
    ),
    HighsMethod(
        "interior point with crossover",
        (("solver", "ipm"), ("run_crossover", "on"), ("presolve", "on")),
    ),
    HighsMethod(
        "dual simplex, tight",
        (
            ("solver", "simplex"),
            ("simplex_strategy", 1),
            ("presolve", "on"),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
        ),
    ),
)


@dataclass(frozen=True)
class HighsSolver(LpSolver):
    """HiGHS on the vertex form of the instance (the class form where rates are free)."""

    methods: tuple[HighsMethod, ...] = DEFAULT_METHODS

    def __str__(self) -> str:
        return "highs"

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Solve the instance by each method in turn, lazily."""
        program = _program(instance)
        for method in self.methods:
            yield _solve(instance, program, method)


@dataclass(frozen=True, eq=False)
class _Program:
    """Columns theta, MIN classes, VLB vertices, all per unit of demand; rows flows, links."""

    lp: highspy.HighsLp
    nonzeros: int


def _program(instance: Instance) -> _Program:
    flows = len(instance.demand.rate)
    blocks = (instance.minimal, _detour_columns(instance))
    lengths, rows, values = (
        np.concatenate(parts)
        for parts in zip(
            (np.array([flows]), np.arange(flows), -np.ones(flows)),
            *(_columns(instance, classes) for classes in blocks),
            strict=True,
        )
    )
    columns = len(lengths)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = columns, flows + instance.num_links
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = np.append(1.0, np.zeros(columns - 1))
    lp.col_lower_ = np.zeros(columns)
    lp.col_upper_ = np.append(instance.theta_cap, np.full(columns - 1, highspy.kHighsInf))
    lp.row_lower_ = np.append(np.zeros(flows), np.full(instance.num_links, -highspy.kHighsInf))
    lp.row_upper_ = np.append(np.zeros(flows), np.ones(instance.num_links))
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.append(0, np.cumsum(lengths)).astype(np.int32)
    lp.a_matrix_.index_ = rows.astype(np.int32)
    lp.a_matrix_.value_ = values
    return _Program(lp, len(values))


def _detour_columns(instance: Instance) -> PathClasses:
    if instance.order is RateOrder.FREE:
        return instance.detour
    return to_vertices(instance.detour, instance.num_links)


def _columns(
    instance: Instance, classes: PathClasses
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Entries per column, row indices and values: 1 in the flow's row, then its link usage."""
    demand = instance.demand.rate
    first = classes.offset[:-1]
    usage = classes.share * demand[classes.flow[classes.class_of_entry]]
    rows = np.insert(classes.link.astype(np.int64) + len(demand), first, classes.flow)
    return np.diff(classes.offset) + 1, rows, np.insert(usage, first, 1.0)


def _solve(instance: Instance, program: _Program, method: HighsMethod) -> Solution:
    engine = highspy.Highs()
    lines = program.lp.num_col_ + program.lp.num_row_
    # One thread for every solve: HiGHS refuses to mix thread counts in one process. The limit on
    # work is in iterations, because a limit on time would make results depend on the machine.
    settings = {
        "output_flag": False,
        "threads": 1,
        "simplex_iteration_limit": _ITERATIONS_PER_LINE * lines,
        **dict(method.options),
    }
    for name, value in settings.items():
        _require(engine.setOptionValue(name, value), f"option {name}={value}", method)
    _require(engine.passModel(program.lp), "passModel", method)
    ran = run_engine(engine)
    solution = _solution(instance, program, engine, method)
    if ran == highspy.HighsStatus.kError:
        return replace(solution, outcome=Outcome.ERROR)
    return solution


def run_engine(engine: highspy.Highs) -> highspy.HighsStatus:
    """Run HiGHS in a thread, since it hears Ctrl-C only where it asks whether to go on.

    Simplex and interior points ask; a first-order method ends first.
    """
    ended = threading.Event()

    def ask(event: highspy.HighsCallbackEvent) -> None:
        if ended.is_set():
            event.interrupt()

    engine.cbSimplexInterrupt += ask
    engine.cbIpmInterrupt += ask
    with ThreadPoolExecutor(1) as executor:
        try:
            running = executor.submit(engine.run)
            # A signal does not end the wait where another thread has received it.
            while not running.done():
                wait([running], _SECONDS_BETWEEN_LOOKS)
            return running.result()
        except BaseException:
            ended.set()
            raise


def _solution(
    instance: Instance, program: _Program, engine: highspy.Highs, method: HighsMethod
) -> Solution:
    """Read columns and link prices, and undo the scaling by demand and the substitution."""
    demand = instance.demand.rate
    first_detour = 1 + len(instance.minimal)
    found = engine.getSolution()
    columns = np.array(found.col_value) if found.value_valid else np.zeros(program.lp.num_col_)
    duals = np.array(found.row_dual) if found.dual_valid else np.zeros(program.lp.num_row_)
    detour = columns[first_detour:] * demand[instance.detour.flow]
    if instance.order is RateOrder.SHORTER_FIRST:
        detour = to_class_flow(instance.detour, detour)
    reported = engine.getModelStatus().name
    return Solution(
        outcome=_OUTCOMES.get(reported, Outcome.UNKNOWN),
        reported=f"{method.name}: {reported}",
        theta=float(columns[0]),
        minimal=columns[1:first_detour] * demand[instance.minimal.flow],
        detour=detour,
        price=duals[len(demand) :],
        rows=program.lp.num_row_,
        columns=program.lp.num_col_,
        nonzeros=program.nonzeros,
    )


def _require(status: highspy.HighsStatus, action: str, method: HighsMethod) -> None:
    if status == highspy.HighsStatus.kError:
        raise SolverFailed(f"throughput model: HiGHS ({method.name}) rejected {action}")


SOLVER = SolverKind(
    name="highs",
    argument="",
    purpose="",
    create=lambda _: HighsSolver(),
    installed=lambda: ("highs",),
    served="highs",
)
