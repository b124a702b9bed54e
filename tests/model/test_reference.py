"""The model meets optima that were computed independently."""

import csv
from pathlib import Path

import pytest

from tvlb.model import throughput
from tvlb.paths import LengthSet
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

Row = dict[str, str]


def _small_rows() -> list[Row]:
    path = Path(__file__).parent.parent / "data" / "lp_theta.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["a"] == "4"]


def _name(row: Row) -> str:
    order = "monotone" if row["monotone"] == "1" else "free"
    return f"g{row['g']}-{row['pattern']}-{row['max_vlb_hops']}-{order}"


# 120 rows of dfly(2,4,2,{3,5,9}); every one by HiGHS, every fourth also through PuLP.
ROWS = _small_rows()
CASES = [("highs", row) for row in ROWS] + [("pulp:HiGHS", row) for row in ROWS[::4]]


@pytest.mark.parametrize(
    ("solver", "row"), CASES, ids=[f"{solver}-{_name(row)}" for solver, row in CASES]
)
def test_reference_optimum(solver: str, row: Row) -> None:
    topology = Dragonfly(2, 4, 2, int(row["g"]))
    result = throughput(
        topology,
        LengthSet(topology, int(row["max_vlb_hops"])),
        parse_pattern(row["pattern"]),
        monotone=row["monotone"] == "1",
        solver=solver,
    )
    assert result.theta == pytest.approx(float(row["theta"]), abs=1e-4)
    assert result.bound == pytest.approx(float(row["capacity_bound"]), abs=1e-6)
