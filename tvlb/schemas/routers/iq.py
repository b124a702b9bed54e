"""Routers with input queues: packets of one flit, routes chosen at the source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.languages import Flag, Names, Text, made, setting
from tvlb.paths import expression_examples
from tvlb.processes import Reporter
from tvlb.schemas.routers import Column, Experiment, Router, Simulation
from tvlb.schemas.simulation import SimulationDocument
from tvlb.search import (
    Routing,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    find_saturation,
    parse_warmup,
    simulate_loads,
)
from tvlb.table import parse_path_set


@dataclass(frozen=True)
class _Options:
    """What is asked beside the settings of the routers."""

    routing: str = setting("ugal-l", "Routing", Names(Routing))
    vlb: str = setting(
        "all", f"VLB path set: {', '.join(expression_examples())}, or a saved table", Text("EXPR")
    )
    saturation: bool = setting(False, "Search the saturation load on a 0.01 grid", Flag())
    warmup: str = setting(
        "30000",
        "Warm-up cycles; detect or detect:CYCLES: until steady, at most 30,000 or CYCLES",
        Text("CYCLES"),
    )


@dataclass(frozen=True, eq=False)
class _Simulation(Simulation):
    request: SimulationRequest
    loads: Sequence[float]
    searches: bool

    @property
    def json_only(self) -> str:
        traced = self.request.config.traced_packets
        return f"traces {traced}" if traced else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        return self.request.scenario.warnings(self.request.config)

    def run(self, workers: int, report: Reporter) -> SimulationDocument:
        asked, searches = self.request, self.searches
        results = simulate_loads(asked, self.loads, workers=workers, report=report)
        found = find_saturation(asked, workers=workers, report=report) if searches else []
        return SimulationDocument.of(asked, results, found)


class _InputQueued(Router):
    name = "iq"
    text = "input queues, packets of one flit"
    load_unit = "packets/cycle/node"
    declaring = (_Options, SimulationConfig)
    columns = (
        Column("load", "load", 3),
        Column("accepted", "accepted", 4),
        Column("latency", "latency_mean", 2),
        Column("+-", "latency_ci95", 2),
        Column("p50", "latency_p50", 0),
        Column("p99", "latency_p99", 0),
        Column("hops", "hops_mean", 3),
        Column("VLB share", "vlb_share", 3),
    )

    def simulation(self, experiment: Experiment, asked: Mapping[str, Any]) -> Simulation:
        network, seed = experiment.topology, experiment.seed
        if not experiment.loads and not asked["saturation"]:
            raise InvalidInput("give --load, --saturation, or both")
        kind, cycles = parse_warmup(asked["warmup"])
        config = made(SimulationConfig, asked, warmup=kind, warmup_cycles=cycles)
        path_set = parse_path_set(asked["vlb"], network, seed)
        scenario = Scenario(network, asked["routing"], path_set, experiment.pattern, seed)
        request = SimulationRequest(scenario, config, experiment.seeds)
        return _Simulation(request, experiment.loads, asked["saturation"])

    def title(self, document: Mapping[str, Any]) -> str:
        set_up = f"{document['routing']} with {document['path_set']}"
        return f"{document['topology']}, {set_up}, {document['pattern']}"

    def state(self, row: Mapping[str, Any]) -> str:
        runs = len(row.get("runs", [row]))
        saturated = row.get("saturated_runs", int(row["saturated"]))
        if saturated > 0:
            return "saturated" if runs == 1 else f"saturated {saturated} of {runs}"
        return "ok" if row["steady"] else "ok, warm-up not over"

    def summary(self, document: Mapping[str, Any]) -> str:
        by_seed = document.get("saturation_by_seed", ())
        if not by_seed:
            return ""
        if len(by_seed) == 1:
            return f"Saturation load: {by_seed[0]:.2f} packets/cycle/node"
        listed = ", ".join(f"{load:.2f}" for load in by_seed)
        load, half = document["saturation_load"], document["saturation_ci95"]
        return f"Saturation load: {load:.4f} +- {half:.4f} ({listed} by seed) packets/cycle/node"


ROUTER = _InputQueued()
