"""Time Step 1 against one HiGHS solve per linear program.

Usage: ``python bench/probe_speed.py [4,8,4,9] [--patterns N] [--sample N] [--workers N]``. Times
the probe, then solves a seeded sample of its linear programs with HiGHS on one core and
extrapolates to all of them over the same number of workers. Prints both, their ratio and how far
the optima of HiGHS are inside the bounds; exits 1 if one lies outside.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from random import Random

from tvlb.model import TOLERANCE, PatternModel, RegretSolver
from tvlb.paths import PathSet, strategic_choices, table1_points
from tvlb.search import choose_patterns, probe
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic import Pattern


@dataclass(frozen=True)
class Sample:
    """One linear program solved both ways: wall seconds, and theta against its bounds."""

    exact_seconds: float
    bounded_seconds: float
    below: float
    above: float


def measure(topology: Dragonfly, path_set: PathSet, pattern: Pattern, gap: float) -> Sample:
    """Solve one linear program with HiGHS and with regret matching."""
    exact = PatternModel(topology, pattern).solve(path_set)
    bounded = PatternModel(topology, pattern, solver=RegretSolver(gap)).solve(path_set)
    return Sample(
        exact.build_seconds + exact.solve_seconds,
        bounded.build_seconds + bounded.solve_seconds,
        exact.theta - bounded.theta_low,
        bounded.theta_up - exact.theta,
    )


def main() -> int:
    """Run the comparison; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topology", nargs="?", default="4,8,4,9")
    parser.add_argument("--patterns", default="all")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--gap", type=float, default=1e-3)
    arguments = parser.parse_args()
    topology = parse_topology(arguments.topology)
    everything = choose_patterns(topology, "all", 0)
    patterns = everything.first(everything.most)
    sets = [*table1_points(topology), *strategic_choices(topology)]

    started = time.perf_counter()
    probe(topology, patterns=arguments.patterns, gap=arguments.gap, workers=arguments.workers)
    taken = time.perf_counter() - started

    random = Random(0)
    samples = [
        measure(topology, random.choice(sets), random.choice(patterns), arguments.gap)
        for _ in range(arguments.sample)
    ]
    programs = len(sets) * len(patterns)
    per_program = sum(sample.exact_seconds for sample in samples) / len(samples)
    bounded = sum(sample.bounded_seconds for sample in samples) / len(samples)
    expected = per_program * programs / arguments.workers
    print(f"{topology}: {programs} programs, {arguments.workers} workers, gap {arguments.gap:g}")
    print(f"probe: {taken:.1f} s")
    print(
        f"sample of {len(samples)} programs (seed 0): HiGHS {per_program:.3f} s each, "
        f"regret matching {bounded:.3f} s each"
    )
    print(f"one HiGHS solve per program, extrapolated: {expected:.1f} s, {expected / taken:.1f}x")
    print(
        f"HiGHS above theta_low by at most {max(s.below for s in samples):.2e}, below theta_up by "
        f"at most {max(s.above for s in samples):.2e}"
    )
    return int(any(min(sample.below, sample.above) < -TOLERANCE for sample in samples))


if __name__ == "__main__":
    sys.exit(main())
