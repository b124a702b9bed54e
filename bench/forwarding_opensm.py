"""Compare forwarding tables with those of OpenSM's engines, on one network or many.

    python -m bench.forwarding_opensm NETWORK... [--engines sssp,dfsssp,minhop,updn,ftree,nue]
        [--bisections 1000] [--seconds 1800]

Runs OpenSM on ibsim, reads what it dumps, and prints EFI, EBB, pairs without a route, layers needed
and the seconds that OpenSM's log tells between the first engine and the tables, beside ours. An
engine that gives up falls back to another one, which its log names; one that has not finished in
the time is stopped. Needs opensm, ibsim-utils and infiniband-diags.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fabric_simulator import INSTALLED, fabric_simulator
from tvlb.forwarding import (
    Forwarding,
    RouteOptions,
    bandwidth_of,
    efi_bound,
    layers_needed,
    route,
    split_efi,
)
from tvlb.table import read_dump
from tvlb.topology import Topology, parse_topology, read_fabric, write_network
from tvlb.topology.formats import network_formats

_ENGINES = "sssp,dfsssp,minhop,updn,ftree,nue"
_OURS = (
    RouteOptions("psssp", "id"),
    RouteOptions("psssp", "auto", 20),
    RouteOptions("p2sssp", "id"),
    RouteOptions("minhop", "id"),
    RouteOptions("updn", "id"),
)
_USED = re.compile(r"(\w[\w -]*) tables configured")
_STAMP = re.compile(r"^(\w{3} \d+ \d\d:\d\d:\d\d \d+)")


def shown(name: str, found: Forwarding, seconds: float, bisections: int, more: str = "") -> None:
    """Print what a table is worth."""
    loads = found.loads
    ebb = "-" if loads.lost_pairs else f"{bandwidth_of(found, bisections, workers=2).mean:.4f}"
    layers = "-" if loads.lost_pairs else str(layers_needed(found))
    lost = f", {loads.lost_pairs:,} pairs without a route" if loads.lost_pairs else ""
    print(
        f"  {name:24} EFI {loads.efi:>7,}  EBB {ebb}  minimal {loads.minimal_share:.4f}  layers "
        f"{layers}  {seconds:.2f} s{lost}{more}",
        flush=True,
    )


def ours(topology: Topology, bisections: int) -> None:
    """Route by our engines."""
    for options in _OURS:
        start = time.process_time()
        found = route(topology, options).forwarding
        passes = f" {options.passes} passes" if options.passes else ""
        name = f"{options.engine} {options.order}{passes}"
        shown(name, found, time.process_time() - start, bisections)


def theirs(topology: Topology, engine: str, bisections: int, seconds: float) -> None:
    """Have OpenSM route."""
    with TemporaryDirectory() as folder:
        netlist = Path(folder) / "network.ibsim"
        write_network(topology, netlist, network_formats()["ibsim"])
        with fabric_simulator(netlist) as simulator:
            fabric = read_fabric(simulator.discover())
            start = time.monotonic()
            try:
                dump, log = simulator.manage("-R", engine, seconds=seconds)
            except subprocess.TimeoutExpired:
                print(f"  OpenSM {engine:17} not finished in {seconds:g} s", flush=True)
                return
            took = time.monotonic() - start
            used = _USED.findall(log)
            if not dump.exists():
                print(f"  OpenSM {engine:17} made no tables", flush=True)
                return
            found = read_dump(dump, fabric)
        more = f", used {used[-1].strip()}" if used and used[-1].strip() != engine else ""
        shown(f"OpenSM {engine}", found.forwarding, took, bisections, more)


def main() -> int:
    """Route all networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--engines", default=_ENGINES)
    parser.add_argument("--bisections", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1800.0)
    given = parser.parse_args()
    if not INSTALLED:
        print("opensm, ibsim and ibnetdiscover are not installed", file=sys.stderr)
        return 2
    for name in given.networks:
        topology = parse_topology(name)
        bound, split = efi_bound(topology), split_efi(topology)
        print(
            f"{name}: {topology.num_nodes:,} nodes, {topology.num_switches:,} switches; EFI at "
            f"least {bound.value:,} ({bound.kind}), of routes that split {split.low:.2f}.."
            f"{split.high:.2f}",
            flush=True,
        )
        ours(topology, given.bisections)
        for engine in given.engines.split(","):
            theirs(topology, engine, given.bisections, given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
