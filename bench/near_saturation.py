"""How rows of the reference near saturation compare with the scatter of single runs.

    python bench/near_saturation.py tests/data/sim.csv [--part NAME] [--seeds 60]
        [--control-seeds 12] [--workers 1]

A reference row is one run of one seed. Parts, for the two rows of which single runs scatter most
(`ROWS`) unless said otherwise:

- scatter: the distribution over many seeds at the row's windows, where the reference falls in it,
  and how often our own runs would miss our own run by the same tolerance;
- windows: mean, median and 99th percentile of latency as warm-up and window grow together;
- rules: whether any other configurable rule moves the row, and what it does to a control row of
  the same routing at a lower load;
- share: VLB share of all adaptive rows near saturation, counted in the window and from cycle 0;
- rows: every row from 60 to 150 cycles against the scatter of our runs, as a two-sided t-test;
- growing: the rows over 150 cycles, where latency grows with time, for several windows.

Seeds are 0, 1, ... Exit code 1 if an expected finding fails.
"""

import argparse
import itertools
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from estimates import Estimate
from reference_simulation import Row, read_rows
from runs import run_all
from scipy import stats

from sim_bridge import (
    Decide,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationResult,
    search_saturation,
)
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

# (topology, routing, path set, pattern), load of the row, load of the control row.
ROWS = (
    (((4, 8, 4, 9), "ugal-l", "short(2,3)", "uniform"), 0.8, 0.5),
    (((2, 4, 2, 9), "ugal-l", "all", "shift(1,0)"), 0.3, 0.2),
)


@dataclass(frozen=True)
class Studied:
    """A missed row and the control row of the same routing, path set and pattern."""

    row: Row
    control: Row

    @property
    def tolerance(self) -> float:
        """Relative tolerance on latency."""
        assert self.row.tolerance is not None
        return self.row.tolerance.latency

    def __str__(self) -> str:
        shape = ",".join(map(str, self.row.shape))
        row = self.row
        return f"{row.routing} {row.path_set}, {row.pattern} at {row.load:g}, dfly({shape})"


@dataclass(frozen=True)
class Effort:
    """Seeds and threads."""

    seeds: int
    control_seeds: int
    workers: int


@dataclass(frozen=True)
class Rule:
    """A configurable rule other than the default."""

    name: str
    config: SimulationConfig
    path_set: str | None = None
    pattern: str | None = None


def studied_rows(rows: Sequence[Row]) -> list[Studied]:
    """Find the rows of `ROWS` in the file."""

    def find(identity: tuple[tuple[int, ...], str, str, str], load: float) -> Row:
        for row in rows:
            found = (row.shape, row.routing, row.path_set, row.pattern)
            if found == identity and row.load == load:
                return row
        raise SystemExit(f"the reference file has no row {identity} at load {load}")

    return [
        Studied(find(identity, load), find(identity, control)) for identity, load, control in ROWS
    ]


def run_row(
    row: Row, config: SimulationConfig, seeds: int, workers: int, rule: Rule | None = None
) -> list[SimulationResult]:
    """Run a row with other settings; `config` has the windows."""
    topology = Dragonfly(*row.shape)
    path_set = parse_expression((rule and rule.path_set) or row.path_set, topology)
    pattern = parse_pattern((rule and rule.pattern) or row.pattern)
    scenarios = [Scenario(topology, row.routing, path_set, pattern, seed) for seed in range(seeds)]
    return run_all([partial(one.run, row.simulated_load, config) for one in scenarios], workers)


def own_windows(row: Row, config: SimulationConfig | None = None) -> SimulationConfig:
    """Return the settings with the windows of the row."""
    base = SimulationConfig() if config is None else config
    return replace(base, warmup_cycles=row.warmup, measured_cycles=row.window)


def latencies(runs: Sequence[SimulationResult]) -> list[float]:
    """Latency of each run, cycles."""
    return [run.latency_mean for run in runs]


