"""Whether ACOR over a T-VLB table beats the table, or ACOR, alone.

::

    tvlb table 4,8,4,9 -o build/acor-table.parquet
    python -m bench.acor_path_sets 'dfly(4,8,4,9)' build/acor-table.parquet build/acor.jsonl

Every run is kept in the last file as soon as it has ended, so that the command goes on where it
was stopped. Judged is as `tvlb table` judges: equal patterns and seeds that no search saw,
saturation loads on a grid of .01, mean latency at .1 and .2, intervals of 95% that hold together.
The thresholds of levels are those with the largest mean saturation load, then the least latency, on
two patterns of the search for tables; once per network, for each sequence of path sets.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import inf, nan
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.paths import PathSet, parse_expression
from tvlb.search.workload import held_out_workload, training_workload
from tvlb.statistics import (
    Judgement,
    KeyedStream,
    Pairing,
    SetFigures,
    change_text,
    judgements,
)
from tvlb.table import parse_path_set, read_any_table
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import Pattern

GRID = 0.01
LOADS = (0.1, 0.2)
CONFIG = SimulationConfig(warmup_cycles=4000, measured_cycles=3000, stop_when_saturated=True)
EACH_ATTEMPT = replace(CONFIG, decide="each-attempt")
# Attempts that raise the level within an interval of so many cycles; a third of them lets it fall.
THRESHOLDS = tuple(product((200, 500), (15, 100, 400)))
TRAINING_PATTERNS = 2
# The largest networks are judged on every other pattern.
MANY_NODES = 2000


@dataclass(frozen=True)
class Case:
    """What is compared: a routing with its path sets, short paths first."""

    name: str
    routing: str
    sets: tuple[PathSet, ...]
    texts: tuple[str, ...]
    config: SimulationConfig = CONFIG


class Runs:
    """Runs that a file keeps, by what they are of."""

    def __init__(self, topology: Topology, path: Path, workers: int) -> None:
        self._topology, self._path, self._workers = topology, path, workers
        self._lock = Lock()
        lines = path.read_text().splitlines() if path.exists() else []
        self._known: dict[str, dict[str, Any]] = dict(map(json.loads, lines))

    def map(self, what: Sequence[Callable[[], dict[str, Any]]]) -> list[dict[str, Any]]:
        """Do them on threads."""
        with ThreadPoolExecutor(self._workers) as threads:
            return [one.result() for one in [threads.submit(each) for each in what]]

    def saturation(self, case: Case, pattern: Pattern, seed: int) -> dict[str, Any]:
        """Return the saturation load, and the shares of levels there."""

        def search(scenario: Scenario) -> dict[str, Any]:
            found = search_saturation(scenario, case.config, step=GRID)
            there = next((one for one in found.evaluated if one.load == found.load), None)
            return {"load": found.load, "shares": there and there.level_shares}

        return self._kept(["saturation"], case, pattern, seed, search)

    def latency(self, case: Case, pattern: Pattern, seed: int, load: float) -> dict[str, Any]:
        """Return the mean latency at a load, None of a saturated one, and the shares of levels."""

        def simulate(scenario: Scenario) -> dict[str, Any]:
            run = scenario.run(load, case.config)
            mean = None if run.saturated else run.latency_mean
            return {"latency": mean, "shares": run.level_shares}

        return self._kept(["latency", load], case, pattern, seed, simulate)

    def _kept(
        self,
        what: list[Any],
        case: Case,
        pattern: Pattern,
        seed: int,
        run: Callable[[Scenario], dict[str, Any]],
    ) -> dict[str, Any]:
        network, decide = str(self._topology), case.config.decide
        key = json.dumps([*what, network, case.routing, case.texts, decide, str(pattern), seed])
        if key not in self._known:
            found = run(Scenario(self._topology, case.routing, case.sets, pattern, seed))
            with self._lock, self._path.open("a") as stream:
                self._known[key] = found
                stream.write(f"{json.dumps([key, found])}\n")
        return self._known[key]


def searched(
    runs: Runs, topology: Topology, name: str, sets: Sequence[tuple[str, PathSet]]
) -> Case:
    """Return UGAL-ACOR over a sequence with the thresholds that training patterns prefer."""
    patterns = training_workload(topology, TRAINING_PATTERNS, 0).first_round[:TRAINING_PATTERNS]
    texts, paths = zip(*sets, strict=True)
    two = {3: ",it2={0},dt2={1}"}.get(len(sets), "")
    cases = [
        Case(
            name,
            f"ugal-acor(sets,hi={hi},it1={it},dt1={it // 3}{two.format(it, it // 3)})",
            paths,
            texts,
        )
        for hi, it in THRESHOLDS
    ]
    every = [(case, pattern) for case in cases for pattern in patterns]
    loads = runs.map([partial(runs.saturation, *one, 0) for one in every])
    latencies = runs.map([partial(runs.latency, *one, 0, LOADS[1]) for one in every])
    by_case = {
        case: (
            -np.mean(
                [load["load"] for (of, _), load in zip(every, loads, strict=True) if of is case]
            ),
            np.mean(
                [
                    inf if one["latency"] is None else one["latency"]
                    for (of, _), one in zip(every, latencies, strict=True)
                    if of is case
                ]
            ),
        )
        for case in cases
    }
    return min(cases, key=lambda case: by_case[case])


def told(judgement: Judgement) -> str:
    """Say a comparison in a line."""

    def share(change: Any) -> str:
        return "-" if change is None else change_text(change.mean, change.half_width)

    latency = ", ".join(
        f"at {load:g} {share(change)}"
        for load, change in zip(LOADS, judgement.latency, strict=True)
    )
    return (
        f"{judgement.expression} against {judgement.against}: saturation "
        f"{share(judgement.saturation)}, latency {latency}"
    )


def mean_of(found: dict[str, Any]) -> float:
    """Return a mean latency, nan of a saturated run."""
    return nan if found["latency"] is None else float(found["latency"])


def shares_of(found: Sequence[dict[str, Any]]) -> str:
    """Return the mean share of each level over runs."""
    every = [[*one["shares"].values()] for one in found if one["shares"]]
    if not every:
        return "-"
    means: list[float] = np.nanmean(np.array(every, dtype=np.float64), axis=0).tolist()
    return " / ".join(f"{100 * one:.0f}" for one in means)


def main() -> None:
    """Run what is missing, and print what was found."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("network")
    parser.add_argument("table", help="T-VLB table of the network")
    parser.add_argument("kept", type=Path, help="file of runs, which is made and added to")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    topology = parse_topology(given.network)
    runs = Runs(topology, given.kept, given.workers)
    table = parse_path_set(given.table, topology)
    # The shortest detours of the family, then those of a table or all.
    short_text = "shape(g.?)" if "global" in topology.kinds.names else "short(all)"
    short = short_text, parse_expression(short_text, topology)
    every = "all", parse_expression("all", topology)
    ours = f"table {read_any_table(given.table).id[:12]}", table
    cases = [
        Case("table", "ugal-l", ours[1:], ours[:1]),
        searched(runs, topology, "acor", [short, every]),
        Case("all", "ugal-l", every[1:], every[:1]),
        Case("table, each attempt", "ugal-l", ours[1:], ours[:1], EACH_ATTEMPT),
        searched(runs, topology, "acor over table", [ours, every]),
        searched(runs, topology, "acor up to table", [short, ours]),
    ]
    workload = held_out_workload(topology, 0)
    patterns = workload.first_round
    if topology.num_nodes > MANY_NODES:
        patterns = patterns[::2]
    seed = KeyedStream(0, "held-out", 0).next64() >> 1
    pairs = [(case, pattern) for case in cases for pattern in patterns]
    saturation = runs.map([partial(runs.saturation, *one, seed) for one in pairs])
    latency = [
        runs.map([partial(runs.latency, *one, seed, load) for one in pairs]) for load in LOADS
    ]
    shape = len(cases), len(patterns)
    loads = np.array([one["load"] for one in saturation]).reshape(shape)
    rows = [[mean_of(one) for one in some] for some in latency]
    means = np.array(rows, dtype=np.float64).reshape(len(LOADS), *shape)
    print(f"{topology}: {len(patterns)} patterns, seed {seed}")
    for place, case in enumerate(cases):
        span = slice(place * len(patterns), (place + 1) * len(patterns))
        at = ", ".join(f"{mean:.1f}" for mean in np.nanmean(means[:, place], axis=1))
        print(
            f"{case.name} ({case.routing}; {', then '.join(case.texts)}): saturation "
            f"{loads[place].mean():.4f}, latency {at}, levels at .1 {shares_of(latency[0][span])}, "
            f"at saturation {shares_of(saturation[span])}"
        )
    share = np.full(len(patterns), 1 / len(patterns))
    pairing = Pairing(tuple(map(str, patterns)), share, 1, GRID)
    figures = [
        SetFigures(case.name, loads[place], means[:, place]) for place, case in enumerate(cases)
    ]
    for one in judgements(figures, ["table", "acor", "table, each attempt"], pairing):
        print(told(one))


if __name__ == "__main__":
    main()
