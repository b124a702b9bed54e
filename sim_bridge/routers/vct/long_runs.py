"""What studies of stability are asked for: settings of long runs, and cases in words."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields

from sim_bridge.config import MAX_CYCLES
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.stability import (
    BIN,
    FEWEST_BINS,
    StabilityCase,
    StabilityStudy,
    study_stability,
)
from tvlb.errors import InvalidInput
from tvlb.languages import Whole, setting, settings
from tvlb.processes import Reporter, available_cores, check_workers, silent
from tvlb.processes.units import own_units
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern, as_pattern

_MOST_VCS = 16
_CYCLES = 510_000


@dataclass(frozen=True)
class LongRun(VctConfig):
    """The settings of a long run: no warm-up, fixed intervals; virtual channels are of a case."""

    warmup_cycles: int = 0
    measured_cycles: int = setting(
        _CYCLES, "Cycles of a run", Whole(FEWEST_BINS * BIN, MAX_CYCLES), option="cycles"
    )
    vc_policy: str = "ladder"
    vc_count: int | None = None
    traced_packets: int = 0
    interval: int = BIN


def parse_vcs(text: str) -> tuple[str, int | None]:
    """Return policy and number of the virtual channels POLICY[:COUNT]; None for what it needs.

    Raises
    ------
    InvalidInput : there is no such policy, or the number is out of range.
    """
    policy, colon, count = text.partition(":")
    if colon and count not in map(str, range(1, _MOST_VCS + 1)):
        raise InvalidInput(f"vcs {text!r}: expected POLICY or POLICY:COUNT, COUNT 1..{_MOST_VCS}")
    settings(VctConfig)["vc_policy"].checked(policy)
    return policy, int(count) if colon else None


def stability_cases(
    run: LongRun, routings: Sequence[str], vcs: Sequence[str]
) -> list[StabilityCase]:
    """Return every routing with every choice of virtual channels; see `parse_vcs`.

    Raises
    ------
    InvalidInput : virtual channels are out of range.
    """
    shared = {
        one.name: getattr(run, one.name)
        for one in fields(VctConfig)
        if one.name not in ("vc_policy", "vc_count")
    }
    configs = [
        VctConfig(vc_policy=policy, vc_count=count, **shared)
        for policy, count in map(parse_vcs, vcs)
    ]
    return [StabilityCase(routing, config) for config in configs for routing in routings]


def stability(
    topology: Topology | str,
    *,
    routing: str | Sequence[str] = "valiant(minfirst)",
    vcs: str | Sequence[str] = "ladder",
    pattern: Pattern | str = "uniform",
    load: float = 1.0,
    config: LongRun | None = None,
    seed: int = 0,
    seeds: int = 1,
    until_collapse: bool = False,
    workers: int | None = None,
    report: Reporter = silent,
) -> StabilityStudy:
    """Run a network under full load for long, and tell whether throughput lasts.

    Parameters
    ----------
    topology, pattern : also as the texts that commands take.
    routing, vcs : one or several; vcs are POLICY[:COUNT], and every routing is run with each.
    load : offered, phits/cycle/node.
    config : router and length of the runs; None for the defaults of `LongRun`.
    seed, seeds : the first one, and how many there are of each case.
    until_collapse : end a run as soon as it is sure to be of category 3; categories are the same.
    workers : processes; None for one per core. Results do not depend on it.

    Raises
    ------
    InvalidInput, SimulationDeadlock, Cancelled : see `study_stability`.
    """
    routings, policies = ([one] if isinstance(one, str) else one for one in (routing, vcs))
    count = available_cores() if workers is None else workers
    check_workers(count)
    with own_units(count, threading.Event()) as units:
        return study_stability(
            as_topology(topology),
            stability_cases(config or LongRun(), routings, policies),
            as_pattern(pattern),
            load=load,
            seed=seed,
            seeds=seeds,
            until_collapse=until_collapse,
            units=units,
            report=report,
        )
