"""The figures of the paper on P-SSSP that compare routings, on networks that can be rebuilt.

    python -m bench.forwarding_claims [--figures 4a,4c,...] [--bisections 1000] [--both]
        [--opensm SECONDS] [--workers 2]

Prints EFI, EBB and seconds of every table, of Figures 8 and 9 EBB by size of job, and how psssp in
order id stands to each other table. ``--opensm`` runs its engines, too, each for so many seconds at
most; needs opensm, ibsim-utils and infiniband-diags.
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.forwarding_opensm import made_by
from tests.fabric_simulator import INSTALLED
from tvlb.forwarding import Forwarding, RouteOptions, StreamRates, bandwidth_of, route
from tvlb.topology import Topology, parse_topology

_DATA = "tests/data/networks/"
_OURS = tuple(
    RouteOptions(*one)
    for one in (("psssp", "id"), ("psssp", "interleave"), ("p2sssp", "id"), ("minhop", "id"))
)
_ERRORS = 2.0


@dataclass(frozen=True)
class Figure:
    """What a figure compares.

    Attributes
    ----------
    networks : their texts.
    opensm : engines of OpenSM.
    jobs : sizes of jobs besides that of all nodes.
    """

    networks: tuple[str, ...]
    opensm: tuple[str, ...] = ("sssp", "minhop", "updn", "dor", "lash")
    jobs: tuple[int, ...] = ()


# Fat trees of switches with 24 ports: 12, 16 and 18 of a leaf lead to nodes.
_TREES = ("ft2(12,24,12,1)", "ft2(16,24,8,1)", "ft2(18,24,6,1)", "kary(4,3)", "fattree3(12)")
FIGURES = {
    "4a": Figure((_DATA + "deimos.json", _DATA + "deimos10.json", _DATA + "odin128.json")),
    "4b": Figure(tuple(f"fattree3({m})" for m in (4, 6, 9, 12)), ("minhop", "updn", "lash")),
    "4c": Figure(_TREES, ("sssp", "minhop", "updn", "ftree")),
    "4d": Figure(("torus(1,8,8)", "torus(1,16,16)", "torus(4,8,8)", "torus(4,4,4,4)")),
    "4e": Figure(tuple(f"hypercube({nodes},{n})" for nodes in (1, 4) for n in (4, 5, 6))),
    "4f": Figure(tuple(f"torus(4,{k},{k})" for k in (8, 12, 16, 24)), ("minhop", "dor", "lash")),
    "5-516": Figure(tuple(f"random(43,12,12,seed={seed})" for seed in range(4))),
    "5-3000": Figure(tuple(f"random(250,12,12,seed={seed})" for seed in range(4)), ("minhop",)),
    "8": Figure((_DATA + "odin128.json",), jobs=(4, 8, 16, 32, 64, 96)),
    "9": Figure((_DATA + "deimos.json",), jobs=(4, 16, 64, 128, 256, 512)),
}


@dataclass(frozen=True, eq=False)
class Rated:
    """A table and what it is worth: its EFI and its rates by size of job, all nodes last."""

    name: str
    efi: float
    rates: tuple[StreamRates, ...]


@dataclass(frozen=True)
class Meter:
    """How tables are made and measured."""

    bisections: int
    both: bool
    opensm: float
    workers: int

    def tables(self, topology: Topology, figure: Figure) -> Iterator[tuple[str, Forwarding, float]]:
        """Make tables: their names and the seconds that it took."""
        for options in _OURS:
            start = time.process_time()
            found = route(topology, options).forwarding
            yield f"{options.engine} {options.order}", found, time.process_time() - start
        for engine in figure.opensm if self.opensm else ():
            made = made_by(topology, engine, self.opensm)
            if made.forwarding is None or made.note:
                print(f"  OpenSM {engine:16} {made.note}", flush=True)
            else:
                yield f"OpenSM {engine}", made.forwarding, made.seconds

    def rated(self, name: str, found: Forwarding, seconds: float, jobs: tuple[int, ...]) -> Rated:
        """Measure a table and print it; one that loses packets has no rates."""
        loads = found.loads
        if loads.lost_pairs:
            print(f"  {name:23} {loads.lost_pairs:,} pairs without a route", flush=True)
            return Rated(name, loads.efi, ())
        rates = tuple(
            bandwidth_of(found, self.bisections, both=self.both, job=job, workers=self.workers)
            for job in (*jobs, found.topology.num_nodes)
        )
        told = " ".join(f"{one.mean:.4f}" for one in rates)
        error = rates[-1].standard_error
        print(f"  {name:23} EFI {loads.efi:>7,}  EBB {told} +- {error:.4f}  {seconds:.3f} s")
        sys.stdout.flush()
        return Rated(name, loads.efi, rates)

    def compare(self, title: str, figure: Figure) -> None:
        """Print all tables of a figure, and psssp beside each other one."""
        print(f"Figure {title}")
        pairs: defaultdict[str, list[tuple[Rated, Rated]]] = defaultdict(list)
        for network in figure.networks:
            topology = parse_topology(network)
            print(f" {network}: {topology.num_nodes:,} nodes, {topology.num_switches:,} switches")
            if figure.jobs:
                print(f"  jobs of {', '.join(map(str, figure.jobs))} and all nodes")
            tables = self.tables(topology, figure)
            base, *others = [self.rated(*one, figure.jobs) for one in tables]
            for other in others:
                if other.rates:
                    pairs[other.name].append((base, other))
        for name, both in pairs.items():
            print(f" psssp id against {name}: {_told(both)}", flush=True)


def _told(pairs: list[tuple[Rated, Rated]]) -> str:
    """Say how the first of each pair stands to the second, in all nodes."""
    ours = np.array([[one.rates[-1].mean, one.rates[-1].standard_error] for one, _ in pairs])
    other = np.array([[one.rates[-1].mean, one.rates[-1].standard_error] for _, one in pairs])
    gains = (ours[:, 0] / other[:, 0] - 1) * 100
    errors = np.hypot(ours[:, 1], other[:, 1])
    above = int(np.count_nonzero(ours[:, 0] - other[:, 0] > _ERRORS * errors))
    below = int(np.count_nonzero(other[:, 0] - ours[:, 0] > _ERRORS * errors))
    lower = sum(one.efi < two.efi for one, two in pairs)
    higher = sum(one.efi > two.efi for one, two in pairs)
    return (
        f"EBB {gains.min():+.1f}%..{gains.max():+.1f}%, above on {above} and below on {below}, EFI "
        f"lower on {lower} and higher on {higher} of {len(pairs)}"
    )


def main() -> int:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--figures", default=",".join(FIGURES))
    parser.add_argument("--bisections", type=int, default=1000)
    parser.add_argument("--both", action="store_true", help="streams in both directions")
    parser.add_argument("--opensm", type=float, default=0.0, help="seconds for each engine")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.opensm and not INSTALLED:
        print("opensm, ibsim and ibnetdiscover are not installed", file=sys.stderr)
        return 2
    meter = Meter(given.bisections, given.both, given.opensm, given.workers)
    for title in given.figures.split(","):
        meter.compare(title, FIGURES[title])
    return 0


if __name__ == "__main__":
    sys.exit(main())
