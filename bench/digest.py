"""One hash over the results of 320 simulations, to compare builds.

    python bench/digest.py

Every routing, two path sets, four patterns and two loads on four networks. Figures that depend on
the machine (times) are left out. `bench/builds.sh PYTHON optimise` compares -O1 with -O3.
"""

import hashlib
import itertools
import json
from dataclasses import asdict
from functools import partial

from runs import Run, run_all

from sim_bridge import Routing, Scenario, SimulationConfig
from tvlb.documents import plain
from tvlb.paths import parse_expression
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

TOPOLOGIES = ("2,4,2,5", "2,4,2,9", "3,6,3,7,palmtree", "4,8,4,9")
PATH_SETS = ("all", "short(2,3)")
PATTERNS = ("uniform", "shift(1,0)", "type2(seed=1)", "mixed(50,50,shift(1,0))")
LOADS = (0.1, 0.25)
CONFIG = SimulationConfig(
    warmup_cycles=300, measured_cycles=500, drain_limit_cycles=3000, traced_packets=10
)
TIMES = ("cpu_seconds", "wall_seconds")


def runs() -> list[Run]:
    """All runs in a fixed order."""
    found: list[Run] = []
    for name in TOPOLOGIES:
        topology = parse_topology(name)
        sets = [parse_expression(expression, topology) for expression in PATH_SETS]
        for routing, path_set, pattern in itertools.product(Routing, sets, PATTERNS):
            scenario = Scenario(topology, routing, path_set, parse_pattern(pattern), 3)
            found += [partial(scenario.run, load, CONFIG) for load in LOADS]
    return found


def main() -> None:
    """Print the number of runs and the hash."""
    digest = hashlib.sha256()
    results = run_all(runs(), workers=1)
    for result in results:
        figures = {name: value for name, value in asdict(result).items() if name not in TIMES}
        digest.update(json.dumps(plain(figures), sort_keys=True).encode())
    print(len(results), digest.hexdigest())


if __name__ == "__main__":
    main()
