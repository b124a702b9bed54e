"""The part of PuLP that tvlb uses, typed; PuLP itself ships no types."""

# The names are PuLP's own.
# ruff: noqa: N802, N803, N815

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast


class Constraint(Protocol):
    """A row; `pi` is its dual after a solve, None if the solver gives none."""

    pi: float | None

    def __len__(self) -> int: ...


class Expression(Protocol):
    """A linear expression."""

    def __le__(self, bound: float, /) -> Constraint: ...
    def __ge__(self, bound: float, /) -> Constraint: ...


class Variable(Protocol):
    """A column; `varValue` is None before a solve."""

    name: str
    varValue: float | None

    def __rmul__(self, factor: float, /) -> Expression: ...


class Solver(Protocol):
    """A configured solver."""

    name: str


class Problem(Protocol):
    """A linear program."""

    sol_status: int

    def add_variable(
        self, name: str, lowBound: float | None = None, upBound: float | None = None
    ) -> Variable:
        """Add a continuous column."""
        ...

    def setObjective(self, objective: Expression) -> None:
        """Set what is maximised."""
        ...

    def addConstraint(self, constraint: Constraint, name: str) -> None:
        """Add a row."""
        ...

    def constraints(self) -> Sequence[Constraint]:
        """List the rows."""
        ...

    def solve(self, solver: Solver) -> int:
        """Solve; the values are then found in the columns and rows."""
        ...

    def writeLP(self, filename: str) -> object:
        """Write an LP file."""
        ...

    def writeMPS(self, filename: str, *, with_objsense: bool) -> object:
        """Write an MPS file."""
        ...


class _Pulp(Protocol):
    """The module's names."""

    LpMaximize: int
    LpSolution: dict[int, str]
    PulpSolverError: type[Exception]

    def LpProblem(self, name: str, sense: int) -> Problem: ...
    def LpAffineExpression(self, terms: Sequence[tuple[Variable, float]]) -> Expression: ...
    def getSolver(self, name: str, *, msg: bool, **options: int | str) -> Solver: ...
    def listSolvers(self, onlyAvailable: bool = False) -> list[str]: ...


pulp = cast(_Pulp, import_module("pulp"))
