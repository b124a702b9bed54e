"""Simulates tables of a store against conventional UGAL on patterns that they were not chosen on.

::

    tvlb sweep bench/sweeps/links-per-pair.toml --data store
    python -m bench.held_out store 'dfly(2,4,2,9)' 'dfly(3,6,3,19)'

A table is the best of its candidates on type2(seed=0..4), which flatters its gain there. Here its
saturation load and that of `all` are searched on type2(seed=5..9) with other simulation seeds, the
paper's windows and grid, UGAL-L. Prints the paired gain with its 95% interval; like those of sweep
results, that is not narrower than the grid allows.
"""

import argparse
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.results import Results
from tvlb.paths import PathSet, parse_expression
from tvlb.processes import available_cores
from tvlb.search import PAPER
from tvlb.statistics import estimate
from tvlb.table import AnyTable, read_stream
from tvlb.traffic import Type2

PATTERNS = range(5, 10)
SEED = 17
CONFIG = SimulationConfig(warmup_cycles=PAPER.warmup, measured_cycles=PAPER.measured)


def saturations(path_sets: Sequence[PathSet]) -> NDArray[np.float64]:
    """Saturation load of every set on every pattern, float64 (sets, patterns)."""

    def search(case: tuple[PathSet, int]) -> float:
        path_set, number = case
        scenario = Scenario(path_set.topology, "ugal-l", path_set, Type2(number), SEED)
        return search_saturation(scenario, CONFIG, step=PAPER.grid, verdict_only=True).load

    cases = [(path_set, number) for path_set in path_sets for number in PATTERNS]
    with ThreadPoolExecutor(available_cores()) as threads:
        loads = list(threads.map(search, cases))
    return np.array(loads).reshape(len(path_sets), len(PATTERNS))


def line(table: AnyTable) -> str:
    """Compare a table with the conventional set, in words."""
    conventional = parse_expression("all", table.topology)
    base, ours = saturations([conventional, table.path_set("table")])
    gains = (ours - base) / base.mean()
    half = estimate(gains).half_width(PAPER.grid / math.sqrt(6) / base.mean())
    mean = gains.mean()
    return (
        f"{table.topology}, {table.header.expression}: {base.mean():.4f} -> {ours.mean():.4f}, "
        f"{100 * mean:+.1f}% ({100 * (mean - half):+.1f}..{100 * (mean + half):+.1f})"
    )


def main() -> None:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("topology", nargs="+")
    given = parser.parse_args()
    results = Results(Database(f"sqlite:///{given.store / 'jobs.sqlite3'}"))
    blobs = BlobStore(given.store / "blobs")
    for result in results.every():
        wanted = result.request.get("topology") in given.topology
        if result.table_file is None or not wanted or result.request["routing"] != "ugal-l":
            continue
        with blobs.path(result.table_file).open("rb") as stream:
            print(line(read_stream(".parquet", stream)), flush=True)


if __name__ == "__main__":
    main()
