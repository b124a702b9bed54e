"""Compare the virtual cut-through router with every row of the reference simulator.

    python -m bench.vct_reference [--seeds 8] [--workers 2]

Prints accepted throughput, latency and hops of every row with the deviation of the mean over the
seeds, and the speed; exit code 1 if one is beyond its tolerance.
"""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sim_bridge.routers.vct import VctResult
from tests.vct_rows import Row, read_rows


def judged(row: Row, seeds: int, threads: ThreadPoolExecutor) -> bool:
    """Run and print a row."""
    scenario = row.scenario

    def run(seed: int) -> VctResult:
        return scenario.with_seed(seed).run(row.load, row.config)

    runs = list(threads.map(run, range(seeds)))
    off, allowed = row.deviations(runs), row.tolerances
    passed = all(abs(off[name]) <= allowed[name] for name in allowed)
    shown = ", ".join(
        f"{name} {np.mean([getattr(run, name) for run in runs]):.4g} ({100 * off[name]:+.1f}%)"
        for name in off
    )
    rate = sum(run.phit_hops for run in runs) / sum(run.cpu_seconds for run in runs) / 1e6
    print(
        f"{row} | {shown} | {rate:.0f} M phit-hops/s | {'pass' if passed else 'MISS'}", flush=True
    )
    return passed


def main() -> int:
    """Run all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    with ThreadPoolExecutor(given.workers) as threads:
        passed = [judged(row, given.seeds, threads) for row in read_rows()]
    print(f"{sum(passed)} of {len(passed)} rows within their tolerances")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
