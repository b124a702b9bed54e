"""Speed and memory of the flit simulator, beside the reference simulator or another checkout.

    python bench/speed.py [--match TEXT] [--repetitions 3]
    python bench/speed.py --build OTHER_CHECKOUT [--least-ratio 0.97] [--figure FILE]
    python bench/speed.py --threads 2

Every run is a process of its own (bench/speed_case.py), so that its peak memory is its own, and one
runs at a time, so that none slows another (there is no ``--workers``, on purpose); rates
are per second of processor time of the simulation alone, medians over the repetitions. With
``--build`` or ``--python`` both environments take turns within every repetition, and the ratio is
the median of the ratios of such neighbours; so do one thread and several with ``--threads``, of
which wall times are told. Exit code 1 if a case with a reference is slower or its run takes more
memory, or if a ratio is below ``--least-ratio``. ``--figure`` draws the time of a
flit-hop of both over the number of nodes. ``--counters`` adds the processor's own counters per
flit-hop where `perf` and the machine have them.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

CHILD = Path(__file__).with_name("speed_case.py")
COUNTERS = ("instructions", "cycles", "cache-misses", "branch-misses")
BASELINE = "BookSim 2.0, one process, quiet 2-core AMD EPYC"


@dataclass(frozen=True)
class Reference:
    """Measured on the reference simulator: see `BASELINE`.

    Attributes
    ----------
    flit_hops : network flit-hops per CPU second (the lower end where a range is known).
    cycles : simulated cycles per CPU second.
    memory : bytes of its process.
    """

    flit_hops: float
    cycles: float
    memory: float


ADVERSARIAL_0_2 = Reference(0.27e6, 1214, 28e6)  # dfly(4,8,4,9), shift(2,0) at 0.2
UNIFORM_0_5 = Reference(0.13e6, 95, 98e6)  # dfly(4,8,4,33), uniform at 0.5
LARGE = Reference(0.04e6, 16, 1.3e9)  # dfly(13,26,13,27): 0.04 to 0.08 M, load not recorded


@dataclass(frozen=True)
class Case:
    """One measurement, unless told with UGAL-L and all VLB paths; `settings` are NAME=VALUE."""

    shape: str
    pattern: str
    load: float
    warmup: int
    window: int
    reference: Reference | None = None
    seed: int = 0
    paths: str = "all"
    routing: str = "ugal-l"
    settings: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = " ".join([self.routing, *self.settings])
        return f"{self.shape:18} {self.paths:3} {self.pattern:10} {self.load:4.2f} {told:6}"

    @property
    def arguments(self) -> list[str]:
        """Command line of the child."""
        numbers = (self.load, self.warmup, self.window)
        of_run = [self.shape, self.routing, self.paths, self.pattern, *map(str, numbers)]
        return [*of_run, str(self.seed), *self.settings]


CASES = (
    Case("4,8,4,9", "shift(2,0)", 0.1, 10_000, 10_000),
    Case("4,8,4,9", "shift(2,0)", 0.2, 10_000, 10_000, ADVERSARIAL_0_2),
    Case("4,8,4,9", "shift(2,0)", 0.23, 10_000, 10_000),
    Case("4,8,4,33", "uniform", 0.2, 1500, 1500),
    Case("4,8,4,33", "uniform", 0.5, 1500, 1500, UNIFORM_0_5),
    Case("4,8,4,33", "uniform", 0.8, 1500, 1500),
    Case("13,26,13,27", "uniform", 0.1, 200, 200, LARGE),
    Case("13,26,13,27", "uniform", 0.5, 200, 200, LARGE),
    Case("13,26,13,27", "uniform", 0.8, 200, 200, LARGE),
    # Of all sizes; other families each behind the Dragonfly that it is compared with.
    Case("2,4,2,9", "uniform", 0.3, 20_000, 20_000),
    Case("4,8,4,9", "uniform", 0.3, 6000, 6000),
    Case("hyperx(4,8,8)", "uniform", 0.3, 6000, 6000),
    Case("4,8,4,33", "uniform", 0.3, 2000, 2000),
    Case("random(384,4,14)", "uniform", 0.3, 1500, 1500),
    Case("6,12,6,37", "uniform", 0.3, 1000, 1000),
    Case("slimfly(13)", "uniform", 0.3, 1000, 1000, paths="ori"),
    Case("slimfly(13)", "uniform", 0.3, 1000, 1000),
    Case("6,12,6,73", "uniform", 0.3, 500, 500),
    Case("13,26,13,27", "uniform", 0.3, 200, 200),
    Case("16,32,16,64,palmtree", "uniform", 0.3, 60, 100),
    Case("dflyplus(8,8,8,65)", "uniform", 0.3, 500, 500),
    # Other routings, and what makes blocks of cycles short.
    *(
        Case("4,8,4,33", "uniform", 0.3, 2000, 2000, routing=routing)
        for routing in ("min", "vlb", "par", "ugal-g")
    ),
    Case("4,8,4,33", "uniform", 0.3, 2000, 2000, settings=("decide=each-attempt",)),
    Case("4,8,4,33", "uniform", 0.3, 2000, 2000, settings=("local_latency=1", "global_latency=1")),
)


@dataclass(frozen=True)
class Run:
    """Figures of one process."""

    flit_hops: int
    cycles: int
    cpu_seconds: float
    seconds: float
    setup_seconds: float
    latency: float
    accepted: float
    peak_bytes: int
    imported_bytes: int
    nodes: int

    @property
    def rate(self) -> float:
        """Network flit-hops per CPU second."""
        return self.flit_hops / self.cpu_seconds

    @property
    def cycle_rate(self) -> float:
        """Cycles per CPU second."""
        return self.cycles / self.cpu_seconds

    @property
    def own_bytes(self) -> int:
        """Memory of topology, path set and run, without Python and its libraries."""
        return self.peak_bytes - self.imported_bytes

    @property
    def outcome(self) -> tuple[int, float, float]:
        """What must not depend on the build if only its speed differs."""
        return self.flit_hops, self.latency, self.accepted


def run_case(case: Case, python: str, *more: str) -> Run:
    """Run one case in a process of its own."""
    output = subprocess.run(
        [python, str(CHILD), *case.arguments, *more], check=True, capture_output=True, text=True
    )
    return Run(**json.loads(output.stdout))


def count(case: Case, python: str) -> str:
    """Return the processor's counters per flit-hop, or why there are none."""
    if shutil.which("perf") is None:
        return "perf is not installed"
    command = ["perf", "stat", "-x", ",", "-e", ",".join(f"{name}:u" for name in COUNTERS)]
    process = subprocess.run(
        [*command, python, str(CHILD), *case.arguments], capture_output=True, text=True, check=False
    )
    if process.returncode != 0:
        return "perf cannot count here"
    hops = json.loads(process.stdout)["flit_hops"]
    found: list[str] = []
    for line in process.stderr.splitlines():
        value, _, event, *_ = [*line.split(","), "", ""]
        if value.isdigit():
            found.append(f"{int(value) / hops:.2f} {event.removesuffix(':u')}")
    return ", ".join(found) if found else "this machine offers no counters"


