"""Cost estimates: what must hold whatever the machine; bench/cost_estimates.py measures them."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge import SimulationConfig, VctConfig
from sim_bridge.routers.vct import LongRun, StabilityCase, stability_cases
from tvlb.forwarding import MeasureOptions, RouteOptions
from tvlb.paths import LengthSet, parse_expression
from tvlb.requests import Cost, RepairOptions
from tvlb.requests.cost import (
    entries_repair_cost,
    measure_cost,
    model_cost,
    repair_cost,
    route_cost,
    simulation_cost,
    stability_cost,
    static_cost,
    table_cost,
    vct_cost,
    with_traffic,
    worst_cost,
)
from tvlb.requests.sizes import program_size
from tvlb.search import SearchOptions, Windows
from tvlb.topology import Dragonfly, Failures, ListedTopology, parse_topology, without
from tvlb.traffic import Shift, parse_pattern, type2_set

TOPOLOGY = Dragonfly(4, 8, 4, 9)
OPTIONS = SearchOptions(workers=2)
PAPER = SearchOptions(method="paper", workers=2)

cycles = st.integers(1, 1_000_000)
loads = st.lists(st.floats(0.0, 1.0), max_size=5)
routings = st.sampled_from(["min", "vlb", "ugal-l", "ugal-g", "par"])
windows = st.builds(Windows, cycles, cycles, st.floats(1e-4, 0.1))


def at_most(less: Cost, more: Cost) -> bool:
    # Sums of floats in another order may differ in the last bits.
    return (
        less.cpu_seconds <= more.cpu_seconds * (1 + 1e-12)
        and less.memory_bytes <= more.memory_bytes
    )


def consistent(cost: Cost) -> bool:
    return (
        math.isclose(cost.cpu_seconds, sum(cost.stages.values()))
        and all(math.isfinite(one) and one >= 0.0 for one in cost.stages.values())
        and cost.cpu_seconds >= 0.0
        and cost.memory_bytes > 0
    )


def guarantee_costs(nodes: list[int]) -> list[Cost]:
    network = ListedTopology(nodes, [[[0, 1], [1, 2], [2, 0]]])
    return [
        worst_cost(network, "all", 8, is_symmetric=True),
        *(static_cost(network, "all", one) for one in (None, "cables")),
        with_traffic(Cost(0.0, 0, {}), network, [parse_pattern("worst(all)")]),
    ]


def test_guarantees_cost_more_where_switches_count_as_several() -> None:
    costs = zip(guarantee_costs([900] * 3), guarantee_costs([901, 900, 899]), strict=True)
    for few, many in costs:
        assert consistent(many)
        # 2,700 copies: 2 s and 146 MB for each assignment.
        assert many.cpu_seconds > few.cpu_seconds + 7.0
        assert many.memory_bytes > few.memory_bytes + 100e6


@given(routings, cycles, cycles, cycles, loads, st.integers(1, 100), st.booleans())
def test_simulations_cost_more_the_longer_and_the_more_they_are(
    routing: str,
    warmup: int,
    measured: int,
    longer: int,
    asked: list[float],
    seeds: int,
    search: bool,
) -> None:
    config = SimulationConfig(warmup_cycles=warmup, measured_cycles=measured)
    cost = simulation_cost(TOPOLOGY, routing, config, asked, seeds, search)
    assert consistent(cost)
    for more in (
        replace(config, warmup_cycles=warmup + longer),
        replace(config, measured_cycles=measured + longer),
    ):
        assert at_most(cost, simulation_cost(TOPOLOGY, routing, more, asked, seeds, search))
    assert at_most(cost, simulation_cost(TOPOLOGY, routing, config, [*asked, 0.2], seeds, search))
    assert at_most(cost, simulation_cost(TOPOLOGY, routing, config, asked, seeds + 1, search))
    assert at_most(cost, simulation_cost(TOPOLOGY, routing, config, asked, seeds, True))


@given(
    st.sampled_from(["min", "valiant(minlast)"]),
    st.floats(0.0, 1.0),
    st.integers(100_000, 1_000_000),
    st.integers(1, 100),
    st.integers(1, 100_000),
)
def test_studies_of_stability_cost_more_the_longer_and_the_more_they_are(
    routing: str, load: float, measured: int, seeds: int, longer: int
) -> None:
    def cost(load: float, cycles: int, seeds: int, *policies: str) -> Cost:
        run = LongRun(measured_cycles=cycles)
        return stability_cost(TOPOLOGY, stability_cases(run, [routing], policies), load, seeds)

    least = cost(load, measured, seeds, "ladder")
    assert consistent(least)
    assert at_most(least, cost(1.0, measured, seeds, "ladder"))
    assert at_most(least, cost(load, measured + longer, seeds, "ladder"))
    assert at_most(least, cost(load, measured, seeds + 1, "ladder"))
    assert at_most(least, cost(load, measured, seeds, "ladder", "reuse:8"))


@given(
    st.sampled_from(["min", "valiant(minlast)"]),
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=5),
    st.integers(0, 100_000),
    st.integers(1, 100),
)
def test_loads_of_virtual_cut_through_cost_more_the_more_they_are(
    routing: str, loads: list[float], warmup: int, seeds: int
) -> None:
    def cost(loads: list[float], warmup: int, seeds: int) -> Cost:
        config = VctConfig(warmup_cycles=warmup, measured_cycles=1000)
        return vct_cost(TOPOLOGY, routing, config, loads, seeds)

    least = cost(loads, warmup, seeds)
    assert consistent(least)
    # Cycles without traffic are not free.
    assert least.cpu_seconds > 0
    assert at_most(least, cost([*loads, 0.0], warmup, seeds))
    assert at_most(least, cost(loads, warmup + 1000, seeds))
    assert at_most(least, cost(loads, warmup, seeds + 1))


def test_a_load_costs_what_a_study_of_it_does() -> None:
    config = VctConfig(warmup_cycles=0, measured_cycles=100_000, vc_count=4)
    case = StabilityCase("valiant(minfirst)", config)
    study = stability_cost(TOPOLOGY, [case], 0.7, 3)
    assert vct_cost(TOPOLOGY, case.routing, config, [0.7], 3).cpu_seconds == study.cpu_seconds


def test_small_packets_and_deep_queues_cost_more() -> None:
    def cost(**router: Any) -> Cost:
        cases = stability_cases(LongRun(**router), ["valiant(minfirst)"], ["ladder"])
        return stability_cost(TOPOLOGY, cases, 1.0, 1)

    usual = cost()
    assert cost(packet_phits=1).cpu_seconds > 8 * usual.cpu_seconds
    queues = cost(source_queue_packets=10_000).memory_bytes - usual.memory_bytes
    assert queues >= 8 * 9980 * TOPOLOGY.num_nodes
    assert cost(input_buffer_phits=2032).memory_bytes > usual.memory_bytes


@pytest.mark.parametrize(
    ("topology", "nanoseconds"), [("hyperx(8,8,8)", 28.0), ("dflyplus(4,4,4,17)", 53.5)]
)
def test_studies_cost_what_was_measured(topology: str, nanoseconds: float) -> None:
    # Per node and cycle at load 1, under dshift(3) with ladder and adv(4) with reuse.
    network = parse_topology(topology)
    (case,) = stability_cases(LongRun(), ["valiant(minfirst)"], ["ladder"])
    expected = network.num_nodes * case.config.measured_cycles * nanoseconds * 1e-9
    found = stability_cost(network, [case], 1.0, 1).cpu_seconds
    assert expected / 2 < found < expected * 2


def test_packets_in_deep_buffers_are_counted() -> None:
    # Measured with shift(2,0) at load 1 and 8 VCs: 660 MB, of which 133 without the packets.
    config = SimulationConfig(
        warmup_cycles=0, measured_cycles=100_000, buffer_flits=4096, vc_count=8
    )
    deep = simulation_cost(TOPOLOGY, "ugal-l", config, [1.0], 1, saturation=False)
    assert 660e6 / 1.5 < deep.memory_bytes < 660e6 * 1.5
    # No more than 288 nodes send in 1,000 cycles.
    few = replace(config, measured_cycles=900, drain_limit_cycles=100)
    short = simulation_cost(TOPOLOGY, "ugal-l", few, [1.0], 1, saturation=False)
    none = simulation_cost(TOPOLOGY, "ugal-l", few, [0.0], 1, saturation=False)
    assert short.memory_bytes - none.memory_bytes == 288 * 1000 * 48 + 1000 * 6


def test_switches_take_memory_by_their_virtual_channels_and_buffers() -> None:
    """At least what was measured of runs without packets, in MB beyond 60 of the process."""
    topology = parse_topology("dfly(16,32,16,64,palmtree)")
    for vcs, buffer, measured in ((4, 32, 39), (8, 4096, 180), (16, 32, 324), (16, 4096, 595)):
        config = SimulationConfig(0, 1, vc_count=vcs, buffer_flits=buffer)
        cost = simulation_cost(topology, "min", config, [0.0], 1, False)
        assert measured * 1e6 < cost.memory_bytes - 60e6 < 4 * measured * 1e6


def test_all_switches_take_as_much_memory_as_the_one_of_most_ports() -> None:
    """Measured: 689 MB of the process with a switch of 60 links to others of 61."""
    spokes = [[0, one] for one in range(1, 61)]
    leaves = [[one, 60 * one + leaf] for one in range(1, 61) for leaf in range(1, 61)]
    topology = ListedTopology([1] * 3661, [spokes + leaves])
    config = SimulationConfig(0, 1, vc_count=16)
    assert simulation_cost(topology, "min", config, [0.0], 1, False).memory_bytes > 689e6


def test_latencies_of_long_saturated_runs_are_counted() -> None:
    # Measured with shift(1,0) at load 1: 385 MB, of which 155 whatever the latencies.
    config = SimulationConfig(warmup_cycles=0, measured_cycles=50_000_000)
    cost = simulation_cost(Dragonfly(1, 2, 1, 3), "min", config, [1.0], 1, saturation=False)
    assert 385e6 / 1.5 < cost.memory_bytes < 385e6 * 1.5


@given(routings, st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from(["fixed", "detect"]))
def test_higher_loads_cost_more(routing: str, one: float, other: float, warmup: str) -> None:
    config = SimulationConfig(warmup=warmup)
    low, high = (
        simulation_cost(TOPOLOGY, routing, config, [load], 1, saturation=False)
        for load in sorted((one, other))
    )
    assert at_most(low, high)


@given(windows, windows, st.integers(1, 83), st.integers(1, 10), st.integers(1, 30))
def test_tables_by_algorithm_1_cost_more_the_closer_they_look(
    screening: Windows, confirmation: Windows, patterns: int, finalists: int, points: int
) -> None:
    options = replace(
        PAPER,
        screening=screening,
        confirmation=confirmation,
        patterns=str(patterns),
        finalists=finalists,
        data_points=points,
        simulated_patterns=2,
    )
    cost = table_cost(TOPOLOGY, options)
    assert consistent(cost)
    assert cost.stages.keys() == {"probe", "balance", "simulate", "table"}
    for more in (
        replace(options, patterns=str(patterns + 1)),
        replace(options, patterns="all"),
        replace(options, finalists=finalists + 1),
        replace(options, data_points=points + 1),
        replace(options, simulated_patterns=5),
        replace(options, workers=4),
        replace(options, screening=replace(screening, warmup=screening.warmup + 100)),
        replace(options, confirmation=replace(confirmation, measured=confirmation.measured + 100)),
    ):
        assert at_most(cost, table_cost(TOPOLOGY, more))


@given(windows, st.integers(1, 82), st.integers(2, 4), st.integers(0, 10**9))
def test_searches_cost_more_the_longer_they_look(
    confirmation: Windows, patterns: int, trained: int, flit_hops: int
) -> None:
    options = replace(
        OPTIONS,
        confirmation=confirmation,
        patterns=str(patterns),
        budget=str(flit_hops),
        simulated_patterns=trained,
    )
    cost = table_cost(TOPOLOGY, options)
    assert consistent(cost)
    assert cost.stages.keys() == {"probe", "search", "compare", "table"}
    for more in (
        replace(options, patterns=str(patterns + 1)),
        replace(options, simulated_patterns=trained + 1),
        replace(options, budget=str(flit_hops + 10**6)),
        replace(options, confirmation=replace(confirmation, measured=confirmation.measured + 100)),
    ):
        assert at_most(cost, table_cost(TOPOLOGY, more))
    second = table_cost(TOPOLOGY, replace(options, judge="iq,vct"))
    assert at_most(cost, second)
    assert second.stages["compare"] > cost.stages["compare"]


def test_a_budget_costs_time_once_it_exceeds_what_a_search_begins_with() -> None:
    costs = [
        table_cost(TOPOLOGY, replace(OPTIONS, budget=budget)).stages["search"]
        for budget in ("0", "1000", "large")
    ]
    assert costs[0] == costs[1] < costs[2]


def test_traffic_that_is_named_costs_by_its_patterns() -> None:
    # Ten patterns judge a search of the default traffic, and a single one does eight times.
    traffic = tuple(map(str, type2_set(TOPOLOGY)))
    few, many = (
        table_cost(TOPOLOGY, replace(OPTIONS, traffic=traffic[:count], budget="0"))
        for count in (1, 10)
    )
    default = table_cost(TOPOLOGY, OPTIONS)
    assert 10 * few.stages["compare"] == pytest.approx(8 * many.stages["compare"])
    assert many.stages["compare"] == default.stages["compare"]
    assert 10 * few.stages["search"] == pytest.approx(many.stages["search"])


@pytest.mark.parametrize("patterns", ["auto", "all", "7"])
@pytest.mark.parametrize("options", [OPTIONS, PAPER], ids=["search", "paper"])
@pytest.mark.parametrize("balancing", [OPTIONS.balancing, None])
def test_larger_networks_cost_more(
    patterns: str, options: SearchOptions, balancing: object
) -> None:
    options = replace(options, patterns=patterns, balancing=balancing)
    costs = [table_cost(Dragonfly(4, 8, 4, groups), options) for groups in (9, 17, 33)]
    assert at_most(costs[0], costs[1])
    assert at_most(costs[1], costs[2])


def test_balancing_is_what_it_costs() -> None:
    without = table_cost(TOPOLOGY, replace(PAPER, balancing=None))
    assert without.stages["balance"] < table_cost(TOPOLOGY, PAPER).stages["balance"]


@given(st.integers(2, 5), st.integers(1, 99))
def test_longer_path_sets_make_larger_programs(hops: int, percent: int) -> None:
    sets = ["none", f"<={hops}", f"<={hops}+{percent}%", f"<={hops + 1}", "all"]
    costs = [model_cost(TOPOLOGY, expression, Shift(1, 0)) for expression in sets]
    assert all(consistent(cost) for cost in costs)
    assert all(at_most(less, more) for less, more in pairwise(costs))


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("shape(?.?)", "all"),
        ("shape(g.g)", "<=2"),
        ("shape(g.?, gl.g, gl.gl, gl.lg, lg.g, lg.gl, lg.lg, lgl.g)", "<=4"),
        ("shape(g.?:4) & <=3", "shape(g.g, g.gl, g.lg)"),
    ],
)
def test_sets_by_shape_are_of_the_size_of_their_paths(expression: str, same: str) -> None:
    sizes = [program_size(TOPOLOGY, one, Shift(1, 0)) for one in (expression, same)]
    assert vars(sizes[0]) == pytest.approx(vars(sizes[1]))
    # Half of the MIN halves of two hops begin with a local link.
    halves = [program_size(TOPOLOGY, f"shape({one})", Shift(1, 0)) for one in ("lg.g", "lg.lg")]
    both = [program_size(TOPOLOGY, one, Shift(1, 0)).paths for one in ("<=2", "<=3", "<=4")]
    assert halves[0].paths == pytest.approx((both[1] - both[0]) / 4)
    assert 0 < halves[1].paths < both[2] - both[1]


def test_path_sets_count_as_their_expressions_and_tables_as_all() -> None:
    for expression in ("all", "none", "<=4+60%", "<=4+(2,3)", "short(2,3)", "short(<=4)"):
        path_set = parse_expression(expression, TOPOLOGY)
        by_set = model_cost(TOPOLOGY, path_set, Shift(1, 0))
        assert by_set == model_cost(TOPOLOGY, expression, Shift(1, 0))
    everything = model_cost(TOPOLOGY, "all", Shift(1, 0))
    assert model_cost(TOPOLOGY, "tables/t.parquet", Shift(1, 0)) == everything


def test_sizes_are_close_to_those_of_the_program() -> None:
    # As solved: 864 rows, 453 columns, 54,195 nonzeros; all paths 72 * 64 * 56 * 4^2.
    size = program_size(TOPOLOGY, "all", Shift(1, 0))
    assert size.rows == 864
    assert size.columns == pytest.approx(453, rel=0.2)
    assert size.nonzeros == pytest.approx(54_195, rel=0.3)
    assert TOPOLOGY.expected_paths.vlb_paths == 4_128_768


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("text", ["ring(7,2)", "leaves(6,4)", "ring(3)"])
def test_networks_of_other_families_have_costs(text: str) -> None:
    topology = parse_topology(text)
    assert consistent(table_cost(topology, OPTIONS))
    assert consistent(table_cost(topology, PAPER))
    assert consistent(simulation_cost(topology, "par", SimulationConfig(), [0.1], 1, True))
    more, fewer = (model_cost(topology, one, parse_pattern("uniform")) for one in ("all", "<=2"))
    assert consistent(more)
    assert at_most(fewer, more)


@pytest.mark.usefixtures("toys")
def test_size_of_a_program_on_a_ring() -> None:
    # Six switches: a pair has 6/5 MIN paths over any of 4 intermediates and from there on.
    size = program_size(parse_topology("ring(6)"), "all", parse_pattern("uniform"))
    assert size.rows == 12 + 30
    assert size.paths == pytest.approx(30 * 4 * (6 / 5) ** 2)
    assert size.examined == pytest.approx(size.paths)


def test_degenerate_networks_have_costs() -> None:
    for topology in (Dragonfly(1, 1, 1, 2), Dragonfly(1, 1, 2, 3), Dragonfly(2, 4, 2, 2)):
        assert consistent(table_cost(topology, OPTIONS))
        assert consistent(table_cost(topology, PAPER))
        assert consistent(model_cost(topology, "all", Shift(1, 0)))
        assert consistent(simulation_cost(topology, "min", SimulationConfig(), [0.1], 1, True))


def test_small_repairs_cost_their_workers_and_searches() -> None:
    topology = Dragonfly(2, 4, 2, 3)
    one, two = (repair_cost(topology, RepairOptions(workers=workers)) for workers in (1, 2))
    assert consistent(two)
    # A worker process starts in 1.1 s; with one, the repair of this network takes about 6 s.
    assert two.cpu_seconds - one.cpu_seconds == pytest.approx(1.1)
    assert 4.0 < one.cpu_seconds < 9.0
    struck = repair_cost(topology, RepairOptions(strike_only=True))
    assert consistent(struck)
    assert struck.cpu_seconds < one.stages["build"]


def test_repairs_of_forwarding_tables_cost_what_they_change() -> None:
    topology = parse_topology("4,8,4,33,palmtree")

    def seconds(every: int, rebalance: float, *, in_one_lane: bool) -> float:
        network = topology.network
        down = np.flatnonzero(network.link_source < network.link_target)[::every].tolist()
        ends = [(int(network.link_source[one]), int(network.link_target[one])) for one in down]
        left = without(topology, Failures(links=tuple(ends)))
        cost = entries_repair_cost(
            left, RepairOptions(rebalance=rebalance), in_one_lane=in_one_lane
        )
        assert consistent(cost)
        return cost.cpu_seconds

    # As measured with one cable down, and with 73 of 1,452, by bench/cost_estimates.py.
    assert seconds(10_000, 0, in_one_lane=False) == pytest.approx(0.067, rel=1)
    assert seconds(10_000, 0, in_one_lane=True) == pytest.approx(0.095, rel=1)
    assert seconds(10_000, 0.02, in_one_lane=False) == pytest.approx(0.138, rel=1)
    assert seconds(20, 0, in_one_lane=True) == pytest.approx(0.456, rel=0.5)
    assert seconds(20, 0.02, in_one_lane=True) == pytest.approx(0.58, rel=0.5)


def test_no_path_is_listed_or_counted_for_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("an estimate looked at paths")

    for method in ("rows", "profile", "usage", "class_usage", "most_paths", "mean_hops"):
        monkeypatch.setattr(LengthSet, method, fail)
    # 8,224 switches, 131,584 nodes and 10^13 paths.
    topology = Dragonfly(16, 32, 16, 257, "palmtree")
    assert consistent(table_cost(topology, OPTIONS))
    assert consistent(table_cost(topology, PAPER))
    assert consistent(model_cost(topology, "all", parse_pattern("uniform")))
    assert consistent(simulation_cost(topology, "par", SimulationConfig(), [0.5], 1, True))


@given(
    st.integers(1, 10**6), st.sets(st.integers(2, 288), max_size=3), st.booleans(), st.booleans()
)
def test_measures_cost_more_the_more_they_are(
    bisections: int, jobs: set[int], both: bool, is_table: bool
) -> None:
    def cost(**asked: Any) -> Cost:
        text = ",".join(map(str, sorted(jobs)))
        given: dict[str, Any] = {"bisections": bisections, "job": text, "both": both}
        options = MeasureOptions(**given | asked)
        return measure_cost(TOPOLOGY, options, is_table=is_table, has_detours=False)

    least = cost()
    assert consistent(least)
    assert at_most(least, cost(bisections=bisections + 1))
    assert at_most(least, cost(both=True))
    assert at_most(least, cost(pattern="node-shift(1)"))
    assert at_most(least, cost(bound="lp"))


@given(st.integers(0, 1000), st.sampled_from(["id", "interleave", "random(seed=3)"]))
def test_forwarding_tables_cost_more_the_more_they_are(passes: int, order: str) -> None:
    least = route_cost(TOPOLOGY, RouteOptions(order=order, passes=passes))
    assert consistent(least)
    for more in (
        RouteOptions(order=order, passes=min(passes + 1, 1000)),
        RouteOptions(order="auto", passes=passes),
        RouteOptions(order=order, passes=passes, layers=True),
    ):
        assert at_most(least, route_cost(TOPOLOGY, more))
    # 288 nodes and 72 switches have an entry each of some bytes, beside the process.
    assert 132e6 < least.memory_bytes < 134e6
