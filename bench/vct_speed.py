"""Speed of the virtual cut-through router beside the input-queued one.

    python -m bench.vct_speed [--repetitions 5] [--large]

Both take turns in this process: phit-hops per CPU second of the one, 2phases with Valiant's routing
under adversarial traffic, beside flit-hops per CPU second of the other, UGAL-L on dfly(4,8,4,9)
under shift(2,0) at load 0.2. Medians, and the median ratio of neighbours; then memory.
"""

import argparse
import resource
import statistics

from sim_bridge import SimulationConfig, simulate
from sim_bridge.routers.vct import VctConfig, VctScenario
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

# Network, pattern, VCs, cycles.
SMALL = (
    ("dfly(2,4,2,9,palmtree)", "adv(2)", 8, 40_000),
    ("hyperx(4,4,4)", "dshift(2)", 4, 40_000),
    ("hyperx(8,8,8)", "dshift(3)", 4, 10_000),
    ("hyperx(4,4,4,4)", "dshift(2)", 6, 20_000),
    ("dflyplus(4,4,4,17)", "adv(4)", 6, 20_000),
)
LARGE = (
    ("hyperx(16,16,16)", "dshift(7)", 4, 4_000),
    ("dfly(6,12,6,73,palmtree)", "advr(6)", 8, 4_000),
    ("dflyplus(8,8,8,65)", "advr(8)", 6, 4_000),
)
LOADS = (0.2, 1.0)


def baseline() -> float:
    """Million flit-hops per CPU second of the input-queued router."""
    config = SimulationConfig(warmup_cycles=3000, measured_cycles=3000)
    run = simulate("4,8,4,9", pattern="shift(2,0)", load=0.2, config=config)
    return run.flit_hops / run.cpu_seconds / 1e6


def main() -> None:
    """Print a line per network and load."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    for network, pattern, vcs, cycles in LARGE if given.large else SMALL:
        scenario = VctScenario(parse_topology(network), "valiant", parse_pattern(pattern))
        config = VctConfig(0, cycles, "2phases", vcs)
        for load in LOADS:
            rates: list[float] = []
            ratios: list[float] = []
            for seed in range(given.repetitions):
                other = baseline()
                run = scenario.with_seed(seed).run(load, config)
                rates.append(run.phit_hops / run.cpu_seconds / 1e6)
                ratios.append(rates[-1] / other)
            print(
                f"{network}, {pattern}, load {load}: {statistics.median(rates):.1f} M phit-hops/s, "
                f"{statistics.median(ratios):.2f} times the input-queued router",
                flush=True,
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
