"""Time Step 1 against one HiGHS solve per linear program.

Usage: ``python bench/probe_speed.py [4,8,4,9] [--patterns N] [--sample N] [--workers N]``. Times
the probe (wall and processor time, peak memory of its largest process), then solves a seeded sample
of its linear programs with HiGHS on one core and extrapolates to all that the probe bounded. Prints
both, the ratio of processor times and how far the optima of HiGHS are inside the bounds; exits 1 if
one lies outside. ``--sample 0`` leaves HiGHS out.
"""

import argparse
import resource
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
    """One linear program solved both ways: processor seconds, and theta against its bounds."""

    exact_seconds: float
    bounded_seconds: float
    below: float
    above: float


def processor_seconds(who: int) -> float:
    """User and system time so far; of children only those that have ended."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def measure(topology: Dragonfly, path_set: PathSet, pattern: Pattern, gap: float) -> Sample:
    """Solve one linear program with HiGHS and with regret matching."""
    started = time.process_time()
    exact = PatternModel(topology, pattern).solve(path_set)
    exact_seconds = time.process_time() - started
    started = time.process_time()
    bounded = PatternModel(topology, pattern, solver=RegretSolver(gap)).solve(path_set)
    return Sample(
        exact_seconds,
        time.process_time() - started,
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
    before = processor_seconds(resource.RUSAGE_SELF)
    found = probe(
        topology, patterns=arguments.patterns, gap=arguments.gap, workers=arguments.workers
    )
    wall = time.perf_counter() - started
    seconds = processor_seconds(resource.RUSAGE_CHILDREN)
    seconds += processor_seconds(resource.RUSAGE_SELF) - before
    memory = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    programs = sum(point.patterns for point in (*found.points, *found.strategic))
    print(
        f"{topology}: {len(found.sample.patterns)} of {found.sample.available} patterns, "
        f"{programs} programs, {arguments.workers} workers, gap {arguments.gap:g}"
    )
    print(f"stopped: {found.sample.stopped}")
    print(
        f"probe: {wall:.1f} s, {seconds:.1f} CPU s, {memory / 1024:.0f} MB in the largest process"
    )
    if arguments.sample == 0:
        return 0

    random = Random(0)
    samples = [
        measure(topology, random.choice(sets), random.choice(patterns), arguments.gap)
        for _ in range(arguments.sample)
    ]
    per_program = sum(sample.exact_seconds for sample in samples) / len(samples)
    bounded = sum(sample.bounded_seconds for sample in samples) / len(samples)
    expected = per_program * programs
    print(
        f"sample of {len(samples)} programs (seed 0): HiGHS {per_program:.3f} CPU s each, "
        f"regret matching {bounded:.3f} each"
    )
    print(
        f"one HiGHS solve per program, extrapolated: {expected:.0f} CPU s, "
        f"{expected / seconds:.1f} times as much"
    )
    print(
        f"HiGHS above theta_low by at most {max(s.below for s in samples):.2e}, below theta_up by "
        f"at most {max(s.above for s in samples):.2e}"
    )
    return int(any(min(sample.below, sample.above) < -TOLERANCE for sample in samples))


if __name__ == "__main__":
    sys.exit(main())
