"""Compare forwarding tables with those of OpenSM's engines, on one network or many.

    python -m bench.forwarding_opensm NETWORK... [--engines sssp,nue,...]
        [--bisections 1000] [--seconds 1800] [--no-bounds]

Runs OpenSM on ibsim, reads what it dumps, and prints EFI, EBB, pairs without a route, layers needed
and the seconds that OpenSM's log tells between the end of discovery and the tables, beside ours. An
engine that gives up falls back to another one, which its log names; one that has not finished in
the time is stopped. Needs opensm, ibsim-utils and infiniband-diags.
"""

import argparse
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fabric_simulator import INSTALLED, fabric_simulator
from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    Forwarding,
    RouteOptions,
    bandwidth_of,
    engines,
    layers_needed,
    route,
    split_efi,
    table_bound,
)
from tvlb.table import read_dump
from tvlb.topology import Topology, parse_topology, read_fabric, write_network
from tvlb.topology.formats import network_formats

ENGINES = "sssp,dfsssp,minhop,updn,ftree,dor,lash,nue"
_OURS = (
    *(RouteOptions(name) for name in engines()),
    RouteOptions("psssp", "auto", 20),
    RouteOptions("psssp", "auto", 20, max_layers=1),
)
# A line of the log: when, who, how bad, and what.
_LINE = r"^(\w{3} \d+ \d\d:\d\d:\d\d) (\d+) .*-> "
_BEGUN = re.compile(_LINE + "Entering MASTER state", re.MULTILINE)
_USED = re.compile(_LINE + r".*: ([\w -]+) tables configured", re.MULTILINE)


@dataclass(frozen=True)
class Made:
    """What an engine of OpenSM made of a network.

    Attributes
    ----------
    forwarding : the tables that were dumped; None where there are none.
    seconds : between the end of discovery and the tables, by its log.
    note : what came of it where it is not simply tables of this engine.
    """

    forwarding: Forwarding | None
    seconds: float
    note: str


def made_by(topology: Topology, engine: str, seconds: float) -> Made:
    """Have OpenSM route on ibsim, for so many seconds at most, discovery included."""
    with TemporaryDirectory() as folder:
        netlist = Path(folder) / "network.netlist"
        write_network(topology, netlist, network_formats()["ibsim"])
        with fabric_simulator(netlist) as simulator:
            fabric = read_fabric(simulator.discover())
            try:
                dump, log = simulator.manage("-R", engine, seconds=seconds)
            except subprocess.TimeoutExpired:
                return Made(None, seconds, f"not finished in {seconds:g} s")
            begun, used = _BEGUN.search(log), _USED.findall(log)
            if begun is None or not used or not dump.exists():
                return Made(None, seconds, "made no tables")
            took = _moment(*used[-1][:2]) - _moment(*begun.groups())
            found = read_dump(dump, fabric).forwarding
    other = used[-1][2]
    return Made(found, took.total_seconds(), "" if other == engine else f"gave up: {other}")


def _moment(day: str, microseconds: str) -> datetime:
    # Any leap year: the log names none.
    begun = datetime.strptime(f"2024 {day}", "%Y %b %d %H:%M:%S")
    return begun + timedelta(microseconds=int(microseconds))


def shown(name: str, found: Forwarding, seconds: float, bisections: int, more: str = "") -> None:
    """Print what a table is worth."""
    loads = found.loads
    ebb = "-" if loads.lost_pairs else f"{bandwidth_of(found, bisections, workers=2).mean:.4f}"
    layers = "-" if loads.lost_pairs else str(layers_needed(found))
    lost = f", {loads.lost_pairs:,} pairs without a route" if loads.lost_pairs else ""
    print(
        f"  {name:30} EFI {loads.efi:>7,}  EBB {ebb}  minimal {loads.minimal_share:.4f}  layers "
        f"{layers}  {seconds:.2f} s{lost}{more}",
        flush=True,
    )


def ours(topology: Topology, bisections: int) -> None:
    """Route by our engines."""
    for options in _OURS:
        start = time.process_time()
        try:
            found = route(topology, options).forwarding
        except InvalidInput:
            # An engine for some networks only.
            assert not engines()[options.engine].is_general
            continue
        more = f" {options.passes} passes" if options.passes else ""
        more += ", one lane" if options.max_layers else ""
        name = f"{options.engine} {options.order}{more}"
        shown(name, found, time.process_time() - start, bisections)


def theirs(topology: Topology, engine: str, bisections: int, seconds: float) -> None:
    """Have OpenSM route."""
    made, name = made_by(topology, engine, seconds), f"OpenSM {engine}"
    if made.forwarding is None:
        print(f"  {name:30} {made.note}", flush=True)
        return
    shown(name, made.forwarding, made.seconds, bisections, made.note and f", {made.note}")


def main() -> int:
    """Route all networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--engines", default=ENGINES)
    parser.add_argument("--bisections", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1800.0)
    parser.add_argument("--no-bounds", action="store_true", help="of networks where they take long")
    given = parser.parse_args()
    if not INSTALLED:
        print("opensm, ibsim and ibnetdiscover are not installed", file=sys.stderr)
        return 2
    for name in given.networks:
        topology = parse_topology(name)
        print(f"{name}: {topology.num_nodes:,} nodes, {topology.num_switches:,} switches")
        if not given.no_bounds:
            bound, split = table_bound(topology), split_efi(topology)
            print(
                f"  EFI at least {bound.value:,} ({bound.kind}), of routes that split "
                f"{split.low:.2f}..{split.high:.2f}"
            )
        ours(topology, given.bisections)
        for engine in given.engines.split(","):
            theirs(topology, engine, given.bisections, given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
