"""Rows of tests/data/vct.csv: what to run, and how far the figures may be off."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim_bridge.routers.vct import VctConfig, VctResult, VctScenario
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

DATA = Path(__file__).parent / "data" / "vct.csv"
# What a row offers is what was sent in it, unless its network refused more than this share.
_SENT = 0.97
_FEW_SEEDS = 3


@dataclass(frozen=True)
class Row:
    """A run of the peer."""

    given: Mapping[str, str]

    @property
    def is_saturated(self) -> bool:
        """Whether less was sent than offered."""
        return float(self.given["injected"]) < _SENT * float(self.given["load"])

    @property
    def is_bistable(self) -> bool:
        """Whether equal runs end on different levels."""
        is_last = self.given["variant"] == "minlast"
        return self.is_saturated and (is_last or bool(self.given["bins10_min"]))

    @property
    def load(self) -> float:
        """What to offer, phits/cycle and node."""
        return float(self.given["load" if self.is_saturated else "injected"])

    @property
    def scenario(self) -> VctScenario:
        """Network, routing and traffic."""
        given = self.given
        routing = given["route"]
        if given["variant"] != "-":
            routing = f"{routing}({given['variant']})"
        # The peer draws uniform destinations among the other nodes.
        pattern = given["pattern"].replace("uniform", "uniform(others)")
        return VctScenario(parse_topology(given["topology"]), routing, parse_pattern(pattern))

    @property
    def config(self) -> VctConfig:
        """Router and window."""
        given = self.given
        has_global = "global" in parse_topology(given["topology"]).kinds.names
        return VctConfig(
            warmup_cycles=int(given["warmup"]),
            measured_cycles=int(given["measured"]),
            vc_policy=given["policy"],
            vc_count=int(given["vcs"]),
            packet_phits=int(given["packet"]),
            input_buffer_phits=int(given["input_buffer"]),
            output_buffer_phits=int(given["output_buffer"]),
            local_latency=int(given["local_latency"]),
            global_latency=int(given["global_latency"]) if has_global else None,
            server_latency=int(given["server_latency"]),
        )

    @property
    def tolerances(self) -> dict[str, float]:
        """Largest relative deviation of each figure."""
        if self.is_bistable:
            return {"accepted": 0.15, "latency_mean": 0.12, "hops_mean": 0.01}
        if self.is_saturated:
            accepted = 0.03 if int(self.given["seeds"]) >= _FEW_SEEDS else 0.05
            return {"accepted": accepted, "latency_mean": 0.04, "hops_mean": 0.01}
        return {"accepted": 0.01, "latency_mean": 0.03, "hops_mean": 0.01}

    def deviations(self, runs: list[VctResult]) -> dict[str, float]:
        """Relative deviation of the means of several runs from the row."""
        return {
            name: float(np.mean([getattr(run, name) for run in runs])) / float(self.given[name]) - 1
            for name in self.tolerances
        }

    def __str__(self) -> str:
        return " ".join(
            self.given[name] for name in ("topology", "pattern", "policy", "variant", "load")
        )


def read_rows() -> list[Row]:
    """Read all rows."""
    with DATA.open() as stream:
        return [Row(row) for row in csv.DictReader(stream)]
