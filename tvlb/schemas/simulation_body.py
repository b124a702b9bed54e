"""What simulations can be asked for, as a JSON body."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.choices import choose
from tvlb.documents import WHOLE
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.schemas.problems import InWords
from tvlb.schemas.requests import MAX_CYCLES, Load, Request, Seed
from tvlb.schemas.settings import with_options
from tvlb.schemas.texts import OneOf, PathSetText, PatternText, WarmupText
from tvlb.search import (
    Cost,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    Warmup,
    parse_warmup,
    simulation_cost,
)
from tvlb.settings import made
from tvlb.topology import Topology, described
from tvlb.traffic import parse_named_pattern

__all__ = ["SimulationBody"]

_FEW_RUNS = 100
_FEW_TRACES = 1000


class _Scenario(Request):
    """What is simulated, and for how long before it is measured."""

    routing: Annotated[
        str,
        OneOf(Routing),
        Field(description="The routing."),
        InWords(lambda name: choose(Routing, "routing", str(name))),
    ] = "ugal-l"
    vlb: PathSetText = "all"
    pattern: PatternText = "uniform"
    load: Annotated[
        tuple[Load, ...],
        Field(
            max_length=1000, strict=False, description="Offered loads, packets/cycle/node, 0..1."
        ),
    ] = ()
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
    kind: ClassVar[str] = "simulation"

    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1, le=1000, description="Runs per load."), WHOLE] = 1

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
        traffic = parse_named_pattern(self.pattern)
        scenario = Scenario(network, self.routing, path_set, traffic, self.seed)
        return SimulationRequest(scenario, self.config(), self.seeds)

    @property
    def is_light(self) -> bool:
        """See `Question.is_light`; traces and many runs take their time outside the simulator."""
        runs = (len(self.load) + self.saturation) * self.seeds
        return runs <= _FEW_RUNS and self.config().traced_packets * runs <= _FEW_TRACES

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
            update={name: getattr(config, name) for name in config.latency_settings()}
            | {
                "topology": described(network),
                "vlb": str(scenario.path_set),
                "pattern": str(scenario.pattern),
                "load": tuple(dict.fromkeys(self.load)),
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
