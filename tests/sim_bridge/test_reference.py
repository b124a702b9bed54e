"""Latency, hops and VLB share against an independent simulator, away from saturation.

tests/data/README.md tells where the rows come from. All rows, including the slow ones near
saturation, are run by bench/reference_simulation.py.
"""

import csv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sim_bridge import Scenario, SimulationConfig
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

_DATA = Path(__file__).parents[1] / "data" / "sim.csv"
SEEDS = (0, 1, 2)


def _rows() -> list[dict[str, str]]:
    with _DATA.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        row
        for row in rows
        if row["status"] == "ok" and float(row["latency_mean"]) < 60 and float(row["load"]) <= 0.2
    ]


@pytest.mark.parametrize(
    "row",
    _rows(),
    ids=lambda row: "-".join(row[k] for k in ("g", "routing", "path_set", "pattern", "load")),
)
def test_row_agrees(row: dict[str, str]) -> None:
    p, a, h, g = (int(row[name]) for name in "pahg")
    topology = Dragonfly(p, a, h, g)
    window = int(row["window_cycles"])
    config = SimulationConfig(
        warmup_cycles=window * int(row["warmup_windows"]), measured_cycles=window
    )
    path_set = parse_expression(row["path_set"], topology)
    pattern = parse_pattern(row["pattern"])
    scenarios = [Scenario(topology, row["routing"], path_set, pattern, seed) for seed in SEEDS]
    load = float(row["load"])
    with ThreadPoolExecutor(2) as threads:
        futures = [threads.submit(one.run, load, config) for one in scenarios]
        results = [future.result() for future in futures]

    def mean(name: str) -> float:
        return sum(getattr(result, name) for result in results) / len(results)

    assert mean("latency_mean") == pytest.approx(float(row["latency_mean"]), rel=0.01)
    assert mean("hops_mean") == pytest.approx(float(row["link_hops_mean"]), rel=0.01)
    if row["routing"] not in ("min", "vlb"):
        assert mean("vlb_share") == pytest.approx(float(row["vlb_share"]), abs=0.01)
    assert not any(result.saturated for result in results)
