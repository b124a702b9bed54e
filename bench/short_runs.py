"""How well the short runs of a search rank path sets, beside what their saturation loads are.

::

    python -m bench.short_runs 2,4,2,9 --routing ugal-l
    python -m bench.short_runs 'hyperx(4,4,4)' --routing ugal-g --rules

The published sets, those that searches begin with and as many near them are simulated as searches
do (`tvlb.search.trials`), on the adversarial part of the training traffic, and then in windows of
4,000 + 3,000 cycles on held-out traffic, for their saturation loads on a grid of 0.005. With
`--rules`, on any network, the conventional set, the published one and two to begin with, by all
rules that searches begin with. Prints Spearman's rho of the mean gains with the mean logarithm of
the saturation loads: of the gain in throughput that searches use, and of that in what is accepted
in the same runs; and how large these gains are beside those of the saturation loads, by the
regression through the reference. With `--rules` both looks of searches.
"""

import argparse
from dataclasses import replace
from functools import partial
from threading import Event

import numpy as np
from scipy import stats

from sim_bridge import SimulationConfig
from tvlb.paths import parse_expression
from tvlb.processes import UnitCache, Units, available_cores, local_workers
from tvlb.search import SearchOptions
from tvlb.search.preparation import Candidate, conventional
from tvlb.search.rule_space import RuleSpace
from tvlb.search.shape_space import ShapeSpace, starting_sets
from tvlb.search.simulation_units import Recipe, SaturationUnit
from tvlb.search.trials import LOOK_WITH_RULES, USUAL_LOOK, Look, Trials, find_loads
from tvlb.search.weighted import reference_set
from tvlb.search.windows import SHORT
from tvlb.search.workload import Workload, held_out_workload, training_workload
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import Pattern, Permutation, TimeMixed, Uniform

GRID = 0.005
SPREAD = 1.0
RULED_STARTS = 2


def path_sets(topology: Topology, seed: int) -> list[Candidate]:
    """Return published sets of Dragonflies, sets to begin with, and one near each of these."""
    published = ("all", "<=4", "<=4+(2,3)", "short(<=4)")
    starts = starting_sets(topology, [])
    space, random = ShapeSpace(topology), np.random.default_rng(seed)
    points = [space.point(one.weights) for one in starts]
    near = [
        space.set_at(np.maximum(point - point.max(), -8.5) + random.normal(0, SPREAD, len(point)))
        for point in points
    ]
    known = [parse_expression(one, topology, seed) for one in published]
    return [Candidate.as_it_is(one, seed) for one in (*known, *starts, *near)]


def ruled_sets(topology: Topology, reference: Candidate, routing: str) -> list[Candidate]:
    """Return some sets by the published rule and by those that searches begin with."""
    starts = [Candidate.as_it_is(one, reference.seed) for one in starting_sets(topology, [])]
    sets = [reference, conventional(topology, reference.seed), *starts[:RULED_STARTS]]
    rules = [None, *RuleSpace(SimulationConfig(), routing).starts()]
    every = {one.name: one for path_set in sets for one in map(path_set.ruled, rules)}
    return [one for name, one in every.items() if name != reference.name]


def adversarial(workload: Workload) -> list[Pattern]:
    """Return the patterns on which detours decide: no mixtures, nor traffic of single nodes."""
    benign = (Uniform, Permutation, TimeMixed)
    return [one for one in workload.patterns if not isinstance(one, benign)]


def main() -> None:
    """Run it and print how well sets are ranked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("topology", type=parse_topology)
    parser.add_argument("--routing", default="ugal-l")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    topology, routing, seed, rules = given.topology, given.routing, given.seed, given.rules
    training = training_workload(topology, SearchOptions().pattern_count, seed, rules=rules)
    patterns = adversarial(training)
    held_out = adversarial(held_out_workload(topology, seed, rules=rules))
    reference = reference_set(topology, seed)
    candidates = ruled_sets(topology, reference, routing) if rules else path_sets(topology, seed)
    config = SimulationConfig().on(topology)
    short, long = SHORT.on(config), replace(config, warmup_cycles=4_000, measured_cycles=3_000)

    def unit_of(candidate: Candidate, pattern: Pattern) -> SaturationUnit:
        recipe = Recipe(candidate.named_set, routing, pattern, seed)
        return SaturationUnit(recipe, short, SHORT.grid, None)

    with local_workers(available_cores()) as executor:
        units = Units(UnitCache(executor), Event())
        found = units.map(
            [
                SaturationUnit(Recipe(one.named_set, routing, pattern, seed + 1), long, GRID, None)
                for one in (reference, *candidates)
                for pattern in held_out
            ]
        )
        load = np.array([one.load for one in found]).reshape(len(candidates) + 1, -1)
        every = np.log(np.maximum(load, GRID / 2)).mean(axis=1)
        saturation = every[1:] - every[0]
        ruled = None
        if rules:
            likely = next(iter(RuleSpace(config, routing).starts()))
            ruled = partial(unit_of, reference.ruled(likely))
        looks = {"as for rules": LOOK_WITH_RULES} if rules else {}
        for told, look in {"as for paths": USUAL_LOOK, **looks}.items():
            loads, _ = find_loads(patterns, None, look, partial(unit_of, reference), units, ruled)
            trials = Trials(
                routing, config, Workload.even(patterns), SHORT, loads, look, seed, units
            )
            for name, gain in gains(trials, look, reference, candidates).items():
                rho = stats.spearmanr(gain, saturation).statistic
                share = float(gain @ saturation / (saturation @ saturation))
                print(
                    f"{topology} {routing}, {told}: {name:18} rho {rho:.2f}, {share:.2f} of the "
                    f"gain, over {len(candidates)} sets"
                )


def gains(
    trials: Trials, look: Look, reference: Candidate, candidates: list[Candidate]
) -> dict[str, np.ndarray]:
    """Return mean gains of throughput over the reference in short runs, as they may be told."""
    first, *rest = trials.measure([one.named_set for one in (reference, *candidates)])
    told = [one.gains(first, look)[0].mean() for one in rest]
    accepted = [np.log(one.accepted / first.accepted).mean() for one in rest]
    return {"gain in throughput": np.array(told), "accepted alone": np.array(accepted)}


if __name__ == "__main__":
    main()
