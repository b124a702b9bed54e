"""Measure what layers of virtual channels are worth, from one lane to many.

    python -m bench.forwarding_lanes [NETWORK...] [--orders auto,id] [--layers 1,2,4,8]
        [--bisections 10000] [--workers 2]

Prints EFI, EBB, layers in use and CPU seconds of every table. Exit code 1 if a table can deadlock,
by an account of its own, if more layers give less by two errors, or if a table of the networks that
are known has less than the best of others in one lane.
"""

import argparse
import math
import sys
import time

import numpy as np
import scipy

from tvlb.forwarding import Forwarding, RouteOptions, StreamRates, bandwidth_of, route
from tvlb.topology import parse_topology

_DATA = "tests/data/networks/"
# Rates of the better one of OpenSM's nue with one lane and up*/down* trees below the best root.
LEAST = {
    _DATA + "random80.json": 0.486,
    _DATA + "deimos.json": 0.472,
    "dfly(2,4,2,9)": 0.662,
    "dfly(4,8,4,9)": 0.699,
    "torus(4,4,4,4)": 0.433,
    "torus(4,8,8)": 0.250,
}
_ERRORS = 2.0


def can_deadlock(found: Forwarding) -> bool:
    """Follow the routes of all pairs of switches and nodes at once, link by link."""
    topology, links = found.topology, found.links()
    network = topology.network
    source = np.flatnonzero(topology.switch_nodes)
    node = np.repeat(np.arange(topology.num_nodes), len(source))
    at = np.tile(source, topology.num_nodes)
    layer, held = found.layers[node, at].astype(np.int64), np.full(len(node), -1)
    pairs = np.zeros((0, 2), dtype=np.int64)
    while len(going := np.flatnonzero(at != network.node_switch[node])):
        node, at, layer, held = node[going], at[going], layer[going], held[going]
        link = links[node, at].astype(np.int64)
        both = np.stack([held, link], axis=1) * found.num_layers + layer[:, None]
        pairs = np.unique(np.concatenate([pairs, both[held >= 0]]), axis=0)
        at, held = network.link_target[link], link
    channels = topology.num_links * found.num_layers
    ones = np.ones(len(pairs), dtype=np.int8)
    graph = scipy.sparse.csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(channels, channels))
    parts, _ = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    return parts < channels or bool((pairs[:, 0] == pairs[:, 1]).any())


def main() -> int:
    """Route all networks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(LEAST))
    parser.add_argument("--orders", default="auto,id")
    parser.add_argument("--layers", default="1,2,4,8")
    parser.add_argument("--bisections", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    misses = 0
    for name in given.networks:
        topology = parse_topology(name)
        for order in given.orders.split(","):
            best: StreamRates | None = None
            for most in map(int, given.layers.split(",")):
                start = time.process_time()
                found = route(topology, RouteOptions(order=order, max_layers=most)).forwarding
                seconds = time.process_time() - start
                rates = bandwidth_of(found, given.bisections, workers=given.workers)
                wrong: list[str] = []
                if can_deadlock(found) or found.num_layers > most:
                    wrong.append("can deadlock")
                if best and rates.mean < best.mean - _ERRORS * math.hypot(
                    rates.standard_error, best.standard_error
                ):
                    wrong.append(f"less than {best.mean:.4f}")
                if rates.mean + _ERRORS * rates.standard_error < LEAST.get(name, 0.0):
                    wrong.append(f"below {LEAST[name]}")
                if best is None or rates.mean > best.mean:
                    best = rates
                misses += len(wrong)
                print(
                    f"{name} {order} {most}: EFI {found.loads.efi:,} EBB {rates.mean:.4f} +- "
                    f"{rates.standard_error:.4f} in {found.num_layers} layers, minimal "
                    f"{found.loads.minimal_share:.3f}, {seconds:.2f} s {'; '.join(wrong)}",
                    flush=True,
                )
    print(f"{misses} misses")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
