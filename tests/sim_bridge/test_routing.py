"""Route decisions: mean hops, VLB shares and saturation against known figures."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from sim_bridge import (
    PATH_ROUTINGS,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationResult,
    simulate,
)
from tvlb.errors import InvalidInput
from tvlb.paths import Queue, RowSet, parse_expression
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic import Shift, parse_pattern

Run = Callable[..., SimulationResult]

WINDOWS = SimulationConfig(warmup_cycles=4000, measured_cycles=4000)

# Rows of an independent simulator on dfly(2,4,2,9), shift(1,0), load 0.2 (0.201 offered):
# routing, path set, mean latency, mean hops, VLB share. Agreement within 1%, 0.01 for the share.
REFERENCE = [
    ("ugal-l", "all", 58.19, 3.6329, 0.4801),
    ("ugal-l", "short(2,3)", 54.47, 3.3715, 0.5090),
    ("ugal-g", "all", 57.17, 3.5277, 0.5446),
    ("ugal-g", "short(2,3)", 53.92, 3.2464, 0.5906),
    ("par", "all", 62.02, 3.9450, 0.4017),
    ("par", "short(2,3)", 58.69, 3.6773, 0.4221),
]


@pytest.mark.parametrize(("routing", "path_set", "latency", "hops", "vlb_share"), REFERENCE)
def test_matches_an_independent_simulator(
    *,
    small: Dragonfly,
    run: Run,
    routing: str,
    path_set: str,
    latency: float,
    hops: float,
    vlb_share: float,
) -> None:
    result = run(small, routing, path_set, "shift(1,0)", 0.201, config=WINDOWS)
    assert result.latency_mean == pytest.approx(latency, rel=0.01)
    assert result.hops_mean == pytest.approx(hops, rel=0.01)
    assert result.vlb_share == pytest.approx(vlb_share, abs=0.01)


# Mean hops over the pairs of shift(2,0) on dfly(4,8,4,9), weighted by the sampler.
@pytest.mark.parametrize(("path_set", "hops"), [("all", 5.50), ("short(2,3)", 4.015)])
def test_vlb_routes_have_the_mean_hops_of_the_set(
    medium: Dragonfly, run: Run, path_set: str, hops: float
) -> None:
    result = run(medium, "vlb", path_set, "shift(2,0)", 0.1)
    assert result.hops_mean == pytest.approx(hops, rel=0.005)
    assert result.vlb_share == 1.0


def test_listed_rows_behave_as_the_rule_they_come_from(small: Dragonfly, run: Run) -> None:
    rule = parse_expression("short(2,3)", small)
    listed = RowSet(rule.all_rows(), "listed")
    by_rule = run(small, "par", "short(2,3)", "shift(1,0)", 0.2, config=WINDOWS)
    by_rows = simulate(
        small, routing="par", path_set=listed, pattern=Shift(1, 0), load=0.2, config=WINDOWS
    )
    assert by_rows.latency_mean == pytest.approx(by_rule.latency_mean, rel=0.01)
    assert by_rows.vlb_share == pytest.approx(by_rule.vlb_share, abs=0.01)


def test_without_vlb_paths_ugal_and_par_are_min(
    small: Dragonfly, run: Run, figures: Callable[[SimulationResult], tuple[object, ...]]
) -> None:
    by_min = run(small, "min", "none", "shift(1,0)", 0.05)
    by_ugal = run(small, "ugal-l", "none", "shift(1,0)", 0.05)
    assert figures(by_ugal) == figures(by_min)
    by_par = run(small, "par", "none", "shift(1,0)", 0.05)
    assert by_par.vlb_share == 0.0
    assert by_par.hops_mean == pytest.approx(by_min.hops_mean, rel=0.01)


def test_vlb_refuses_the_empty_set(small: Dragonfly, run: Run) -> None:
    with pytest.raises(InvalidInput, match="routing vlb needs VLB paths; none has none"):
        run(small, "vlb", "none", "shift(1,0)", 0.1)


def test_vlb_takes_min_paths_where_a_pair_has_no_other(small: Dragonfly, run: Run) -> None:
    result = run(small, "vlb", "<=2", "shift(1,0)", 0.1)
    assert 0 < result.vlb_share < 1
    scenario = Scenario(small, "vlb", parse_expression("<=2", small), parse_pattern("shift(1,0)"))
    warning = scenario.warnings(SimulationConfig())[-1]
    assert re.fullmatch(
        "path set <=2 has no VLB path for [0-9]+ of 36 pairs of switches, such as from switch 0 to "
        "switch [0-9]+: they take MIN paths",
        warning,
    )


@pytest.mark.parametrize(
    ("routing", "setting"),
    [
        *product(("min", "vlb", "ugal-g"), [{"ugal_rule": "two"}]),
        *product(("min", "vlb"), [{"queue": "vc"}, {"vlb_factor": 2.0}, {"candidates": 2}]),
    ],
)
def test_only_routings_that_compare_queues_take_their_settings(
    small: Dragonfly, run: Run, routing: str, setting: dict[str, Any]
) -> None:
    config = SimulationConfig(**setting)
    with pytest.raises(InvalidInput, match=r"is of the routings ugal-l, .*or ugal-acor, not of"):
        run(small, routing, "all", "shift(1,0)", 0.1, config=config)


def test_other_rules_of_ugal_decide_otherwise(small: Dragonfly, run: Run) -> None:
    base = SimulationConfig(warmup_cycles=1500, measured_cycles=1000)
    shares = {
        (rule, queue): run(
            small, "ugal-l", "all", "shift(1,0)", 0.15,
            config=replace(base, ugal_rule=rule, queue=queue),
        ).vlb_share
        for rule in ("hops", "two")
        for queue in Queue
        if queue != "hybrid"
    }  # fmt: skip
    assert len(set(shares.values())) == len(shares)


def test_hybrid_queues_differ_from_those_of_ports_where_both_paths_leave_by_one(
    small: Dragonfly, run: Run
) -> None:
    def share(queue: str) -> float:
        # Without a bias MIN is taken there, whichever is compared.
        config = SimulationConfig(500, 1000, queue=queue, threshold=-8)
        return run(small, "ugal-l", "all", "shift(1,0)", 0.15, config=config).vlb_share

    assert share("hybrid") != share("port")


@pytest.mark.parametrize("routing", ["ugal-l", "ugal-g", "par"])
def test_flits_in_transit_are_no_reason_for_a_detour(
    small: Dragonfly, run: Run, routing: str
) -> None:
    def share(queue: str) -> float:
        config = SimulationConfig(warmup_cycles=500, measured_cycles=1000, queue=queue)
        return run(small, routing, "all", "shift(1,0)", 0.03, config=config).vlb_share

    # Hardly a packet waits, but two in three links to the next group have flits on the way.
    assert share("waiting") < 0.1 * min(share("vc"), share("port"))


def test_vlb_is_weighed_by_its_factor_and_is_the_best_of_some(small: Dragonfly, run: Run) -> None:
    def share(**rule: Any) -> float:
        config = SimulationConfig(warmup_cycles=500, measured_cycles=1000, **rule)
        return run(small, "ugal-l", "all", "shift(1,0)", 0.15, config=config).vlb_share

    shares = [share(vlb_factor=factor) for factor in (100, 2, 1, 0.5, 0.01)]
    assert shares == sorted(shares)
    assert share(candidates=1) < share(candidates=2) < share(candidates=8)


def test_a_speedup_of_half_a_step_lies_between_its_neighbours(small: Dragonfly, run: Run) -> None:
    base = SimulationConfig(warmup_cycles=1500, measured_cycles=2000)
    slow, between, fast = (
        run(
            small, "ugal-l", "all", "shift(1,0)", 0.3, config=replace(base, speedup=speedup)
        ).accepted
        for speedup in (1, 1.5, 2)
    )
    assert slow < between < fast


# Inside a group MIN is the direct link and VLB a detour of two links.
@pytest.mark.parametrize(("routing", "hops"), [("min", 1.0), ("vlb", 2.0)])
def test_hops_inside_a_group(small: Dragonfly, run: Run, routing: str, hops: float) -> None:
    assert run(small, routing, "all", "shift(0,1)", 0.1).hops_mean == hops


def test_threshold_biases_towards_min(small: Dragonfly, run: Run) -> None:
    unbiased = run(small, "ugal-l", "all", "shift(1,0)", 0.1)
    biased = run(
        small,
        "ugal-l",
        "all",
        "shift(1,0)",
        0.1,
        config=SimulationConfig(warmup_cycles=1500, measured_cycles=1000, threshold=20),
    )
    assert biased.vlb_share < 0.5 * unbiased.vlb_share


# Deciding once saturates at 0.23; deciding again every cycle does not before 0.36.
def test_deciding_at_each_attempt_raises_saturation(medium: Dragonfly, run: Run) -> None:
    once = SimulationConfig(warmup_cycles=4000, measured_cycles=1000, drain_limit_cycles=500)
    again = SimulationConfig(
        warmup_cycles=4000, measured_cycles=1000, drain_limit_cycles=500, decide="each-attempt"
    )
    assert run(medium, "ugal-l", "all", "shift(2,0)", 0.32, config=once).saturated
    result = run(medium, "ugal-l", "all", "shift(2,0)", 0.32, config=again)
    assert not result.saturated
    assert result.config.decide == "each-attempt"


@pytest.mark.parametrize("routing", PATH_ROUTINGS)
@pytest.mark.parametrize("text", ["2,4,2,4", "3,3,2,2", "1,1,2,3", "2,4,2,9,palmtree"])
def test_every_routing_runs_on_every_shape(run: Run, routing: Routing, text: str) -> None:
    topology = parse_topology(text)
    assert isinstance(topology, Dragonfly)
    path_set = "short(all)" if routing.draws_vlb else "all"
    assert run(topology, routing, path_set, "uniform", 0.1).undelivered == 0


def test_unequal_numbers_of_links_and_parallel_cables(run: Run) -> None:
    cables = [[0, 2], [0, 2], [1, 3], [0, 4], [3, 5]]
    topology = Dragonfly.from_cables(1, 2, 3, 3, cables)
    for routing in ("vlb", "par"):
        for path_set in ("all", "short(all)", "<=5"):
            result = run(topology, routing, path_set, "shift(1,0)", 0.1)
            assert result.undelivered == 0


@pytest.mark.parametrize(("scheme", "vcs"), [("won", 4), ("per-hop", 6), ("won", 2)])
def test_vc_schemes_deliver(small: Dragonfly, run: Run, scheme: str, vcs: int) -> None:
    config = SimulationConfig(
        warmup_cycles=1500, measured_cycles=1000, vc_scheme=scheme, vc_count=vcs
    )
    assert run(small, "ugal-l", "all", "shift(1,0)", 0.1, config=config).undelivered == 0


def test_a_traffic_matrix_of_nodes_and_of_switches(
    small: Dragonfly, run: Run, tmp_path: pytest.TempPathFactory
) -> None:
    by_node, by_switch = f"{tmp_path}/node.csv", f"{tmp_path}/switch.csv"
    with open(by_node, "w", encoding="utf-8") as file:
        file.write("# level=node\nsrc,dst,rate\n0,9,0.5\n0,8,0.5\n")
    with open(by_switch, "w", encoding="utf-8") as file:
        file.write("# level=switch\nsrc,dst,rate\n0,4,2.0\n")
    for path, senders in ((by_node, 1), (by_switch, 2)):
        result = run(small, "min", "none", path, 0.2)
        assert result.generated * small.num_nodes == pytest.approx(0.2 * senders, rel=0.2)
        assert result.undelivered == 0
    assert str(parse_pattern(by_node)) == by_node


# Every detour takes a third switch, so whatever the routing, packets take what MIN gives them.
@pytest.mark.parametrize("text", ["hyperx(1,2)", "dfly(1,1,1,2)", "dflyplus(1,1,1,2)"])
@pytest.mark.parametrize("routing", ["vlb", "ugal-l", "ugal-g", "par"])
def test_networks_without_vlb_paths_are_routed_by_min(run: Run, text: str, routing: str) -> None:
    topology = parse_topology(text)
    if routing == "par" and not topology.decides_again:
        with pytest.raises(InvalidInput, match="no paths of dflyplus"):
            run(topology, routing, "all", "uniform", 0.5)
        return
    expected = run(topology, "min", "all", "uniform", 0.5)
    for path_set in ("all", "<=4+50%") if topology.max_hops > 5 else ("all", "<=2"):
        result = run(topology, routing, path_set, "uniform", 0.5)
        assert result.vlb_share == 0.0
        # There may be more VCs than MIN alone needs.
        assert result.latency_mean == pytest.approx(expected.latency_mean, rel=0.01)
        assert result.hops_mean == pytest.approx(expected.hops_mean)