def median(values: list[float]) -> float:
    """Median, as float."""
    return float(statistics.median(values))


def print_case(case: Case, runs: list[Run]) -> bool:
    """Print the figures beside the reference; return whether it is met."""
    rate = median([run.rate for run in runs])
    cycles = median([run.cycle_rate for run in runs])
    own = median([run.own_bytes for run in runs])
    spread = (max(run.rate for run in runs) - min(run.rate for run in runs)) / rate
    line = (
        f"{case} | {rate / 1e6:5.2f} {cycles:7.0f} {spread:5.0%} | "
        f"{median([run.peak_bytes for run in runs]) / 1e6:6.0f} {own / 1e6:6.1f} "
        f"{own / runs[0].nodes / 1e3:7.1f} | {median([run.setup_seconds for run in runs]):5.2f}"
    )
    if case.reference is None:
        print(line, flush=True)
        return True
    reference = case.reference
    passed = rate >= reference.flit_hops and own <= reference.memory
    print(
        f"{line} | {reference.flit_hops / 1e6:4.2f} {reference.cycles:5.0f} "
        f"{reference.memory / 1e6:5.0f} | {rate / reference.flit_hops:4.0f} "
        f"{cycles / reference.cycles:4.0f} | {'PASS' if passed else 'FAIL'}",
        flush=True,
    )
    return passed


def measure_alone(cases: list[Case], repetitions: int) -> bool:
    """Measure this environment and print it beside the reference."""
    print(f"Reference: {BASELINE}")
    print(f"{'':46} | {'flit-hops':9} cycles       | memory of    own,     |")
    print(
        f"{'topology, paths, pattern, load':46} | M/CPU s  /CPU s range | process own MB kB/node | "
        "setup s | reference M, cycles, MB | times | verdict"
    )
    verdicts = [
        print_case(case, [run_case(case, sys.executable) for _ in range(repetitions)])
        for case in cases
    ]
    return all(verdicts)


