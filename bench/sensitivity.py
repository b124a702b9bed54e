"""Repeat the sensitivity studies of the T-UGAL paper (figures 15 to 18) and check their orderings.

    python bench/sensitivity.py [--study NAME] [--seeds 5] [--warmup 9000] [--window 3000]
        [--step 0.005] [--workers 1]

Each study varies one parameter of the router, the others as in Table 3, for a routing with all VLB
paths and for its T- counterpart with short(2,3), on the topology and pattern of the figure. Every
seed gives a saturation throughput (the largest load of the grid not saturated) and two latencies:
at a low load, and at the last load that the plain routing sustains with every seed. Seeds are
0, 1, ...; equal seeds are paired. An ordering passes if the 95% interval of the paired difference
excludes 0; steps between neighbouring settings must not go the wrong way. Exit code 1 if one fails.
"""

import argparse
import itertools
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from estimates import Estimate

from sim_bridge import Routing, Scenario, SimulationConfig, search_saturation
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Mixed, Pattern, Permutation, Shift

PLAIN = "all"
CUSTOM = "short(2,3)"


@dataclass(frozen=True)
class Setting:
    """One value of the varied parameter."""

    label: str
    config: SimulationConfig


@dataclass(frozen=True)
class Study:
    """One figure: what is varied, where, and what should rise along the settings."""

    name: str
    figure: int
    topology: Dragonfly
    routing: Routing
    pattern: Pattern
    settings: tuple[Setting, ...]
    rising: str  # a field of `Samples`
    low_load: float = 0.1

    def __str__(self) -> str:
        return (
            f"{self.name} (figure {self.figure}): {self.routing}, {self.pattern}, {self.topology}"
        )


@dataclass(frozen=True)
class Samples:
    """Figures of one routing under one setting, by seed."""

    saturation: list[float]
    low_latency: list[float]
    high_latency: list[float]


@dataclass(frozen=True)
class Cell:
    """Plain routing and T- counterpart under one setting; `high_load` is where plain gives up."""

    setting: Setting
    high_load: float
    plain: Samples
    custom: Samples


@dataclass(frozen=True)
class Effort:
    """Windows, grid and seeds of the runs."""

    warmup: int
    window: int
    step: float
    seeds: int


def _link_latency(local: int, far: int) -> Setting:
    config = SimulationConfig(local_latency=local, global_latency=far)
    return Setting(f"links ({local},{far})", config)


def _buffer(flits: int) -> Setting:
    return Setting(f"buffer {flits}", SimulationConfig(buffer_flits=flits))


def _speedup(steps: int) -> Setting:
    return Setting(f"speed-up {steps}", SimulationConfig(speedup=steps))


STUDIES = (
    Study(
        "link-latency",
        15,
        Dragonfly(4, 8, 4, 17),
        Routing("ugal-g"),
        Permutation(),
        (_link_latency(10, 15), _link_latency(20, 30), _link_latency(40, 60)),
        "low_latency",
    ),
    Study(
        "buffer",
        16,
        Dragonfly(4, 8, 4, 17),
        Routing("ugal-l"),
        Mixed(50, 50, Shift(1, 0)),
        (_buffer(8), _buffer(16), _buffer(24), _buffer(32)),
        "saturation",
        low_load=0.05,
    ),
    Study(
        "speed-up",
        17,
        Dragonfly(4, 8, 4, 17),
        Routing("par"),
        Mixed(25, 75, Shift(1, 0)),
        (_speedup(1), _speedup(2)),
        "saturation",
    ),
    Study(
        "vc-scheme",
        18,
        Dragonfly(4, 8, 4, 9),
        Routing("ugal-g"),
        Shift(1, 0),
        (
            Setting("4 VCs, won", SimulationConfig(vc_scheme="won")),
            Setting("6 VCs, per-hop", SimulationConfig(vc_scheme="per-hop")),
        ),
        "saturation",
    ),
)


def measure(study: Study, setting: Setting, effort: Effort) -> Cell:
    """Run one setting: plain first, for it says where the high load is."""
    config = replace(setting.config, warmup_cycles=effort.warmup, measured_cycles=effort.window)
    plain = _scenarios(study, PLAIN, effort.seeds)
    custom = _scenarios(study, CUSTOM, effort.seeds)
    plain_saturation = _saturations(plain, config, effort.step)
    high_load = max(min(plain_saturation), effort.step)
    loads = (study.low_load, high_load)
    return Cell(
        setting,
        high_load,
        _samples(plain, config, plain_saturation, loads),
        _samples(custom, config, _saturations(custom, config, effort.step), loads),
    )


def _scenarios(study: Study, paths: str, seeds: int) -> list[Scenario]:
    path_set = parse_expression(paths, study.topology)
    return [
        Scenario(study.topology, study.routing, path_set, study.pattern, seed)
        for seed in range(seeds)
    ]


