"""Compare adaptive misrouting with every row of the reference simulator.

    python -m bench.misrouting_reference [--seeds 8] [--workers 2] [--steps-only | --rows-only]

Prints, of every row, the figures beside ours, and which are within their tolerance or within three
standard errors of the difference from seed to seed ("by noise"); of changing loads, every bin. Exit
code 1 if a figure is beyond both.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from sim_bridge.routers.fog import FogConfig, FogResult, FogScenario
from tests.misrouting_rows import Deviation, read_rows, read_steps


def ran(
    scenario: FogScenario, load: float, config: FogConfig, seeds: int, threads: ThreadPoolExecutor
) -> list[FogResult]:
    """Run with several seeds."""

    def run(seed: int) -> FogResult:
        return scenario.with_seed(seed).run(load, config)

    return list(threads.map(run, range(1, seeds + 1)))


def shown(title: str, deviations: Sequence[Deviation]) -> bool:
    """Print a row, and tell whether it passes."""
    cells = ", ".join(
        f"{one.name} {one.told:.4g}/{one.found:.4g}"
        + ("" if one.is_within else f" ({one.errors:+.1f} errors)")
        for one in deviations
    )
    passed = all(one.passes for one in deviations)
    by_noise = passed and not all(one.is_within for one in deviations)
    verdict = "by noise" if by_noise else "pass" if passed else "MISS"
    print(f"{title} | {cells} | {verdict}", flush=True)
    return passed


def main() -> int:
    """Run all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rows-only", action="store_true")
    parser.add_argument("--steps-only", action="store_true")
    given = parser.parse_args()
    checked: list[tuple[str, list[Deviation]]] = []
    print("row | figure reference/ours | verdict")
    with ThreadPoolExecutor(given.workers) as threads:
        for row in () if given.steps_only else read_rows():
            runs = ran(row.scenario, row.load, row.config, given.seeds, threads)
            kind = "saturated" if row.is_saturated else "near" if row.is_near_saturation else ""
            checked.append((" ".join((str(row), kind)).strip(), row.deviations(runs)))
            shown(*checked[-1])
        for step in () if given.rows_only else read_steps():
            runs = ran(step.scenario, step.load, step.config, given.seeds, threads)
            checked.append((str(step), step.deviations(runs)))
            shown(*checked[-1])
    figures = [one for _, deviations in checked for one in deviations]
    passed = sum(all(one.passes for one in deviations) for _, deviations in checked)
    by_noise = sum(one.passes and not one.is_within for one in figures)
    print(
        f"{passed} of {len(checked)} rows pass; of {len(figures)} figures "
        f"{sum(one.is_within for one in figures)} are within their tolerance, {by_noise} within "
        f"three standard errors, {sum(not one.passes for one in figures)} beyond both"
    )
    return 0 if passed == len(checked) else 1


if __name__ == "__main__":
    sys.exit(main())
