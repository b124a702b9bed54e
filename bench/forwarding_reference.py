"""Compare forwarding tables with every row of the reference prototype.

    python -m bench.forwarding_reference [--bisections 10000] [--workers 2]

Prints EFI, the links at it, EBB and layers of every row, and run times; exit code 1 if a figure is
beyond its tolerance. Rows `random x20` compare ranges over 20 random orders.
"""

import argparse
import csv
import re
import sys
import time

import numpy as np

from tests.sssp_rows import DATA, Row, read_rows
from tvlb.forwarding import RouteOptions, bandwidth_of, dependency_circle, in_layers, route
from tvlb.forwarding.routing import MAX_LAYERS

_RUNS = 20
_RANGES = re.compile(r"EFI (\d+)\.\.(\d+); EBB ([\d.]+)\.\.([\d.]+)")


def judged(row: Row, bisections: int, workers: int) -> bool:
    """Route and print a row."""
    start = time.process_time()
    found = row.routed()
    routed = time.process_time()
    layered = in_layers(found, MAX_LAYERS)
    seconds = (routed - start, time.process_time() - routed)
    wrong = row.wrong_loads(found) + row.wrong_bandwidth(found, bisections, workers)
    layers, known = layered.num_layers, row.given["layers"]
    if known and layers > int(known) + 1:
        wrong.append(f"{layers} layers, not {known}")
    if dependency_circle(layered):
        wrong.append("a layer has a circle")
    ebb = bandwidth_of(found, bisections, workers=workers)
    said = f"MISS {'; '.join(wrong)}" if wrong else "pass"
    print(
        f"{row} | EFI {found.loads.efi} ({row.given['efi_max']}) on {found.loads.efi_links} | EBB "
        f"{ebb.mean:.5f} ({row.given['ebb_mean']}) | layers {layers} ({known or '-'}) | route "
        f"{seconds[0]:.3f} s, layers {seconds[1]:.3f} s | {said}",
        flush=True,
    )
    return not wrong


def random_rows(workers: int) -> list[bool]:
    """Compare the ranges of EFI and EBB over random orders."""
    with (DATA / "sssp.csv").open() as stream:
        rows = [Row(one) for one in csv.DictReader(stream) if one["endpoint_order"] == "random x20"]
    passed: list[bool] = []
    for row in rows:
        tables = [
            route(row.network, RouteOptions(order=f"random(seed={seed})")).forwarding
            for seed in range(_RUNS)
        ]
        efi = [one.loads.efi for one in tables]
        ebb = [
            bandwidth_of(one, 500, seed, workers=workers).mean for seed, one in enumerate(tables)
        ]
        told = _RANGES.search(row.given["note"])
        assert told is not None
        low, high, worst, best = map(float, told.groups())
        passed.append(
            min(efi) <= high and max(efi) >= low and min(ebb) <= best and max(ebb) >= worst
        )
        print(
            f"{row} | EFI {min(efi)}..{max(efi)} ({low:g}..{high:g}) | EBB {np.min(ebb):.4f}.."
            f"{np.max(ebb):.4f} ({worst}..{best}) | {'pass' if passed[-1] else 'MISS'}",
            flush=True,
        )
    return passed


def main() -> int:
    """Route all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bisections", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    passed = [judged(row, given.bisections, given.workers) for row in read_rows()]
    passed += random_rows(given.workers)
    print(f"{sum(passed)} of {len(passed)} rows within their tolerances")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
