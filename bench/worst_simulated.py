"""Saturation of UGAL-L under the worst traffic found in simulation, by the model, and by shifts.

    python -m bench.worst_simulated NETWORK PATHS [--runs 200] [--seeds 3]

NETWORK is a Dragonfly. Loads are on a grid of .005, by windows of 5,000 cycles; the shift of groups
is the one with the lowest mean over the seeds, all with the switch shift 0.
"""

import argparse
import sys
import time

from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.paths import as_path_set
from tvlb.topology import Dragonfly, as_topology
from tvlb.traffic import parse_pattern

CONFIG = SimulationConfig(warmup_cycles=5000, measured_cycles=5000)
STEP, GUESS = 0.005, 0.3


def main() -> None:
    """Print a line for each traffic."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network")
    parser.add_argument("paths")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    network = as_topology(asked.network)
    if not isinstance(network, Dragonfly):
        sys.exit(f"{network} has no groups to shift")
    paths = as_path_set(asked.paths, network)

    def loads(text: str) -> list[float]:
        pattern = parse_pattern(text).settled(network, 0)
        return [
            search_saturation(
                Scenario(network, "ugal-l", paths, pattern, seed), CONFIG, step=STEP, guess=GUESS
            ).load
            for seed in range(1, asked.seeds + 1)
        ]

    shifts = {text: loads(text) for text in (f"shift({one},0)" for one in range(1, network.groups))}
    worst = min(shifts, key=lambda text: sum(shifts[text]))
    print(f"{network}, {paths}: {worst} {shifts[worst]}", flush=True)
    for text in (f"worst({paths})", f"worst-simulated({paths},runs={asked.runs})"):
        began = time.process_time()
        parse_pattern(text).settled(network, 0)
        spent = time.process_time() - began
        print(f"  {text} {loads(text)}, found in {spent:.0f} CPU seconds", flush=True)


if __name__ == "__main__":
    main()
