r"""Run one case of bench/speed.py in this process and print its figures as one line of JSON.

    python bench/speed_case.py 4,8,4,9 ugal-l all 'shift(2,0)' 0.2 10000 10000 [SEED NAME=VALUE...]

Arguments: topology, routing, path set, pattern, load, warm-up and window in cycles, the seed, and
threads or other settings as NAME=VALUE. To see where the time goes, profile a build with names; -S
keeps the editable install out of the way:

    .venv/bin/python -m pip install --no-deps --no-build-isolation --target build/named \
        --config-settings=build-dir=build/named-build --config-settings=install.strip=false \
        --config-settings=cmake.build-type=RelWithDebInfo \
        '--config-settings=cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O3 -g -DNDEBUG' .
    PYTHONPATH=build/named:$(echo .venv/lib/python3*/site-packages) \
        valgrind --tool=callgrind --toggle-collect='*tvlb::sim*simulate*' --branch-sim=yes \
        --cache-sim=yes --D1=32768,8,64 --LL=1048576,16,64 \
        .venv/bin/python -S bench/speed_case.py 4,8,4,9 ugal-l all uniform 0.5 300 300
    callgrind_annotate callgrind.out.*

The last-level cache is given the size of a core's own second level here, so that its misses are
what a run pays for being large.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from sim_bridge import Scenario, SimulationConfig, SimulationResult
from tvlb.paths import parse_expression
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import parse_pattern

# Enough for the flits on their way; a saturated case would drain for much longer.
DRAIN_CYCLES = 500


def resident(field: str) -> int:
    """Resident memory of this process in bytes: VmRSS is now, VmHWM the peak (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if name == field:
            return int(value.split()[0]) * 1024
    raise SystemExit(f"/proc/self/status has no {field}")


def simulate(
    shape: str, routing: str, paths: str, pattern: str, seed: int, load: float, **settings: Any
) -> tuple[Topology, SimulationResult]:
    """Run one case."""
    topology = parse_topology(shape)
    # Older builds have no threads to be told of.
    more = {name: settings.pop(name) for name in ("threads",) if name in settings}
    path_set, traffic = parse_expression(paths, topology), parse_pattern(pattern)
    scenario = Scenario(topology, routing, path_set, traffic, seed)
    return topology, scenario.run(load, SimulationConfig(**settings), **more)


def main() -> int:
    """Command line entry."""
    shape, routing, paths, pattern, load, warmup, window, *more = sys.argv[1:]
    settings: dict[str, Any] = {}
    for text in more[1:]:
        name, _, value = text.partition("=")
        settings[name] = int(value) if value.isdigit() else value
    # What is imported when it is first needed is not of the case.
    simulate("2,4,2,9", "min", "all", "uniform", 0, 0.1, warmup_cycles=500, measured_cycles=1000)
    imported = resident("VmRSS")
    start, begun = time.process_time(), time.perf_counter()
    topology, result = simulate(
        shape,
        routing,
        paths,
        pattern,
        int(more[0]) if more else 0,
        float(load),
        warmup_cycles=int(warmup),
        measured_cycles=int(window),
        drain_limit_cycles=DRAIN_CYCLES,
        **settings,
    )
    seconds = time.perf_counter() - begun
    total_seconds = time.process_time() - start
    figures = {
        "flit_hops": result.flit_hops,
        "cycles": result.cycles,
        "cpu_seconds": result.cpu_seconds,
        "seconds": seconds,
        "setup_seconds": total_seconds - result.cpu_seconds,
        "latency": result.latency_mean,
        "accepted": result.accepted,
        "peak_bytes": resident("VmHWM"),
        "imported_bytes": imported,
        "nodes": topology.num_nodes,
    }
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
