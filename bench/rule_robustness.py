"""Whether a set and a rule of UGAL gain on other routers than those they were found for.

    python -m bench.rule_robustness --state FILE [--set 'shape(g.?)']
        [--rule '{"queue": "port/vc"}'] [--seeds 3] [--workers 2]

Prints, for dfly(4,8,4,9) with ugal-l, each setting of the routers and each pattern: the saturation
load (grid .01) of the published set with the published rule, mean over seeds, its change by the set
and the rule with a 95% interval paired by seed, and latency at .1; of router vct what is accepted
at .6, phits/cycle/node, and latency at .1 and .3. Runs are kept in FILE and not run again.
"""

import argparse
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from bench.runs import scenario_of
from sim_bridge import SimulationConfig, VctConfig, VctScenario, search_saturation
from tvlb.statistics import estimate

SEARCHED, PUBLISHED = ("4,8,4,9", "ugal-l"), "short(2,3)"
PATTERNS = ("shift(2,0)", "type2(seed=0)", "uniform")
NEAR, LONG, FAR = (
    {"local_latency": local, "global_latency": far} for local, far in ((1, 1), (10, 15), (100, 100))
)
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "VCs won, buffers 32, speed-up 2": {},
    **{f"buffers {flits}": {"buffer_flits": flits} for flits in (8, 16, 64)},
    "links of 1 cycle": NEAR,
    "links of 100 cycles": FAR,
    "links of 100 cycles, buffers 256": {**FAR, "buffer_flits": 256},
    **{f"speed-up {steps:g}": {"speedup": steps} for steps in (1.0, 1.5)},
    "VCs per-hop": {"vc_scheme": "per-hop"},
}
VCT = {"vct, links of 1 cycle": NEAR, "vct, links of 10 and 15 cycles": LONG}
CYCLES = 2000  # of warm-up, and measured
VCT_LOADS = (0.1, 0.3, 0.6)
Runs = list[list[float]]
Case = tuple[str, str, str, str, int]


def of_iq(case: Case, more: Mapping[str, Any], guess: float) -> list[float]:
    """Return the saturation load, and latency at .1 (infinite if saturated)."""
    scenario = scenario_of(*case)
    cycles = CYCLES * (2 if "local_latency" in more and more["local_latency"] > 15 else 1)
    config = SimulationConfig(cycles, cycles, **more)
    run = scenario.run(0.1, config)
    latency = float("inf") if run.saturated else run.latency_mean
    return [search_saturation(scenario, config, guess=guess, verdict_only=True).load, latency]


def of_vct(case: Case, more: Mapping[str, Any], _: float) -> list[float]:
    """Return what is accepted at the last load, and latency at the others."""
    same = scenario_of(*case)
    scenario = VctScenario(same.topology, case[1], same.pattern, case[4], same.path_set)
    runs = [scenario.run(load, VctConfig(3 * CYCLES, 3 * CYCLES, **more)) for load in VCT_LOADS]
    return [runs[-1].accepted, *(run.latency_mean for run in runs[:-1])]


def row(name: str, pattern: str, old: Runs, new: Runs) -> str:
    """Return a row of the table; changes are paired by seed."""
    before, after = np.array(old), np.array(new)
    gain = estimate((100 * (after[:, 0] / before[:, 0] - 1)).tolist())
    told = f"{before[:, 0].mean():.3f} | {gain.mean:+.1f}% +- {gain.half_width():.1f}"
    latencies = ", ".join(
        " -> ".join(f"{one:.1f}" if np.isfinite(one) else "-" for one in pair)
        for pair in zip(before.mean(axis=0)[1:], after.mean(axis=0)[1:], strict=True)
    )
    return f"| {name} | {pattern} | {told} | {latencies} |"


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--set", default="shape(g.?)")
    parser.add_argument("--rule", type=json.loads, default={"queue": "port/vc"})
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    state: Path = given.state
    lines = state.read_text().splitlines() if state.exists() else []
    known: dict[str, list[float]] = dict(map(json.loads, lines))

    def runs(measure: Callable[..., list[float]], pattern: str, paths: str, more: Any) -> Runs:
        told: Runs = []
        for seed in range(1, given.seeds + 1):
            case = (*SEARCHED, pattern, paths, seed)
            key = json.dumps([measure.__name__, case, CYCLES, more])
            if key not in known:
                guess = told[-1][0] if told else 0.8 if pattern == "uniform" else 0.4
                one = measure(case, more, guess)
                with state.open("a") as file:
                    file.write(json.dumps([key, one]) + "\n")
                    known[key] = one
            told.append(known[key])
        return told

    sides = ((PUBLISHED, dict[str, Any]()), (given.set, given.rule))
    routers = [(of_iq, *one) for one in SETTINGS.items()] + [(of_vct, *one) for one in VCT.items()]
    with ThreadPoolExecutor(given.workers) as pool:
        begun = {
            (name, pattern): [
                pool.submit(runs, measure, pattern, paths, {**router, **rule})
                for paths, rule in sides
            ]
            for measure, name, router in routers
            for pattern in PATTERNS
        }
        for asked, (old, new) in begun.items():
            print(row(*asked, old.result(), new.result()), flush=True)


if __name__ == "__main__":
    main()
