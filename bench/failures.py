"""What tables are worth when global cables fail at random: struck out, made anew, searched anew.

    python bench/failures.py healthy.parquet... [--percents 1 5 10] [--seeds 10] [--workers 2]
        [--windows 1000,1000,0.02] [--search]

For every table, percentage and seed: so many global cables, drawn at random, are down, and
`tvlb.requests.repair` makes the table anew and compares it on held-out patterns. With --search, a
search for what is left (small budget) is judged against the repaired table too, for the first
seed. Prints a line of JSON per case.
Exit code 1 if a table does not pass verification or may deadlock.
"""

import argparse
import json
import sys
import threading
import time
from typing import Any

import numpy as np

from tvlb.processes import UnitCache, local_workers
from tvlb.processes.units import Units
from tvlb.requests import RepairOptions
from tvlb.requests.kinds.repair import RepairDocument
from tvlb.requests.repair import repair
from tvlb.search import SearchOptions, optimize
from tvlb.search.held_out import judge
from tvlb.search.preparation import Candidate
from tvlb.search.windows import Windows, parse_windows
from tvlb.search.workload import held_out_workload
from tvlb.statistics import KeyedStream
from tvlb.table import Table, read_table
from tvlb.topology import Dragonfly, Failures


def random_failures(topology: Dragonfly, percent: int, seed: int) -> Failures:
    """Draw so many percent of the global cables, rounded, at least one."""
    order = KeyedStream(seed, "failed-cables").permutation(len(topology.cables))
    count = max(1, round(len(topology.cables) * percent / 100))
    chosen = topology.cables[np.asarray(order)[:count]]
    return Failures(links=tuple((int(low), int(high)) for low, high in chosen))


def repaired_case(table: Table, failures: Failures, windows: Windows, cache: UnitCache) -> Any:
    """Repair a table, and say what came of it."""
    start = time.perf_counter()
    found = repair(table, failures, RepairOptions(windows=windows), unit_cache=cache)
    seconds = time.perf_counter() - start
    document = RepairDocument.of(found)
    old, conventional = (one.saturation for one in found.verdict.own)
    return found, {
        "topology": document.topology,
        "pairs_without_min_paths": document.pairs_without_min_paths,
        "pairs_without_paths": document.pairs_without_paths,
        "struck": document.struck_paths,
        "struck_share": round(document.struck_paths / len(table), 4),
        "ok": document.ok,
        "vcs": document.vcs_needed,
        "deadlock_free": document.deadlock_free,
        "build_seconds": round(found.seconds["build"], 2),
        "seconds": round(seconds, 1),
        "over_struck_out": str(old),
        "over_conventional": str(conventional),
    }


def searched_case(table: Table, new: Table, windows: Windows, cache: UnitCache) -> dict[str, Any]:
    """Search for what is left, and judge the outcome against the repaired table."""
    topology = new.topology
    start = time.perf_counter()
    found = optimize(topology, SearchOptions(search="paths", budget="small"), unit_cache=cache)
    seconds = time.perf_counter() - start
    fresh = found.table
    assert isinstance(fresh, Table)
    seed = table.header.seed
    sets = [Candidate.as_it_is(one.path_set(f"table {one.id}"), seed) for one in (new, fresh)]
    result = {"searched": fresh.header.expression, "search_seconds": round(seconds, 1)}
    if new.id == fresh.id:
        return result | {"over_searched": "the same table"}
    judged = judge(
        sets,
        [sets[1].name],
        held_out_workload(topology, seed),
        (0.1, 0.2),
        {},
        routing="ugal-l",
        config=SearchOptions().config.on(topology),
        windows=windows,
        seed=seed,
        units=Units(cache, threading.Event()),
        report=lambda _: None,
    )
    return result | {"over_searched": str(judged.judgements[0].saturation)}


def main() -> int:
    """Run all cases."""
    parser = argparse.ArgumentParser(description="Random failures.")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--percents", nargs="+", type=int, default=[1, 5, 10])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--windows", type=parse_windows, default=Windows(1_000, 1_000, 0.02))
    parser.add_argument("--search", action="store_true")
    given = parser.parse_args()
    failed = False
    with local_workers(given.workers) as executor:
        cache = UnitCache(executor)
        for path in given.tables:
            table = read_table(path)
            assert isinstance(table, Table)
            assert isinstance(table.topology, Dragonfly)
            for percent in given.percents:
                for seed in range(given.first_seed, given.first_seed + given.seeds):
                    failures = random_failures(table.topology, percent, seed)
                    found, row = repaired_case(table, failures, given.windows, cache)
                    if given.search and seed == given.first_seed:
                        row |= searched_case(table, found.table, given.windows, cache)
                    print(json.dumps({"percent": percent, "seed": seed} | row), flush=True)
                    failed |= not (row["ok"] and row["deadlock_free"])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
