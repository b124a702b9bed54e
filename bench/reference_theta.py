"""Compare the throughput model with a table of reference optima.

Usage: ``python bench/reference_theta.py CSV [--solver NAME ...]``. The CSV has the columns
p,a,h,g,pattern,max_vlb_hops,monotone,theta,capacity_bound. Prints the largest deviation per solver
and exits 1 if one exceeds the tolerance.
"""

import argparse
import csv
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tvlb.model import PatternModel
from tvlb.paths import LengthSet
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

TOLERANCE = 1e-4


@dataclass
class Tally:
    """Deviations and times of one solver over all rows."""

    solver: str
    deviations: list[float] = field(default_factory=list[float])
    bound_deviations: list[float] = field(default_factory=list[float])
    seconds: float = 0.0

    def add(self, row: dict[str, str]) -> None:
        """Solve one row and note how far it is from the reference."""
        p, a, h, g = (int(row[name]) for name in "pahg")
        topology = Dragonfly(p, a, h, g)
        model = PatternModel(
            topology,
            parse_pattern(row["pattern"]),
            monotone=row["monotone"] == "1",
            solver=self.solver,
        )
        result = model.solve(LengthSet(topology, int(row["max_vlb_hops"])))
        self.deviations.append(abs(result.theta - float(row["theta"])))
        self.bound_deviations.append(abs(result.bound - float(row["capacity_bound"])))
        self.seconds += result.build_seconds + result.solve_seconds

    @property
    def worst(self) -> float:
        """Largest deviation of theta or of the bound."""
        return max([0.0, *self.deviations, *self.bound_deviations])

    def __str__(self) -> str:
        return (
            f"{self.solver}: {len(self.deviations)} rows, largest deviation of theta "
            f"{max(self.deviations):.2e}, of the bound {max(self.bound_deviations):.2e}, "
            f"{self.seconds:.1f} s"
        )


def main() -> int:
    """Run the comparison; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", type=Path)
    parser.add_argument("--solver", nargs="+", default=["highs", "pulp:HiGHS"])
    arguments = parser.parse_args()
    with arguments.csv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        print(f"{arguments.csv}: no rows", file=sys.stderr)
        return 1
    tallies = [Tally(solver) for solver in arguments.solver]
    for tally in tallies:
        for number, row in enumerate(rows, start=1):
            tally.add(row)
            if sys.stderr.isatty():
                print(f"\r{tally.solver} {number}/{len(rows)}", end="", file=sys.stderr)
        print(tally, flush=True)
    return int(any(tally.worst > TOLERANCE for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
