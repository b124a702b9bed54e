"""What simulations can be asked for, as a JSON body; of the router with input queues."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.documents import WHOLE
from tvlb.errors import InvalidInput
from tvlb.languages import choose, made
from tvlb.paths import parse_expression
from tvlb.schemas.problems import InWords
from tvlb.schemas.requests import Load, Request, Seed
from tvlb.schemas.routers import router_named
from tvlb.schemas.settings import with_options
from tvlb.schemas.texts import OneOf, PathSetText, PatternText, WarmupText
from tvlb.search import (
    MAX_CYCLES,
    Cost,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    Warmup,
    parse_warmup,
    simulation_cost,
)
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, parse_named_pattern

MOST_LOADS = 1000
_FEW_RUNS = 100
_FEW_TRACES = 1000


class LoadsBody(Request):
    """What simulations have in common, whatever the routers."""

    kind: ClassVar[str] = "simulation"

    pattern: PatternText = "uniform"
    load: tuple[Load, ...]
    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1, le=1000, description="Runs per load."), WHOLE] = 1

    def traffic(self) -> Pattern:
        """Return the traffic pattern."""
        return parse_named_pattern(self.pattern)

    @property
    def runs(self) -> int:
        """How many runs are asked for."""
        return len(self.load) * self.seeds

    @property
    def is_light(self) -> bool:
        """See `Question.is_light`; many runs and traces take their time outside the simulator."""
        return self.runs <= _FEW_RUNS and dict(self)["traces"] * self.runs <= _FEW_TRACES

    def written(self, network: Topology) -> dict[str, Any]:
        """Return network, pattern and loads as a resolved request has them."""
        return {
            "topology": described(network),
            "pattern": str(self.traffic()),
            "load": tuple(dict.fromkeys(self.load)),
        }


class _Scenario(LoadsBody):
    """What is simulated, and for how long before it is measured."""

    load: Annotated[
        tuple[Load, ...],
        Field(
            max_length=MOST_LOADS,
            strict=False,
            description="Offered loads, packets/cycle/node, 0..1.",
        ),
    ] = ()
    router: Annotated[
        Literal["iq"],
        Field(description="Model of the routers: input queues, packets of one flit."),
        InWords(lambda name: router_named(str(name))),
    ] = "iq"
    routing: Annotated[
        str,
        OneOf(Routing),
        Field(description="The routing."),
        InWords(lambda name: choose(Routing, "routing", str(name))),
    ] = "ugal-l"
    vlb: PathSetText = "all"
    saturation: Annotated[
        bool, Field(description="Search the saturation load on a grid of 0.01.")
    ] = False
    warmup: Annotated[
        Annotated[int, Field(ge=0, le=MAX_CYCLES), WHOLE] | WarmupText,
        Field(description="Warm-up: cycles, or until the network is steady."),
        InWords(lambda value: parse_warmup(str(value))),
    ] = 30_000


class SimulationBody(with_options(_Scenario, SimulationConfig)):
    """Simulate a routing flit by flit, at given loads or to find its saturation load."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["load"], "properties": {"load": {"minItems": 1}}},
                {"required": ["saturation"], "properties": {"saturation": {"const": True}}},
            ],
            "examples": [
                {"topology": "2,4,2,9", "vlb": "short(2,3)", "load": [0.1, 0.2], "cycles": 2000}
            ],
        }
    )

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def config(self) -> SimulationConfig:
        """Return the settings of the simulator."""
        warmup, warmup_cycles = parse_warmup(str(self.warmup))
        return made(SimulationConfig, dict(self), warmup=warmup, warmup_cycles=warmup_cycles)

    def simulation(self, network: Topology) -> SimulationRequest:
        """Return what is to be simulated."""
        path_set = parse_expression(self.vlb, network, self.seed)
        scenario = Scenario(network, self.routing, path_set, self.traffic(), self.seed)
        return SimulationRequest(scenario, self.config(), self.seeds)

    @property
    def runs(self) -> int:
        """See `LoadsBody.runs`; a search counts as one for each seed."""
        return super().runs + self.saturation * self.seeds

    def _resolved(self, network: Topology) -> Self:
        if not self.load and not self.saturation:
            raise InvalidInput(
                "load is empty and saturation is false: give loads, ask for the saturation load, "
                "or both"
            )
        simulation = self.simulation(network)
        scenario, config = simulation.scenario, simulation.config
        scenario.pattern.resolve(network, self.seed)
        return self.model_copy(
            update=self.written(network)
            | {name: getattr(config, name) for name in config.latency_settings()}
            | {
                "vlb": str(scenario.path_set),
                "warmup": _warmup_text(config),
                "vcs": config.vc_scheme,
                "vc_count": config.resolved_vc_count(network, self.routing),
            }
        )

    def _cost(self, network: Topology) -> Cost:
        return simulation_cost(
            network, self.routing, self.config(), self.load, self.seeds, self.saturation
        )


def _warmup_text(config: SimulationConfig) -> int | str:
    cycles = config.warmup_cycles
    return f"detect:{cycles}" if config.warmup == Warmup.DETECT else cycles
