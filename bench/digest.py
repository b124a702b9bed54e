"""Hashes over the results of runs of the native code, by group, to compare builds.

    python bench/digest.py [--workers N] [--threads N] [GROUP...]

- iq and vct: with input queues every routing, two path sets, four patterns and two loads on five
  networks, one of them with more than 256 VCs per switch; by virtual cut-through every policy of
  virtual channels and phase, two patterns and two loads on three.
- queues: Dragonflies with input queues and without traces, every routing with settings that move
  cycles (decisions at each attempt, internal speedups, latencies, small buffers, intervals, a short
  drain, early exits, a detected warm-up, what queues UGAL compares), under traffic from almost none
  to overload and under a load that changes; routings by level, forwarding tables, deadlocks, and
  runs that are cancelled, of which nothing is told that depends on when.
- paths: virtual cut-through along drawn paths on Dragonflies.
- families: both on networks of other families, with failures, and with sets of every kind.
- vct-fog: every misrouting policy and its variants, both presets and three patterns, of which one
  is a step of the load, on two networks; with the levels of a group.
- forwarding: the entries and layers of every engine, order and number of layers, what is measured
  of them, and repairs, on seven networks.

Figures that depend on the machine (times) are left out, and neither runs side by side (`--workers`)
nor threads within a run (`--threads`) change anything. `bench/builds.sh PYTHON optimise` compares
-O1 with -O3.
"""

import argparse
import hashlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from runs import run_all

from sim_bridge import (
    LEVEL_ROUTINGS,
    MAX_CYCLES,
    PATH_ROUTINGS,
    FogConfig,
    FogScenario,
    FollowedTable,
    RouterScenario,
    Routing,
    Scenario,
    SimulationConfig,
    StopFlag,
    VctConfig,
    VctScenario,
    Warmup,
)
from sim_bridge.routers.fog import Preset
from sim_bridge.routers.vct import VCT_PATH_ROUTINGS
from sim_bridge.routing import MISROUTING_ROUTINGS, takes_of_rule
from tvlb.documents import plain
from tvlb.errors import SimulationDeadlock
from tvlb.forwarding import RouteOptions, bandwidth_of, engines, route
from tvlb.forwarding.repair import repair_forwarding
from tvlb.paths import RULE_SETTINGS, PathSet, RowSet, parse_expression
from tvlb.topology import Failures, Topology, parse_topology, without
from tvlb.traffic import parse_pattern