def show_scatter(studied: Studied, effort: Effort) -> bool:
    """Distribution of single runs and of 3-seed means; the reference must be within it."""
    row = studied.row
    runs = run_row(row, own_windows(row), effort.seeds, effort.workers)
    values = sorted(latencies(runs))
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    means = [statistics.fmean(group) for group in itertools.combinations(values, 3)]
    z = (row.latency - mean) / deviation
    low, high = _prediction_interval(values)
    print(
        f"  {len(values)} runs of {row.warmup} + {row.window} cycles: mean "
        f"{Estimate.of(values):.2f}, sd {deviation:.2f}, range {values[0]:.2f}..{values[-1]:.2f}"
    )
    print(
        f"  reference {row.latency:.2f}: percentile {_percentile(values, row.latency):.0f} of "
        f"single runs, {z:+.2f} sd, 95% interval for one more run {low:.2f}..{high:.2f}; "
        f"percentile {_percentile(means, row.latency):.0f} of 3-seed means "
        f"(sd {statistics.pstdev(means):.2f})"
    )
    hit = _share(means, lambda value: abs(value / row.latency - 1) <= studied.tolerance)
    ours = _own_misses(values, studied.tolerance)
    print(
        f"  tolerance {studied.tolerance:.0%}: {hit:.0%} of 3-seed means are within it of the "
        f"reference; of one of our own runs {1 - ours:.0%}"
    )
    load = [run.generated for run in runs]
    slope = stats.linregress(load, latencies(runs))
    print(
        f"  latency against the load that a seed really generated: correlation "
        f"{slope.rvalue:+.2f}, {slope.slope * 0.001:+.2f} cycles per 0.001"
    )
    passed = low <= row.latency <= high
    print(f"  {_verdict(passed)} the reference is within the 95% interval for one more run")
    return passed


def _prediction_interval(values: Sequence[float]) -> tuple[float, float]:
    count = len(values)
    width = float(stats.t.ppf(0.975, count - 1)) * math.sqrt(1 + 1 / count)
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    return mean - width * deviation, mean + width * deviation


def _percentile(values: Sequence[float], value: float) -> float:
    return 100 * _share(values, lambda other: other < value)


def _share(values: Sequence[float], accept: Callable[[float], bool]) -> float:
    return sum(map(accept, values)) / len(values)


def _own_misses(values: Sequence[float], tolerance: float) -> float:
    """Share of (one run as reference, 3-seed mean of others) that miss; every run is reference."""
    misses = total = 0
    for position, reference in enumerate(values):
        others = [*values[:position], *values[position + 1 :]]
        for group in itertools.combinations(others, 3):
            total += 1
            misses += abs(sum(group) / 3 / reference - 1) > tolerance
    return misses / total


def show_windows(studied: Studied, effort: Effort) -> bool:
    """Mean latency must rise with the window; the median tells whether a few packets cause it."""
    row = studied.row
    print("  warm-up + window      mean               median            99th percentile")
    by_factor: list[list[SimulationResult]] = []
    for factor in (0.5, 1, 2, 4, 8):
        config = SimulationConfig(
            warmup_cycles=round(row.warmup * factor), measured_cycles=round(row.window * factor)
        )
        runs = run_row(row, config, effort.control_seeds, effort.workers)
        by_factor.append(runs)
        print(
            f"  {config.warmup_cycles:6} + {config.measured_cycles:6}   "
            f"{Estimate.of(latencies(runs)):7.2f}   "
            f"{Estimate.of([run.latency_p50 for run in runs]):7.2f}   "
            f"{Estimate.of([run.latency_p99 for run in runs]):7.2f}",
            flush=True,
        )
    first, last = by_factor[0], by_factor[-1]
    mean = Estimate.of_difference(latencies(last), latencies(first))
    median = Estimate.of_difference(
        [run.latency_p50 for run in last], [run.latency_p50 for run in first]
    )
    passed = mean.above_zero
    print(
        f"  {_verdict(passed)} from the shortest to the longest the mean grows: {mean:+.2f}; "
        f"the median by {median:+.2f}"
    )
    network = Dragonfly(*row.shape)
    path_set, pattern = parse_expression(row.path_set, network), parse_pattern(row.pattern)
    config = SimulationConfig(warmup_cycles=15_000, measured_cycles=5_000)
    for seed in range(3):
        scenario = Scenario(network, row.routing, path_set, pattern, seed)
        found = search_saturation(scenario, config, guess=row.load)
        print(f"  saturation with 15000 + 5000 cycles, seed {seed}: {found.load:.2f}", flush=True)
    return passed


