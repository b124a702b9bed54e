"""Judges what the search finds against the published set and conventional UGAL.

::

    python -m bench.weighted_sets results            # five networks, three routings
    python -m bench.weighted_sets results --networks 4,8,4,9 --routings par --budget large

Every network and routing is searched with the default settings and a seed that played no part in
the making of the search. The set that was found, `all`, `short(2,3)` and the best candidate of
Algorithm 1 are compared on ten patterns with other seeds (`tvlb.search.held_out`), in windows of
4,000 + 3,000 cycles and on a grid of 0.01. The columns are the changes in percent of saturation,
latency at 0.1 and at 0.2, over the seven adversarial patterns and then over the three benign ones,
each with its 95% interval, paired, for all sets together; last the worst change of each figure, and
its pattern. Finished simulations are kept under `results`, so an interrupted run goes on.
"""

import argparse
import json
import math
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import atomic_file
from tvlb.jobs.units import UnitFiles
from tvlb.processes import UnitCache, available_cores, local_workers
from tvlb.requests import TableDocument
from tvlb.search import SearchOptions, Windows, optimize
from tvlb.statistics import t_quantile
from tvlb.topology import parse_topology

Document = dict[str, Any]

NETWORKS = ("2,4,2,9", "4,8,4,9", "4,8,4,17", "4,8,4,33", "6,12,6,19")
ROUTINGS = ("ugal-l", "ugal-g", "par")
WINDOWS = Windows(4_000, 3_000, 0.01)


def study(topology: str, routing: str, budget: str, seed: int, root: Path) -> Document:
    """Search and compare, or read what was found before."""
    name = f"{topology.replace(',', '-')}-{routing}-{budget}-{seed}.json"
    path = root / name
    if path.exists():
        return json.loads(path.read_text())
    options = SearchOptions(
        routing=routing, search="paths", budget=budget, confirmation=WINDOWS, seed=seed
    )
    start, cpu = time.perf_counter(), time.process_time()
    with local_workers(available_cores()) as executor:
        unit_cache = UnitCache(executor, UnitFiles(root / "units"))
        result = optimize(
            parse_topology(topology), options, stop=threading.Event(), unit_cache=unit_cache
        )
    document = TableDocument.of(result).plain()
    document["wall_seconds"] = time.perf_counter() - start
    document["parent_cpu_seconds"] = time.process_time() - cpu
    with atomic_file(path) as stream:
        stream.write(json.dumps(document).encode())
    return document


def changes(
    document: Document, against: str, key: str, load: int | None = None
) -> NDArray[np.float64]:
    """Relative change per pattern of a figure of the found set, float64 (patterns,)."""
    by_name = {one["expression"]: one for one in document["search"]["held_out"]}
    found = document["search"]["front"][0]["expression"]
    mine, theirs = (
        np.array(by_name[name][key] if load is None else by_name[name][key][load], dtype=np.float64)
        for name in (found, against)
    )
    return mine / theirs - 1


def interval(values: NDArray[np.float64], sets: int) -> str:
    """Mean and half of its interval, in percent, for all compared sets together."""
    known = values[np.isfinite(values)]
    if len(known) < 2:
        return "-"
    quantile = float(t_quantile(len(known) - 1, sets - 1))
    half = quantile * float(known.std(ddof=1)) / math.sqrt(len(known))
    return f"{100 * known.mean():+.1f} +- {100 * half:.1f}"


def lines(document: Document) -> Iterator[str]:
    """One row of a table per set that the found one is compared with."""
    search = document["search"]
    found = search["front"][0]["expression"]
    sets = len(search["held_out"])
    names = [one["pattern"] for one in document["baseline"]["per_pattern"]]
    adversarial = np.array([name.startswith(("type2", "shift")) for name in names])
    for other in search["held_out"]:
        against = other["expression"]
        if against == found:
            continue
        figures = [
            changes(document, against, "saturation"),
            changes(document, against, "latency", 0),
            changes(document, against, "latency", 1),
        ]
        lowest = int(figures[0].argmin())
        highest = [int(np.nanargmax(figure)) for figure in figures[1:] if np.isfinite(figure).any()]
        yield " | ".join(
            [
                str(document["topology"]),
                document["provenance"]["parameters"]["routing"],
                found,
                against,
                *(interval(figure[adversarial], sets) for figure in figures),
                *(interval(figure[~adversarial], sets) for figure in figures),
                f"{100 * figures[0][lowest]:+.1f} {names[lowest]}",
                *(
                    f"{100 * figure[worst]:+.1f} {names[worst]}"
                    for figure, worst in zip(figures[1:], highest, strict=False)
                ),
            ]
        )


def main() -> None:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--routings", nargs="+", default=ROUTINGS)
    parser.add_argument("--budget", default="default")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.results.mkdir(parents=True, exist_ok=True)
    for topology in given.networks:
        for routing in given.routings:
            for line in lines(study(topology, routing, given.budget, given.seed, given.results)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
