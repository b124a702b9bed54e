"""Packets that follow a forwarding table: ways, loads of links, virtual channels and bounds."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from sim_bridge import FollowedTable, Scenario, SimulationConfig, SimulationResult, simulate
from tvlb.errors import InvalidInput, SimulationDeadlock
from tvlb.forwarding import Forwarding, RouteOptions, route
from tvlb.paths import parse_expression
from tvlb.table import ForwardingTable
from tvlb.topology import Dragonfly, Listing, Topology, parse_topology
from tvlb.traffic import parse_pattern

Figures = Callable[[SimulationResult], tuple[object, ...]]

SHORT = SimulationConfig(warmup_cycles=500, measured_cycles=1000)


def routed(network: Topology | str, order: str = "id") -> Forwarding:
    topology = parse_topology(network) if isinstance(network, str) else network
    return route(topology, RouteOptions(order=order)).forwarding


def ring(switches: int, nodes: int = 1) -> Topology:
    links = [(one, (one + 1) % switches) for one in range(switches)]
    listed = {"switches": switches, "endpoints": [nodes] * switches, "links": links}
    return Listing.model_validate_json(json.dumps(listed)).build()


def scenario_of(forwarding: Forwarding) -> Scenario:
    topology = forwarding.topology
    paths = parse_expression("all", topology)
    uniform = parse_pattern("uniform")
    return Scenario(topology, "table", paths, uniform, table=FollowedTable(forwarding))


def warnings_of(forwarding: Forwarding, config: SimulationConfig) -> tuple[str, ...]:
    scenario = scenario_of(forwarding)
    return tuple(one for one in scenario.warnings(scenario.resolved(config)) if "deadlock" in one)


# Every two switches are joined; those of slimfly(5), the Hoffman-Singleton graph, by exactly one
# path of at most two links. So MIN has one path of every pair, too, and draws none.
@pytest.mark.parametrize("network", ["hyperx(2,5)", "slimfly(5)"])
@pytest.mark.parametrize(("load", "is_stored"), [(0.2, True), (0.9, False)])
def test_single_shortest_paths_are_those_of_min(
    network: str, load: float, is_stored: bool, figures: Figures
) -> None:
    config = SimulationConfig(warmup_cycles=200, measured_cycles=200, vc_count=3, traced_packets=20)
    entries = routed(network)
    table = ForwardingTable.of(entries, "psssp") if is_stored else entries
    by_table = simulate(network, routing="table", table=table, load=load, config=config)
    by_min = simulate(network, routing="min", load=load, config=config)
    assert figures(by_table) == figures(by_min)
    assert by_table.traces == by_min.traces
    assert by_table.vlb_share == 0.0


# A node sends to every node, itself too, with probability 1/72: a link that l routes take carries
# load * l / 72 flits per cycle. Counts vary less than those of a Poisson process.
def test_links_carry_what_their_routes_send(small: Dragonfly) -> None:
    forwarding = routed(small, "interleave")
    config = SimulationConfig(warmup_cycles=500, measured_cycles=4000)
    load = 0.4
    result = simulate(small, routing="table", table=forwarding, load=load, config=config)
    expected = load * config.measured_cycles * forwarding.loads.of_link / small.num_nodes
    found = result.link_load * config.measured_cycles
    assert np.all(np.abs(found - expected) < 5 * np.sqrt(expected))
    assert found.sum() == pytest.approx(expected.sum(), rel=0.01)
    # Theirs is a mean without the packets that nodes send to themselves.
    hops = forwarding.loads.hops_mean * 71 / 72
    assert result.hops_mean == pytest.approx(hops, rel=0.005)


# The busiest link takes a flit per cycle: no load above 72 / EFI is sustained, here 72/86 = 0.837.
def test_saturation_is_just_below_the_bound_of_the_busiest_link(small: Dragonfly) -> None:
    forwarding = routed(small, "interleave")
    bound = small.num_nodes / forwarding.loads.efi
    assert bound == pytest.approx(72 / 86)
    config = SimulationConfig(warmup_cycles=3000, measured_cycles=3000, global_latency=10)

    def saturated(load: float) -> bool | None:
        return simulate(
            small, routing="table", table=forwarding, load=load, config=config
        ).saturated

    assert saturated(0.85 * bound) is False
    assert saturated(1.05 * bound) is True


# Ways of up to two links go round both ways, and wait for each other in a circle on one VC. Those
# over the cable of switches 4 and 0 in a layer of their own cut both circles (Dally, Seitz, 1987).
@pytest.fixture(name="lanes", scope="module")
def two_lanes() -> tuple[Forwarding, Forwarding]:
    topology = ring(5, nodes=4)
    one = routed(topology)
    source = np.arange(5)
    target = topology.network.node_switch[:, np.newaxis]
    crosses = np.abs(source - target) > 2
    return one, Forwarding(topology, one.ports, crosses.astype(np.uint8))


def test_a_table_of_one_lane_rises_by_hop_unless_told_otherwise(
    lanes: tuple[Forwarding, Forwarding],
) -> None:
    one, _ = lanes
    assert scenario_of(one).resolved(SimulationConfig()).vc_scheme == "per-hop"
    assert warnings_of(one, SimulationConfig()) == ()
    (warning,) = warnings_of(one, SimulationConfig(vc_scheme="layer"))
    assert warning == (
        "the routes of the forwarding table can deadlock by layer on 1 VC: 5 buffers (link, VC) "
        "may wait for each other in a circle: 0->1 VC 0, 1->2 VC 0, 2->3 VC 0, 3->4 VC 0, 4->0 VC 0"
    )
    assert warnings_of(one, SimulationConfig(vc_count=1)) != ()


def test_layers_are_virtual_channels(lanes: tuple[Forwarding, Forwarding]) -> None:
    one, two = lanes
    config = SimulationConfig(warmup_cycles=500, measured_cycles=500, traced_packets=500)
    assert warnings_of(two, config) == ()
    result = simulate(ring(5, 4), routing="table", table=two, load=0.2, config=config)
    assert result.config.vc_scheme == "layer"
    between = [one for one in result.traces if len(one.hops) > 1]
    for trace in between:
        start = trace.hops[0].switch
        layer = two.layers[trace.destination, start]
        assert {hop.vc for hop in trace.hops[:-1]} == {layer}
    assert len(between) > 100
    full = SimulationConfig(
        warmup_cycles=3000, measured_cycles=10, vc_scheme="layer", buffer_flits=1
    )
    simulate(ring(5, 4), routing="table", table=two, load=1.0, config=full)
    with pytest.raises(SimulationDeadlock):
        simulate(ring(5, 4), routing="table", table=one, load=1.0, config=full)


def test_layers_of_the_engine_need_as_many_channels(small: Dragonfly) -> None:
    layered = route(small, RouteOptions(layers=True)).forwarding
    assert layered.num_layers > 1
    config = SimulationConfig(warmup_cycles=0, measured_cycles=200, traced_packets=2000)
    assert warnings_of(layered, config) == ()
    assert warnings_of(layered, replace(config, vc_count=1)) != ()
    result = simulate(small, routing="table", table=layered, load=0.5, config=config)
    vcs = {hop.vc for trace in result.traces for hop in trace.hops}
    assert vcs == set(range(layered.num_layers))


def test_other_channels_are_those_of_a_scheme(small: Dragonfly) -> None:
    forwarding = routed(small)
    config = SimulationConfig(
        warmup_cycles=0, measured_cycles=200, vc_scheme="won", traced_packets=500
    )
    result = simulate(small, routing="table", table=forwarding, load=0.2, config=config)
    # By the scheme of Won et al.: after a global link one more, and one more for a local link.
    kinds = small.network.link_kind
    for trace in result.traces:
        expected = 0
        for hop, before in zip(trace.hops[1:-1], trace.hops[:-2], strict=True):
            expected += int(kinds[before.link] == 1) or int(kinds[hop.link] == 0)
            assert hop.vc == expected


# The way to the switch opposite is 16 of 32 links.
def test_routes_that_are_too_long_are_refused(small: Dragonfly) -> None:
    with pytest.raises(InvalidInput) as error:
        simulate(ring(32), routing="table", table=routed(ring(32)), load=0.1, config=SHORT)
    assert str(error.value) == (
        "routes of the forwarding table take up to 16 links; the simulator follows at most 15"
    )
    long = simulate(ring(30), routing="table", table=routed(ring(30)), load=0.1, config=SHORT)
    assert long.hops_mean == pytest.approx(7.5, rel=0.05)


def test_tables_that_do_not_fit_are_refused(small: Dragonfly) -> None:
    forwarding = routed(small)
    lost = forwarding.ports.copy()
    lost[0, 7] = 255
    cases: list[tuple[str, dict[str, object]]] = [
        ("routing table needs a forwarding table: give table", {"routing": "table"}),
        (
            "table is of routing table or static, not of min",
            {"routing": "min", "table": forwarding},
        ),
        (
            "the forwarding table is of hyperx\\(2,5\\), not of dfly\\(2,4,2,9\\)",
            {"routing": "table", "table": routed("hyperx(2,5)")},
        ),
        (
            "packets of [0-9]+ pairs of nodes do not arrive by the forwarding table; see tvlb .*",
            {"routing": "table", "table": Forwarding.of(small, lost)},
        ),
        (
            "decide each-attempt: the routes of routing table are fixed",
            {
                "routing": "table",
                "table": forwarding,
                "config": SimulationConfig(decide="each-attempt"),
            },
        ),
        (
            "vcs layer is of routing table, not of min",
            {"routing": "min", "config": SimulationConfig(vc_scheme="layer")},
        ),
    ]
    for message, asked in cases:
        given: dict[str, object] = {"config": SHORT} | asked
        with pytest.raises(InvalidInput, match=f"^{message}$"):
            simulate(small, load=0.1, **given)  # pyright: ignore