def rules_for(row: Row, folder: Path) -> list[Rule]:
    """List what could be configured otherwise; files of patterns go into `folder`."""
    default = SimulationConfig()
    rules = [
        Rule("default", default),
        *(
            Rule(f"threshold {value}", SimulationConfig(threshold=value))
            for value in (-3, -1, 1, 3)
        ),
        Rule("decide each-attempt", SimulationConfig(decide=Decide.EACH_ATTEMPT)),
        Rule("6 VCs, per-hop", SimulationConfig(vc_scheme="per-hop")),
        Rule("5 VCs, won", SimulationConfig(vc_count=5)),
        Rule("buffer 31", SimulationConfig(buffer_flits=31)),
        Rule("buffer 33", SimulationConfig(buffer_flits=33)),
        Rule("speed-up 3", SimulationConfig(speedup=3)),
    ]
    alternatives = ("short(all)", "<=5") if row.path_set == "all" else ("<=4+(2,3)", "short(<=5)")
    rules += [Rule(f"paths {paths}", default, path_set=paths) for paths in alternatives]
    if row.pattern == "uniform":
        matrix = _uniform_to_others(Dragonfly(*row.shape), folder)
        rules.append(Rule("uniform, sender left out", default, pattern=matrix))
    return rules


def _uniform_to_others(topology: Dragonfly, folder: Path) -> str:
    nodes = topology.num_nodes
    rate = 1 / (nodes - 1)
    path = folder / "others.csv"
    with path.open("w") as file:
        file.write("# level=node\nsrc,dst,rate\n")
        for pair in itertools.permutations(range(nodes), 2):
            file.write(f"{pair[0]},{pair[1]},{rate!r}\n")
    return str(path)


def show_rules(studied: Studied, effort: Effort) -> bool:
    """List what each rule does to the row and to its control row; nothing is expected."""
    row, control = studied.row, studied.control
    print(
        f"  reference {row.latency:.2f}, control at {control.load:g} {control.latency:.2f} "
        f"(tolerance {_control_limit(control):.0%}); latency, off | VLB share, off | control, off"
    )
    better: list[str] = []
    default: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for rule in rules_for(row, Path(folder)):
            seeds = effort.control_seeds
            runs = run_row(row, own_windows(row, rule.config), seeds, effort.workers, rule)
            check = run_row(control, own_windows(control, rule.config), seeds, effort.workers, rule)
            default = default or latencies(runs)
            moved = Estimate.of_difference(latencies(runs), default)
            off = statistics.fmean(latencies(runs)) / row.latency - 1
            control_off = statistics.fmean(latencies(check)) / control.latency - 1
            share = statistics.fmean(run.vlb_share for run in runs)
            fits = abs(off) < abs(statistics.fmean(default) / row.latency - 1)
            fits = fits and abs(control_off) <= _control_limit(control)
            if fits and (moved.above_zero or moved.below_zero):
                better.append(rule.name)
            print(
                f"  {rule.name:25} {Estimate.of(latencies(runs)):7.2f} {off:+7.1%} | "
                f"{share:.4f} {share - row.vlb_share:+.4f} | "
                f"{statistics.fmean(latencies(check)):6.2f} {control_off:+6.2%}",
                flush=True,
            )
    print(f"  rules that move it towards the reference and keep the control: {better or 'none'}")
    return True


def _control_limit(control: Row) -> float:
    assert control.tolerance is not None
    return control.tolerance.latency


def show_shares(rows: Sequence[Row], effort: Effort) -> bool:
    """Compare VLB shares: counting from cycle 0 must be closer than counting in the window."""
    chosen = [
        row
        for row in rows
        if Routing(row.routing).is_adaptive and 64 < row.latency <= 150 and not row.saturated
    ]
    print("VLB share near saturation: reference | ours in the window, off | from cycle 0, off")
    window_off: list[float] = []
    whole_off: list[float] = []
    for row in chosen:
        runs = run_row(row, own_windows(row), 3, effort.workers)
        shares = [
            statistics.fmean(run.vlb_share_measured for run in runs),
            statistics.fmean(run.vlb_share for run in runs),
        ]
        window_off.append(shares[0] - row.vlb_share)
        whole_off.append(shares[1] - row.vlb_share)
        shape = ",".join(map(str, row.shape))
        print(
            f"  {shape:8} {row} | {row.vlb_share:.4f} | {shares[0]:.4f} {window_off[-1]:+.4f} | "
            f"{shares[1]:.4f} {whole_off[-1]:+.4f}",
            flush=True,
        )
    rms = [math.sqrt(statistics.fmean(off**2 for off in offs)) for offs in (window_off, whole_off)]
    passed = rms[1] < rms[0]
    print(
        f"  {_verdict(passed)} counting from cycle 0 is closer: mean off "
        f"{Estimate.of(window_off):+.4f} and {Estimate.of(whole_off):+.4f}, "
        f"root mean square {rms[0]:.4f} and {rms[1]:.4f}, {len(chosen)} rows"
    )
    return passed


