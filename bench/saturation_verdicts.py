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
from dataclasses import dataclass, replace
from functools import partial

from bench.runs import run_all, scenario_of
from sim_bridge import SimulationConfig, search_saturation
from tvlb.processes import available_cores

WINDOWS = (500, 1_000, 2_000, 5_000, 10_000)
SAID = {True: "saturated", False: "sustained"}


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


def main() -> None:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1_000)
    each = parser.parse_args().runs // len(CASES)
    windows = [WINDOWS[number % len(WINDOWS)] for number in range(each)]
    totals = {0.5: Counter[str](), 1.1: Counter[str]()}
    for case in CASES:
        scenario = scenario_of(case.topology, case.routing, case.pattern, None, seed=7)
        saturation = search_saturation(scenario, case.config(max(WINDOWS))).load
        for factor, total in totals.items():
            load = factor * saturation
            if load > 1.0:
                continue
            runs = [
                partial(replace(scenario, seed=seed).run, load, case.config(cycles))
                for seed, cycles in enumerate(windows, 1_000)
            ]
            found = Counter(
                f"too short {cycles}" if run.saturated is None else SAID[run.saturated]
                for run, cycles in zip(run_all(runs, available_cores()), windows, strict=True)
            )
            total.update(found)
            listed = ", ".join(f"{count} {word}" for word, count in sorted(found.items()))
            print(f"{case}: {factor} x {saturation:.2f}: {listed}", flush=True)
    for factor, total in totals.items():
        print(f"{factor} times the saturation load, {total.total()} runs: {dict(total)}")


if __name__ == "__main__":
    main()
