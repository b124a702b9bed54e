"""What the budget of the search is worth: the anytime curves of several searches beside each other.

::

    python -m bench.anytime results 4,8,4,9 --routing ugal-l --budget large --seeds 3
    python -m bench.anytime results 4,8,4,9 --compare paths both --seeds 10

Searches with every seed by each of what is compared: `cma-es` and `random` for weighted sets, with
points drawn by CMA-ES and at random (`tvlb.search.evolution.random_proposer`), all else being the
same; `paths`, `rule` and `both` as `tvlb table --search` would, scored alike: incumbents of `paths`
beside the others as those are, by saturation loads. Prints scores of the incumbents,
in the longer windows, over the flit-hops simulated until then, and a table of what was reached with
25%, 50% and 100% of the budget; draws the anytime curves, as SVG and PNG. Finished simulations are
kept under `results`, so an interrupted run goes on, and what several searches simulate is simulated
once.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any, cast

import numpy as np
from matplotlib.figure import Figure

from sim_bridge import SimulationConfig
from tvlb.errors import InvalidInput
from tvlb.jobs.units import UnitFiles
from tvlb.processes import UnitCache, Units, available_cores, local_workers, silent
from tvlb.search import SearchOptions, choose_candidates
from tvlb.search.by_search import search_setting
from tvlb.search.cma_types import new_strategy
from tvlb.search.evolution import Proposer, Step, random_proposer
from tvlb.search.objective import Searched
from tvlb.search.probe import ProbePlan
from tvlb.search.task import SearchTask, Stopwatch, unheard
from tvlb.search.trials import Trials
from tvlb.search.weighted import WeightedSearch, search_weighted, trials_of
from tvlb.topology import Topology, parse_topology


@dataclass(frozen=True)
class Way:
    """A way to search."""

    label: str
    colour: str
    searched: Searched
    proposer: Proposer = new_strategy


WAYS: Mapping[str, Way] = {
    "cma-es": Way("CMA-ES", "#0072B2", Searched.PATHS),
    "random": Way("random points", "#D55E00", Searched.PATHS, random_proposer),
    "paths": Way("paths", "#0072B2", Searched.PATHS),
    "rule": Way("rule", "#009E73", Searched.RULE),
    "both": Way("both", "#D55E00", Searched.BOTH),
}
SHARES = (0.25, 0.5, 1.0)
MILLION = 1e6


@dataclass(frozen=True)
class Curve:
    """The incumbents of one search."""

    way: Way
    seed: int
    budget: int
    found: WeightedSearch
    steps: tuple[Step, ...]

    def score(self, flit_hops: float) -> float:
        """Score of the incumbent after so many flit-hops; 0 is the reference."""
        return [0.0, *(step.score for step in self.steps if step.flit_hops <= flit_hops)][-1]


def search(
    topology: Topology, options: SearchOptions, way: Way, units: Units, *, among_rules: bool
) -> Curve:
    """Search once, as `tvlb.search.optimize` would; score as where rules are searched, if asked."""
    probed = ProbePlan(topology, options.patterns, options.tolerance, seed=options.seed).run(
        units, silent
    )
    expressions, _ = choose_candidates(
        topology, probed, options.seed, options.most_data_points, units
    )
    task = SearchTask(topology, options, tuple(expressions), units, silent, Stopwatch(), unheard)
    found = search_weighted(
        topology, search_setting(task), expressions, units, silent, proposer=way.proposer
    )
    steps = tuple(one for one in found.steps if one.searched is way.searched)
    if among_rules and way.searched is Searched.PATHS:
        known = replace(options, search=Searched.BOTH, config=SimulationConfig())
        task = SearchTask(topology, known, (), units, silent, Stopwatch(), unheard)
        trials = trials_of(topology, search_setting(task), units)
        steps = tuple(scored_alike(steps, found, *trials))
    return Curve(way, options.seed, found.setting.budget, found, steps)


def scored_alike(
    steps: Sequence[Step], found: WeightedSearch, short: Trials, long: Trials
) -> Iterator[Step]:
    """Yield the incumbents with the scores that other trials give them."""
    sets = {one.candidate.name: one.candidate for one in found.challengers}
    every = [found.reference.candidate, *(sets[one.expression] for one in steps)]
    named_sets = [one.named_set for one in every]
    # As in a search, so that what both look at is simulated once.
    known = short.measure(named_sets)
    reference, *measured = (
        long.measure([one], known=figures)[0]
        for one, figures in zip(named_sets, known, strict=True)
    )
    for step, figures in zip(steps, measured, strict=True):
        objective = found.setting.objective
        yield replace(step, score=long.score(objective, step.latency_weight, figures, reference))


def rows(curves: Sequence[Curve]) -> Iterator[str]:
    """Yield a Markdown table: mean and range of the scores over the seeds."""
    yield (
        "| strategy | sets | " + " | ".join(f"{share:.0%} of the budget" for share in SHARES) + " |"
    )
    yield "|---|---|" + "---|" * len(SHARES)
    for way, mine in by_way(curves).items():
        cells = [
            cell([curve.score(share * curve.budget) for curve in mine]) for share in SHARES[:-1]
        ]
        # A generation that has begun is finished.
        cells.append(cell([curve.score(np.inf) for curve in mine]))
        sets = np.mean([curve.found.sets for curve in mine])
        yield f"| {way.label} | {sets:.0f} | " + " | ".join(cells) + " |"


def by_way(curves: Sequence[Curve]) -> dict[Way, list[Curve]]:
    """Return the curves of every way."""
    ways = dict.fromkeys(curve.way for curve in curves)
    return {way: [curve for curve in curves if curve.way == way] for way in ways}


def cell(scores: Sequence[float]) -> str:
    """Mean, and least to most of several."""
    if len(scores) == 1:
        return f"{scores[0]:.4f}"
    return f"{np.mean(scores):.4f} ({min(scores):.4f}..{max(scores):.4f})"


def lines(curve: Curve) -> Iterator[str]:
    """Yield the incumbents of a search."""
    yield f"{curve.way.label}, seed {curve.seed}: {curve.found.sets} sets"
    for step in curve.steps:
        hops = step.flit_hops / MILLION
        yield f"  {hops:10.1f} million flit-hops  {step.score:+.4f}  {step.expression}"


def draw(curves: Sequence[Curve], title: str) -> Figure:
    """Draw one panel for each way: a thin line for a seed, a thick one for their mean."""
    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    ways = by_way(curves)
    panels = figure.subplots(1, len(ways), sharex=True, sharey=True, squeeze=False)[0]
    end = max(max([curve.budget, *(one.flit_hops for one in curve.steps)]) for curve in curves)
    for panel, (way, mine) in zip(panels, ways.items(), strict=True):
        moments = sorted({0, end, *(step.flit_hops for curve in mine for step in curve.steps)})
        scores = np.array([[curve.score(moment) for moment in moments] for curve in mine])
        hops = np.array(moments) / MILLION
        style = {"color": way.colour, "drawstyle": "steps-post"}
        for number, of_seed in enumerate(scores):
            label = None if number else "a seed"
            panel.plot(hops, of_seed, linewidth=0.8, alpha=0.5, label=label, **style)
        label = f"mean of {len(mine)}"
        panel.plot(hops, scores.mean(axis=0), linewidth=2.0, label=label, **style)
        panel.axhline(0.0, color="black", linewidth=0.8, label="reference")
        panel.axvline(mine[0].budget / MILLION, color="grey", linestyle="-.", label="budget")
        panel.set_title(way.label)
        panel.set_xlabel("simulated by the search (million flit-hops)")
        panel.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=4)
    panels[0].set_ylabel("score of the best set so far")
    cast("Any", figure).suptitle(title)
    return figure


def main() -> None:
    """Run it, print what was found and draw it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("topology")
    parser.add_argument("--routing", default="ugal-l")
    parser.add_argument("--objective", default="saturation")
    parser.add_argument("--budget", default="default")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 0, 1, ...")
    parser.add_argument("--patterns", default="auto", help="probed patterns of Step 1")
    parser.add_argument("--compare", nargs="+", choices=WAYS, default=["cma-es", "random"])
    given = parser.parse_args()
    topology = parse_topology(given.topology)
    curves: list[Curve] = []
    among_rules = any(WAYS[name].searched is not Searched.PATHS for name in given.compare)
    with local_workers(available_cores()) as executor:
        units = Units(UnitCache(executor, UnitFiles(given.results / "units")), Event())
        for seed, way in product(range(given.seeds), (WAYS[name] for name in given.compare)):
            options = SearchOptions(
                routing=given.routing,
                search=way.searched,
                objective=given.objective,
                budget=given.budget,
                patterns=given.patterns,
                seed=seed,
            ).resolved()
            if len(options.aim.latency_weights) > 1:
                raise InvalidInput("a front has several incumbents; choose another objective")
            curves.append(search(topology, options, way, units, among_rules=among_rules))
            print("\n".join(lines(curves[-1])), flush=True)
    print("\n".join(rows(curves)))
    title = f"{topology}, {given.routing}, objective {given.objective}"
    compared = "-".join(given.compare)
    name = f"anytime-{given.topology.replace(',', '-')}-{given.routing}-{given.budget}-{compared}"
    for suffix in (".svg", ".png"):
        path = given.results / (name + suffix)
        cast("Any", draw(curves, title)).savefig(path, dpi=150)
        print(path)


if __name__ == "__main__":
    main()
