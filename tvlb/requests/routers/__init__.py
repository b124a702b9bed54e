"""Models of routers: what each can be asked, how it is simulated, and what is told of it.

Every module of this package declares one, as `ROUTER`; one of another package is named by an entry
point of the group `tvlb.routers`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import Any, ClassVar, cast

from pydantic import BaseModel, Field, create_model

from sim_bridge import FollowedTable, RouterScenario, RunResult, SimulationRequest, Split
from sim_bridge.routing import check_takes_table
from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.languages import Setting, TextOrTexts, asked, declared, in_turn, made, offered
from tvlb.languages.figures import Figure, figures
from tvlb.paths import PathSet
from tvlb.requests.common import OptionalKey
from tvlb.requests.cost import Cost
from tvlb.requests.settings import with_settings
from tvlb.topology import Topology
from tvlb.traffic import Pattern

FIRST = "iq"
"""The only router of earlier versions, whose requests and documents name none."""
_ENTRY_POINTS = "tvlb.routers"


@dataclass(frozen=True, eq=False)
class Experiment:
    """What routers of every model are asked.

    Attributes
    ----------
    topology, pattern : the network and its traffic.
    loads : offered loads, in the unit of the router.
    seed, seeds : the first seed, and how many there are.
    asked : the values of all options of the router.
    read_paths : makes a path set of its text, for a network and with a seed.
    read_table : makes what packets go by of the text of a table, for a network and a routing.
    """

    topology: Topology
    pattern: Pattern
    loads: Sequence[float]
    seed: int
    seeds: int
    asked: Mapping[str, Any]
    read_paths: Callable[[str, Topology, int], PathSet]
    read_table: Callable[[str, Topology, str], FollowedTable | Split]

    def table(self, routings: Iterable[str]) -> FollowedTable | Split | None:
        """Return what packets go by if a table is given, with one of the routings of a router.

        Raises
        ------
        InvalidInput : the routing takes none, or as `read_table`.
        """
        given, routing = self.asked["table"], self.asked["routing"]
        if given is None:
            return None
        check_takes_table(routing, routings)
        return self.read_table(given, self.topology, routing)

    @property
    def highest_loads(self) -> Sequence[float]:
        """The highest load in the course of each run."""
        step = self.pattern.load_step
        return self.loads if step is None else [max(load, step.load) for load in self.loads]

    @property
    def saturation(self) -> bool:
        """Whether the saturation load is asked for."""
        return self.asked.get("saturation", False)


@dataclass(frozen=True)
class Column:
    """A column of the table that people read: its heading, and its key and decimals in a row."""

    heading: str
    key: str
    digits: int


class Router(ABC):
    """A model of routers: requests, documents, options, tables and pages are made of it.

    Attributes
    ----------
    name : what the option ``--router`` takes.
    text : what it models, in a few words.
    asks, answers : what a request asks for, and what a document tells, in a sentence each.
    declaring : dataclasses whose settings are its options, ``routing`` among them; the last one has
        those of its runs. With one named ``saturation``, the saturation load can be searched.
    settings : document of these; None for one that is made of their declaration.
    simulated : class of its scenarios; `scenario` makes those that take more than there is to all.
    result : dataclass of the figures of its runs.
    scenario_keys, proof_keys : keys of documents that only this router has, beside the routing and
        beside the settings: type and default by name, as pydantic takes them.
    reasons : why it lacks options that other routers have and what to do instead, by their names.
    example : name of a document (`tvlb.requests.examples`), and there in ``requests`` of a request,
        and of the one that it answers; empty without them.
    """

    name: ClassVar[str]
    text: ClassVar[str]
    asks: ClassVar[str]
    answers: ClassVar[str]
    declaring: ClassVar[tuple[type, ...]]
    settings: ClassVar[type[BaseModel] | None] = None
    simulated: ClassVar[type[RouterScenario[Any, Any]]]
    result: ClassVar[type[RunResult]]
    scenario_keys: ClassVar[Mapping[str, Any]] = {}
    proof_keys: ClassVar[Mapping[str, Any]] = {}
    reasons: ClassVar[Mapping[str, str]] = {}
    example: ClassVar[str] = ""

    @property
    def prefix(self) -> str:
        """Of the names of its requests and documents."""
        return "" if self.name == FIRST else self.name.title().replace("-", "")

    @cached_property
    def options(self) -> Mapping[str, Setting]:
        """What it can be asked, by the names of the options."""
        return {name: one for kind in self.declaring for name, one in offered(kind).items()}

    @property
    def is_searched(self) -> bool:
        """Whether its saturation load can be searched."""
        return "saturation" in self.options

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """What its runs tell, by name."""
        return figures(self.result)

    @property
    def load_unit(self) -> str:
        """Of offered and accepted load."""
        return self.figures["accepted"].unit

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Those of the table that people read: figures in the same unit beside each other."""
        by_unit: dict[str, list[Column]] = {}
        for name, one in self.figures.items():
            if one.column:
                heading, digits, *interval = one.column
                shown = by_unit.setdefault(one.unit, [])
                shown.append(Column(heading, name, digits))
                shown += [Column(each, one.interval, digits) for each in interval]
        return (Column("load", "load", 3), *chain.from_iterable(by_unit.values()))

    def shown_columns(self, rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
        """Return the columns but those of intervals that no row has, such as of single runs."""
        intervals = {one.interval for one in self.figures.values()}
        return tuple(
            one
            for one in self.columns
            if one.key not in intervals or any(row[one.key] is not None for row in rows)
        )

    @cached_property
    def told_settings(self) -> type[BaseModel]:
        """The document of the settings of its runs."""
        if self.settings is not None:
            return self.settings
        about = f"Settings of router {self.name}, with the window."
        base = create_model(f"{self.prefix}Settings", __base__=Document, __doc__=about)
        return with_settings(base, self.declaring[-1])

    def key(self, values: Any, text: str) -> Any:
        """Return a key of documents, which those of earlier versions lack."""
        if self.name == FIRST:
            return OptionalKey[values], Field(default=None, description=text)
        return values, Field(description=text)

    def asked(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all its options: those given, and the defaults of those that are None.

        Raises
        ------
        InvalidInput : an option is given that only other routers have.
        """
        # A command has an empty list of an option that may be repeated and is not given.
        known = {name: value for name, value in given.items() if value not in (None, [])}
        for name, value in known.items():
            if name not in self.options:
                others = ", ".join(one.name for one in routers().values() if name in one.options)
                several = isinstance(value, list | tuple)
                told = in_turn(map(str, cast("Iterable[Any]", value))) if several else value
                given_as = name if value is True else f"{name} {told}"
                lacks = f"{given_as} is of router {others}; router {self.name} does not have it"
                raise InvalidInput(": ".join(filter(None, (lacks, self.reasons.get(name)))))
        return {
            name: one.kind.asked(known.get(name, one.default))
            if isinstance(one.kind, TextOrTexts) or name not in known
            else known[name]
            for name, one in self.options.items()
        }

    def scenario(self, experiment: Experiment) -> RouterScenario[Any, Any]:
        """Return what is simulated; raise InvalidInput where it cannot be."""
        make: Any = self.simulated
        network, pattern = experiment.topology, experiment.pattern
        return make(network, experiment.asked["routing"], pattern, experiment.seed)

    def config(self, experiment: Experiment) -> Any:
        """Return the settings that are asked for; raise InvalidInput where they do not fit."""
        return made(self.declaring[-1], experiment.asked)

    def request(self, experiment: Experiment) -> SimulationRequest:
        """Return what is to be simulated.

        Raises
        ------
        InvalidInput : a value is out of range, or they do not fit together.
        """
        if experiment.asked.get("traces") and not experiment.loads:
            raise InvalidInput(
                f"traces {experiment.asked['traces']}: they are of runs at given loads, and a "
                "search for the saturation load keeps none; give loads"
            )
        config, scenario = self.config(experiment), self.scenario(experiment)
        return SimulationRequest(
            scenario, config, experiment.seeds, experiment.loads, experiment.saturation
        )

    def resolved(self, request: SimulationRequest) -> dict[str, Any]:
        """Return options with what was left open filled in, and texts as they print.

        Raises
        ------
        InvalidInput : a run at one of the loads cannot be.
        """
        request.scenario.check(request.loads)
        return {"routing": request.scenario.routing, **asked(request.config)}

    @abstractmethod
    def cost(self, experiment: Experiment) -> Cost:
        """Estimate what the loads, and a search where one is asked for, take."""

    def described(self, request: SimulationRequest) -> Mapping[str, Any]:
        """Return the values of `scenario_keys` and `proof_keys`."""
        return {}

    @abstractmethod
    def title(self, document: Mapping[str, Any]) -> str:
        """Return in words what was simulated."""

    def state(self, row: Mapping[str, Any]) -> str:
        """Return in words whether a row is sound; empty where nothing is known of that."""
        return ""

    def summary(self, document: Mapping[str, Any]) -> str:
        """Return what stands below the table; empty for nothing."""
        by_seed = document.get("saturation_by_seed", ())
        if not by_seed:
            return ""
        short = [run["load"] for run in document["saturation_runs"] if run["saturated"] is None]
        told = ""
        if short:
            loads = f"load {short[0]:g}" if len(short) == 1 else f"{len(short)} loads"
            told = f"; the windows are too short to tell at {loads}: take more cycles"
        if len(by_seed) == 1:
            return f"Saturation load: {by_seed[0]:.2f} {self.load_unit}{told}"
        listed = ", ".join(f"{load:.2f}" for load in by_seed)
        load, half = document["saturation_load"], document["saturation_ci95"]
        return (
            f"Saturation load: {load:.4f} +- {half:.4f} ({listed} by seed) {self.load_unit}{told}"
        )


@cache
def routers() -> Mapping[str, Router]:
    """Return all models of routers by name, in that order, but FIRST before all others."""
    found = declared(__name__, "ROUTER", Router, _ENTRY_POINTS)
    return {one.name: one for one in sorted(found, key=_place)}


def _place(router: Router) -> tuple[bool, str]:
    return router.name != FIRST, router.name


def router_named(name: str) -> Router:
    """Return a model of routers; raise InvalidInput that lists all of them."""
    if name not in routers():
        raise InvalidInput(f"router {name!r}: choose one of {', '.join(routers())}")
    return routers()[name]
