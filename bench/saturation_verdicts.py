"""Counts wrong verdicts on saturation: half the saturation load, and a tenth above it.

::

    python -m bench.saturation_verdicts [--runs 1000]

Ten networks of all families, one of them with long cables, each under a routing and a pattern. The
saturation load is searched with 10,000 + 10,000 cycles; then so many runs in all are made at half
of it, and as many at 1.1 times it where no node would send more than a packet per cycle, in windows
of 500 to 10,000 cycles after a warm-up as long. Prints for every network and both loads how many
runs were called saturated, and how many were too short to tell.
"""

import argparse
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.paths import parse_expression
from tvlb.processes import available_cores
from tvlb.topology import as_topology
from tvlb.traffic import parse_pattern

WINDOWS = (500, 1_000, 2_000, 5_000, 10_000)


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    topology: str
    routing: str
    pattern: str
    latency: int | None = None

    def config(self, cycles: int) -> SimulationConfig:
        """Return the settings of its routers, for a window of so many cycles."""
        return SimulationConfig(
            warmup_cycles=cycles,
            measured_cycles=cycles,
            global_latency=self.latency,
            buffer_flits=1024 if self.latency else 32,
        )

    def scenario(self, seed: int) -> Scenario:
        """Return it with a seed."""
        topology = as_topology(self.topology)
        path_set = parse_expression(topology.conventional_set, topology)
        return Scenario(topology, self.routing, path_set, parse_pattern(self.pattern), seed)


CASES = (
    Case("dfly(2,4,2,9)", "ugal-l", "shift(1,0)"),
    Case("dfly(2,4,2,9)", "vlb", "uniform", latency=300),
    Case("dfly(3,6,3,10)", "par", "type2(seed=3)"),
    Case("dfly(1,2,1,3)", "min", "shift(1,0)"),
    Case("slimfly(3)", "ugal-g", "alg2"),
    Case("slimfly(5)", "min", "uniform"),
    Case("hyperx(1,3,3)", "vlb", "uniform"),
    Case("hyperx(2,4,4)", "ugal-l", "dshift(1)"),
    Case("dflyplus(2,2,2,5)", "ugal-l", "adv(1)"),
    Case("dflyplus(3,3,3,8)", "min", "advr(1)"),
)


def verdicts(case: Case, load: float, runs: int, threads: ThreadPoolExecutor) -> Counter[str]:
    """Count what is said of so many runs at a load."""

    def said(number: int) -> str:
        cycles = WINDOWS[number % len(WINDOWS)]
        saturated = case.scenario(1_000 + number).run(load, case.config(cycles)).saturated
        return {True: "saturated", False: "sustained", None: f"too short {cycles}"}[saturated]

    return Counter(threads.map(said, range(runs)))


def main() -> None:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1_000)
    each = parser.parse_args().runs // len(CASES)
    totals = {0.5: Counter[str](), 1.1: Counter[str]()}
    with ThreadPoolExecutor(available_cores()) as threads:
        for case in CASES:
            saturation = search_saturation(case.scenario(7), case.config(max(WINDOWS))).load
            for factor, total in totals.items():
                load = factor * saturation
                if load > 1.0:
                    continue
                found = verdicts(case, load, each, threads)
                total.update(found)
                listed = ", ".join(f"{count} {word}" for word, count in sorted(found.items()))
                print(f"{case}: {factor} x {saturation:.2f}: {listed}", flush=True)
    for factor, total in totals.items():
        print(f"{factor} times the saturation load, {total.total()} runs: {dict(total)}")


if __name__ == "__main__":
    main()
