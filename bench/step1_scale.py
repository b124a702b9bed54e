"""How the cost of Step 1 grows with the network, against one default HiGHS solve per program.

    python bench/step1_scale.py [--workers 2] [--json FILE] [--plot build/step1-scale.svg]

Runs bench/probe_speed.py on five networks, each in its own process: all 38 path sets under a few
patterns, and a seeded sample of programs with HiGHS where that takes minutes at most. Prints a
Markdown table (processor seconds per program make the rows comparable) and the exponents of growth
between neighbours, and draws the growth on a log-log plot.
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

Figures = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A network, its number of patterns, and of programs for HiGHS; 0 where it would not end."""

    topology: str
    patterns: int
    sample: int


CASES = (
    Case("4,8,4,9", 24, 24),
    Case("4,8,4,17", 12, 16),
    Case("4,8,4,33", 8, 12),
    Case("13,26,13,27", 2, 0),
    Case("16,32,16,17", 2, 0),
)


def measure(case: Case, workers: int) -> Figures:
    """Time Step 1 on one network, in a process of its own."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("probe_speed.py")),
        case.topology,
        f"--patterns={case.patterns}",
        f"--sample={case.sample}",
        f"--workers={workers}",
        "--json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def per_program(figures: Figures) -> float:
    """Processor seconds of the probe per program."""
    return figures["cpu_seconds"] / figures["programs"]


def row(figures: Figures) -> str:
    """Return one row of the table."""
    highs = figures["highs_seconds"]
    baseline = "-" if highs is None else f"{highs:.2f} ({figures['sample']})"
    ratio = "-" if highs is None else f"{highs / per_program(figures):.1f}"
    return (
        f"| {figures['topology']} | {figures['switches']} | {figures['nodes']:,} | "
        f"{figures['patterns']} / {figures['programs']} | {figures['wall_seconds']:.1f} | "
        f"{figures['cpu_seconds']:.1f} | {per_program(figures):.3f} | {figures['megabytes']:.0f} | "
        f"{baseline} | {ratio} |"
    )


def exponents(measured: Sequence[Figures]) -> list[str]:
    """Return d log(seconds per program) / d log(switches) between neighbours of one family."""
    lines: list[str] = []
    for first, second in pairwise(measured):
        if second["switches"] <= first["switches"]:
            continue
        rise = math.log(per_program(second) / per_program(first))
        slope = rise / math.log(second["switches"] / first["switches"])
        lines.append(f"{first['topology']} to {second['topology']}: exponent {slope:.2f}")
    return lines


def draw(measured: Sequence[Figures], path: Path) -> None:
    """Plot seconds per program and memory against the switches."""
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    seconds, memory = figure.subplots(1, 2)
    switches = [one["switches"] for one in measured]
    seconds.loglog(switches, [per_program(one) for one in measured], "o", label="tvlb")
    solved = [one for one in measured if one["highs_seconds"] is not None]
    seconds.loglog(
        [one["switches"] for one in solved],
        [one["highs_seconds"] for one in solved],
        "s",
        label="HiGHS, default settings",
    )
    megabytes = [one["megabytes"] for one in measured]
    memory.loglog(switches, megabytes, "o")
    for one in measured:
        name = one["topology"].removeprefix("dfly")
        place = {"fontsize": 7, "xytext": (4, 4), "textcoords": "offset points"}
        seconds.annotate(name, (one["switches"], per_program(one)), **place)
        memory.annotate(name, (one["switches"], one["megabytes"]), **place)
    seconds.set(xlabel="switches", ylabel="CPU seconds per linear program")
    memory.set(xlabel="switches", ylabel="MB, largest process")
    seconds.legend()
    for axes in (seconds, memory):
        axes.grid(visible=True, which="major", alpha=0.3)
        axes.set_xticks(switches, [str(one) for one in switches], rotation=45)
        axes.minorticks_off()
        axes.margins(x=0.25, y=0.1)
    doubled = [100 * 2**power for power in range(6) if 100 * 2**power < 2 * max(megabytes)]
    memory.set_yticks(doubled, [str(one) for one in doubled])
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(str(path))  # pyright: ignore[reportUnknownMemberType]  # untyped options


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path, default=Path("build/step1-scale.svg"))
    options = parser.parse_args()
    print(
        "| network | switches | nodes | patterns / programs | wall (s) | CPU (s) | CPU s per "
        "program | MB | HiGHS CPU s (sample) | times |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    measured: list[Figures] = []
    for case in CASES:
        measured.append(measure(case, options.workers))
        print(row(measured[-1]), flush=True)
    print("\n".join(exponents(measured)))
    draw(measured, options.plot)
    if options.json is not None:
        options.json.write_text(json.dumps(measured, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
