"""What a search for the saturation load costs, with and without its pilot in short windows.

    python bench/saturation_cost.py [--seeds 1] [--workers 2] [--match ugal-l]

Both searches use the default windows and the grid of 0.01; the one without a pilot starts at a load
of 0.5 and strides by 0.1. Costs are simulated cycles, which repeat exactly, and processor time.
Exit code 1 if an answer differs, or if the pilot does not pay over all cases together.
"""

import argparse
import itertools
import sys
from dataclasses import dataclass

from runs import scenario_of

from sim_bridge import Scenario, SimulationConfig, SimulationResult, StopFlag, search_saturation
from tvlb.processes import map_threads

NETWORKS = (("2,4,2,9", "shift(1,0)"), ("4,8,4,9", "shift(2,0)"), ("4,8,4,9", "uniform"))
ROUTINGS = ("ugal-l", "ugal-g", "par")
PATH_SETS = ("all", "short(2,3)")


@dataclass(frozen=True)
class Cost:
    """Answer and effort of one search."""

    load: float
    cycles: int
    cpu_seconds: float


@dataclass(frozen=True)
class Case:
    """What is searched, and how."""

    scenario: Scenario
    guess: float | None

    def __str__(self) -> str:
        scenario = self.scenario
        return (
            f"{scenario.topology} {scenario.routing:6} {scenario.path_set!s:10} "
            f"{scenario.pattern!s:10} seed {scenario.seed}"
        )


def measure(case: Case) -> Cost:
    """Search once."""
    flag = StopFlag()
    seconds = 0.0

    def add(result: SimulationResult) -> None:
        nonlocal seconds
        seconds += result.cpu_seconds

    found = search_saturation(
        case.scenario,
        SimulationConfig(),
        guess=case.guess,
        guess_error=0.0 if case.guess is None else 0.1,
        stop=flag,
        on_run=add,
    )
    return Cost(found.load, flag.cycles_done, seconds)


def scenarios(match: str, seeds: int) -> list[Scenario]:
    """All combinations."""
    combinations = itertools.product(NETWORKS, ROUTINGS, PATH_SETS, range(seeds))
    found = [
        scenario_of(shape, routing, pattern, paths, seed)
        for (shape, pattern), routing, paths, seed in combinations
    ]
    return [one for one in found if match in str(Case(one, None))]


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--match", default="", help="only cases whose description contains this")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    cases = [
        Case(scenario, guess)
        for scenario in scenarios(options.match, options.seeds)
        for guess in (None, 0.5)
    ]
    costs = map_threads(measure, cases, options.workers, StopFlag(), lambda: None)
    pairs = list(zip(cases[::2], costs[::2], costs[1::2], strict=True))
    print("with a pilot / without: saturation load, thousand cycles, CPU seconds")
    for case, pilot, plain in pairs:
        print(
            f"{case!s:55} | {pilot.load:.2f} {plain.load:.2f} | "
            f"{pilot.cycles / 1e3:5.0f} {plain.cycles / 1e3:5.0f} "
            f"{pilot.cycles / plain.cycles:.2f} | "
            f"{pilot.cpu_seconds:5.1f} {plain.cpu_seconds:5.1f} "
            f"{pilot.cpu_seconds / plain.cpu_seconds:.2f}"
        )
    cycles = sum(cost.cycles for cost in costs[::2]) / sum(cost.cycles for cost in costs[1::2])
    seconds = sum(cost.cpu_seconds for cost in costs[::2]) / sum(
        cost.cpu_seconds for cost in costs[1::2]
    )
    same = all(pilot.load == plain.load for _, pilot, plain in pairs)
    print(f"together: {cycles:.2f} of the cycles, {seconds:.2f} of the CPU seconds")
    print("equal answers" if same else "DIFFERENT ANSWERS")
    return int(not same or seconds >= 1.0)


if __name__ == "__main__":
    sys.exit(main())
