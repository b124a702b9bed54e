"""The solver language: `highs` or `pulp:NAME`."""

from collections.abc import Iterator
from typing import Protocol

from tvlb.errors import InvalidInput
from tvlb.model.highs import HighsSolver
from tvlb.model.instance import Instance
from tvlb.model.outcome import Solution
from tvlb.model.pulp_solver import PulpSolver

__all__ = ["LpSolver", "parse_solver"]


class LpSolver(Protocol):
    """Something that solves instances; `str` names it."""

    @property
    def gap(self) -> float:
        """Relative distance of the bounds within which an answer counts as proven optimal."""
        ...

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Yield solutions, best method first; the caller stops at the first proven one."""
        ...


def parse_solver(text: str) -> LpSolver:
    """Parse a solver name.

    Raises
    ------
    InvalidInput : the text is neither "highs" nor "pulp:" and an installed PuLP solver.

    Examples
    --------
    >>> str(parse_solver("highs"))
    'highs'
    """
    if text == "highs":
        return HighsSolver()
    family, separator, name = text.partition(":")
    if family == "pulp" and separator:
        return PulpSolver(name)
    raise InvalidInput(f"unknown solver {text!r}: expected highs or pulp:NAME, such as pulp:HiGHS")
