"""The solver language: `highs`, `rm+:GAP` or `pulp:NAME`."""

from collections.abc import Iterator
from typing import Protocol

from tvlb.errors import InvalidInput
from tvlb.model.highs import HighsSolver
from tvlb.model.instance import Instance
from tvlb.model.outcome import Solution
from tvlb.model.pulp_solver import PulpSolver
from tvlb.model.regret import RegretSolver
from tvlb.reading import decimal_number

__all__ = ["LpSolver", "parse_solver"]


class LpSolver(Protocol):
    """Something that solves instances; `str` gives the text it is parsed from."""

    @property
    def gap(self) -> float:
        """Relative gap between the certified bounds up to which a solution counts as optimal."""
        ...

    @property
    def separates(self) -> bool:
        """Whether it is given programs without their inner links, which it may ask for later."""
        ...

    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Yield solutions, best method first; the caller stops at the first proven one."""
        ...


def parse_solver(text: str) -> LpSolver:
    """Parse a solver name.

    Raises
    ------
    InvalidInput : the text is neither "highs" nor "rm+:" and a gap nor "pulp:" and an installed
        PuLP solver.

    Examples
    --------
    >>> [str(parse_solver(text)) for text in ("highs", "rm+:1e-3")]
    ['highs', 'rm+:0.001']
    """
    if text == "highs":
        return HighsSolver()
    family, separator, name = text.partition(":")
    if family == "pulp" and separator:
        return PulpSolver(name)
    if family == "rm+" and separator:
        return RegretSolver(_gap(name))
    raise InvalidInput(
        f"unknown solver {text!r}: expected highs, rm+:GAP, such as rm+:1e-3, or pulp:NAME, such "
        "as pulp:HiGHS"
    )


def _gap(text: str) -> float:
    try:
        return decimal_number(text)
    except ValueError:
        raise InvalidInput(f"solver rm+:{text}: the gap is not a number") from None
