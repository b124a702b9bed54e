"""How well the short runs of a search rank path sets, beside what their saturation loads are.

::

    python -m bench.short_runs 2,4,2,9 --routing ugal-l

The published sets, those that searches begin with and as many near them are simulated as searches
do (`tvlb.search.trials`), on the adversarial part of the training traffic, and then in windows of
4,000 + 3,000 cycles on held-out traffic, for their saturation loads on a grid of 0.005. Prints
Spearman's rho of the mean gains with the mean logarithm of the saturation loads: of the gain in
throughput that searches use, and of that in what is accepted in the same runs.
"""

import argparse
from dataclasses import replace
from threading import Event

import numpy as np
from scipy import stats

from sim_bridge import SimulationConfig
from tvlb.paths import PathSet, ShapeSet, parse_expression
from tvlb.processes import UnitCache, Units, available_cores, local_workers
from tvlb.search import SearchOptions
from tvlb.search.preparation import Candidate
from tvlb.search.shape_space import ShapeSpace, starting_sets
from tvlb.search.simulation_units import Recipe, SaturationUnit
from tvlb.search.trials import Trials, find_loads
from tvlb.search.windows import SHORT
from tvlb.search.workload import Workload, held_out_workload, training_workload
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic import Pattern

GRID = 0.005
SPREAD = 1.0


def path_sets(topology: Dragonfly, seed: int) -> list[PathSet]:
    """Return published sets, sets to begin with, and one near each of these."""
    published = ("all", "<=4", "<=4+(2,3)", "short(<=4)")
    starts: list[ShapeSet] = starting_sets(topology, [])
    space, random = ShapeSpace(topology), np.random.default_rng(seed)
    points = [space.point(one.weights) for one in starts]
    near = [
        space.set_at(np.maximum(point - point.max(), -8.5) + random.normal(0, SPREAD, len(point)))
        for point in points
    ]
    return [*(parse_expression(one, topology, seed) for one in published), *starts, *near]


def adversarial(workload: Workload) -> list[Pattern]:
    """Return the patterns on which detours decide."""
    return [one for one in workload.patterns if one.is_adversarial]


def main() -> None:
    """Run it and print how well sets are ranked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("topology", type=parse_topology)
    parser.add_argument("--routing", default="ugal-l")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    topology, seed = given.topology, given.seed
    patterns = adversarial(training_workload(topology, SearchOptions().pattern_count, seed))
    reference = Candidate.as_it_is(parse_expression(topology.published_set, topology, seed), seed)
    candidates = [Candidate.as_it_is(one, seed) for one in path_sets(topology, seed)]
    short = replace(SimulationConfig(), warmup_cycles=SHORT.warmup, measured_cycles=SHORT.measured)
    long = replace(short, warmup_cycles=4_000, measured_cycles=3_000)
    with local_workers(available_cores()) as executor:
        units = Units(UnitCache(executor), Event())
        loads, _ = find_loads(
            patterns,
            None,
            lambda pattern: SaturationUnit(
                Recipe(reference.named_set, given.routing, pattern, seed), short, SHORT.grid, None
            ),
            units,
        )
        trials = Trials(
            given.routing, SimulationConfig(), Workload.even(patterns), SHORT, loads, seed, units
        )
        first, *rest = trials.measure([one.named_set for one in (reference, *candidates)])
        held_out = adversarial(held_out_workload(topology, seed))
        found = units.map(
            [
                SaturationUnit(
                    Recipe(one.named_set, given.routing, pattern, seed + 1), long, GRID, None
                )
                for one in candidates
                for pattern in held_out
            ],
            lambda: None,
        )
    load = np.array([one.load for one in found]).reshape(len(candidates), -1)
    saturation = np.log(np.maximum(load, GRID / 2)).mean(axis=1)
    gain = [one.gains(first)[0].mean() for one in rest]
    accepted = [np.log(one.accepted / first.accepted).mean() for one in rest]
    for name, values in (("gain in throughput", gain), ("accepted alone", accepted)):
        first_rank, second_rank = (np.array(stats.rankdata(one)) for one in (values, saturation))
        rho = float(np.corrcoef(first_rank, second_rank)[0, 1])
        print(f"{topology} {given.routing}: {name:18} rho {rho:.2f} over {len(candidates)} sets")


if __name__ == "__main__":
    main()
