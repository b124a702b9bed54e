"""Compare forwarding tables with every row of the reference prototype.

    python -m bench.forwarding_reference [--bisections 10000] [--workers 2]

Prints EFI, the links at it, EBB and layers of every row, and run times; exit code 1 if a figure is
beyond its tolerance. Rows `random x20` compare ranges over 20 random orders.
"""

import argparse
import re
import sys
import time

import numpy as np

from bench.forwarding_opensm import made_by
from tests.fabric_simulator import INSTALLED
from tests.sssp_rows import Row, read_rows
from tvlb.forwarding import (
    RouteOptions,
    bandwidth_of,
    dependency_circle,
    in_layers,
    layers_needed,
    route,
)
from tvlb.forwarding.routing import MAX_LAYERS

_RUNS = 20
_OTHER_PORTS, _OTHER_RATES = 0.05, 0.01
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
    passed: list[bool] = []
    for row in read_rows(("random x20",)):
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


def opensm_rows(bisections: int, workers: int, seconds: float) -> list[bool]:
    """Have OpenSM make its rows anew, and evaluate what it dumps."""
    passed: list[bool] = []
    for row in read_rows(("opensm",)):
        made = made_by(row.network, row.given["algorithm"], seconds)
        said, found = made.note, made.forwarding
        if found is not None:
            loads = found.loads
            right = abs(loads.efi / row.number("efi_max") - 1) <= _OTHER_PORTS
            told = f"EFI {loads.efi} ({row.given['efi_max']}) on {loads.efi_links}"
            if loads.lost_pairs:
                told += f", {loads.lost_pairs} pairs without a route ({row.given['note']})"
                right &= bool(row.given["note"])
            else:
                ebb = bandwidth_of(found, bisections, workers=workers).mean
                right &= abs(loads.hops_mean - row.number("mean_hops")) <= 0.000051
                right &= abs(ebb / row.number("ebb_mean") - 1) <= _OTHER_RATES
                told += f" | EBB {ebb:.5f} ({row.given['ebb_mean']})"
                if known := row.given["layers"]:
                    layers = layers_needed(found)
                    right &= layers <= int(known) + 1
                    told += f" | layers {layers} ({known})"
            passed.append(right and not said)
            said = f"{told}{said and f' | {said}'} | {'pass' if passed[-1] else 'MISS'}"
        else:
            passed.append(False)
        print(f"{row} | {said}", flush=True)
    return passed


def main() -> int:
    """Compare all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bisections", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--opensm", type=float, metavar="SECONDS")
    given = parser.parse_args()
    if given.opensm is not None and not INSTALLED:
        parser.error("--opensm: OpenSM and ibsim are not installed")
    passed = [judged(row, given.bisections, given.workers) for row in read_rows()]
    passed += random_rows(given.workers)
    if given.opensm is not None:
        passed += opensm_rows(given.bisections, given.workers, given.opensm)
    print(f"{sum(passed)} of {len(passed)} rows within their tolerances")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
