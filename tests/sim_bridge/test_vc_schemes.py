"""The VCs that packets take are those that the deadlock proof reads from the scheme."""

from collections.abc import Callable

import numpy as np
import pytest

from sim_bridge import (
    PATH_ROUTINGS,
    Decide,
    PacketTrace,
    Routing,
    SimulationConfig,
    SimulationResult,
)
from tvlb.native.virtual_channels import VcScheme
from tvlb.topology import Dragonfly

Run = Callable[..., SimulationResult]


def _kinds_and_vcs(
    topology: Dragonfly, traces: tuple[PacketTrace, ...]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return kinds of links and VCs of every trace, -1 and 0 beyond the last link."""
    longest = 3 * len(topology.longest_min_path)
    kinds: list[list[int]] = []
    vcs: list[list[int]] = []
    for trace in traces:
        hops = trace.hops[:-1]
        beyond = longest - len(hops)
        kinds.append([int(topology.network.link_kind[hop.link]) for hop in hops] + [-1] * beyond)
        vcs.append([hop.vc for hop in hops] + [0] * beyond)
    return kinds, vcs


@pytest.mark.parametrize("scheme", VcScheme)
@pytest.mark.parametrize("routing", PATH_ROUTINGS)
@pytest.mark.parametrize("decide", Decide)
@pytest.mark.parametrize("vc_count", [None, 2])
def test_packets_take_the_vcs_that_the_proof_reads(
    small: Dragonfly,
    run: Run,
    scheme: VcScheme,
    routing: Routing,
    decide: Decide,
    vc_count: int | None,
) -> None:
    config = SimulationConfig(
        warmup_cycles=0,
        measured_cycles=150,
        vc_scheme=scheme,
        vc_count=vc_count,
        decide=decide,
        traced_packets=100_000,
    )
    result = run(small, routing, "all", "uniform", 0.2, config=config)
    assert len(result.traces) > 1000
    kinds, vcs = _kinds_and_vcs(small, result.traces)
    last = config.resolved_vc_count(small, routing) - 1
    assert scheme.vcs(np.array(kinds, dtype=np.int8), last).tolist() == vcs


# Longest routes: local-global-local twice, and for PAR a local link before.
@pytest.mark.parametrize(
    ("scheme", "routing", "vcs"),
    [("won", "vlb", 4), ("won", "par", 5), ("per-hop", "min", 6), ("per-hop", "par", 7)],
)
def test_vcs_suffice_for_the_longest_route(
    small: Dragonfly, scheme: str, routing: str, vcs: int
) -> None:
    assert SimulationConfig(vc_scheme=scheme).resolved_vc_count(small, routing) == vcs
