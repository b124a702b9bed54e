"""Simulated Slim Flies against an independent simulator.

All its cases are in bench/slimfly_reference.py.
"""

import statistics

import numpy as np
import pytest

from sim_bridge import SimulationConfig, simulate
from tests.slimfly_reference import read_rows
from tests.slimfly_simulated import Case, allowed_deviations, cases_of

CASES = [case for case in cases_of(read_rows("sim")) if "latency_mean" in case.figures]


@pytest.mark.parametrize("case", CASES[::5], ids=str)
def test_reference_case(case: Case) -> None:
    runs = [case.scenario(seed).run(float(case.row.load), case.config) for seed in range(2)]
    assert not any(run.saturated for run in runs)
    wanted = {name: float(value) for name, value in case.figures.items() if name != "status"}
    for name, off in allowed_deviations(wanted).items():
        mean = statistics.fmean(getattr(run, name) for run in runs)
        assert mean == pytest.approx(wanted[name], abs=off), name


# Where MIN is unique, the draws that nta cuts leave by the first port of MIN itself, which UGAL-L
# never takes for a detour.
def test_ugal_l_cannot_tell_nta_from_ori_where_all_flows_are_far() -> None:
    config = SimulationConfig(warmup_cycles=1000, measured_cycles=1000)
    ori, nta = (
        simulate(
            "slimfly(5)",
            routing="ugal-l",
            path_set=path_set,
            pattern="alg2",
            load=0.3,
            config=config,
        )
        for path_set in ("ori", "nta")
    )
    assert (ori.latency_mean, ori.hops_mean) == (nta.latency_mean, nta.hops_mean)
    assert np.array_equal(ori.link_load, nta.link_load)


# 3 hops take 3 VCs, and 4 where PAR decides again.
@pytest.mark.parametrize(("routing", "vcs"), [("vlb", 3), ("ugal-l", 3), ("par", 4)])
def test_three_hops_take_so_many_vcs(routing: str, vcs: int) -> None:
    result = simulate(
        "slimfly(7)",
        routing=routing,
        path_set="3h",
        pattern="alg2",
        load=0.35,
        config=SimulationConfig(warmup_cycles=500, measured_cycles=500, traced_packets=2000),
    )
    # The last hop ejects.
    taken = {hop.vc for trace in result.traces for hop in trace.hops[:-1]}
    assert taken == set(range(vcs))
