"""How far the cost estimates of tvlb.requests.cost are off.

    python bench/cost_estimates.py [--match table]

Runs every case in a process of its own, with two workers where there are several, and prints a
Markdown table: estimated and measured CPU seconds (user and system, of worker processes too), their
ratio, and the estimated and measured peak memory. CPU seconds are by a factor of up to 2 higher
where other programs compete for the caches. Exit code 1 if an estimate is off by more than a factor
of 4.
"""

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np

from sim_bridge import (
    Scenario,
    SimulationConfig,
    SimulationRequest,
    VctConfig,
    VctScenario,
    find_saturation,
    simulate_loads,
)
from tvlb.forwarding import RouteOptions, route
from tvlb.model import throughput
from tvlb.paths import parse_expression
from tvlb.requests import Cost, RepairOptions
from tvlb.requests.cost import (
    entries_repair_cost,
    model_cost,
    simulation_cost,
    table_cost,
    vct_cost,
)
from tvlb.requests.forwarding_repair import ForwardingRepairDocument, repair_table
from tvlb.search import SearchOptions, Windows, optimize
from tvlb.table import ForwardingTable
from tvlb.topology import Failures, parse_topology, without
from tvlb.traffic import parse_pattern

_TOLERATED = 4.0


@dataclass(frozen=True)
class Case:
    """A request: what it is estimated to cost, how to run it, and what has to be made before."""

    name: str
    estimate: Callable[[], Cost]
    run: Callable[[], object]
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Measured:
    """What a request cost."""

    cpu_seconds: float
    memory_bytes: int


def model(network: str, paths: str, pattern: str) -> Case:
    """One linear program."""
    topology, traffic = parse_topology(network), parse_pattern(pattern)
    path_set = parse_expression(paths, topology)
    return Case(
        f"model {topology} {paths} {pattern}",
        lambda: model_cost(topology, path_set, traffic),
        lambda: throughput(topology, path_set, traffic),
    )


def simulation(
    network: str,
    routing: str,
    pattern: str,
    windows: tuple[int, int],
    loads: list[float],
    seeds: int = 1,
) -> Case:
    """Simulate some loads; without any, search the saturation load."""
    topology = parse_topology(network)
    config = SimulationConfig(warmup_cycles=windows[0], measured_cycles=windows[1])

    def run() -> object:
        path_set = parse_expression("all", topology)
        scenario = Scenario(topology, routing, path_set, parse_pattern(pattern))
        request = SimulationRequest(scenario, config, seeds)
        return simulate_loads(request, loads) if loads else find_saturation(request)

    asked = f"loads {loads}" if loads else "saturation"
    return Case(
        f"simulation {topology} {routing} {pattern} {asked}, {windows[0]}+{windows[1]}, "
        f"{seeds} seeds",
        lambda: simulation_cost(topology, routing, config, loads, seeds, not loads),
        run,
    )


def cut_through(
    network: str, routing: str, pattern: str, policy: str, vcs: int, cycles: int, load: float
) -> Case:
    """Simulate a load with the virtual cut-through router."""
    topology = parse_topology(network)
    config = VctConfig(cycles, cycles, policy, vcs)
    scenario = VctScenario(topology, routing, parse_pattern(pattern))
    return Case(
        f"cut-through {topology} {routing} {pattern} load {load}, {policy}:{vcs}, "
        f"{cycles}+{cycles}",
        lambda: vct_cost(topology, routing, config, [load], 1),
        lambda: scenario.run(load, config),
    )


def table(
    network: str, patterns: str, screening: Windows, confirmation: Windows, *few: int
) -> Case:
    """Search a table as the paper says; `few` are finalists, data points and patterns."""
    topology = parse_topology(network)
    finalists, data_points, simulated_patterns = few
    options = SearchOptions(
        method="paper",
        patterns=patterns,
        screening=screening,
        confirmation=confirmation,
        finalists=finalists,
        data_points=data_points,
        simulated_patterns=simulated_patterns,
        workers=2,
    )
    return Case(
        f"table {topology} patterns {patterns}, {screening}, {confirmation}, {few}",
        lambda: table_cost(topology, options),
        lambda: optimize(topology, options),
    )


def searched(
    network: str, budget: str, confirmation: Windows, *traffic: str, search: str = "paths"
) -> Case:
    """Search for weighted sets; of the probe only two patterns."""
    topology = parse_topology(network)
    options = SearchOptions(
        search=search,
        patterns="2",
        budget=budget,
        confirmation=confirmation,
        traffic=traffic,
        workers=2,
    )
    named = f", {' '.join(traffic)}" if traffic else ""
    return Case(
        f"search {search} {topology} budget {budget}, {confirmation}{named}",
        lambda: table_cost(topology, options),
        lambda: optimize(topology, options),
    )