TOPOLOGIES = ("2,4,2,5", "2,4,2,9", "3,6,3,7,palmtree", "4,8,4,9", "100,2,1,3")
PATH_SETS = ("all", "short(2,3)")
PATTERNS = ("uniform", "shift(1,0)", "type2(seed=1)", "mixed(50,50,shift(1,0))")
LOADS = (0.1, 0.25)
CONFIG = SimulationConfig(
    warmup_cycles=300, measured_cycles=500, drain_limit_cycles=3000, traced_packets=10
)
QUEUED = SimulationConfig(warmup_cycles=300, measured_cycles=501, drain_limit_cycles=2000)
QUEUED_NETWORKS = ("dfly(2,4,2,9)", "dfly(2,4,2,5)", "dfly(3,6,3,7,palmtree)")
QUEUED_TRAFFIC = (
    ("uniform", 0.3),
    ("shift(1,0)", 0.15),
    ("uniform(others)", 0.9),
    ("permutation(derangement,seed=2)", 0.002),
    ("step(shift(1,0),437,0.5)", 0.0),
    ("step(shift(1,0),290,0.02)", 0.9),
)
QUEUED_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"decide": "each-attempt"},
    {"speedup": 1.0},
    {"speedup": 2.5},
    {"buffer_flits": 2},
    {"interval": 250},
    {"local_latency": 1, "global_latency": 1},
    {"local_latency": 2, "global_latency": 2, "decide": "each-attempt"},
    {"local_latency": 3, "global_latency": 3},
    {"local_latency": 1, "global_latency": 40},
    {"local_latency": 12, "global_latency": 3},
    {"drain_limit_cycles": 45},
    {"stop_when_saturated": True},
    {"stop_when_saturated": True, "warmup_cycles": 4000},
    {"warmup": "detect", "warmup_cycles": 6000, "measured_cycles": 777},
    {"vc_scheme": "per-hop", "vc_count": 9},
)
COMPARED_SETTINGS: tuple[dict[str, Any], ...] = (
    {"ugal_rule": "two", "queue": "vc", "threshold": 3},
    {"queue": "waiting", "vlb_factor": 1.5},
    {"queue": "hybrid", "candidates": 3},
)
LEVELS = (("<=4", "all"), ("shape(g.?)", "<=4", "all"))
QUICK_LEVELS = "acor-switch(sets,hi=40,it1=5,dt1=2)"
TABLE_OPTIONS: tuple[dict[str, Any], ...] = ({}, {"layers": True, "max_layers": 4})
# Of few VCs and small buffers, which wait for each other under this load.
DEADLOCKS = ((1, 0.3), (1, 1.0), (2, 0.6))
CANCELLED_AFTER = 3000  # cycles
PATHS_TRAFFIC = (("uniform", 0.3), ("adv(1)", 0.3), ("uniform(others)", 1.0))
PATHS_SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"local_latency": 10, "global_latency": 15, "queue": "waiting"},
    {"packet_phits": 8, "queue": "vc", "candidates": 2, "vlb_factor": 2.0, "interval": 100},
)
FAMILIES = {
    "slimfly(5)": ("all", "ori", "near", "shape(g.g:8, g.gl)"),
    "hyperx(2,3,4)": ("all", "short(all)", "<=3", "short(<=3)"),
    "hyperx(1,3,3,3)": ("all", "shape(x.?:3, yz.x)"),
    "dflyplus(2,2,2,5)": ("all", "<=4"),
    "ft2(6,6,3,1)": ("all",),
    "kary(3,2)": ("all",),
    "random(24,2,6,seed=1)": ("all", "simple", "<=3+40%"),
    "torus(2,4,4)": ("all", "short(2,3)"),
}
FAMILY_TRAFFIC = (("uniform", 0.3), ("uniform(others)", 0.9))
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
TIMES = ("cpu_seconds", "wall_seconds", "threads")  # they depend on the machine

Run = Callable[[int], dict[str, Any]]  # of the number of threads


def run_of(scenario: RouterScenario[Any, Any], load: float, config: Any) -> Run:
    """Return what runs one load, and tells how it went."""
    return partial(outcome, scenario, load, config)


def outcome(
    scenario: RouterScenario[Any, Any], load: float, config: Any, threads: int
) -> dict[str, Any]:
    """Return the figures of a run, or the buffers that ended it."""
    more: dict[str, Any] = {"threads": threads} if scenario.takes_threads else {}
    try:
        return asdict(scenario.run(load, config, **more))
    except SimulationDeadlock as found:
        return {"cycle": found.cycle, "blocked": [asdict(one) for one in found.blocked]}


def traced_runs() -> list[Run]:
    """All runs with traces, in a fixed order."""
    found: list[Run] = []
    for name in TOPOLOGIES:
        topology = parse_topology(name)
        sets = [parse_expression(expression, topology) for expression in PATH_SETS]
        for routing, path_set, pattern in itertools.product(PATH_ROUTINGS, sets, PATTERNS):
            scenario = Scenario(topology, routing, path_set, parse_pattern(pattern), 3)
            found += [run_of(scenario, load, CONFIG) for load in LOADS]
    return found


def queued_runs() -> list[Run]:
    """All runs with input queues and without traces, in a fixed order."""
    found: list[Run] = []
    for name in QUEUED_NETWORKS:
        topology = parse_topology(name)
        all_paths = parse_expression("all", topology)
        for routing, traffic in itertools.product(PATH_ROUTINGS, QUEUED_TRAFFIC):
            more = COMPARED_SETTINGS if routing.is_adaptive else ()
            scenario = Scenario(topology, routing, all_paths, parse_pattern(traffic[0]), 3)
            found += variants(scenario, traffic[1], (*QUEUED_SETTINGS, *more))
    return [*found, *level_runs(), *table_runs(), *ended_runs()]


def variants(scenario: Scenario, load: float, settings: Sequence[dict[str, Any]]) -> Iterator[Run]:
    """Yield a run with each of the settings; of a load that changes no warm-up can be detected."""
    for one in settings:
        if scenario.pattern.load_step is None or one.get("warmup") != Warmup.DETECT:
            yield run_of(scenario, load, replace(QUEUED, **taken(scenario.routing, one)))


