"""One hash over the results of 472 simulations, to compare builds.

    python bench/digest.py

With input queues every routing, two path sets, four patterns and two loads on five networks, one of
them with more than 256 VCs per switch; by virtual cut-through every policy of virtual channels and
phase, two patterns and two loads on three. Figures that depend on the machine (times) are left out.
`bench/builds.sh PYTHON optimise` compares -O1 with -O3.
"""

import hashlib
import itertools
import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from runs import run_all

from sim_bridge import (
    PATH_ROUTINGS,
    Scenario,
    SimulationConfig,
    SimulationResult,
    VctConfig,
    VctResult,
    VctScenario,
)
from tvlb.documents import plain
from tvlb.paths import parse_expression
from tvlb.topology import parse_topology
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
TIMES = ("cpu_seconds", "wall_seconds")

Run = Callable[[], SimulationResult | VctResult]


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


def main() -> None:
    """Print the number of runs and the hash."""
    digest = hashlib.sha256()
    results = run_all([*queued_runs(), *vct_runs()], workers=1)
    for result in results:
        figures = {name: value for name, value in asdict(result).items() if name not in TIMES}
        digest.update(json.dumps(plain(figures), sort_keys=True).encode())
    print(len(results), digest.hexdigest())


if __name__ == "__main__":
    main()
