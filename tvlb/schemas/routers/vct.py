"""Virtual cut-through routers: packets of several phits, virtual channels chosen hop by hop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.languages import Text, made, one_of, setting, settings
from tvlb.processes import Reporter
from tvlb.schemas.routers import Column, Experiment, Router, Simulation
from tvlb.schemas.vct import VctDocument, no_deadlock
from tvlb.search import VCT_ROUTINGS, VctConfig, VctRequest, VctScenario, simulate_loads

_WARMUP = settings(VctConfig)["warmup_cycles"]


@dataclass(frozen=True)
class _Options:
    """What is asked beside the settings of the routers."""

    routing: str = setting(
        "min",
        f"Routing: {one_of(VCT_ROUTINGS)}; valiant is {VCT_ROUTINGS[1]}",
        Text("ROUTING"),
    )
    warmup: str = setting(str(_WARMUP.default), f"Warm-up cycles, {_WARMUP.kind}", Text("CYCLES"))


@dataclass(frozen=True, eq=False)
class _Simulation(Simulation):
    request: VctRequest
    loads: Sequence[float]

    @property
    def json_only(self) -> str:
        traced = self.request.config.traced_packets
        return f"traces {traced}" if traced else ""

    def run(self, workers: int, report: Reporter) -> VctDocument:
        results = simulate_loads(self.request, self.loads, workers=workers, report=report)
        return VctDocument.of(self.request, results)


class _VirtualCutThrough(Router):
    name = "vct"
    text = "virtual cut-through, packets of several phits"
    load_unit = "phits/cycle/node"
    declaring = (_Options, VctConfig)
    columns = (
        Column("load", "load", 3),
        Column("accepted", "accepted", 4),
        Column("+-", "accepted_ci95", 4),
        Column("injected", "injected", 4),
        Column("latency", "latency_mean", 2),
        Column("+-", "latency_ci95", 2),
        Column("hops", "hops_mean", 3),
        Column("refused", "refused", 1),
        Column("Jain", "jain", 4),
    )

    def simulation(self, experiment: Experiment, asked: Mapping[str, Any]) -> Simulation:
        if not experiment.loads:
            raise InvalidInput("give --load: offered loads, phits/cycle/node")
        config = made(VctConfig, asked, warmup_cycles=_warmup_cycles(asked["warmup"]))
        scenario = VctScenario(
            experiment.topology, asked["routing"], experiment.pattern, experiment.seed
        )
        request = VctRequest(scenario, config, experiment.seeds)
        return _Simulation(request, experiment.loads)

    def title(self, document: Mapping[str, Any]) -> str:
        config = document["config"]
        channels = f"{config['vc_policy']} on {config['vc_count']} VCs"
        return (
            f"{document['topology']}, {document['routing']}, {channels}, {document['pattern']}, "
            f"packets of {config['packet_phits']} phits"
        )

    def summary(self, document: Mapping[str, Any]) -> str:
        return no_deadlock(document)


def _warmup_cycles(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InvalidInput(f"warm-up {text!r}: router vct takes a number of cycles, {_WARMUP.kind}")
    return int(text)


ROUTER = _VirtualCutThrough()
