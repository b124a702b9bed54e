"""What simulations of the virtual cut-through router can be asked for, as a JSON body."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.documents import WHOLE
from tvlb.languages import made, settings
from tvlb.schemas.problems import InWords
from tvlb.schemas.requests import Load
from tvlb.schemas.settings import with_options
from tvlb.schemas.simulation_body import MOST_LOADS, LoadsBody
from tvlb.schemas.texts import OneOf
from tvlb.search import (
    MAX_CYCLES,
    VCT_ROUTING_NAMES,
    VCT_ROUTINGS,
    Cost,
    VctConfig,
    VctRequest,
    VctScenario,
    vct_cost,
)
from tvlb.topology import Topology

_WARMUP = settings(VctConfig)["warmup_cycles"]


class _Scenario(LoadsBody):
    """What is simulated, and for how long before it is measured."""

    load: Annotated[
        tuple[Load, ...],
        Field(
            min_length=1,
            max_length=MOST_LOADS,
            strict=False,
            description="Offered loads, phits/cycle/node, 0..1.",
        ),
    ]
    router: Annotated[
        Literal["vct"],
        Field(description="Model of the routers: virtual cut-through, packets of several phits."),
    ]
    routing: Annotated[
        str,
        OneOf(VCT_ROUTING_NAMES),
        Field(description=f"The routing; valiant is {VCT_ROUTINGS[1]}."),
    ] = "min"
    warmup: Annotated[
        int,
        Field(ge=0, le=MAX_CYCLES, description="Warm-up cycles."),
        WHOLE,
        InWords(lambda cycles: _WARMUP.kind.checked("warmup", cycles)),
    ] = _WARMUP.default


class VctSimulationBody(with_options(_Scenario, VctConfig)):
    """Simulate a routing with virtual cut-through at given loads."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": "hyperx(2,3,3)",
                    "router": "vct",
                    "routing": "valiant",
                    "pattern": "dshift(1)",
                    "load": [0.2, 0.4],
                    "vcs": "2phases",
                    "cycles": 2000,
                }
            ]
        }
    )

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def simulation(self, network: Topology) -> VctRequest:
        """Return what is to be simulated."""
        config = made(VctConfig, dict(self), warmup_cycles=self.warmup)
        scenario = VctScenario(network, self.routing, self.traffic(), self.seed)
        return VctRequest(scenario, config, self.seeds)

    def _resolved(self, network: Topology) -> Self:
        simulation = self.simulation(network)
        scenario = simulation.scenario
        scenario.check(self.load)
        return self.model_copy(
            update=self.written(network)
            | {"routing": scenario.routing, "vc_count": simulation.config.vc_count}
        )

    def _cost(self, network: Topology) -> Cost:
        config = self.simulation(network).config
        return vct_cost(network, self.routing, config, self.load, self.seeds)
