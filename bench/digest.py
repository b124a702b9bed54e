"""Hashes over the results of runs of the native code, by group, to compare builds.

    python bench/digest.py

- iq and vct: with input queues every routing, two path sets, four patterns and two loads on five
  networks, one of them with more than 256 VCs per switch; by virtual cut-through every policy of
  virtual channels and phase, two patterns and two loads on three.
- vct-fog: every misrouting policy and its variants, both presets and three patterns, of which one
  is a step of the load, on two networks; with the levels of a group.
- forwarding: the entries and layers of every engine, order and number of layers, what is measured
  of them, and repairs, on seven networks.

Figures that depend on the machine (times) are left out. `bench/builds.sh PYTHON optimise` compares
-O1 with -O3.
"""

import hashlib
import itertools
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from runs import run_all

from sim_bridge import (
    PATH_ROUTINGS,
    FogConfig,
    FogScenario,
    Scenario,
    SimulationConfig,
    VctConfig,
    VctScenario,
)
from sim_bridge.routers.fog import Preset
from sim_bridge.routing import MISROUTING_ROUTINGS
from tvlb.documents import plain
from tvlb.forwarding import RouteOptions, bandwidth_of, engines, route
from tvlb.forwarding.repair import repair_forwarding
from tvlb.paths import parse_expression
from tvlb.topology import Failures, Topology, parse_topology, without
from tvlb.traffic import parse_pattern

TOPOLOGIES = ("2,4,2,5", "2,4,2,9", "3,6,3,7,palmtree", "4,8,4,9", "100,2,1,3")
PATH_SETS = ("all", "short(2,3)")
PATTERNS = ("uniform", "shift(1,0)", "type2(seed=1)", "mixed(50,50,shift(1,0))")
LOADS = (0.1, 0.25)
CONFIG = SimulationConfig(
    warmup_cycles=300, measured_cycles=500, drain_limit_cycles=3000, traced_packets=10
)
# Network, adversarial pattern, policy under MIN routing.
VCT_NETWORKS = (
    ("hyperx(4,4,4)", "dshift(1)", "any"),
    ("dfly(2,4,2,9,palmtree)", "adv(2)", "ladder"),
    ("dflyplus(2,2,2,5)", "adv(2)", "any"),
)
VCT_POLICIES = (
    ("valiant(minfirst)", "ladder"),
    ("valiant(minfirst)", "reuse"),
    ("valiant(minfirst)", "2phases"),
    ("valiant(minlast)", "2phases"),
    ("valiant(minboth)", "2phases"),
)
VCT_LOADS = (0.3, 1.0)
VCS = 8
FOG_NETWORKS = ("dfly(2,4,2,9,palmtree)", "dfly(2,4,2,5)")
FOG_ROUTINGS = (
    *MISROUTING_ROUTINGS,
    "val-rrg-sw(recompute=0)",
    "val-crg-sw(rval=0)",
    "val-rrg-gr(source_group=1)",
    "acor-switch(3l,hi=100,it1=5,it2=20)",
    "pb(recompute=0)",
)
FOG_PATTERNS = ("uniform(others)", "advr(1)", "step(advr(1),400,0.8)")
FORWARDING_NETWORKS = (
    "dfly(2,4,2,9)",
    "dflyplus(2,2,2,5)",
    "fattree3(6)",
    "hypercube(1,5)",
    "hyperx(2,3,4)",
    "random(24,2,6,seed=1)",
    "torus(1,3,4,5)",
)
FORWARDING_OPTIONS: tuple[dict[str, Any], ...] = (
    {"order": "interleave"},
    {"order": "random(seed=1)", "max_layers": 1},
    {"order": "auto", "passes": 3, "max_layers": 2},
    {"layers": True},
)
TIMES = ("cpu_seconds", "wall_seconds")

Run = Callable[[], Any]


def queued_runs() -> list[Run]:
    """All runs with input queues, in a fixed order."""
    found: list[Run] = []
    for name in TOPOLOGIES:
        topology = parse_topology(name)
        sets = [parse_expression(expression, topology) for expression in PATH_SETS]
        for routing, path_set, pattern in itertools.product(PATH_ROUTINGS, sets, PATTERNS):
            scenario = Scenario(topology, routing, path_set, parse_pattern(pattern), 3)
            found += [partial(scenario.run, load, CONFIG) for load in LOADS]
    return found


def vct_runs() -> list[Run]:
    """All runs by virtual cut-through, in a fixed order."""
    found: list[Run] = []
    for name, adversarial, min_policy in VCT_NETWORKS:
        topology = parse_topology(name)
        policies = (("min", min_policy), *VCT_POLICIES)
        for (routing, policy), pattern in itertools.product(policies, ("uniform", adversarial)):
            scenario = VctScenario(topology, routing, parse_pattern(pattern), 3)
            config = VctConfig(300, 500, policy, VCS)
            found += [partial(scenario.run, load, config) for load in VCT_LOADS]
    return found


def fog_runs() -> list[Run]:
    """All runs of misrouting policies, in a fixed order."""
    found: list[Run] = []
    for name, routing, pattern in itertools.product(FOG_NETWORKS, FOG_ROUTINGS, FOG_PATTERNS):
        scenario = FogScenario(parse_topology(name), routing, parse_pattern(pattern), 3)
        for preset in Preset:
            config = FogConfig(300, 700, preset, levels_group=0, traced_packets=10, interval=100)
            found.append(partial(scenario.run, 0.4, config))
    return found


def forwarding_runs() -> list[Run]:
    """All tables with what is measured of them, in a fixed order."""
    found: list[Run] = []
    for name in FORWARDING_NETWORKS:
        topology = parse_topology(name)
        known = [one for one in engines().values() if one.is_general or topology.dimensions]
        for engine, options in itertools.product(known, FORWARDING_OPTIONS):
            asked = RouteOptions(engine.name, **options)
            found.append(partial(forwarding_run, topology, asked))
    return found


def forwarding_run(topology: Topology, options: RouteOptions) -> dict[str, Any]:
    """Return hashes of a table, of its repair and of the rates of streams."""
    forwarding = route(topology, options).forwarding
    left = without(topology, Failures(links=(tuple(topology.network.cables(0)[0].tolist()),)))
    repaired = repair_forwarding(forwarding, left, rebalance=0.01)
    arrays: dict[str, NDArray[Any]] = {
        "ports": forwarding.ports,
        "layers": forwarding.layers,
        "loads": forwarding.loads.of_link,
        "repaired": repaired.forwarding.ports,
        "changes": np.concatenate(repaired.changes),
    }
    rates = asdict(bandwidth_of(forwarding, 20, seed=1))
    return rates | {name: hashlib.sha256(one.tobytes()).hexdigest() for name, one in arrays.items()}


def figures_of(result: Any) -> Any:
    """Return what a run told, by name."""
    return asdict(result) if hasattr(result, "config") else result


GROUPS: dict[str, Callable[[], list[Run]]] = {
    "iq and vct": lambda: [*queued_runs(), *vct_runs()],
    "vct-fog": fog_runs,
    "forwarding": forwarding_runs,
}


def main() -> None:
    """Print the number of runs and the hash of each group."""
    for name, runs in GROUPS.items():
        digest = hashlib.sha256()
        results = run_all(runs(), workers=1)
        for result in results:
            figures = {key: value for key, value in figures_of(result).items() if key not in TIMES}
            digest.update(json.dumps(plain(figures), sort_keys=True).encode())
        print(f"{name}: {len(results)} {digest.hexdigest()}")


if __name__ == "__main__":
    main()
