"""Fixed splits of `tvlb static` beside adaptive routings: saturation loads and latencies.

::

    python -m bench.static_split ['dfly(4,8,4,9,palmtree)'] [--throughput 0.46] [--seeds 3]
        [--warmup 4000] [--cycles 4000] [--patterns 20] [--splits] [--workers N]

The best splits of all VLB paths and of the published set, and of the better one that of fewest mean
hops that guarantees `--throughput`; UGAL-L and PAR with the published path set, each with the queue
of the port and of the VC, with the best paths that a search finds for them, and with the best paths
and rule of UGAL; VLB and MIN. Saturation loads on a grid of 0.01: the mean over the held-out
patterns that these tables are judged by, by their shares, and the least of them; and on the worst
traffic of the model for the conventional and the published set. Latency is the mean over the
held-out patterns, by their shares, "-" where one saturates. With 95% intervals over the seeds.
Prints a table in Markdown.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.runs import run_all
from sim_bridge import Routing, Scenario, SimulationConfig, search_saturation
from tvlb.guarantee import static
from tvlb.paths import PUBLISHED_RULE, PathSet, UgalRule, parse_expression
from tvlb.processes import available_cores
from tvlb.search import Searched, SearchOptions, optimize
from tvlb.search.workload import Workload, held_out_workload
from tvlb.statistics import estimate
from tvlb.table import SplitPaths
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import Pattern, parse_pattern

LOADS = (0.1, 0.2)


@dataclass(frozen=True, eq=False)
class Case:
    """A routing with what it draws from, and how it compares."""

    name: str
    routing: str
    paths: PathSet
    table: SplitPaths | None = None
    rule: UgalRule = PUBLISHED_RULE

    def scenario(self, pattern: Pattern, seed: int) -> Scenario:
        """Return what is simulated."""
        return Scenario(self.paths.topology, self.routing, self.paths, pattern, seed, self.table)

    def saturation(self, pattern: Pattern, config: SimulationConfig, seed: int) -> float:
        """Search the saturation load."""
        scenario = self.scenario(pattern, seed)
        return search_saturation(scenario, self.ruled(config), verdict_only=True).load

    def ruled(self, config: SimulationConfig) -> SimulationConfig:
        """Return the settings with the rule."""
        return config.ruled(self.rule, Routing(self.routing))

    def latency(self, pattern: Pattern, config: SimulationConfig, seed: int, load: float) -> float:
        """Return the mean latency at a load; NaN where it is saturated."""
        run = self.scenario(pattern, seed).run(load, self.ruled(config))
        return float("nan") if run.saturated else run.latency_mean


def cases(
    topology: Topology, throughput: float | None, workers: int, splits_only: bool
) -> Iterator[Case]:
    """Yield all routings of a network, or its fixed splits alone."""
    every, chosen = (
        parse_expression(name, topology)
        for name in (topology.conventional_set, topology.published_set)
    )
    sets = [
        parse_expression(one, topology) for one in dict.fromkeys(("all", topology.published_set))
    ]
    best = [(static(topology, one), one) for one in sets]
    splits = sorted(best, key=lambda one: -one[0].chosen.floor)
    if throughput is not None:
        better = splits[0][1]
        splits.insert(1, (static(topology, better, throughput=throughput), better))
    for split, paths in splits:
        name = f"static, `{paths}`, {split.chosen.floor:.3f} at {split.chosen.hops:.2f} hops"
        yield Case(name, "static", paths, split.table.weighted_paths(name))
    if splits_only:
        return
    for routing in ("ugal-l", "par")[: 1 + topology.decides_again]:
        for queue in ("port", "vc"):
            name = f"{routing}, `{chosen}`, queue {queue}"
            yield Case(name, routing, chosen, rule=UgalRule(queue=queue))
        result = optimize(topology, SearchOptions(routing=routing, workers=workers))
        assert result.found is not None
        for part in (Searched.PATHS, Searched.BOTH):
            one = result.found.search.parts[part]
            name = f"{routing}, found: `{one.ruled(None).name}`, {one.ugal or PUBLISHED_RULE}"
            yield Case(name, routing, one.path_set, rule=one.ugal or PUBLISHED_RULE)
    yield Case(f"vlb, `{every}`", "vlb", every)
    yield Case("min", "min", every)


def traffic(topology: Topology, most: int) -> tuple[Workload, list[Pattern]]:
    """Return the held-out patterns, at most so many, and the worst of the model."""
    held_out = held_out_workload(topology, 0, rules=True)
    first = held_out.first_round
    spread = np.linspace(0, len(first) - 1, min(most, len(first)))
    few: list[int] = spread.round().astype(int).tolist()
    shares = held_out.share[few]
    names = dict.fromkeys((topology.conventional_set, topology.published_set))
    worst = [parse_pattern(f"worst({name})").settled(topology, 0) for name in names]
    return Workload(tuple(first[at] for at in few), tuple((shares / shares.sum()).tolist())), worst


def told(values: NDArray[np.float64], digits: int) -> str:
    """Return a mean over seeds with half its interval."""
    if np.isnan(values).any():
        return "-"
    half = estimate(values).half_width(0.0) if len(values) > 1 else 0.0
    return f"{values.mean():.{digits}f} +- {half:.{digits}f}"


def main() -> None:
    """Search, simulate and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("topology", nargs="?", default="dfly(4,8,4,9,palmtree)")
    parser.add_argument("--throughput", type=float)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=4000)
    parser.add_argument("--cycles", type=int, default=4000)
    parser.add_argument("--patterns", type=int, default=20)
    parser.add_argument("--splits", action="store_true", help="fixed splits alone")
    parser.add_argument("--workers", type=int, default=available_cores())
    asked = parser.parse_args()
    topology, seeds = parse_topology(asked.topology), range(asked.seeds)
    config = SimulationConfig(warmup_cycles=asked.warmup, measured_cycles=asked.cycles)
    held_out, worst = traffic(topology, asked.patterns)
    tried = (*held_out.patterns, *worst)
    heads = ["held-out", "least", *map(str, worst), *(f"latency at {one:g}" for one in LOADS)]
    told_of = ", ".join(map(str, held_out.patterns))
    print(f"{topology}, {len(held_out.patterns)} held-out patterns: {told_of}", flush=True)
    print(f"\n| routing | {' | '.join(heads)} |\n{'|---' * (1 + len(heads))}|", flush=True)
    for case in cases(topology, asked.throughput, asked.workers, asked.splits):
        searches = [partial(case.saturation, one, config, at) for at in seeds for one in tried]
        loads = np.array(run_all(searches, asked.workers)).reshape(len(seeds), len(tried))
        runs = [
            partial(case.latency, one, config, at, load)
            for at in seeds
            for load in LOADS
            for one in held_out.patterns
        ]
        shape = len(seeds), len(LOADS), len(held_out.patterns)
        latency = np.array(run_all(runs, asked.workers)).reshape(shape)
        judged = loads[:, : len(held_out.patterns)]
        columns = [judged @ held_out.share, judged.min(axis=1), *loads[:, judged.shape[1] :].T]
        cells = [told(one, 3) for one in columns]
        cells += [told(one, 1) for one in (latency @ held_out.share).T]
        print(f"| {case.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
