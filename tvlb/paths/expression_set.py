"""What a member of `tvlb.paths.sets` declares."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from tvlb.languages import Call, parse_call
from tvlb.paths.path_set import PathSet
from tvlb.paths.shapes import LONGEST_EXPRESSION
from tvlb.topology import Topology

# Stands for the longest that a network has.
LONGEST = sys.maxsize


@dataclass(frozen=True, repr=False)
class ExpressionSet(PathSet):
    """A path set that is written as an expression: a frozen dataclass in a module of its own.

    Has to have `rows`. Where nothing else is said, it is written as its name alone.

    Attributes
    ----------
    name : of the call.
    examples : texts for help, each as it prints on some network.
    place : where lists name it, from 0; equal ones by name.
    may_meet : whether it meets others with ``&``.
    """

    topology: Topology

    name: ClassVar[str]
    examples: ClassVar[tuple[str, ...]]
    place: ClassVar[int]
    may_meet: ClassVar[bool] = True

    @classmethod
    def parse(cls, text: str, topology: Topology, seed: int) -> Self | None:
        """Return the set of a text without blanks around it; None if it is none of this kind.

        Parameters
        ----------
        seed : keys what is random.

        Raises
        ------
        InvalidInput : the text is no call, or the set is none of this network.
        """
        call = parse_call(text, LONGEST_EXPRESSION)
        return cls.of_call(call, topology) if call.name == cls.name else None

    @classmethod
    def of_call(cls, call: Call, topology: Topology) -> Self | None:
        """Return what a call of this name gives, None if it takes other arguments; see `parse`."""
        return None if call.arguments or call.keywords else cls(topology)

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """Say how it is written on a network, as messages do; nothing where it is unknown."""
        return (cls.name,)

    @classmethod
    def regex(cls) -> str:
        """Regular expression of the texts, as in JSON Schema, for networks of any family.

        No text that it admits ends as the name of a file does.
        """
        return cls.name

    def __str__(self) -> str:
        return self.name