def repaired_entries(network: str, every: int, rebalance: float = 0.0, lanes: int = 0) -> Case:
    """Repair a forwarding table, of one lane if asked; of so many cables each time one is down."""
    topology = parse_topology(network)
    cables = topology.network
    down = np.flatnonzero(cables.link_source < cables.link_target)[::every]
    ends = zip(cables.link_source[down], cables.link_target[down], strict=True)
    failures = Failures(links=tuple((int(a), int(b)) for a, b in ends))
    options = RepairOptions(rebalance=rebalance)

    @cache
    def table() -> ForwardingTable:
        asked = RouteOptions(order="auto", max_layers=lanes or None)
        return ForwardingTable.of(route(topology, asked).forwarding, "psssp")

    def run() -> object:
        return ForwardingRepairDocument.of(repair_table(table(), failures, options))

    kind = "".join([" one lane" * (lanes == 1), f" rebalance {rebalance}" * (rebalance > 0)])
    return Case(
        f"entries {topology} {len(down)} cables down{kind}",
        lambda: entries_repair_cost(without(topology, failures), options, in_one_lane=lanes == 1),
        run,
        table,
    )


def fitted() -> list[Case]:
    """Return requests that the constants were fitted to, among others."""
    return [
        model("2,4,2,9", "all", "shift(1,0)"),
        model("2,4,2,9", "all", "uniform"),
        model("3,6,3,10", "short(2,3)", "type2(seed=1)"),
        model("4,8,4,9", "all", "shift(1,0)"),
        model("4,8,4,9", "<=4+60%", "type2(seed=0)"),
        model("4,8,4,9", "all", "permutation(seed=1)"),
        model("4,8,4,17", "all", "shift(1,0)"),
        model("4,8,4,17", "short(2,3)", "type2(seed=0)"),
        model("4,8,4,33", "short(2,3)", "type2(seed=1)"),
        model("4,8,4,33", "all", "type2(seed=0)"),
        simulation("2,4,2,9", "ugal-l", "shift(1,0)", (3000, 3000), [0.1, 0.2, 0.3]),
        simulation("2,4,2,9", "ugal-l", "shift(1,0)", (3000, 3000), [0.6]),
        simulation("4,8,4,9", "min", "uniform", (10_000, 10_000), [0.2, 0.5, 0.7]),
        simulation("4,8,4,9", "par", "shift(2,0)", (6000, 6000), [0.1, 0.2]),
        simulation("4,8,4,17", "ugal-l", "type2(seed=0)", (3000, 3000), [0.1, 0.15], 3),
        simulation("4,8,4,33", "vlb", "uniform", (2000, 2000), [0.1, 0.3]),
        simulation("4,8,4,33", "ugal-l", "shift(1,0)", (4000, 4000), [0.02]),
        simulation("13,26,13,27", "ugal-l", "shift(1,0)", (500, 500), [0.05]),
        simulation("2,4,2,9", "par", "shift(1,0)", (6000, 3000), []),
        simulation("4,8,4,9", "ugal-l", "shift(2,0)", (3000, 3000), [], 2),
        simulation("4,8,4,9", "min", "uniform", (3000, 3000), []),
        simulation("4,8,4,33", "ugal-g", "type2(seed=0)", (1000, 1000), []),
        table("2,4,2,3", "2", Windows(300, 300, 0.05), Windows(600, 400, 0.02), 1, 8, 5),
        table("2,4,2,9", "4", Windows(1000, 1000, 0.02), Windows(3000, 2000, 0.01), 1, 3, 3),
        table("2,4,2,9", "auto", Windows(3000, 3000, 0.01), Windows(6000, 4000, 0.002), 2, 8, 5),
        table("3,6,3,10", "4", Windows(500, 500, 0.02), Windows(1000, 1000, 0.01), 1, 2, 2),
        table("3,6,3,10", "auto", Windows(500, 500, 0.02), Windows(1000, 1000, 0.01), 2, 4, 3),
        table("4,8,4,9", "4", Windows(500, 500, 0.02), Windows(1000, 1000, 0.01), 1, 2, 2),
        table("4,8,4,9", "auto", Windows(500, 500, 0.02), Windows(1000, 1000, 0.01), 2, 8, 5),
        table("4,8,4,17", "2", Windows(300, 300, 0.02), Windows(500, 500, 0.01), 1, 1, 2),
        table("4,8,4,33", "2", Windows(200, 200, 0.05), Windows(300, 300, 0.02), 1, 1, 2),
        searched("2,4,2,9", "0", Windows(1000, 1000, 0.02)),
        searched("2,4,2,9", "100_000_000", Windows(2000, 2000, 0.01)),
        searched("2,4,2,9", "default", Windows(2000, 2000, 0.01), "shift(1,0)", "uniform"),
        searched("4,8,4,9", "default", Windows(1000, 1000, 0.02)),
        searched("4,8,4,9", "default", Windows(1000, 1000, 0.02), search="both"),
        *(
            repaired_entries(network, every, rebalance, lanes)
            for network in ("4,8,4,33,palmtree", "random(250,12,12,seed=0)", "fattree3(12)")
            for every in (10_000, 20)
            for rebalance in (0.0, 0.02)
            for lanes in (0, 1)
            if (network, lanes) != ("fattree3(12)", 1)
        ),
    ]


