"""Time Step 1 against one HiGHS solve per linear program.

Usage: ``python bench/probe_speed.py [4,8,4,9] [--patterns N] [--sample N] [--workers N]``. Times
the probe (wall and processor time, peak memory of its largest process), then solves a seeded sample
of its linear programs with HiGHS on one core and extrapolates to all that the probe bounded. Prints
both, the ratio of processor times and how far the optima of HiGHS are inside the bounds; exits 1 if
one lies outside. ``--sample 0`` leaves HiGHS out; ``--json`` prints the figures as one document.
"""

import argparse
import json
import resource
import sys
import time
from dataclasses import asdict, dataclass, replace
from random import Random

from tvlb.model import TOLERANCE, PatternModel, RegretSolver
from tvlb.paths import PathSet, data_points, strategic_choices
from tvlb.search import choose_patterns, probe
from tvlb.topology import Topology, parse_topology
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


def measure(topology: Topology, path_set: PathSet, pattern: Pattern, gap: float) -> Sample:
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


@dataclass(frozen=True)
class Figures:
    """What Step 1 cost, and what HiGHS would; None where it was left out.

    `above`, `below`: by how much the optima of HiGHS are above theta_low and below theta_up at
    least.
    """

    topology: str
    switches: int
    nodes: int
    patterns: int
    patterns_available: int
    programs: int
    stopped: str
    workers: int
    gap: float
    wall_seconds: float
    cpu_seconds: float
    megabytes: float
    sample: int
    highs_seconds: float | None = None
    regret_seconds: float | None = None
    above: float | None = None
    below: float | None = None

    @property
    def times_cheaper(self) -> float | None:
        """Processor time of one HiGHS solve per program over that of the probe."""
        if self.highs_seconds is None:
            return None
        return self.highs_seconds * self.programs / self.cpu_seconds


def time_probe(topology: Topology, patterns: str, workers: int, gap: float) -> Figures:
    """Run Step 1."""
    started = time.perf_counter()
    before = processor_seconds(resource.RUSAGE_SELF)
    found = probe(topology, patterns=patterns, gap=gap, workers=workers)
    wall = time.perf_counter() - started
    seconds = processor_seconds(resource.RUSAGE_CHILDREN)
    seconds += processor_seconds(resource.RUSAGE_SELF) - before
    memory = max(
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return Figures(
        topology=str(topology),
        switches=topology.num_switches,
        nodes=topology.num_nodes,
        patterns=len(found.sample.patterns),
        patterns_available=found.sample.available,
        programs=sum(point.patterns for point in (*found.points, *found.strategic)),
        stopped=found.sample.stopped,
        workers=workers,
        gap=gap,
        wall_seconds=wall,
        cpu_seconds=seconds,
        megabytes=memory / 1024,
        sample=0,
    )


def with_highs(figures: Figures, topology: Topology, count: int) -> Figures:
    """Solve a sample of the linear programs with HiGHS, too."""
    sets = [*data_points(topology), *strategic_choices(topology)]
    patterns = choose_patterns(topology, "all", 0).everything
    random = Random(0)
    samples = [
        measure(topology, random.choice(sets), random.choice(patterns), figures.gap)
        for _ in range(count)
    ]
    return replace(
        figures,
        sample=count,
        highs_seconds=sum(sample.exact_seconds for sample in samples) / count,
        regret_seconds=sum(sample.bounded_seconds for sample in samples) / count,
        above=min(sample.below for sample in samples),
        below=min(sample.above for sample in samples),
    )


def report(figures: Figures) -> None:
    """Print the figures for people."""
    print(
        f"{figures.topology}: {figures.patterns} of {figures.patterns_available} patterns, "
        f"{figures.programs} programs, {figures.workers} workers, gap {figures.gap:g}"
    )
    print(f"stopped: {figures.stopped}")
    print(
        f"probe: {figures.wall_seconds:.1f} s, {figures.cpu_seconds:.1f} CPU s, "
        f"{figures.megabytes:.0f} MB in the largest process"
    )
    if figures.highs_seconds is None:
        return
    print(
        f"sample of {figures.sample} programs (seed 0): HiGHS {figures.highs_seconds:.3f} CPU s "
        f"each, regret matching {figures.regret_seconds:.3f} each"
    )
    print(
        f"one HiGHS solve per program, extrapolated: "
        f"{figures.highs_seconds * figures.programs:.0f} CPU s, "
        f"{figures.times_cheaper:.1f} times as much"
    )
    print(
        f"HiGHS above theta_low by at least {figures.above:.2e}, below theta_up by at least "
        f"{figures.below:.2e}"
    )


def main() -> int:
    """Run the comparison; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topology", nargs="?", default="4,8,4,9")
    parser.add_argument("--patterns", default="all")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    topology = parse_topology(arguments.topology)
    figures = time_probe(topology, arguments.patterns, arguments.workers, arguments.gap)
    if arguments.sample:
        figures = with_highs(figures, topology, arguments.sample)
    if arguments.json:
        print(json.dumps(asdict(figures)))
    else:
        report(figures)
    inside = figures.above is None or min(figures.above, figures.below or 0.0) >= -TOLERANCE
    return int(not inside)


if __name__ == "__main__":
    sys.exit(main())
