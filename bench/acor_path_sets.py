"""Whether ACOR over a T-VLB table beats the table, or ACOR, alone.

::

    tvlb table 4,8,4,9 -o build/acor-table.parquet
    python -m bench.acor_path_sets 'dfly(4,8,4,9)' build/acor-table.parquet build/acor.jsonl

Every run is kept in the last file as soon as it has ended, so that the command goes on where it
was stopped. Judged is as `tvlb table` judges: equal patterns and seeds that no search saw,
saturation loads on a grid of .01, mean latency at .1 and .2, or at half the least saturation load
of the search and at that, intervals of 95% that hold together. The thresholds of levels are those
with the largest mean saturation load, then the least latency, on two patterns of the search for
tables; once per network, for each sequence of path sets. Then the load of the first pattern steps
from .05 to .9 of what all that decide at each attempt sustain.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from sim_bridge import Scenario, SimulationConfig, search_saturation
from tvlb.paths import PathSet, parse_expression
from tvlb.search.objective import REFERENCE_LOAD
from tvlb.search.workload import held_out_workload, training_workload
from tvlb.statistics import (
    Judgement,
    KeyedStream,
    Pairing,
    SetFigures,
    change_text,
    estimate,
    judgements,
)
from tvlb.table import parse_path_set, read_any_table
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import Pattern, parse_pattern

GRID = 0.01
CONFIG = SimulationConfig(warmup_cycles=4000, measured_cycles=3000, stop_when_saturated=True)
EACH_ATTEMPT = replace(CONFIG, decide="each-attempt")
# Attempts that raise the level within an interval of so many cycles; a third of them lets it fall.
THRESHOLDS = (*product((200, 500), (15, 100, 400, 800, 1600)), (100, 400), (1000, 400))
TRAINING_PATTERNS = 2
# The largest networks are judged on every other pattern; few thresholds are searched, on one.
MANY_NODES = 2000
FEW_THRESHOLDS = tuple(product((200,), (100, 400, 1600)))
# A step of load: cycle, cycles behind it, intervals of the course, and where and to which share of
# what is sustained the load goes.
STEP, BEHIND, INTERVAL = 4000, 6000, 100
LOW, HIGH = 0.05, 0.9
STEP_SEEDS = (1, 2, 3)
COURSE: dict[str, Any] = {
    "warmup_cycles": 0,
    "measured_cycles": STEP + BEHIND,
    "drain_limit_cycles": 0,
    "stop_when_saturated": False,
    "interval": INTERVAL,
}


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

    def course(self, case: Case, pattern: Pattern, seed: int, high: float) -> dict[str, Any]:
        """Return mean latencies and levels by interval, of a run whose load steps."""

        def simulate(scenario: Scenario) -> dict[str, Any]:
            stepped = replace(scenario, pattern=parse_pattern(f"step({pattern},{STEP},{high})"))
            config = replace(case.config, **COURSE)
            series = stepped.run(LOW, config).series
            levels = series.level_mean
            return {
                "latency": series.latency_mean.tolist(),
                "level": None if levels is None else levels.tolist(),
            }

        return self._kept(["step", LOW, high], case, pattern, seed, simulate)

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


def latency_loads(saturation: float) -> tuple[float, float]:
    """Return where latencies are compared, by the least saturation load, as `tvlb table` does."""
    low = min(REFERENCE_LOAD, saturation / 2)
    return low, 2 * low


def searched(
    runs: Runs, topology: Topology, name: str, sets: Sequence[tuple[str, PathSet]]
) -> tuple[Case, float]:
    """Return UGAL-ACOR over a sequence with the thresholds that training patterns prefer.

    Beside it stands the least saturation load of all thresholds.
    """
    is_large = topology.num_nodes > MANY_NODES
    used = 1 if is_large else TRAINING_PATTERNS
    patterns = training_workload(topology, TRAINING_PATTERNS, 0).first_round[:used]
    texts, paths = zip(*sets, strict=True)
    two = {3: ",it2={0},dt2={1}"}.get(len(sets), "")
    cases = [
        Case(
            name,
            f"ugal-acor(sets,hi={hi},it1={it},dt1={it // 3}{two.format(it, it // 3)})",
            paths,
            texts,
        )
        for hi, it in (FEW_THRESHOLDS if is_large else THRESHOLDS)
    ]
    every = list(product(cases, patterns))
    shape = len(cases), len(patterns)
    loads = np.array(
        [one["load"] for one in runs.map([partial(runs.saturation, *one, 0) for one in every])]
    ).reshape(shape)
    at = latency_loads(float(loads.min()))[1]
    found = runs.map([partial(runs.latency, *one, 0, at) for one in every])
    latencies = np.array([*map(mean_of, found)]).reshape(shape)
    latencies[np.isnan(latencies)] = math.inf
    scores = list(zip(-loads.mean(axis=1), latencies.mean(axis=1), strict=True))
    for case, (load, latency) in zip(cases, scores, strict=True):
        print(f"{name}, {case.routing}: {-load:.3f}, {latency:.1f} at {at:g}", flush=True)
    return cases[scores.index(min(scores))], float(loads.min())


def told(judgement: Judgement, loads: Sequence[float]) -> str:
    """Say a comparison in a line."""

    def share(change: Any) -> str:
        return "-" if change is None else change_text(change.mean, change.half_width)

    latency = ", ".join(
        f"at {load:g} {share(change)}"
        for load, change in zip(loads, judgement.latency, strict=True)
    )
    return (
        f"{judgement.expression} against {judgement.against}: saturation "
        f"{share(judgement.saturation)}, latency {latency}"
    )


def mean_of(found: dict[str, Any]) -> float:
    """Return a mean latency, nan of a saturated run."""
    return math.nan if found["latency"] is None else float(found["latency"])


def shares_of(found: Sequence[dict[str, Any]]) -> str:
    """Return the mean share of each level over runs."""
    every = [[*one["shares"].values()] for one in found if one["shares"]]
    if not every:
        return "-"
    means: list[float] = np.nanmean(np.array(every, dtype=np.float64), axis=0).tolist()
    return " / ".join(f"{100 * one:.0f}" for one in means)


def tell_step(runs: Runs, cases: Sequence[Case], pattern: Pattern, high: float) -> None:
    """Print how latencies and levels go when the load steps, and when they are steady again."""
    print(f"step({pattern},{STEP},{high:g}) from {LOW:g}, seeds {STEP_SEEDS}:")
    every = [(case, pattern, seed, high) for case in cases for seed in STEP_SEEDS]
    found = runs.map([partial(runs.course, *one) for one in every])
    first, late = STEP // INTERVAL, -BEHIND // 3 // INTERVAL
    for place, case in enumerate(cases):
        some = found[place * len(STEP_SEEDS) :][: len(STEP_SEEDS)]
        latency = np.array([one["latency"] for one in some], dtype=np.float64)
        end = latency[:, late:].mean(axis=1)
        off = np.abs(latency[:, first:] / end[:, None] - 1) > 0.1
        # Behind the last interval that is off.
        steady = [INTERVAL * int(np.flatnonzero([True, *one])[-1]) for one in off]
        figures = {
            "before": latency[:, first // 2 : first].mean(axis=1),
            "peak": latency[:, first:].max(axis=1),
            "late": end,
        }
        line = ", ".join(
            f"{name} {one.mean():.1f} +- {estimate(one).half_width():.1f}"
            for name, one in figures.items()
        )
        print(f"{case.name}: latency {line}; within 10% after {steady} cycles", flush=True)
        if some[0]["level"]:
            level = np.array([one["level"] for one in some], dtype=np.float64).mean(axis=0)
            told_at = (-INTERVAL, 0, 100, 200, 300, 500, 1000, 2000, 4000, BEHIND - INTERVAL)
            at = [f"{level[(STEP + cycle) // INTERVAL]:.2f}" for cycle in told_at]
            print(f"  mean level from cycles {told_at} behind the step: {', '.join(at)}")


def main() -> None:
    """Run what is missing, and print what was found."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("network")
    parser.add_argument("table", help="T-VLB table of the network, or a path set in its place")
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
    is_file = Path(given.table).exists()
    ours = f"table {read_any_table(given.table).id[:12]}" if is_file else given.table, table
    sequences = {
        "acor": [short, every],
        "acor over table": [ours, every],
        "acor up to table": [short, ours],
    }
    found = [searched(runs, topology, name, sets) for name, sets in sequences.items()]
    acor, over, up_to = (case for case, _ in found)
    at_loads = latency_loads(min(least for _, least in found))
    each_attempt = Case("table, each attempt", "ugal-l", ours[1:], ours[:1], EACH_ATTEMPT)
    cases = [
        Case("table", "ugal-l", ours[1:], ours[:1]),
        acor,
        Case("all", "ugal-l", every[1:], every[:1]),
        each_attempt,
        over,
        up_to,
    ]
    patterns = held_out_workload(topology, 0).first_round
    if topology.num_nodes > MANY_NODES:
        patterns = patterns[::2]
    seed = KeyedStream(0, "held-out", 0).next64() >> 1
    pairs = [(case, pattern) for case in cases for pattern in patterns]
    saturation = runs.map([partial(runs.saturation, *one, seed) for one in pairs])
    latency = [
        runs.map([partial(runs.latency, *one, seed, load) for one in pairs]) for load in at_loads
    ]
    shape = len(cases), len(patterns)
    loads = np.array([one["load"] for one in saturation]).reshape(shape)
    rows = [[mean_of(one) for one in some] for some in latency]
    means = np.array(rows, dtype=np.float64).reshape(len(at_loads), *shape)
    low, high = at_loads
    print(f"{topology}: {len(patterns)} patterns, seed {seed}; latency at {low:g} and {high:g}")
    for place, case in enumerate(cases):
        span = slice(place * len(patterns), (place + 1) * len(patterns))
        at = ", ".join(f"{mean:.1f}" for mean in np.nanmean(means[:, place], axis=1))
        print(
            f"{case.name} ({case.routing}; {', then '.join(case.texts)}): saturation "
            f"{loads[place].mean():.4f}, latency {at}, levels at {low:g} "
            f"{shares_of(latency[0][span])}, at saturation {shares_of(saturation[span])}"
        )
    share = np.full(len(patterns), 1 / len(patterns))
    pairing = Pairing(tuple(map(str, patterns)), share, 1, GRID)
    figures = [
        SetFigures(case.name, loads[place], means[:, place]) for place, case in enumerate(cases)
    ]
    for one in judgements(figures, ["table", "acor", "table, each attempt"], pairing):
        print(told(one, at_loads))
    sustained = min(loads[cases.index(one), 0] for one in (acor, each_attempt, over, up_to))
    tell_step(runs, cases, patterns[0], round(HIGH * float(sustained), 2))


if __name__ == "__main__":
    main()
