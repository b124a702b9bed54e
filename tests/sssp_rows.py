"""Rows of tests/data/sssp.csv: what to route, and how far the figures may be off."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tvlb.forwarding import Forwarding, RouteOptions, bandwidth_of, route
from tvlb.topology import Topology, parse_topology

DATA = Path(__file__).parent / "data"
_ERRORS = 4.0
_LOOSE = 0.02
_ORDERS = ("id", "interleave")


@dataclass(frozen=True)
class Row:
    """A table of the prototype."""

    given: Mapping[str, str]

    @property
    def network(self) -> Topology:
        """The network that it is of."""
        name = self.given["network"].partition(" = ")[0].replace(";", ",")
        return parse_topology(str(DATA / name) if name.startswith("networks/") else name)

    @property
    def is_loose(self) -> bool:
        """Whether ties are open, so that loads differ."""
        return self.given["algorithm"] == "psssp-w1"

    def routed(self) -> Forwarding:
        """Make the table."""
        options = RouteOptions(self.given["algorithm"], self.given["endpoint_order"])
        return route(self.network, options).forwarding

    def number(self, name: str) -> float:
        """Return a figure."""
        return float(self.given[name])

    def wrong_loads(self, found: Forwarding) -> list[str]:
        """Say which figures of loads differ."""
        loads = found.loads
        told = {
            "efi_max": (loads.efi, 0.0),
            "links_at_efi": (loads.efi_links, 0.0),
            "mean_link_load": (loads.mean_load, 0.0051),
            "mean_hops": (loads.hops_mean, 0.000051),
            "minimal_share": (loads.minimal_share, 0.000051),
        }
        if self.is_loose:
            told = {"minimal_share": (loads.minimal_share, _LOOSE)}
        return [
            f"{name} {value} is not {self.number(name)}"
            for name, (value, most) in told.items()
            if abs(value - self.number(name)) > most
        ]

    def wrong_bandwidth(self, found: Forwarding, bisections: int, workers: int = 1) -> list[str]:
        """Say whether the EBB is too far off."""
        drawn = bandwidth_of(found, bisections, workers=workers)
        wanted = self.number("ebb_mean")
        error = float(np.hypot(drawn.standard_error, self.number("ebb_stderr")))
        most = _LOOSE * wanted if self.is_loose else _ERRORS * error
        off = abs(drawn.mean - wanted)
        return [f"ebb {drawn.mean:.5f} is not {wanted:.5f}"] if off > most + 1e-9 else []

    def __str__(self) -> str:
        return f"{self.given['network']} {self.given['algorithm']} {self.given['endpoint_order']}"


def read_rows(orders: Sequence[str] = _ORDERS) -> list[Row]:
    """Return the rows with some orders, by default those that are known, of the prototype."""
    with (DATA / "sssp.csv").open() as stream:
        rows = [Row(one) for one in csv.DictReader(stream)]
    return [row for row in rows if row.given["endpoint_order"] in orders]
