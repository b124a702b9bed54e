"""Solvers of the throughput model: a module each, found by looking into this folder.

A module declares ``SOLVER``: what the solver is called, and how it is made from a text. The command
line, the service and `parse_solver` offer what is declared.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from tvlb.errors import InvalidInput
from tvlb.languages import declared
from tvlb.model.certificate import TOLERANCE
from tvlb.model.instance import Instance
from tvlb.model.outcome import Solution

__all__ = ["LpSolver", "SolverKind", "parse_solver", "solver_kinds"]


class LpSolver(ABC):
    """Something that solves instances; `str` gives the text it is parsed from.

    Attributes
    ----------
    gap : relative gap between the certified bounds up to which a solution counts as optimal.
    separates : whether it is given programs without their inner links, which it may ask for later.
    """

    gap: float = TOLERANCE
    separates: bool = False

    @abstractmethod
    def attempts(self, instance: Instance) -> Iterator[Solution]:
        """Yield solutions, best method first; the caller stops at the first proven one."""


@dataclass(frozen=True)
class SolverKind:
    """A solver, or solvers that differ in an argument, such as the gap of ``rm+:GAP``.

    Attributes
    ----------
    name : what its texts begin with.
    argument : what follows after a colon, in capitals; empty for nothing.
    purpose : what it is for, as the end of a sentence; empty for the default.
    create : makes a solver from the argument's text; raises InvalidInput.
    installed : texts of those that can be used here, one at least of every sort.
    served : regular expression of the texts that a service takes; None where it takes none.
    """

    name: str
    argument: str
    purpose: str
    create: Callable[[str], LpSolver]
    installed: Callable[[], Sequence[str]]
    served: str | None = None

    @property
    def usage(self) -> str:
        """The form of its texts, such as ``rm+:GAP``."""
        return f"{self.name}:{self.argument}" if self.argument else self.name

    def __str__(self) -> str:
        return f"{self.usage} {self.purpose}".strip()


@cache
def solver_kinds() -> dict[str, SolverKind]:
    """Return the kinds of solvers by name; those that a service offers come first."""
    found = declared(__name__, "SOLVER", SolverKind)
    found.sort(key=lambda each: (each.served is None, each.name))
    return {each.name: each for each in found}


def parse_solver(text: str) -> LpSolver:
    """Parse a solver's text.

    Raises
    ------
    InvalidInput : no solver is written so, or it is not installed.

    Examples
    --------
    >>> [str(parse_solver(text)) for text in ("highs", "rm+:1e-3")]
    ['highs', 'rm+:0.001']
    """
    name, separator, argument = text.partition(":")
    kind = solver_kinds().get(name)
    if kind is not None and bool(separator) == bool(kind.argument):
        return kind.create(argument)
    *others, last = (
        f"{each.usage}, such as {each.installed()[0]}" if each.argument else each.usage
        for each in solver_kinds().values()
    )
    raise InvalidInput(f"unknown solver {text!r}: expected {', '.join(others)}, or {last}")
