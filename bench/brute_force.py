"""Compare the bounds of Step 1 with one HiGHS solve per linear program.

    python bench/brute_force.py 4,8,4,9                 every pattern, every data point
    python bench/brute_force.py 4,8,4,33 --sample 60    a seeded random sample of them

Patterns are TYPE_1_SET and TYPE_2_SET, sets the 31 data points of Table 1. Bounds come from the
same runs that make the probe curve, so points that it leaves unsolved are compared, too. Prints how
far the optima of HiGHS are inside the bounds and how far the means of the curves are apart; exit
code 1 if an optimum lies outside, or a gap is wider than asked for.
"""

import argparse
import sys
from dataclasses import dataclass
from random import Random
from threading import Event

import numpy as np

from tvlb.model import TOLERANCE, PatternModel, PatternTask, RegretSolver, solve_pattern
from tvlb.paths import data_points, parse_expression
from tvlb.processes import gather, local_workers
from tvlb.search import choose_patterns
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import Pattern

GAP = 1e-3


@dataclass(frozen=True)
class Task:
    """Some sets under one pattern; the bounds are of all sets, as in the probe."""

    topology: Topology
    pattern: Pattern
    everything: tuple[str, ...]
    compared: tuple[str, ...]


@dataclass(frozen=True)
class Compared:
    """Bounds and optimum of one program."""

    pattern: str
    expression: str
    low: float
    up: float
    exact: float


def compare(task: Task) -> list[Compared]:
    """Bound the programs of one pattern and solve those to be compared."""
    bounds = solve_pattern(
        PatternTask(task.topology, task.pattern, task.everything, 0, RegretSolver(GAP))
    )
    model = PatternModel(task.topology, task.pattern)
    found: list[Compared] = []
    for expression, (low, up) in zip(task.everything, bounds.tolist(), strict=True):
        if expression in task.compared:
            exact = model.solve(parse_expression(expression, task.topology)).theta
            found.append(Compared(str(task.pattern), expression, low, up, exact))
    return found


def tasks_of(topology: Topology, sample: int | None) -> list[Task]:
    """Return every program, or a random sample of them, pattern by pattern."""
    points = tuple(str(point) for point in data_points(topology))
    patterns = choose_patterns(topology, "all", 0).everything
    pairs = [(pattern, point) for pattern in range(len(patterns)) for point in points]
    if sample is not None:
        pairs = Random(0).sample(pairs, sample)
    wanted: dict[int, list[str]] = {}
    for pattern, point in pairs:
        wanted.setdefault(pattern, []).append(point)
    return [
        Task(topology, patterns[pattern], points, tuple(some))
        for pattern, some in sorted(wanted.items())
    ]


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topology", nargs="?", default="4,8,4,9")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    topology = parse_topology(options.topology)
    with local_workers(options.workers) as workers:
        parts = [workers.submit(compare, task) for task in tasks_of(topology, options.sample)]
        found = [one for part in gather(parts, Event(), nothing) for one in part]
    below = max(one.low - one.exact for one in found)
    above = max(one.exact - one.up for one in found)
    gap = max((one.up - one.low) / one.up for one in found)
    print(
        f"{topology}: {len(found)} programs under {len({one.pattern for one in found})} patterns "
        f"({sum(one.pattern.startswith('type2') for one in found)} TYPE_2, "
        f"{sum('%' in one.expression for one in found)} fractional)"
    )
    print(
        f"widest gap {gap:.3e}; theta_low above HiGHS by at most {below:.1e}, theta_up below by "
        f"at most {above:.1e}"
    )
    by_point: dict[str, list[Compared]] = {}
    for one in found:
        by_point.setdefault(one.expression, []).append(one)
    apart = max(
        abs(
            float(np.mean([one.low for one in some])) / float(np.mean([one.exact for one in some]))
            - 1
        )
        for some in by_point.values()
    )
    print(f"means of the points, theta_low against HiGHS: at most {apart:.3e} apart")
    return int(max(below, above) > TOLERANCE or gap > GAP + TOLERANCE)


def nothing() -> None:
    """Take no note of progress."""


if __name__ == "__main__":
    sys.exit(main())
