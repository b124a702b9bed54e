"""Accepted against offered load, by policy of virtual channels.

    python -m bench.vct_loads [--seeds 5] [--workers 2]

The first rows of Figures 7 to 9 of the paper on VC management, on small networks. Prints a row per
network, pattern and policy: phits/cycle/node delivered in 20,000 cycles after 20,000 of warm-up,
means over the seeds with 95% intervals, and by how much load 1 is below the largest mean.
"""

import argparse
from collections.abc import Sequence

from sim_bridge import SimulationRequest, simulate_loads
from sim_bridge.routers.vct import VctConfig, VctResult, VctScenario
from tvlb.statistics import estimate
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

# Network, pattern, VCs of 2phases, VCs of the ladders.
CASES = (
    ("hyperx(16,16)", "dshift(7)", 2, 2),
    ("hyperx(8,8,8)", "dshift(3)", 4, 4),
    ("hyperx(4,4,4,4)", "dshift(2)", 6, 6),
    ("dfly(3,6,3,19,palmtree)", "advr(3)", 8, 6),
    ("dfly(3,6,3,19,palmtree)", "adv(3)", 8, 6),
    ("dflyplus(4,4,4,17)", "advr(4)", 6, 6),
    ("dflyplus(4,4,4,17)", "adv(4)", 6, 6),
)
# Name, phase of packets that need only one, policy.
POLICIES = (
    ("minlast", "minlast", "2phases"),
    ("minfirst", "minfirst", "2phases"),
    ("ladder", "minfirst", "ladder"),
    ("reuse", "minfirst", "reuse"),
)
LOADS = tuple(tenths / 10 for tenths in range(1, 11))


def cells(runs: Sequence[Sequence[VctResult]]) -> list[str]:
    """Return what is accepted of every load, and the loss from the largest to the last."""
    found = [estimate([run.accepted for run in seeds]) for seeds in runs]
    best = max(one.mean for one in found)
    accepted = [f"{_short(one.mean)} +- {_short(one.half_width())}" for one in found]
    return [*accepted, f"{100 * (1 - found[-1].mean / best):.0f}%"]


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.seeds < 2:
        parser.error(f"--seeds {given.seeds} is too few: intervals take at least 2")
    header = ("network, pattern", "policy", *map(str, LOADS), "lost")
    print(f"| {' | '.join(header)} |\n{'|---' * len(header)}|", flush=True)
    for network, pattern, *vcs in CASES:
        for name, phase, policy in POLICIES:
            scenario = VctScenario(
                parse_topology(network), f"valiant({phase})", parse_pattern(pattern)
            )
            count = vcs[0] if policy == "2phases" else vcs[1]
            config = VctConfig(vc_policy=policy, vc_count=count)
            request = SimulationRequest(scenario, config, given.seeds)
            row = cells(simulate_loads(request, LOADS, workers=given.workers))
            print(f"| {network}, {pattern} | {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