def draw(path: Path, pairs: Mapping[Case, list[tuple[Run, Run]]]) -> None:
    """Draw ns per flit-hop over nodes, before and after; Dragonflies are lines."""
    figure: Any = Figure(figsize=(8, 5), layout="constrained")
    axis: Any = figure.subplots()
    for place, (name, colour) in enumerate((("after", "#0072b2"), ("before", "#d55e00"))):
        found = {
            case: (runs[0][place].nodes, median([1e9 / pair[place].rate for pair in runs]))
            for case, runs in pairs.items()
            if case.routing == "ugal-l" and not case.settings
        }
        line = sorted(point for case, point in found.items() if "(" not in case.shape)
        axis.plot(*zip(*line, strict=True), "o-", color=colour, label=f"{name}: Dragonflies")
        for case, point in found.items():
            if "(" in case.shape:
                axis.plot(*point, "x", color=colour)
                axis.annotate(f"{case.shape} {case.paths}", point, fontsize=7, xytext=(4, 3),
                              textcoords="offset points")  # fmt: skip
    axis.set(xscale="log", yscale="log", xlabel="nodes", ylabel="CPU time per flit-hop (ns)")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.yaxis.set_minor_formatter("{x:g}")
    axis.grid(alpha=0.3, which="both")
    axis.legend()
    figure.savefig(path, dpi=110)


def compare(
    cases: list[Case], other: str, repetitions: int, least: float, figure: Path | None
) -> bool:
    """Measure this environment and another in turns and print the ratios."""
    print(f"this {sys.executable}, other {other}; M flit-hops per CPU second, own memory in MB")
    passed = True
    measured: dict[Case, list[tuple[Run, Run]]] = {}
    for case in cases:
        pairs = measured.setdefault(case, [])
        for repetition in range(repetitions):
            order = (sys.executable, other) if repetition % 2 == 0 else (other, sys.executable)
            runs = {python: run_case(case, python) for python in order}
            pairs.append((runs[sys.executable], runs[other]))
        ratios = [this.rate / that.rate for this, that in pairs]
        fast_enough = median(ratios) >= least
        passed = passed and fast_enough
        if figure is not None:
            draw(figure, measured)
        same = all(this.outcome == that.outcome for this, that in pairs)
        print(
            f"{case} | {median([this.rate for this, _ in pairs]) / 1e6:5.2f} "
            f"{median([that.rate for _, that in pairs]) / 1e6:5.2f} | ratio {median(ratios):.3f} "
            f"({min(ratios):.3f}..{max(ratios):.3f}) | "
            f"{median([this.own_bytes for this, _ in pairs]) / 1e6:6.1f} "
            f"{median([that.own_bytes for _, that in pairs]) / 1e6:6.1f} | "
            f"{'same' if same else 'other'} results | {'PASS' if fast_enough else 'FAIL'}",
            flush=True,
        )
    return passed


def compare_threads(cases: list[Case], threads: int, repetitions: int, least: float) -> bool:
    """Measure one thread and several in turns and print the ratios."""
    passed = True
    for case in cases:
        pairs: list[tuple[Run, Run]] = []
        for repetition in range(repetitions):
            order = (1, threads) if repetition % 2 == 0 else (threads, 1)
            runs = {one: run_case(case, sys.executable, f"threads={one}") for one in order}
            pairs.append((runs[1], runs[threads]))
        ratios = [one.seconds / several.seconds for one, several in pairs]
        work = median([several.cpu_seconds / one.cpu_seconds for one, several in pairs])
        same = all(one.outcome == several.outcome for one, several in pairs)
        passed = passed and same and median(ratios) >= least
        print(
            f"{case} | wall time of 1 thread over {threads}: {median(ratios):.2f} "
            f"({min(ratios):.2f}..{max(ratios):.2f}) | CPU time {work:.2f} times | "
            f"{'same' if same else 'other'} results",
            flush=True,
        )
    return passed


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--match", default="", help="only cases whose description contains this")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--figure", type=Path, help="a plot of what --build or --python finds")
    parser.add_argument("--counters", action="store_true", help="the processor's counters")
    parser.add_argument("--least-ratio", type=float, default=0.0, help="smallest ratio to accept")
    other = parser.add_mutually_exclusive_group()
    other.add_argument("--build", type=Path, help="another checkout with its environment in .venv")
    other.add_argument("--python", help="the Python of another environment")
    other.add_argument("--threads", type=int, help="threads to compare one with")
    options = parser.parse_args()
    cases = [
        replace(case, seed=options.seed)
        for case in CASES
        if options.match in " ".join(str(case).split())
    ]
    python = str(options.build / ".venv/bin/python") if options.build else options.python
    if options.threads:
        passed = compare_threads(cases, options.threads, options.repetitions, options.least_ratio)
    elif python:
        passed = compare(cases, python, options.repetitions, options.least_ratio, options.figure)
    else:
        passed = measure_alone(cases, options.repetitions)
    if options.counters:
        for case in cases:
            print(f"{case} | per flit-hop: {count(case, sys.executable)}", flush=True)
    return int(not passed)


if __name__ == "__main__":
    sys.exit(main())
