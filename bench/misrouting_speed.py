"""Speed of misrouting policies beside the virtual cut-through router and the reference simulator.

    python -m bench.misrouting_speed [--repetitions 5 | --saturated 5000]

Under advr(1) at load .3, packets of 10 phits, palmtree: router vct-fog with acor-switch(3l) and
preset small, and router vct with Valiant's routing on the same network and links, take turns in
this process. Medians of simulated cycles per CPU second, beside what FOGSim 5 made of the same on
another machine, of phit-hops per CPU second, and of the ratio of neighbours; then memory above the
start. --saturated tells the memory alone, of so many cycles at load 1 with preset paper, where
queues have filled, on 5,256 and 16,512 nodes.
"""

import argparse
import resource
import statistics
from multiprocessing import get_context

from sim_bridge.routers.fog import FogConfig, FogScenario
from sim_bridge.routers.vct import VctConfig, VctScenario
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

# h, cycles, cycles per CPU second of FOGSim.
CASES = ((2, 100_000, 8000), (3, 30_000, 600), (6, 2500, 21))
LOAD = 0.3
LARGE = (6, 8)


def peak() -> float:
    """MiB of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def saturated(h: int, cycles: int) -> str:
    """Return a line: memory of a run whose queues are full, in a process that has done no other."""
    start = peak()
    network = Dragonfly(h, 2 * h, h, 2 * h * h + 1, "palmtree")
    scenario = FogScenario(network, "acor-switch(3l)", parse_pattern("advr(1)"))
    run = scenario.run(1.0, FogConfig(0, cycles))
    return f"{network}: accepted {run.accepted:.3f}, {peak() - start:.0f} MiB more"


def main() -> None:
    """Print a line per network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--saturated", type=int, metavar="CYCLES")
    given = parser.parse_args()
    if given.saturated is not None:
        with get_context("spawn").Pool(1, maxtasksperchild=1) as process:
            for h in LARGE:
                print(process.apply(saturated, (h, given.saturated)), flush=True)
        return
    pattern = parse_pattern("advr(1)")
    for h, cycles, reference in CASES:
        network, before = Dragonfly(h, 2 * h, h, 2 * h * h + 1, "palmtree"), peak()
        fog = FogScenario(network, "acor-switch(3l)", pattern)
        vct = VctScenario(network, "valiant", pattern)
        other = VctConfig(
            0,
            cycles,
            "2phases",
            8,
            packet_phits=10,
            input_buffer_phits=100,
            output_buffer_phits=50,
            local_latency=10,
            global_latency=100,
        )
        speeds: list[float] = []
        rates: list[float] = []
        ratios: list[float] = []
        memory = 0.0
        for seed in range(given.repetitions):
            run = fog.with_seed(seed).run(LOAD, FogConfig(0, cycles, "small"))
            memory = memory or peak() - before
            beside = vct.with_seed(seed).run(LOAD, other)
            speeds.append(cycles / run.cpu_seconds)
            rates.append(run.phit_hops / run.cpu_seconds / 1e6)
            ratios.append(rates[-1] / (beside.phit_hops / beside.cpu_seconds / 1e6))
        speed = statistics.median(speeds)
        print(
            f"{network}: {speed:,.0f} cycles per CPU second, {speed / reference:.0f} times FOGSim; "
            f"{statistics.median(rates):.1f} M phit-hops/s, {statistics.median(ratios):.2f} times "
            f"vct; {memory:.0f} MiB more",
            flush=True,
        )


if __name__ == "__main__":
    main()
