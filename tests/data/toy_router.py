"""A router of another package, as small as one can be: what queueing theory says of a path."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim_bridge import RouterScenario, RunResult, StopFlag
from tvlb.languages import Names, Whole, setting
from tvlb.languages.figures import COUNT, CYCLES, Quantity, figure
from tvlb.requests import Cost
from tvlb.requests.routers import Experiment, Router
from tvlb.topology import Topology
from tvlb.traffic import Pattern

RATE = Quantity(0.0, unit="flits/cycle")


@dataclass(frozen=True)
class ToyConfig:
    routing: str = setting("min", "Routing", Names(("min",)))
    warmup_cycles: int = 0
    measured_cycles: int = setting(1000, "Measured cycles", Whole(1, 10_000), option="cycles")
    service: int = setting(10, "Cycles that a switch takes", Whole(1, 100))


@dataclass(frozen=True, eq=False, kw_only=True)
class ToyResult(RunResult):
    population = ("all", "all packets")
    load: float
    seed: int
    accepted: float = figure("Carried", RATE, "mean", has_interval=True)
    latency_mean: float = figure("Mean latency", CYCLES, "mean", has_interval=True)
    cycles: int = figure("Simulated cycles", COUNT, "sum")
    stopped: str


@dataclass(frozen=True)
class ToyScenario(RouterScenario[ToyConfig, ToyResult]):
    topology: Topology
    routing: str
    pattern: Pattern
    seed: int

    def resolved(self, config: ToyConfig) -> ToyConfig:
        return config

    def run(
        self, load: float, config: ToyConfig | None = None, stop: StopFlag | None = None
    ) -> ToyResult:
        asked = config or ToyConfig()
        waiting = load / (2.0 - 2.0 * min(load, 0.99))
        latency = asked.service * len(self.topology.longest_min_path) * (1.0 + waiting)
        told = {"accepted": load, "latency_mean": latency, "busy": load, "stopped": "completed"}
        return ToyResult.of(told, load=load, seed=self.seed, cycles=asked.measured_cycles)


class ToyRouter(Router):
    name, text = "toy", "what queueing theory says of a path"
    asks, answers = "Ask queueing theory.", "What queueing theory says."
    declaring, result = (ToyConfig,), ToyResult

    def scenario(self, experiment: Experiment) -> ToyScenario:
        routing = experiment.asked["routing"]
        return ToyScenario(experiment.topology, routing, experiment.pattern, experiment.seed)

    def cost(self, experiment: Experiment) -> Cost:
        return Cost(1e-6, 1_000, {"simulate": 1e-6})

    def title(self, document: Mapping[str, Any]) -> str:
        return f"{document['topology']} by queueing theory"


ROUTER = ToyRouter()