def unseen() -> list[Case]:
    """Return requests on other networks, measured after the constants were settled."""
    return [
        model("5,10,5,11", "<=5", "permutation(seed=2)"),
        model("3,6,3,19", "<=5+30%", "type2(seed=4)"),
        model("4,8,4,9", "short(<=4)", "mixed(20,80,shift(1,0))"),
        simulation("3,6,3,13", "par", "uniform", (3000, 2000), [0.2, 0.4]),
        simulation("6,12,6,13", "ugal-g", "type2(seed=3)", (1000, 1000), [0.15]),
        simulation("2,6,3,13", "vlb", "shift(2,1)", (2000, 1000), []),
        table("2,6,3,13", "auto", Windows(1000, 1000, 0.02), Windows(4000, 2000, 0.005), 2, 4, 3),
        table("4,6,3,7", "8", Windows(2000, 1000, 0.01), Windows(4000, 2000, 0.01), 1, 8, 2),
        searched("3,6,3,10", "default", Windows(2000, 2000, 0.01)),
        repaired_entries("torus(4,8,8)", 30),
        repaired_entries("torus(4,8,8)", 30, lanes=1),
        repaired_entries("tests/data/networks/deimos.json", 20, 0.02),
        repaired_entries("tests/data/networks/deimos.json", 20, 0.02, lanes=1),
        repaired_entries("slimfly(11)", 50, lanes=1),
    ]


def other_families() -> list[Case]:
    """Return requests on networks that no constant was fitted to, but those of `cut_through`."""
    return [
        model("slimfly(9)", "ori", "alg2"),
        model("hyperx(4,8,8)", "all", "dshift(1)"),
        simulation("slimfly(7)", "ugal-l", "uniform", (2000, 2000), [0.3, 0.5]),
        simulation("hyperx(2,4,4)", "ugal-l", "dshift(2)", (3000, 3000), []),
        cut_through("hyperx(4,4,4)", "valiant(minfirst)", "dshift(2)", "2phases", 4, 200_000, 1.0),
        cut_through("dflyplus(4,4,4,17)", "valiant", "advr(4)", "ladder", 6, 100_000, 0.3),
        cut_through("slimfly(5)", "min", "uniform", "ladder", 2, 200_000, 0.5),
        table("slimfly(5)", "auto", Windows(500, 500, 0.02), Windows(1000, 1000, 0.01), 2, 4, 3),
        searched("slimfly(5)", "default", Windows(1000, 1000, 0.02)),
        searched("slimfly(7)", "small", Windows(1000, 1000, 0.02)),
        searched("hyperx(2,4,4)", "default", Windows(2000, 2000, 0.01)),
        searched("dflyplus(2,2,2,5)", "default", Windows(2000, 2000, 0.01)),
    ]


def processor_seconds() -> float:
    """User and system time of this process and of its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(case: Case) -> Measured:
    """Run a case here, once."""
    case.prepare()
    before = processor_seconds()
    case.run()
    seconds = processor_seconds() - before
    return Measured(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def measure_apart(name: str) -> Measured:
    """Run a case in a process of its own."""
    command = [sys.executable, __file__, "--case", name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Measured(**json.loads(done.stdout))


def row(case: Case, measured: Measured) -> str:
    """Return one row of the table."""
    cost = case.estimate()
    return (
        f"| {case.name} | {cost.cpu_seconds:.3g} | {measured.cpu_seconds:.3g} | "
        f"{cost.cpu_seconds / measured.cpu_seconds:.2f} | {cost.memory_bytes / 1e6:.0f} | "
        f"{measured.memory_bytes / 1e6:.0f} |"
    )


def summary(ratios: list[float]) -> str:
    """Say how many estimates are how good."""
    away = [max(ratio, 1 / ratio) for ratio in ratios]
    within = [sum(one <= factor for one in away) for factor in (1.5, 2.0, 3.0)]
    return (
        f"{len(away)} estimates: {within[0]} within a factor of 1.5, {within[1]} of 2, {within[2]} "
        f"of 3; worst {max(away):.1f}"
    )


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--match", default="", help="only cases whose name contains this")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    options = parser.parse_args()
    everything = [*fitted(), *unseen(), *other_families()]
    if options.case is not None:
        chosen = next(case for case in everything if case.name == options.case)
        json.dump(asdict(measure(chosen)), sys.stdout)
        return 0
    print("| request | CPU s, estimated | measured | ratio | MB, estimated | measured |")
    print("|---|---|---|---|---|---|")
    ratios: list[float] = []
    for case in everything:
        if options.match in case.name:
            measured = measure_apart(case.name)
            ratios.append(case.estimate().cpu_seconds / measured.cpu_seconds)
            print(row(case, measured), flush=True)
    print(summary(ratios))
    return int(max(max(ratio, 1 / ratio) for ratio in ratios) > _TOLERATED)


if __name__ == "__main__":
    sys.exit(main())
