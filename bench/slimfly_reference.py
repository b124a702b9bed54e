"""Compare Slim Flies with every figure of an independent prototype.

    python -m bench.slimfly_reference [tests/data/slimfly.csv] [--seeds 3] [--workers 2]

Graphs, path sets and loads of links have to agree to 1e-6, optima of the model to 1e-5; simulated
figures, means of several seeds, within the tolerances of docs/verification.md, saturation loads to
0.01. Prints the largest deviation of each kind, every simulated case and what misses; exit code 1
if something does.
"""

import argparse
import statistics
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from sim_bridge import SimulationResult, search_saturation
from tests.slimfly_reference import DATA, deviations, read_rows
from tests.slimfly_simulated import Case, allowed_deviations, cases_of

TOLERANCES = {"graph": 1e-6, "paths": 1e-6, "load": 1e-6, "theta": 1e-5}
GRID = 0.01


def judged_load(case: Case, workers: int, seeds: int) -> bool:
    """Print and judge a case at one load."""
    load = float(case.row.load)
    runs = _run_all([partial(case.scenario(seed).run, load, case.config) for seed in range(seeds)],
                    workers)  # fmt: skip
    votes = sum(run.saturated is True for run in runs)
    if case.figures.get("status") == "saturated":
        passed = 2 * votes > seeds
        print(f"{case} | saturated {votes} of {seeds} | {_verdict(passed)}")
        return passed
    means = {
        name: statistics.fmean(getattr(run, name) for run in runs)
        for name in ("latency_mean", "hops_mean", "vlb_share", "accepted")
    }
    wanted = {name: float(value) for name, value in case.figures.items() if name != "status"}
    allowed = allowed_deviations(wanted)
    off = {name: means[name] - wanted[name] for name in allowed}
    passed = all(abs(off[name]) <= allowed[name] for name in allowed) and 2 * votes < seeds
    shown = ", ".join(f"{name} {wanted[name]:g} {means[name]:.4f}" for name in wanted)
    print(f"{case} | {shown} | {_verdict(passed)}")
    return passed


def judged_saturation(case: Case) -> bool:
    """Print and judge the saturation load of a case."""
    wanted = float(case.figures["saturation_load"])
    found = search_saturation(case.scenario(0), case.config, guess=wanted, guess_error=0.03).load
    passed = abs(found - wanted) <= GRID + 1e-9
    print(f"{case} | saturation_load {wanted:g} {found:g} | {_verdict(passed)}")
    return passed


def _verdict(passed: bool) -> str:
    return "pass" if passed else "MISS"


def _run_all(runs: list["partial[SimulationResult]"], workers: int) -> list[SimulationResult]:
    with ThreadPoolExecutor(workers) as threads:
        return [one.result() for one in [threads.submit(run) for run in runs]]


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference", type=Path, nargs="?", default=DATA)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    misses, count = 0, 0
    worst: defaultdict[str, list[float]] = defaultdict(list)
    for row, ours, off in deviations(arguments.reference):
        worst[row.kind].append(off)
        if not off <= TOLERANCES[row.kind]:
            misses += 1
            print(f"{row.kind} {row}: {row.value}, ours {ours} | MISS")
    for kind, off in worst.items():
        print(f"{kind}: {len(off)} rows, largest deviation {max(off):.1e}")
        count += len(off)
    cases = cases_of(read_rows("sim", arguments.reference))
    for case in cases:
        passed = (
            judged_saturation(case)
            if "saturation_load" in case.figures
            else judged_load(case, arguments.workers, arguments.seeds)
        )
        misses += not passed
    simulated = sum(len(case.figures) for case in cases)
    print(f"{count} rows computed, {len(cases)} cases of {simulated} rows simulated, {misses} miss")
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
