"""The linear program written out with PuLP: any solver PuLP knows, and files for those it does not.

Columns theta and x(flow, kind, length), the flow shipped on a class per unit of the flow's demand
(so that very small flows do not drown in solver tolerances); rows as in Mollah et al., PMBS'17,
Model 3, plus the monotonicity rows of Rahman et al., SC'19, section 3.3.2.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput, SolverFailed
from tvlb.languages import one_of
from tvlb.model.instance import Instance, PathClasses, RateOrder
from tvlb.model.outcome import Outcome, Solution
from tvlb.model.pulp_types import Constraint, Problem, Solver, Variable, pulp
from tvlb.model.solvers import LpSolver, SolverKind

MODEL_SUFFIXES = (".lp", ".mps")

# HiGHS refuses to mix thread counts in one process, and the direct path uses one thread too. Its
# default, dual simplex, takes many times as long on these programs (see tvlb.model.solvers.highs).
_HIGHS_OPTIONS: Mapping[str, int | str] = MappingProxyType(
    {"threads": 1, "simplex_strategy": 4, "presolve": "off"}
)

# What PuLP says; anything else means UNKNOWN.
_OUTCOMES = MappingProxyType(
    {
        "Optimal Solution Found": Outcome.OPTIMAL,
        "Solution Found": Outcome.FEASIBLE,
        "No Solution Exists": Outcome.INFEASIBLE,
        "Solution is Unbounded": Outcome.UNBOUNDED,
    }
)


def available_solvers() -> list[str]:
    """Names of the PuLP solvers that are installed here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return sorted(pulp.listSolvers(onlyAvailable=True))


@dataclass(frozen=True)
class PulpSolver(LpSolver):
    """One of PuLP's solvers by its name.

    Raises
    ------
    InvalidInput : PuLP does not know the solver, or it is not installed.

    Notes
    -----
    Solvers that answer through text files with few digits (CBC) may miss the certificate's 1e-6
    on networks of 70 switches and more; that ends in SolverFailed and not in a wrong value.
    """

    name: str

    def __post_init__(self) -> None:
        available = available_solvers()
        if self.name not in available:
            raise InvalidInput(
                f"PuLP solver {self.name!r} is unknown or not installed; "
                f"available are {', '.join(available)}"
            )

    def __str__(self) -> str:
        return f"pulp:{self.name}"

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Solve the instance once."""
        model = _Model(instance)
        try:
            model.problem.solve(_engine(self.name))
        except pulp.PulpSolverError as error:
            raise SolverFailed(f"throughput model: {self}: {error}") from error
        yield model.solution()


def write_model(instance: Instance, path: Path) -> None:
    """Write the linear program as an LP or MPS file, by suffix.

    Raises
    ------
    InvalidInput : the suffix is neither .lp nor .mps, or the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in MODEL_SUFFIXES:
        expected = one_of(MODEL_SUFFIXES)
        raise InvalidInput(f"cannot export {path}: expected a file name ending in {expected}")
    problem = _Model(instance).problem
    try:
        if suffix == ".lp":
            problem.writeLP(str(path))
        else:
            problem.writeMPS(str(path), with_objsense=True)
    except OSError as error:
        raise InvalidInput(f"cannot export {path}: {error}") from error


def _engine(name: str) -> Solver:
    options: Mapping[str, int | str] = _HIGHS_OPTIONS if name == "HiGHS" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return pulp.getSolver(name, msg=False, **options)