def _saturations(
    scenarios: Sequence[Scenario], config: SimulationConfig, step: float
) -> list[float]:
    found: list[float] = []
    for scenario in scenarios:
        guess = found[-1] if found else 0.3
        found.append(search_saturation(scenario, config, step=step, guess=guess).load)
    return found


def _samples(
    scenarios: Sequence[Scenario],
    config: SimulationConfig,
    saturation: list[float],
    loads: tuple[float, float],
) -> Samples:
    def latencies(load: float) -> list[float]:
        return [scenario.run(load, config).latency_mean for scenario in scenarios]

    return Samples(saturation, latencies(loads[0]), latencies(loads[1]))


def print_cells(study: Study, cells: Sequence[Cell]) -> None:
    """Print the table of a study."""
    print(f"\n{study}")
    columns = (
        "saturation",
        f"latency at {study.low_load}",
        "latency at the last load plain sustains",
    )
    print(f"  {'setting':15} {'VLB paths':10}  {columns[0]:16}  {columns[1]:17}  {columns[2]}")
    for cell in cells:
        for paths, samples in ((PLAIN, cell.plain), (CUSTOM, cell.custom)):
            print(
                f"  {cell.setting.label:15} {paths:10}  {Estimate.of(samples.saturation):.4f}  "
                f"{f'{Estimate.of(samples.low_latency):6.2f}':17}  "
                f"{Estimate.of(samples.high_latency):6.2f} at {cell.high_load:g}"
            )


def judge(study: Study, cells: Sequence[Cell]) -> list[bool]:
    """Print and return the verdict of every ordering."""
    verdicts = [_custom_beats_plain(study, cell) for cell in cells]
    for paths, pick in ((PLAIN, _plain), (CUSTOM, _custom)):
        values = [(cell.setting.label, _field(pick(cell), study.rising)) for cell in cells]
        verdicts.append(_rises(f"{study.rising.replace('_', ' ')}, {paths}", values))
    return verdicts


def _plain(cell: Cell) -> Samples:
    return cell.plain


def _custom(cell: Cell) -> Samples:
    return cell.custom


def _field(samples: Samples, name: str) -> list[float]:
    fields = {"saturation": samples.saturation, "low_latency": samples.low_latency}
    return fields[name]


def _custom_beats_plain(study: Study, cell: Cell) -> bool:
    gain = Estimate.of_difference(cell.custom.saturation, cell.plain.saturation)
    saved = Estimate.of_difference(cell.custom.high_latency, cell.plain.high_latency)
    low = Estimate.of_difference(cell.custom.low_latency, cell.plain.low_latency)
    passed = gain.above_zero and saved.below_zero
    print(
        f"  {_verdict(passed)} T- beats plain, {cell.setting.label}: saturation {gain:+.4f}, "
        f"latency {saved:+.2f} at {cell.high_load:g} (not judged: {low:+.2f} at {study.low_load})"
    )
    return passed


def _rises(what: str, values: Sequence[tuple[str, list[float]]]) -> bool:
    (first, lowest), (last, highest) = values[0], values[-1]
    whole = Estimate.of_difference(highest, lowest)
    steps = [
        Estimate.of_difference(upper, lower)
        for (_, lower), (_, upper) in itertools.pairwise(values)
    ]
    passed = whole.above_zero and not any(step.below_zero for step in steps)
    print(f"  {_verdict(passed)} {what}: {whole:+.4f} from {first} to {last}", end="")
    print("; steps " + ", ".join(f"{step:+.4f}" for step in steps) if len(steps) > 1 else "")
    return passed


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


def run_study(study: Study, effort: Effort, workers: int) -> list[bool]:
    """Measure, print and judge one study."""

    def cell(setting: Setting) -> Cell:
        return measure(study, setting, effort)

    with ThreadPoolExecutor(workers) as executor:
        cells = list(executor.map(cell, study.settings))
    print_cells(study, cells)
    verdicts = judge(study, cells)
    sys.stdout.flush()
    return verdicts


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--study", choices=[study.name for study in STUDIES], help="only this one")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--warmup", type=int, default=9000, help="cycles; the paper has 30000")
    parser.add_argument("--window", type=int, default=3000, help="cycles; the paper has 10000")
    parser.add_argument("--step", type=float, default=0.005, help="grid of the saturation search")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    effort = Effort(options.warmup, options.window, options.step, options.seeds)
    print(
        f"seeds 0..{effort.seeds - 1}, {effort.warmup} + {effort.window} cycles, "
        f"grid {effort.step:g}; mean and half width of the 95% interval"
    )
    verdicts = [
        verdict
        for study in STUDIES
        if options.study in (None, study.name)
        for verdict in run_study(study, effort, options.workers)
    ]
    print(f"\n{sum(verdicts)} of {len(verdicts)} orderings hold")
    return int(not all(verdicts))


if __name__ == "__main__":
    sys.exit(main())