def taken(routing: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without those of UGAL's comparison that mean nothing to a routing."""
    return {
        name: one
        for name, one in settings.items()
        if name not in RULE_SETTINGS or takes_of_rule(routing, name)
    }


def level_runs() -> list[Run]:
    """All runs of routings by level, in a fixed order."""
    routings = (*LEVEL_ROUTINGS, Routing(QUICK_LEVELS))
    topology = parse_topology(QUEUED_NETWORKS[0])
    found: list[Run] = []
    for routing, sets, traffic in itertools.product(routings, LEVELS, QUEUED_TRAFFIC):
        paths = [parse_expression(one, topology) for one in sets]
        scenario = Scenario(topology, routing, paths, parse_pattern(traffic[0]), 3)
        found += variants(scenario, traffic[1], QUEUED_SETTINGS)
    return found


def table_runs() -> list[Run]:
    """All runs of packets that follow forwarding tables, in a fixed order."""
    found: list[Run] = []
    for name, options in itertools.product(QUEUED_NETWORKS, TABLE_OPTIONS):
        topology = parse_topology(name)
        table = FollowedTable(route(topology, RouteOptions(**options)).forwarding)
        for pattern, load in QUEUED_TRAFFIC:
            paths = parse_expression("all", topology)
            traffic = parse_pattern(pattern)
            scenario = Scenario(topology, Routing("table"), paths, traffic, 3, table)
            found += variants(scenario, load, ({}, {"speedup": 2.5, "local_latency": 1}))
    return found


def ended_runs() -> list[Run]:
    """All runs that deadlock, or that are cancelled, in a fixed order."""
    found: list[Run] = []
    for name in QUEUED_NETWORKS:
        topology = parse_topology(name)
        paths, uniform = parse_expression("all", topology), parse_pattern("uniform")
        for routing in PATH_ROUTINGS:
            scenario = Scenario(topology, routing, paths, uniform, 3)
            for vcs, load in DEADLOCKS:
                few = replace(QUEUED, measured_cycles=5000, vc_count=vcs, buffer_flits=4)
                found.append(run_of(scenario, load, few))
            found.append(partial(cancelled, scenario, 0.3))
    return found


def cancelled(scenario: Scenario, load: float, threads: int) -> dict[str, Any]:
    """Cancel a run in its course, and tell what differs from one that is that long.

    Neither depends on when that is, which the clock has a say in.
    """
    stop = StopFlag()
    watch = threading.Thread(target=set_after, args=(stop, CANCELLED_AFTER))
    watch.start()
    config = replace(QUEUED, warmup_cycles=0, drain_limit_cycles=0)
    found = scenario.run(load, replace(config, measured_cycles=MAX_CYCLES), stop, threads=threads)
    watch.join()
    whole = scenario.run(load, replace(config, measured_cycles=found.cycles), threads=threads)
    names = ("flits", "flits_injected", "flits_in_network", "flit_hops", "vlb_share", "series")
    one, other = (
        json.dumps([plain(asdict(run)[name]) for name in names]) for run in (found, whole)
    )
    return {"stopped": found.stopped, "equal": one == other}


def set_after(stop: StopFlag, cycles: int) -> None:
    """Have runs stop once they have done so many cycles."""
    while stop.cycles_done < cycles:
        time.sleep(1e-4)
    stop.set()


def path_runs() -> list[Run]:
    """All runs by virtual cut-through along drawn paths, in a fixed order."""
    found: list[Run] = []
    for name in QUEUED_NETWORKS:
        topology = parse_topology(name)
        # Of unequal weights where groups have several cables.
        table = RowSet(parse_expression("short(all)", topology).all_rows(), "table")
        rules = ("all", "short(2,3)", "shape(g.g:8, g.gl:4, lg.g)")
        sets = [table, *(parse_expression(one, topology) for one in rules)]
        cases = itertools.product(VCT_PATH_ROUTINGS, sets, PATHS_TRAFFIC, PATHS_SETTINGS)
        for routing, paths, (pattern, load), settings in cases:
            found.append(along_paths(topology, routing, pattern, load, paths, settings))
    return found


def along_paths(
    topology: Topology,
    routing: str,
    pattern: str,
    load: float,
    paths: PathSet,
    settings: Mapping[str, Any],
) -> Run:
    """Return a run by virtual cut-through."""
    scenario = VctScenario(topology, routing, parse_pattern(pattern), 3, paths)
    return run_of(scenario, load, VctConfig(300, 500, **taken(routing, settings)))


def family_runs() -> list[Run]:
    """All runs along drawn paths on networks other than whole Dragonflies, in a fixed order."""
    found: list[Run] = []
    for topology, sets in family_networks():
        for text, (pattern, load) in itertools.product(sets, FAMILY_TRAFFIC):
            paths, traffic = parse_expression(text, topology), parse_pattern(pattern)
            for routing in PATH_ROUTINGS:
                if Routing(routing).decides_again and not topology.decides_again:
                    continue
                scenario = Scenario(topology, routing, paths, traffic, 3)
                found += variants(scenario, load, ({}, {"local_latency": 1, "speedup": 2.5}))
                if routing in VCT_PATH_ROUTINGS:
                    found.append(along_paths(topology, routing, pattern, load, paths, {}))
    return found


def family_networks() -> Iterator[tuple[Topology, tuple[str, ...]]]:
    """Yield networks with the path sets to draw from."""
    for name, sets in FAMILIES.items():
        yield parse_topology(name), sets
    for name in QUEUED_NETWORKS:
        whole = parse_topology(name)
        failed = Failures(links=tuple(tuple(whole.network.cables(0)[at].tolist()) for at in (0, 7)))
        yield without(whole, failed), ("all", "short(all)", "<=4+60%")


def vct_runs() -> list[Run]:
    """All runs by virtual cut-through, in a fixed order."""
    found: list[Run] = []
    for name, adversarial, min_policy in VCT_NETWORKS:
        topology = parse_topology(name)
        policies = (("min", min_policy), *VCT_POLICIES)
        for (routing, policy), pattern in itertools.product(policies, ("uniform", adversarial)):
            scenario = VctScenario(topology, routing, parse_pattern(pattern), 3)
            config = VctConfig(300, 500, policy, VCS)
            found += [run_of(scenario, load, config) for load in VCT_LOADS]
    return found


def fog_runs() -> list[Run]:
    """All runs of misrouting policies, in a fixed order."""
    found: list[Run] = []
    for name, routing, pattern in itertools.product(FOG_NETWORKS, FOG_ROUTINGS, FOG_PATTERNS):
        scenario = FogScenario(parse_topology(name), routing, parse_pattern(pattern), 3)
        for preset in Preset:
            config = FogConfig(300, 700, preset, levels_group=0, traced_packets=10, interval=100)
            found.append(run_of(scenario, 0.4, config))
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


def forwarding_run(topology: Topology, options: RouteOptions, threads: int) -> dict[str, Any]:
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
    rates = asdict(bandwidth_of(forwarding, 20, seed=1, workers=threads))
    return rates | {name: hashlib.sha256(one.tobytes()).hexdigest() for name, one in arrays.items()}


GROUPS: dict[str, Callable[[], list[Run]]] = {
    "iq and vct": lambda: [*traced_runs(), *vct_runs()],
    "vct-fog": fog_runs,
    "forwarding": forwarding_runs,
    "queues": queued_runs,
    "paths": path_runs,
    "families": family_runs,
}


def main() -> None:
    """Print the number of runs and the hash of each group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("group", nargs="*", help="all, unless some are named", metavar="GROUP")
    parser.add_argument("--workers", type=int, default=1, help="runs side by side, on threads")
    parser.add_argument("--threads", type=int, default=1, help="of a run that may have several")
    options = parser.parse_args()
    for name in options.group or GROUPS:
        digest = hashlib.sha256()
        runs = [partial(run, options.threads) for run in GROUPS[name]()]
        results = run_all(runs, options.workers)
        for result in results:
            figures = {key: value for key, value in result.items() if key not in TIMES}
            digest.update(json.dumps(plain(figures), sort_keys=True).encode())
        print(f"{name}: {len(results)} {digest.hexdigest()}", flush=True)


if __name__ == "__main__":
    main()
