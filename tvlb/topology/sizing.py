"""What sweeps know of a family: parameters that ranges are given of, and what follows from them.

Formulas take many sizes at once: the parameters, and quantities of them, are float64 arrays with an
entry for each size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

# No network within the limits of `tvlb.topology` has more ports or groups than this.
MAX_VALUE = 10_000_000

Numbers = NDArray[np.float64]
Formula = Callable[[Mapping[str, Numbers]], Numbers]
"""From the parameters by name to a number for each size."""
ValueType = Literal["integer", "number", "boolean", "text"]


@dataclass(frozen=True)
class Largest:
    """What "max" stands for in a range.

    Attributes
    ----------
    of : the parameters that it follows from: those right before the one with the range.
    formula : of these.
    text : the same in words.
    """

    of: tuple[str, ...]
    formula: Formula
    text: str


@dataclass(frozen=True)
class SizeParameter:
    """A parameter that ranges are given of.

    Attributes
    ----------
    name : as the constructor of the networks has it.
    text : what it counts; one sentence.
    example : a range.
    low, high : the values that a range may have.
    largest : what "max" stands for; None if it stands for nothing.
    usual : the value without a range, from the parameters before it; None if a range is needed.
    """

    name: str
    text: str
    example: str
    low: int = 1
    high: int = MAX_VALUE
    largest: Largest | None = None
    usual: Formula | None = None

    @property
    def column(self) -> "SizeColumn":
        """The column of its value."""
        return SizeColumn(self.name, "integer", "", self.text)


@dataclass(frozen=True)
class SizeColumn:
    """A column of the result rows of sweeps that networks of the family have.

    Attributes
    ----------
    name, type, unit, description : as those of `tvlb.sweeps.columns.Column`.
    value : from the facts of a network; None for the fact of the same name.
    """

    name: str
    type: ValueType
    unit: str
    description: str
    value: Callable[[Mapping[str, Any]], str | float] | None = None

    def of(self, facts: Mapping[str, Any]) -> str | float:
        """Return the value for a network; see `Sizing.facts`."""
        value = facts[self.name] if self.value is None else self.value(facts)
        return int(value) if self.type == "integer" else value


@dataclass(frozen=True)
class Sizing:
    """What sweeps know of the sizes of a family.

    Attributes
    ----------
    parameters : in the order of the text of a network; of the last alone "max" may stand for
        something.
    rule : which combinations are networks with VLB paths, in words.
    are_networks : which ones are, bool (sizes,).
    nodes : compute nodes.
    switches : radix and number of the switches of each sort.
    cables : numbers by kind.
    others : further quantities by name.
    columns : of result rows.
    """

    parameters: tuple[SizeParameter, ...]
    rule: str
    are_networks: Callable[[Mapping[str, Numbers]], NDArray[np.bool_]]
    nodes: Formula
    switches: tuple[tuple[Formula, Formula], ...]
    cables: Mapping[str, Formula]
    columns: tuple[SizeColumn, ...]
    others: Mapping[str, Formula] = field(default_factory=dict[str, Formula])

    def __post_init__(self) -> None:
        *before, last = self.parameters
        assert all(one.largest is None for one in before)
        needed = () if last.largest is None else last.largest.of
        inner = before[len(before) - len(needed) :]
        assert needed == tuple(one.name for one in inner if one.usual is None)
        assert not {*self.names} & self.quantities.keys()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(one.name for one in self.parameters)

    def completed(self, given: Mapping[str, Numbers]) -> dict[str, Numbers]:
        """Return all parameters in order; those that are not given have their usual value."""
        found: dict[str, Numbers] = {}
        for one in self.parameters:
            if one.name in given:
                found[one.name] = given[one.name]
            else:
                assert one.usual is not None
                found[one.name] = one.usual(found)
        return found

    def facts(self, given: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters and quantities of a network, and its `Topology.metadata`.

        Parameters
        ----------
        given : parameters by name; others than those of `parameters` do not count.
        """
        known = {name: np.array([float(given[name])]) for name in self.names if name in given}
        sizes = self.completed(known)
        numbers = sizes | {name: formula(sizes) for name, formula in self.quantities.items()}
        return {name: float(values[0]) for name, values in numbers.items()} | dict(metadata)

    @cached_property
    def quantities(self) -> Mapping[str, Formula]:
        """What follows from the parameters, by name."""
        return {
            "radix": lambda of: np.maximum.reduce([radix(of) for radix, _ in self.switches]),
            "switches": lambda of: _sum([number(of) for _, number in self.switches]),
            "nodes": self.nodes,
            "cables": lambda of: _sum([number(of) for number in self.cables.values()]),
            **{f"{kind}_cables": number for kind, number in self.cables.items()},
            **self.others,
        }


def _sum(parts: list[Numbers]) -> Numbers:
    return np.add.reduce(parts)
