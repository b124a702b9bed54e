"""What simulations can be asked for, as JSON bodies; every router has a class of its own."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, create_model

from sim_bridge import SEEDS, SimulationRequest
from tvlb.documents import WHOLE
from tvlb.errors import InvalidInput
from tvlb.requests.cost import Cost, with_traffic
from tvlb.requests.examples import example
from tvlb.requests.problems import InWords
from tvlb.requests.request import Load, Request, Seed
from tvlb.requests.routers import FIRST, Experiment, Router, router_named
from tvlb.requests.settings import with_options
from tvlb.requests.stored_tables import ReadPaths, ReadTable, unread_paths, unread_table
from tvlb.requests.texts import PatternText
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, parse_asked_pattern

_MOST_LOADS = 1000
_FEW_RUNS = 100
_FEW_TRACES = 1000
_GIVES_LOADS = {"required": ["load"], "properties": {"load": {"minItems": 1}}}
_SEARCHES = {"required": ["saturation"], "properties": {"saturation": {"const": True}}}


class LoadsBody(Request):
    """What is simulated; `simulation_body` has the class of a router."""

    kind: ClassVar[str] = "simulation"
    model: ClassVar[Router]

    pattern: PatternText = "uniform"
    load: tuple[Load, ...]
    seed: Seed = 0
    seeds: Annotated[
        int, Field(ge=SEEDS.low, le=SEEDS.high, description="Runs per load."), WHOLE
    ] = 1

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def traffic(self) -> Pattern:
        """Return the traffic pattern."""
        return parse_asked_pattern(self.pattern)

    @property
    def is_search(self) -> bool:
        """Whether the saturation load is asked for."""
        return dict(self).get("saturation", False)

    @property
    def is_light(self) -> bool:
        """See `Question.is_light`; many runs and traces take their time outside the simulator."""
        # A search counts as one run for each seed.
        runs = (len(self.load) + self.is_search) * self.seeds
        return runs <= _FEW_RUNS and dict(self).get("traces", 0) * runs <= _FEW_TRACES

    @property
    def most_threads(self) -> int:
        """See `Question.most_threads`: one for each run, of which searches follow the others."""
        return max(len(self.load), int(self.is_search)) * self.seeds

    def simulation(
        self,
        network: Topology,
        read_paths: ReadPaths = unread_paths,
        read_table: ReadTable = unread_table,
    ) -> SimulationRequest:
        """Return what is to be simulated; with the defaults, only if it names no table."""
        return self.model.request(self._experiment(network, read_paths, read_table))

    def _experiment(
        self,
        network: Topology,
        read_paths: ReadPaths = unread_paths,
        read_table: ReadTable = unread_table,
    ) -> Experiment:
        asked, traffic = dict(self), self.traffic()
        return Experiment(
            network, traffic, self.load, self.seed, self.seeds, asked, read_paths, read_table
        )

    def _outline(self, network: Topology) -> Experiment:
        """Return what is as good for checks, without traffic that an engine has to find."""
        known = self._experiment(network)
        return replace(known, pattern=known.pattern.outlined(network, self.seed))

    def _resolved(self, network: Topology) -> Self:
        if not self.load and not self.is_search:
            raise InvalidInput(
                "load is empty and saturation is false: give loads, ask for the saturation load, "
                "or both"
            )
        written = {
            "topology": described(network),
            "pattern": self.traffic().asked,
            "load": tuple(dict.fromkeys(self.load)),
        }
        filled = self.model.resolved(self.model.request(self._outline(network)))
        return self.model_copy(update=written | filled)

    def _cost(self, network: Topology) -> Cost:
        return with_traffic(self.model.cost(self._outline(network)), network, [self.traffic()])


@cache
def simulation_body(name: str) -> type[LoadsBody]:
    """Return the class of requests for simulations by a router."""
    model = router_named(name)
    least = None if model.is_searched else 1
    loads = Field(
        min_length=least,
        max_length=_MOST_LOADS,
        strict=False,
        description=f"Offered loads, {model.load_unit}, 0..1.",
    )
    router = Annotated[
        Literal[name],
        Field(description=f"Model of the routers: {model.text}."),
        InWords(lambda given: router_named(str(given))),
    ]
    keys: dict[str, Any] = {
        "load": (Annotated[tuple[Load, ...], loads], () if model.is_searched else ...),
        "router": (router, name if name == FIRST else ...),
    }
    body: type[LoadsBody] = create_model(
        f"{model.prefix}SimulationBody", __base__=LoadsBody, **keys
    )
    for declaring in model.declaring:
        body = with_options(body, declaring)
    body.__doc__, body.model = model.asks, model
    needs: dict[str, Any] = {"anyOf": [_GIVES_LOADS, _SEARCHES]} if model.is_searched else {}
    shown = {"examples": example("requests")[model.example][:1]} if model.example else {}
    body.model_config["json_schema_extra"] = needs | shown
    return body
