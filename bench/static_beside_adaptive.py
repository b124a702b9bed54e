"""Static and adaptive routings of one network beside each other: EFI, EBB and saturation loads.

    python -m bench.static_beside_adaptive [4,8,4,9] [--patterns uniform shift(2,0)]
        [--vcs per-hop] [--warmup 6000] [--cycles 6000] [--bisections 1000] [--seeds 1]
        [--workers N]

Forwarding tables of psssp, by the orders id and interleave and after passes; MIN, VLB and UGAL-L,
the latter two with the conventional VLB paths and with those that literature holds to be good
(T-VLB). EFI and EBB are of fixed shares, so that an adaptive routing has none. A saturation load is
that of `tvlb simulate --saturation`, the mean over the seeds, on a grid of 0.01. Above nodes / EFI
the busiest links of a static routing are overloaded under uniform traffic; where these are few, the
verdict on saturation lets some hundredths more pass. Prints a table in Markdown.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from statistics import mean
from typing import Any

from bench.runs import run_all
from sim_bridge import FollowedTable, Scenario, SimulationConfig, search_saturation
from tvlb.forwarding import (
    MeasureOptions,
    RouteOptions,
    SplitRoutes,
    measure,
    route,
)
from tvlb.paths import PathSet, parse_expression
from tvlb.processes import available_cores
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import parse_pattern

_PASSES = 20


@dataclass(frozen=True, eq=False)
class Case:
    """A routing: what is measured, None of an adaptive one, and what is simulated."""

    name: str
    # Its checker takes no cached property for one of the protocol `Routes`.
    routes: Any
    routing: str
    paths: PathSet
    table: FollowedTable | None = None

    def saturation(self, pattern: str, config: SimulationConfig, seed: int) -> float:
        """Search the saturation load."""
        scenario = Scenario(
            self.paths.topology, self.routing, self.paths, parse_pattern(pattern), seed, self.table
        )
        return search_saturation(scenario, config, verdict_only=True).load


def cases(topology: Topology) -> Iterator[Case]:
    """Yield all routings of a network."""
    usual, chosen = (
        parse_expression(text, topology)
        for text in (topology.conventional_set, topology.published_set)
    )
    ways = {
        "psssp, order id": RouteOptions(),
        "psssp, order interleave": RouteOptions(order="interleave"),
        f"psssp, order auto, {_PASSES} passes": RouteOptions(order="auto", passes=_PASSES),
    }
    for name, options in ways.items():
        entries = route(topology, options).forwarding
        yield Case(name, entries, "table", usual, FollowedTable(entries))
    yield Case("MIN", SplitRoutes(usual, 1.0), "min", usual)
    for paths in (usual, chosen):
        yield Case(f"VLB, {paths}", SplitRoutes(paths, 0.0), "vlb", paths)
    for paths in (usual, chosen):
        yield Case(f"UGAL-L, {paths}", None, "ugal-l", paths)


def measured(case: Case, options: MeasureOptions) -> tuple[str, str, str]:
    """Return EFI, what it allows under uniform traffic, and EBB, as they are printed."""
    if case.routes is None:
        return "-", "-", "-"
    efi = case.routes.loads.efi
    (bandwidth,) = measure(case.routes, options).bandwidth.values()
    share = case.routes.topology.num_nodes / efi
    return f"{efi:.4g}", f"{share:.3f}", f"{bandwidth.mean:.3f}"


def main() -> None:
    """Measure, search and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("topology", nargs="?", default="4,8,4,9")
    parser.add_argument("--patterns", nargs="+", default=["uniform", "shift(2,0)"])
    parser.add_argument("--vcs", default="per-hop", help="of all routings")
    parser.add_argument("--warmup", type=int, default=6000)
    parser.add_argument("--cycles", type=int, default=6000)
    parser.add_argument("--bisections", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=available_cores())
    asked = parser.parse_args()
    topology = parse_topology(asked.topology)
    options = MeasureOptions(bisections=asked.bisections, workers=asked.workers)
    config = SimulationConfig(
        warmup_cycles=asked.warmup, measured_cycles=asked.cycles, vc_scheme=asked.vcs
    )
    every = list(cases(topology))
    searches = [
        partial(case.saturation, pattern, config, seed)
        for case in every
        for pattern in asked.patterns
        for seed in range(asked.seeds)
    ]
    found = iter(run_all(searches, asked.workers))
    heads = ["nodes / EFI", "EBB", *(f"saturation, {one}" for one in asked.patterns)]
    print(f"| {topology} | EFI | {' | '.join(heads)} |")
    print("|---" * (2 + len(heads)) + "|")
    for case in every:
        loads = [mean(next(found) for _ in range(asked.seeds)) for _ in asked.patterns]
        cells = [case.name, *measured(case, options), *(f"{load:.2f}" for load in loads)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
