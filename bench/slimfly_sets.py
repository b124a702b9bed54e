"""Path sets of Slim Flies beside `ori`: modelled, and simulated with intervals.

    python -m bench.slimfly_sets [--q 5 7] [--sets nta 3h...] [--weighed 5 7] [--tables FILE...]
        [--seeds 3] [--permutations 4] [--workers 2]

Of every set under alg2, pair, random permutations of switches that no weights were made for, and
uniform traffic: the modelled throughput; with UGAL-L the saturation load, and the change against
`ori` of it and of the latency at load 0.1, with 95% intervals over the seeds (of the permutations:
over these too). Sets of at most three hops have 3 VCs per port, others 4, of 32 flits each. Weights
path by path are those of `bench.slimfly_weights`; tables are results of `tvlb table`.
"""

import argparse
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.slimfly_weights import many_permutations, step1_patterns, weights_for_patterns
from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.model import throughput
from tvlb.paths import PathSet, pairs_from, parse_expression
from tvlb.search import SCREENING
from tvlb.statistics import estimate
from tvlb.table import read_table
from tvlb.topology import SlimFly
from tvlb.traffic import parse_pattern

BASELINE = "ori"
SETS = ("nta", "3h", "<=3", "near", "<=3+50%")
SHORT_HOPS, SHORT_VCS, VCS = 3, 3, 4
FIRST_PERMUTATION = 500
GRID, LOW_LOAD = 0.005, 0.1
MODEL = "rm+:0.001"
FIRST_SEED = 900
_ROUNDING = GRID / math.sqrt(6.0)  # of the difference of two loads, rounded down each

_Values = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A path set, and what was found of it.

    Attributes
    ----------
    hops : of its longest path.
    theta : modelled throughput by traffic, a value per pattern, flits/cycle/node.
    saturation : by traffic, float64 (cases,), packets/cycle/node.
    latency : the same, mean latency at the low load, cycles; nan where that is saturated.
    """

    name: str
    hops: int
    mean_hops: float
    theta: dict[str, _Values]
    saturation: dict[str, _Values]
    latency: dict[str, _Values]


def longest_path(path_set: PathSet) -> int:
    """Return the hops of the longest path."""
    longest = 0
    for source in range(path_set.topology.num_switches):
        count = path_set.profile(*pairs_from(path_set.topology, source)).count.sum(axis=0)
        longest = max(longest, int(np.flatnonzero(count).max(initial=0)))
    return longest


def traffic_of(permutations: int) -> dict[str, tuple[str, ...]]:
    """Return the patterns by traffic."""
    seeds = range(FIRST_PERMUTATION, FIRST_PERMUTATION + permutations)
    return {
        "alg2": ("alg2",),
        "pair": ("pair",),
        "permutations": tuple(f"switch-permutation(seed={seed})" for seed in seeds),
        "uniform": ("uniform",),
    }


def judged(
    name: str,
    path_set: PathSet,
    traffics: Mapping[str, Sequence[str]],
    seeds: int,
    threads: ThreadPoolExecutor,
) -> Judged:
    """Model and simulate a set."""
    hops = longest_path(path_set)
    config = SimulationConfig(
        warmup_cycles=SCREENING.warmup,
        measured_cycles=SCREENING.measured,
        vc_count=SHORT_VCS if hops <= SHORT_HOPS else VCS,
    )

    def modelled(pattern: str) -> float:
        return throughput(path_set.topology, path_set, pattern, solver=MODEL).theta

    def simulated(case: tuple[str, int]) -> tuple[float, float]:
        pattern, seed = case
        scenario = Scenario(path_set.topology, "ugal-l", path_set, parse_pattern(pattern), seed)
        low = scenario.run(LOW_LOAD, config)
        found = search_saturation(scenario, config, step=GRID)
        return found.load, math.nan if low.saturated else low.latency_mean

    theta: dict[str, _Values] = {}
    saturation: dict[str, _Values] = {}
    latency: dict[str, _Values] = {}
    for traffic, patterns in traffics.items():
        cases = [(one, FIRST_SEED + seed) for one in patterns for seed in range(seeds)]
        theta[traffic] = np.array(list(threads.map(modelled, patterns)))
        saturation[traffic], latency[traffic] = np.array(list(threads.map(simulated, cases))).T
    return Judged(name, hops, path_set.mean_hops(), theta, saturation, latency)


def change(mine: _Values, theirs: _Values, rounding: float = 0.0) -> str:
    """Write a relative change, paired by case, with its interval."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = estimate(mine / theirs - 1)
    half = found.half_width(rounding / float(np.nanmean(theirs)))
    return f"{100 * found.mean:+.1f}% +- {100 * half:.1f}"


def print_lines(one: Judged, baseline: Judged) -> None:
    """Print a line per traffic."""
    for traffic in one.theta:
        saturation, latency = one.saturation[traffic], one.latency[traffic]
        figures = (
            f"theta {one.theta[traffic].mean():.3f}, saturation {saturation.mean():.3f}, "
            f"latency {latency.mean():.1f}"
        )
        if one is not baseline:
            gain = change(saturation, baseline.saturation[traffic], _ROUNDING)
            figures += f"; saturation {gain}, latency {change(latency, baseline.latency[traffic])}"
        print(f"  {traffic}: {figures}", flush=True)


def sets_of(
    topology: SlimFly, sets: Sequence[str], weighed: bool, tables: Sequence[str]
) -> dict[str, PathSet]:
    """Return what is compared, the baseline first."""
    found = {text: parse_expression(text, topology) for text in (BASELINE, *sets)}
    if weighed:
        few = step1_patterns(topology)
        for training in (few, few + many_permutations(topology)):
            name = f"<=3 weighed for {len(training)} patterns"
            found[name] = weights_for_patterns(parse_expression("<=3", topology), training)
    for path in tables:
        table = read_table(path)
        if table.topology == topology:
            found[f"table {table.header.expression}"] = table.path_set("table")
    return found


def main() -> None:
    """Compare the sets network by network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--q", type=int, nargs="+", default=[5, 7])
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--weighed", type=int, nargs="*", default=[5, 7])
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--permutations", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    traffics = traffic_of(given.permutations)
    with ThreadPoolExecutor(given.workers) as threads:
        for q in given.q:
            topology = SlimFly(q)
            baseline = None
            for name, path_set in sets_of(
                topology, given.sets, q in given.weighed, given.tables
            ).items():
                one = judged(name, path_set, traffics, given.seeds, threads)
                baseline = baseline or one
                print(
                    f"{topology} {name}: {one.hops} hops at most, {one.mean_hops:.2f} in the mean"
                )
                print_lines(one, baseline)


if __name__ == "__main__":
    main()