class _Model:
    """The PuLP problem of one instance, with its columns and rows at hand."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.problem: Problem = pulp.LpProblem("throughput", pulp.LpMaximize)
        self.theta = self.problem.add_variable("theta", lowBound=0, upBound=1)
        self.minimal = self._shipped("MIN", instance.minimal)
        self.detour = self._shipped("VLB", instance.detour)
        self.problem.setObjective(1 * self.theta)
        self._add_demand()
        self._add_ports()
        self.capacity = self._add_capacity()
        self._add_monotonicity()

    def _shipped(self, kind: str, classes: PathClasses) -> list[Variable]:
        demand = self.instance.demand
        source, target = demand.source[classes.flow].tolist(), demand.target[classes.flow].tolist()
        keys = zip(source, target, classes.hops.tolist(), strict=True)
        return [
            self.problem.add_variable(f"x_{start}_{end}_{kind}_{hops}", lowBound=0)
            for start, end, hops in keys
        ]

    def _add_demand(self) -> None:
        """Ship at least theta times the demand of every flow."""
        demand = self.instance.demand
        terms = [[(self.theta, -1.0)] for _ in range(len(demand.rate))]
        for classes, columns in self._blocks():
            flows: list[int] = classes.flow.tolist()
            for flow, column in zip(flows, columns, strict=True):
                terms[flow].append((column, 1.0))
        for flow, row in enumerate(terms):
            name = f"demand_{demand.source[flow]}_{demand.target[flow]}"
            self.problem.addConstraint(pulp.LpAffineExpression(row) >= 0, name)

    def _add_ports(self) -> None:
        """Keep the busiest injection and ejection port within 1 flit/cycle."""
        demand = self.instance.demand
        for name, rate in (("injection", demand.max_injection), ("ejection", demand.max_ejection)):
            self.problem.addConstraint(rate * self.theta <= 1, name)

    def _add_capacity(self) -> list[tuple[int, Constraint]]:
        """Keep every used link within 1 flit/cycle; return the rows with their links."""
        terms: dict[int, list[tuple[Variable, float]]] = {}
        for classes, columns in self._blocks():
            owners: list[int] = classes.class_of_entry.tolist()
            links: list[int] = classes.link.tolist()
            loads: list[float] = (classes.share * self._demand_of(classes)[owners]).tolist()
            for owner, link, load in zip(owners, links, loads, strict=True):
                terms.setdefault(link, []).append((columns[owner], load))
        rows = [(link, pulp.LpAffineExpression(terms[link]) <= 1) for link in sorted(terms)]
        for link, row in rows:
            self.problem.addConstraint(row, f"capacity_{link}")
        return rows

    def _add_monotonicity(self) -> None:
        """Keep r(l) = x(l) / n(l) from rising with the length l, scaled by the smaller n."""
        classes = self.instance.detour
        if self.instance.order is RateOrder.FREE:
            return
        for longer in np.flatnonzero(classes.has_shorter).tolist():
            shorter = longer - 1
            scale = min(float(classes.weight[longer]), float(classes.weight[shorter]))
            rates = [
                (self.detour[shorter], scale / float(classes.weight[shorter])),
                (self.detour[longer], -scale / float(classes.weight[longer])),
            ]
            name = f"monotone_{self.detour[longer].name}"
            self.problem.addConstraint(pulp.LpAffineExpression(rates) >= 0, name)

    def _blocks(self) -> tuple[tuple[PathClasses, list[Variable]], ...]:
        return (self.instance.minimal, self.minimal), (self.instance.detour, self.detour)

    def _demand_of(self, classes: PathClasses) -> NDArray[np.float64]:
        """Demand of the flow that owns each class, float64 (classes,)."""
        return self.instance.demand.rate[classes.flow]

    def solution(self) -> Solution:
        """Read the values of columns and rows after a solve."""
        reported = pulp.LpSolution[self.problem.sol_status]
        constraints = self.problem.constraints()
        return Solution(
            outcome=_OUTCOMES.get(reported, Outcome.UNKNOWN),
            reported=reported,
            theta=_value(self.theta),
            minimal=_values(self.minimal) * self._demand_of(self.instance.minimal),
            detour=_values(self.detour) * self._demand_of(self.instance.detour),
            price=self._prices(),
            rows=len(constraints),
            columns=1 + len(self.minimal) + len(self.detour),
            nonzeros=sum(len(row) for row in constraints),
        )

    def _prices(self) -> NDArray[np.float64]:
        """Capacity prices; PuLP's solvers disagree on the sign of a maximum's duals."""
        price = np.zeros(self.instance.num_links)
        for link, row in self.capacity:
            price[link] = row.pi or 0.0
        candidates: Sequence[NDArray[np.float64]] = (np.maximum(price, 0), np.maximum(-price, 0))
        return max(candidates, key=lambda values: float(values.sum()))


def _values(columns: list[Variable]) -> NDArray[np.float64]:
    return np.array([_value(column) for column in columns], dtype=np.float64)


def _value(column: Variable) -> float:
    return float("nan") if column.varValue is None else column.varValue


SOLVER = SolverKind(
    name="pulp",
    argument="NAME",
    purpose="for any PuLP solver",
    create=PulpSolver,
    installed=lambda: [f"pulp:{name}" for name in available_solvers()],
)