def show_rows(rows: Sequence[Row], effort: Effort) -> bool:
    """Two-sided p of every row from 60 to 150 cycles; about 1 in 20 may be under 0.05."""
    chosen = [row for row in rows if 60 <= row.latency <= 150 and not row.saturated]
    seeds = effort.control_seeds
    print(f"reference | mean and sd of {seeds} runs | t | p")
    tests: list[float] = []
    scores: list[float] = []
    for row in chosen:
        values = latencies(run_row(row, own_windows(row), seeds, effort.workers))
        deviation = statistics.stdev(values)
        score = (row.latency - statistics.fmean(values)) / (deviation * math.sqrt(1 + 1 / seeds))
        scores.append(score)
        tests.append(2 * float(stats.t.sf(abs(score), seeds - 1)))
        shape = ",".join(map(str, row.shape))
        print(
            f"  {shape:8} {row} | {row.latency:7.2f} | {statistics.fmean(values):7.2f} "
            f"{deviation:6.2f} | {score:+5.2f} | {tests[-1]:.3f}",
            flush=True,
        )
    low = sum(p < 0.05 for p in tests)
    uniform = float(stats.kstest(tests, "uniform").pvalue)
    passed = float(stats.binom.sf(low - 1, len(tests), 0.05)) > 0.01
    print(
        f"  {_verdict(passed)} {low} of {len(tests)} rows have p < 0.05 ({0.05 * len(tests):.1f} "
        f"expected); mean t {Estimate.of(scores):+.2f}; p uniform: Kolmogorov-Smirnov {uniform:.2f}"
    )
    return passed


def show_growing(rows: Sequence[Row], effort: Effort) -> bool:
    """Latency where queues grow tells when it was measured; nothing is expected."""
    places = ((3, 1), (4, 1), (5, 1), (6, 1), (3, 3), (3, 5))
    print("latency with (windows of warm-up, windows measured): ", end="")
    print(", ".join(f"({warmup},{measured})" for warmup, measured in places))
    for row in rows:
        if row.saturated or row.latency <= 150:
            continue
        cells: list[str] = []
        for warmup, measured in places:
            config = SimulationConfig(
                warmup_cycles=warmup * row.window, measured_cycles=measured * row.window
            )
            runs = run_row(row, config, min(effort.control_seeds, 4), effort.workers)
            cells.append(f"{Estimate.of(latencies(runs)):.0f}")
        print(f"  {row} | reference {row.latency:.0f} | {', '.join(cells)}", flush=True)
    return True


def _verdict(passed: bool) -> str:
    return "PASS" if passed else "FAIL"


PER_ROW = {"scatter": show_scatter, "windows": show_windows, "rules": show_rules}
OVERALL = {"share": show_shares, "rows": show_rows, "growing": show_growing}


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reference", type=Path)
    parser.add_argument("--part", nargs="+", choices=[*PER_ROW, *OVERALL])
    parser.add_argument("--seeds", type=int, default=60, help="of part scatter")
    parser.add_argument("--control-seeds", type=int, default=12, help="of the other parts")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    rows = read_rows(options.reference)
    effort = Effort(options.seeds, options.control_seeds, options.workers)
    parts = options.part or [*PER_ROW, *OVERALL]
    verdicts: list[bool] = []
    for studied in studied_rows(rows):
        for part in parts:
            if part in PER_ROW:
                print(f"\n{part}: {studied}")
                verdicts.append(PER_ROW[part](studied, effort))
    for part in parts:
        if part in OVERALL:
            print(f"\n{part}: ", end="")
            verdicts.append(OVERALL[part](rows, effort))
    return int(not all(verdicts))


if __name__ == "__main__":
    sys.exit(main())
