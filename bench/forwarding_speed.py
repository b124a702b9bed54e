"""Measure how long forwarding tables take, and what memory, each network in a process of its own.

    python -m bench.forwarding_speed

Prints CPU seconds of routing, layers and 1,000 bisections, and megabytes above those at the start
of the computation; start-up of the command is told apart. bench/forwarding_opensm.py has the
seconds of OpenSM for the same tables.
"""

import argparse
import subprocess
import sys
import time
from resource import RUSAGE_SELF, getrusage

from tvlb.forwarding import RouteOptions, bandwidth_of, graph_of, in_layers, route
from tvlb.forwarding.routing import MAX_LAYERS
from tvlb.topology import parse_topology

_CASES = {
    "fattree3(18)": (1000, False),
    "dfly(13,26,13,27)": (0, False),
    "fattree3(24)": (0, False),
    "random(250,12,12,seed=0)": (0, True),
    "fattree3(12)": (1000, False),
}


def measure(name: str) -> None:
    """Measure one network, in this process."""
    bisections, has_layers = _CASES[name]
    start = time.process_time()
    topology = parse_topology(name)
    loaded = time.process_time()
    before = getrusage(RUSAGE_SELF).ru_maxrss
    graph_of(topology)
    found = route(topology, RouteOptions()).forwarding
    routed = time.process_time()
    told = f"route {routed - loaded:.2f} s"
    if has_layers:
        layered = in_layers(found, MAX_LAYERS)
        told += f", {layered.num_layers} layers {time.process_time() - routed:.2f} s"
    if bisections:
        begun = time.process_time()
        ebb = bandwidth_of(found, bisections)
        told += f", {bisections:,} bisections {time.process_time() - begun:.2f} s ({ebb.mean:.4f})"
    memory = (getrusage(RUSAGE_SELF).ru_maxrss - before) / 1024
    print(
        f"{name}: {topology.num_nodes:,} nodes, {told}; {memory:.0f} MB above the start; imports "
        f"{start:.2f} s, network {loaded - start:.2f} s",
        flush=True,
    )


def main() -> int:
    """Measure all networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure(given.one)
        return 0
    for name in _CASES:
        subprocess.run([sys.executable, "-m", "bench.forwarding_speed", "--one", name], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
