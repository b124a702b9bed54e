"""Models of routers: what each can be asked, how it is simulated, and what is told of it.

Every module of this package declares one, as `ROUTER`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.languages import Setting, declared, offered
from tvlb.processes import Reporter
from tvlb.topology import Topology
from tvlb.traffic import Pattern

__all__ = ["Column", "Experiment", "Router", "Simulation", "router_named", "routers"]


@dataclass(frozen=True, eq=False)
class Experiment:
    """What routers of every model are asked.

    Attributes
    ----------
    topology, pattern : the network and its traffic.
    loads : offered loads, in the unit of the router.
    seed, seeds : the first seed, and how many there are.
    """

    topology: Topology
    pattern: Pattern
    loads: Sequence[float]
    seed: int
    seeds: int


class Simulation(ABC):
    """Runs about to be made: what could be refused has been."""

    @property
    def json_only(self) -> str:
        """The option whose results only the JSON document has; empty without such an option."""
        return ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What limits such runs beyond their routing, in words."""
        return ()

    @abstractmethod
    def run(self, workers: int, report: Reporter) -> Document:
        """Make the runs and describe them."""


@dataclass(frozen=True)
class Column:
    """A column of the table that people read: its heading, and its key and decimals in a row."""

    heading: str
    key: str
    digits: int


class Router(ABC):
    """A model of routers.

    Attributes
    ----------
    name : what the option ``--router`` takes.
    text : what it models, in a few words.
    load_unit : of offered and accepted load.
    declaring : dataclasses whose settings are its options.
    columns : of the table that people read.
    """

    name: str
    text: str
    load_unit: str
    declaring: tuple[type, ...]
    columns: tuple[Column, ...]

    @cached_property
    def options(self) -> Mapping[str, Setting]:
        """What it can be asked, by the names of the options."""
        return {name: one for kind in self.declaring for name, one in offered(kind).items()}

    def asked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all its options: those given, and the defaults of those that are None.

        Raises
        ------
        InvalidInput : an option is given that only other routers have.
        """
        for name, value in given.items():
            if value is not None and name not in self.options:
                others = ", ".join(one.name for one in routers().values() if name in one.options)
                raise InvalidInput(
                    f"{name} {value} is of router {others}; router {self.name} does not have it"
                )
        return {
            name: one.kind.asked(one.default) if given.get(name) is None else given[name]
            for name, one in self.options.items()
        }

    @abstractmethod
    def simulation(self, experiment: Experiment, asked: Mapping[str, Any]) -> Simulation:
        """Prepare runs; `asked` has the values of all options.

        Raises
        ------
        InvalidInput : a value is out of range, or they do not fit together.
        """

    @abstractmethod
    def title(self, document: Mapping[str, Any]) -> str:
        """Return in words what was simulated."""

    def state(self, row: Mapping[str, Any]) -> str:
        """Return in words whether a row is sound; empty where nothing is known of that."""
        return ""

    def summary(self, document: Mapping[str, Any]) -> str:
        """Return what stands below the table; empty for nothing."""
        return ""


@cache
def routers() -> Mapping[str, Router]:
    """Return all models of routers by name."""
    return {one.name: one for one in declared(__name__, "ROUTER", Router)}


def router_named(name: str) -> Router:
    """Return a model of routers; raise InvalidInput that lists all of them."""
    if name not in routers():
        raise InvalidInput(f"router {name!r}: choose one of {', '.join(routers())}")
    return routers()[name]
