"""A router of another package, made of a core that is there: virtual cut-through, few settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim_bridge import RouterScenario, StopFlag, VctConfig, VctScenario
from sim_bridge.result import PhitResult
from tvlb.languages import Names, Whole, setting
from tvlb.requests import Cost
from tvlb.requests.routers import Experiment, Router
from tvlb.topology import Topology
from tvlb.traffic import Pattern

PACKET = 8


@dataclass(frozen=True)
class ToyConfig:
    routing: str = setting("min", "Routing", Names(("min", "valiant(minboth)")))
    warmup_cycles: int = 500
    measured_cycles: int = setting(1000, "Measured cycles", Whole(1, 10_000), option="cycles")
    packets: int = setting(4, "Packets that a buffer holds", Whole(1, 100))


class ToyResult(PhitResult):
    pass


@dataclass(frozen=True, eq=False)
class ToyScenario(RouterScenario[ToyConfig, ToyResult]):
    topology: Topology
    routing: str
    pattern: Pattern
    seed: int
    takes_steps = True
    settings, result = ToyConfig, ToyResult

    def resolved(self, config: ToyConfig) -> ToyConfig:
        return config

    def run(
        self, load: float, config: ToyConfig | None = None, stop: StopFlag | None = None
    ) -> ToyResult:
        asked = config or ToyConfig()
        settings = VctConfig(
            asked.warmup_cycles,
            asked.measured_cycles,
            packet_phits=PACKET,
            input_buffer_phits=PACKET * asked.packets,
            output_buffer_phits=PACKET * asked.packets,
        )
        core = VctScenario(self.topology, self.routing, self.pattern, self.seed)
        told = vars(core.run(load, settings, stop))
        return ToyResult.of({**told, "busy": float(told["link_load"].mean())})


class ToyRouter(Router):
    name, text = "toy", "virtual cut-through with few settings"
    asks, answers = "Ask a toy.", "What a toy says."
    declaring, result = (ToyConfig,), ToyResult

    def scenario(self, experiment: Experiment) -> ToyScenario:
        routing = experiment.asked["routing"]
        return ToyScenario(experiment.topology, routing, experiment.pattern, experiment.seed)

    def cost(self, experiment: Experiment) -> Cost:
        return Cost(1e-6, 1_000, {"simulate": 1e-6})

    def title(self, document: Mapping[str, Any]) -> str:
        return f"{document['topology']} by a toy"


ROUTER = ToyRouter()
