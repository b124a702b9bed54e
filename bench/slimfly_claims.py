"""The evaluation of the Slim Fly paper, figure by figure.

    python -m bench.slimfly_claims [--workers 2] [--theta]

Simulates slimfly(13) at load 1 with the router of docs/simulator.md and with the buffers of the
paper: 32 packets per input port shared equally by the VCs, links of a cycle, a speed-up of 2.5.
Both with its UGAL: twice the VLB queue of one VC. Prints what is accepted, packets/cycle/node, and
exact throughputs of oblivious routing; with ``--theta`` optima of the model under alg2 as well.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from sim_bridge import Routing, SimulationConfig, simulate
from tests.slimfly_reference import load_figures, network
from tvlb.model import throughput
from tvlb.topology import SlimFly

Q = 13
PATTERNS = ("uniform", "alg2")
# Routing, path set, VCs that it needs.
RUNS = (
    ("min", "none", 2),
    ("vlb", "ori", 4),
    ("vlb", "nta", 4),
    ("vlb", "3h", 3),
    ("ugal-l", "ori", 4),
    ("ugal-l", "nta", 4),
    ("ugal-l", "3h", 3),
    ("par", "ori", 5),
    ("par", "nta", 5),
    ("par", "3h", 4),
)
OBLIVIOUS = ((7, "3h"), (11, "3h"), (13, "3h"), (19, "3h"), (13, "ori"), (13, "nta"), (19, "min"))
_PACKETS_PER_PORT = 32


@dataclass(frozen=True)
class Run:
    """What is simulated."""

    routing: str
    path_set: str
    vcs: int
    pattern: str
    is_papers: bool

    @property
    def config(self) -> SimulationConfig:
        """Windows, router and UGAL."""
        base = SimulationConfig(
            warmup_cycles=1000, measured_cycles=400, drain_limit_cycles=0, vc_count=self.vcs
        )
        if Routing(self.routing).compares_first_queues:
            base = replace(base, ugal_rule="two", queue="vc")
        if not self.is_papers:
            return base
        return replace(
            base,
            local_latency=1,
            global_latency=1,
            buffer_flits=_PACKETS_PER_PORT // self.vcs,
            speedup=2.5,
        )

    def accepted(self) -> float:
        """Packets/cycle/node at load 1."""
        return simulate(
            SlimFly(Q),
            routing=self.routing,
            path_set=self.path_set,
            pattern=self.pattern,
            load=1.0,
            config=self.config,
        ).accepted


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--theta", action="store_true")
    arguments = parser.parse_args()
    runs = [
        Run(*one, pattern, is_papers)
        for is_papers in (False, True)
        for pattern in PATTERNS
        for one in RUNS
    ]
    with ThreadPoolExecutor(arguments.workers) as threads:
        accepted = list(threads.map(Run.accepted, runs))
    for run, value in zip(runs, accepted, strict=True):
        router = "paper's buffers" if run.is_papers else "default router"
        print(f"{router}, {run.pattern}, {run.routing} {run.path_set}: {value:.3f}")
    for q, path_set in OBLIVIOUS:
        topology = network(q, SlimFly(q).nodes_per_switch, SlimFly(q).primitive_element, "all")
        theta = load_figures(topology, "alg2", path_set)["oblivious_theta"]
        print(f"oblivious theta, alg2, slimfly({q}), {path_set}: {theta:.4f}")
    for path_set in ("ori", "3h") if arguments.theta else ():
        optimum = throughput(SlimFly(Q), path_set, "alg2").theta
        print(f"optimum, alg2, slimfly({Q}), {path_set}: {optimum:.4f}")


if __name__ == "__main__":
    main()
