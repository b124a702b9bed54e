"""The virtual cut-through router: its rules phit by phit, the reference simulator, its refusals."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import networkx
import numpy as np
import pytest
from numpy.typing import NDArray

from sim_bridge import SimulationConfig, _core, simulate
from sim_bridge.conversion import core_traffic
from sim_bridge.routers.vct import VctConfig, VctScenario
from sim_bridge.routers.vct.proof import prove
from tests.vct_phits import Allowed, PhitSimulator
from tests.vct_rows import Row, read_rows
from tvlb.errors import InvalidInput
from tvlb.native.kernels import DependencyGraph, VcClaim, VcPolicy
from tvlb.native.virtual_channels import VC_POLICIES, vc_policy
from tvlb.topology import (
    Failures,
    ListedTopology,
    Topology,
    compiled,
    kinds_of,
    parse_topology,
    without,
)
from tvlb.topology.dragonfly import Wiring
from tvlb.traffic import DestinationPattern, parse_pattern

QUICK = VctConfig(warmup_cycles=1000, measured_cycles=2000)


def scenario(topology: str, routing: str, pattern: str, seed: int = 0) -> VctScenario:
    return VctScenario(parse_topology(topology), routing, parse_pattern(pattern), seed)


def ports_of(topology: Topology) -> Callable[[int, int], list[int]]:
    return _core.MinPorts(compiled(topology)).ports


def test_a_local_link_is_the_way_inside_a_group_of_few_global_links() -> None:
    """Switches 2 and 3 have none, so that no MIN path between groups goes from 2 to 3."""
    ports = ports_of(Wiring(p=1, a=4, h=1, g=2, links=((0, 4), (1, 5))).build())
    # Port 0 is the node; those to the other switches of the group follow in their order.
    assert [ports(2, to) for to in (0, 1, 3)] == [[1], [2], [3]]


POLICIES: dict[str, tuple[int, Allowed]] = {
    "ladder": (4, lambda links, phase: range(links, links + 1)),
    "reuse": (4, lambda links, phase: range(links + 1)),
    "2phases": (4, lambda links, phase: range(2 * phase, 2 * phase + 2)),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("load", [0.2, pytest.param(1.0, marks=pytest.mark.slow)])
def test_events_of_packets_agree_with_phits(policy: str, load: float) -> None:
    topology = parse_topology("hyperx(2,3,3)")
    pattern = parse_pattern("dshift(1)")
    assert isinstance(pattern, DestinationPattern)
    vcs, allowed = POLICIES[policy]
    config = VctConfig(
        warmup_cycles=300,
        measured_cycles=2000,
        vc_policy=policy,
        vc_count=vcs,
        packet_phits=4,
        input_buffer_phits=8,
        output_buffer_phits=8,
        source_queue_packets=5,
        local_latency=3,
    )
    slow = [
        PhitSimulator(
            topology,
            config,
            ports_of(topology),
            pattern.destinations(topology, 0).tolist(),
            allowed,
            valiant=True,
            load=load,
            seed=seed,
        ).run()
        for seed in range(2)
    ]
    fast = VctScenario(topology, "valiant", pattern)
    runs = [fast.with_seed(seed).run(load, config) for seed in range(6)]
    for mine, theirs, tolerance in (
        ([run.accepted for run in runs], [run.accepted for run in slow], 0.03),
        ([run.latency_mean for run in runs], [run.latency for run in slow], 0.03),
        ([run.hops_mean for run in runs], [run.hops for run in slow], 0.01),
    ):
        assert np.mean(mine) == pytest.approx(np.mean(theirs), rel=tolerance)
    # Of all that are generated, whose number is random.
    generated = load / config.packet_phits * config.measured_cycles
    refused = np.mean([run.refused for run in slow])
    assert np.mean([run.refused for run in runs]) == pytest.approx(refused, abs=generated / 40)


@pytest.mark.parametrize("latency", [1, 5])
def test_a_packet_alone_takes_its_links_and_its_phits(latency: int) -> None:
    config = VctConfig(
        warmup_cycles=0, measured_cycles=200_000, local_latency=latency, server_latency=2
    )
    run = scenario("hyperx(1,4,4)", "min", "dshift(1)").run(0.0005, config)
    # Few enough that hardly any meet.
    alone = run.hops_mean * latency + 2 * 2 + 16 - 1
    assert run.hops_mean == 2.0
    assert alone <= run.latency_mean < alone + 0.1


FAST_ROWS = [
    row
    for row in read_rows()
    if row.given["topology"] in ("hyperx(4,4,4)", "dflyplus(2,2,2,5)") and not row.is_bistable
]


@pytest.mark.parametrize("row", FAST_ROWS, ids=str)
def test_rows_of_the_reference_simulator(row: Row) -> None:
    case = row.scenario
    runs = [case.with_seed(seed).run(row.load, row.config) for seed in range(8)]
    off, allowed = row.deviations(runs), row.tolerances
    # What is offered to few nodes for a short time varies more than what becomes of it.
    offered = 2 / math.sqrt(sum(run.accepted for run in runs) * row.config.measured_cycles * 0.5)
    slack = {"accepted": 0.0 if row.is_saturated else offered}
    for name, most in allowed.items():
        assert abs(off[name]) <= most + slack.get(name, 0.0), (name, off)


def test_equal_arguments_give_equal_results() -> None:
    case = scenario("dfly(1,2,1,3,palmtree)", "valiant(minlast)", "adv(1)", seed=5)
    config = VctConfig(warmup_cycles=100, measured_cycles=3000, vc_policy="2phases")
    one, other = case.run(0.4, config), case.with_seed(5).run(0.4, config)
    assert one.series.tobytes() == other.series.tobytes()
    assert (one.latency_mean, one.phit_hops) == (other.latency_mean, other.phit_hops)
    assert one.series.tobytes() != case.with_seed(6).run(0.4, config).series.tobytes()


def test_the_figures_of_a_run_fit_each_other() -> None:
    case = scenario("hyperx(2,4,4)", "valiant", "dshift(1)")
    config = VctConfig(warmup_cycles=0, measured_cycles=10_000)
    run = case.run(0.3, config)
    assert len(run.series) == 10
    fine = case.run(0.3, replace(config, interval=250))
    assert fine.series.reshape(10, 4).mean(axis=1) == pytest.approx(run.series)
    assert (fine.accepted, fine.latency_mean) == (run.accepted, run.latency_mean)
    assert run.accepted == pytest.approx(run.series.mean())
    assert run.link_load.sum() * 10_000 <= run.phit_hops
    nodes = 32
    assert run.link_load.sum() / nodes == pytest.approx(run.accepted * run.hops_mean, rel=0.02)
    assert 0.9 < run.jain <= 1.0
    assert run.refused == 0.0


@pytest.mark.parametrize("routing", ["min", "valiant(minlast)"])
def test_traces_are_routes_in_time(routing: str) -> None:
    topology = parse_topology("dflyplus(2,2,2,5)")
    case = VctScenario(topology, routing, parse_pattern("adv(1)"), 3)
    config = VctConfig(warmup_cycles=500, measured_cycles=4000, traced_packets=40)
    run = case.run(0.2, config)
    network, phits = topology.network, config.packet_phits
    assert len(run.traces) == 40
    assert [one.injected for one in run.traces] == sorted(one.injected for one in run.traces)
    for trace in run.traces:
        at, departure = int(network.node_switch[trace.source]), trace.injected
        assert 500 <= trace.created <= trace.injected
        for taken, hop in enumerate(trace.hops):
            assert (hop.switch, departure < hop.departure) == (at, True)
            departure = hop.departure
            if hop.link == -1:
                assert at == network.node_switch[trace.destination]
                last = departure + config.server_latency + phits - 1
                assert trace.delivered == (last if last < 4500 else None)
            else:
                assert network.link_source[hop.link] == at
                # `ladder`: the VC is the number of links taken.
                assert hop.vc == taken
                assert trace.vlb or taken < 3
                at = int(network.link_target[hop.link])
        if trace.delivered is None:
            assert trace.injected > 4300
        else:
            assert trace.hops[-1].link == -1
    assert any(one.vlb for one in run.traces) == (routing != "min")
    created = [one.created for one in run.traces]
    assert max(created) - min(created) > 3000
    plain = case.run(0.2, replace(config, traced_packets=0))
    assert plain.traces == ()
    assert plain.link_load.tobytes() == run.link_load.tobytes()
    assert (plain.accepted, plain.latency_mean) == (run.accepted, run.latency_mean)


def core_config(topology: Topology, policy: str, vcs: int) -> _core.VctConfig:
    return _core.VctConfig(
        load=1.0,
        seed=1,
        step_cycle=_core.NEVER,
        step_load=1.0,
        interval=1000,
        warmup_cycles=0,
        measured_cycles=40_000,
        routing="valiant",
        arguments=[0],
        vcs=vc_policy(policy).table(vcs),
        vc_count=vcs,
        packet_phits=16,
        input_buffer_phits=16,
        output_buffer_phits=16,
        source_queue_packets=20,
        latency=[1] * len(topology.kinds.names),
        server_latency=1,
        ugal_rule="hops",
        queue="port",
        threshold=0,
        vlb_factor=1.0,
        candidates=1,
        traced_packets=0,
    )


def test_a_planted_deadlock_is_found_and_refused() -> None:
    case = scenario("dfly(2,4,2,9,palmtree)", "valiant", "adv(2)")
    network = compiled(case.topology)
    traffic = core_traffic(network, case.pattern.resolve(case.topology, 0))
    told = _core.simulate_vct(
        network,
        traffic,
        _core.MinPorts(network),
        core_config(case.topology, "ladder", 2),
        _core.StopFlag(),
        None,
    )
    assert told["stopped"] == "deadlocked"
    # A circle: each buffer lies where the link before it leads.
    links = case.topology.network
    waiting = told["wait_cycle"]
    ends = [int(links.link_target[one.link]) for one in waiting]
    starts = [int(links.link_source[one.link]) for one in waiting]
    assert len(waiting) > 1
    assert ends == starts[1:] + starts[:1]
    with pytest.raises(InvalidInput, match="vc_count 5 is too few: ladder needs at least 6 here"):
        case.run(1.0, VctConfig(vc_count=5))


def closes_circle(topology: Topology, split_kind: int) -> bool:
    """Whether links wait for each other in one, where those behind a kind of links are apart."""
    steps = vc_policy("2phases").table(4, split_kind).steps()[:, 0]
    graph = DependencyGraph(topology.num_links * 2)
    _core.MinPorts(compiled(topology)).add_dependencies(
        compiled(topology),
        then=steps[..., 2].flatten(),
        part=steps[..., 0].flatten(),
        parts=2,
        starts=np.zeros(1, dtype=np.uint16),
        graph=graph,
    )
    return bool(graph.find_cycle())


def test_the_proof_tells_what_closes_circles() -> None:
    found = {}
    for text in ("dfly(2,4,2,9,palmtree)", "hyperx(2,3,3)", "dflyplus(2,2,2,5)", "slimfly(5)"):
        topology = parse_topology(text)
        kinds = (-1, topology.kinds.global_kind)
        found[text] = [closes_circle(topology, kind) for kind in kinds]
        graph = _dependencies(topology, ports_of(topology))
        assert found[text][0] != networkx.is_directed_acyclic_graph(graph)
    assert found == {
        "dfly(2,4,2,9,palmtree)": [True, False],
        "hyperx(2,3,3)": [False, False],
        "dflyplus(2,2,2,5)": [False, False],
        "slimfly(5)": [True, True],
    }


def _dependencies(
    topology: Topology, ports: Callable[[int, int], list[int]]
) -> "networkx.DiGraph[int]":
    """Links that are held, to those that are then wanted, by every route hop by hop."""
    network = compiled(topology)
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    ends = set(topology.network.node_switch.tolist())
    for target in ends:
        for source in ends - {target}:
            routes = [(source, -1)]
            while routes:
                at, held = routes.pop()
                for port in ports(at, target) if at != target else ():
                    link = network.output_link(at, port)
                    if held >= 0:
                        graph.add_edge(held, link)
                    routes.append((int(topology.network.link_target[link]), link))
    return graph


def test_the_vcs_of_routes_follow_from_what_a_policy_allows() -> None:
    found = {}
    for policy in VC_POLICIES:
        for has_intermediate in (False, True):
            for text in ("dfly(2,4,2,9,palmtree)", "hyperx(2,3,3)"):
                topology = parse_topology(text)
                ports = _core.MinPorts(compiled(topology))
                try:
                    proof = prove(
                        topology, ports, vc_policy(policy), has_intermediate=has_intermediate
                    )
                except InvalidInput:
                    continue
                found[policy, has_intermediate, text] = proof.vcs_needed, proof.argument
    rises, circle = "the VC rises with every link", "MIN routes close no circle"
    order = "VCs are taken in one order"
    assert found == {
        ("ladder", False, "dfly(2,4,2,9,palmtree)"): (3, rises),
        ("ladder", False, "hyperx(2,3,3)"): (2, rises),
        ("ladder", True, "dfly(2,4,2,9,palmtree)"): (6, rises),
        ("ladder", True, "hyperx(2,3,3)"): (4, rises),
        ("reuse", False, "dfly(2,4,2,9,palmtree)"): (3, f"a way out: {rises}"),
        ("reuse", False, "hyperx(2,3,3)"): (2, f"a way out: {rises}"),
        ("reuse", True, "dfly(2,4,2,9,palmtree)"): (6, f"a way out: {rises}"),
        ("reuse", True, "hyperx(2,3,3)"): (4, f"a way out: {rises}"),
        ("2phases", False, "dfly(2,4,2,9,palmtree)"): (4, circle),
        ("2phases", False, "hyperx(2,3,3)"): (2, circle),
        ("2phases", True, "dfly(2,4,2,9,palmtree)"): (4, circle),
        ("2phases", True, "hyperx(2,3,3)"): (2, circle),
        ("any", False, "hyperx(2,3,3)"): (1, circle),
        ("fixed", False, "dfly(2,4,2,9,palmtree)"): (2, f"{order}: local 0, global 0, local 1"),
        ("fixed", False, "hyperx(2,3,3)"): (1, f"{order}: x 0, y 0"),
        ("fixed", True, "dfly(2,4,2,9,palmtree)"): (
            4,
            f"{order}: local 0, global 0, local 1, local 2, global 1, local 3",
        ),
        ("fixed", True, "hyperx(2,3,3)"): (2, f"{order}: x 0, y 0, x 1, y 1"),
    }


Change = Callable[[NDArray[np.uint16]], NDArray[np.uint16]]


def halve(vcs: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return vcs // 2


@dataclass(frozen=True)
class Wrong:
    """What claims to be a policy and allows other VCs."""

    name: str
    change: Change

    @property
    def claim(self) -> VcClaim:
        return vc_policy(self.name).claim

    def table(self, vc_count: int, split_kind: int) -> SimpleNamespace:
        steps = vc_policy(self.name).table(vc_count, split_kind).steps()
        steps[..., :2] = self.change(steps[..., :2])
        return SimpleNamespace(steps=lambda: steps)


# As ladder with half of the VCs, and as 2phases with VCs that both phases share.
@pytest.mark.parametrize(
    ("policy", "change"),
    [("ladder", halve), ("reuse", halve), ("2phases", np.zeros_like)],
)
def test_the_proof_does_not_trust_a_policy(policy: str, change: Change) -> None:
    topology = parse_topology("dfly(2,4,2,9,palmtree)")
    ports = _core.MinPorts(compiled(topology))
    wrong = cast("VcPolicy", Wrong(policy, change))
    with pytest.raises(InvalidInput, match=f"vcs {policy} may deadlock"):
        prove(topology, ports, wrong, has_intermediate=True)


@pytest.mark.parametrize("policy", ["ladder", "reuse"])
def test_routes_of_too_many_links_are_refused(policy: str, tmp_path: Path) -> None:
    ring = tmp_path / "ring.edgelist"
    ring.write_text("# endpoints 1\n" + "".join(f"{i} {(i + 1) % 40}\n" for i in range(40)))
    case = VctScenario(parse_topology(str(ring)), "min", parse_pattern("uniform"))
    with pytest.raises(InvalidInput, match=r"up to 20 links and need as many VCs; 16 are the most"):
        case.run(0.1, VctConfig(vc_policy=policy))


REFUSED = {
    ("dfly(2,4,2,9,palmtree)", "any"),
    ("slimfly(5)", "any"),
    ("slimfly(5)", "2phases"),
    ("slimfly(5)", "fixed"),
}


@pytest.mark.parametrize("policy", VC_POLICIES)
@pytest.mark.parametrize(
    "topology", ["dfly(2,4,2,9,palmtree)", "hyperx(2,3,3,2)", "dflyplus(2,2,2,5)", "slimfly(5)"]
)
def test_what_the_proof_allows_does_not_deadlock(topology: str, policy: str) -> None:
    routing = "min" if policy == "any" else "valiant"
    case = scenario(topology, routing, "permutation(seed=3)")
    if (topology, policy) in REFUSED:
        with pytest.raises(
            InvalidInput,
            match=r"may deadlock: (MIN )?routes of .* (close a circle|its order does not have)",
        ):
            case.proof(policy)
        return
    needed = case.proof(policy).vcs_needed
    config = VctConfig(
        warmup_cycles=0,
        measured_cycles=8_000,
        vc_policy=policy,
        vc_count=needed,
        input_buffer_phits=16,
        output_buffer_phits=16,
    )
    assert case.run(1.0, config).accepted > 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"input_buffer_phits": 40}, "input_buffer 40 is not 1 to 127 packets of 16 phits"),
        ({"output_buffer_phits": 8}, "output_buffer 8 is not 1 to 127 packets of 16 phits"),
        ({"vc_policy": "won"}, "vcs 'won': choose one of ladder, reuse, 2phases, any"),
        ({"vc_count": 17}, "vc_count 17 is out of range: 1..16"),
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        VctConfig(**change)  # pyright: ignore[reportArgumentType]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("topology", "routing", "pattern", "config", "message"),
    [
        ("hyperx(2,3,3)", "table", "uniform", QUICK, "unknown routing 'table' of router vct"),
        ("hyperx(2,3,3)", "valiant", "adv(1)", QUICK, "it has no groups"),
        (
            "hyperx(2,3,3)",
            "valiant",
            "dshift(1)",
            VctConfig(vc_policy="2phases", vc_count=3),
            "vc_count 3 cannot be divided: 2phases takes multiples of 2 here",
        ),
        (
            "hyperx(2,3,3)",
            "valiant",
            "dshift(1)",
            VctConfig(vc_policy="any"),
            "vcs any is for routing min",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    topology: str, routing: str, pattern: str, config: VctConfig, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        scenario(topology, routing, pattern).run(0.5, config)


def test_its_settings_choose_the_router() -> None:
    run = simulate("hyperx(2,3,3)", load=0.2, pattern="dshift(1)", config=QUICK)
    case = scenario("hyperx(2,3,3)", "min", "dshift(1)").run(0.2, QUICK)
    assert (run.routing, run.config.vc_count) == ("min", 2)
    assert run.series.tobytes() == case.series.tobytes()
    with pytest.raises(InvalidInput, match="path_set <=3 has no meaning for routing min"):
        simulate("hyperx(2,3,3)", load=0.2, config=QUICK, path_set="<=3")


# Switches 0 - 1 - 2 in a row, compute nodes at both ends.
NEAR_AND_FAR = ListedTopology([1, 0, 1], [[[0, 1]], [[1, 2]]], kinds_of({"near": 5, "far": 300}))
AS_FAR = ListedTopology([1, 0, 1], [[[0, 1]], [[1, 2]]], kinds_of({"near": 10, "far": 10}))


@pytest.mark.parametrize(
    ("network", "asked", "cycles"),
    [
        (NEAR_AND_FAR, {}, 5 + 300),
        (NEAR_AND_FAR, {"link_latencies": "far=4096"}, 5 + 4096),
        (NEAR_AND_FAR, {"local_latency": 7}, 7 + 7),
        (NEAR_AND_FAR, {"local_latency": 7, "link_latencies": "near=2"}, 2 + 7),
        (without(NEAR_AND_FAR, Failures()), {}, 5 + 300),
        (AS_FAR, {}, 1 + 1),
        (AS_FAR, {"local_latency": 10}, 10 + 10),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_packet_alone_takes_the_latencies_of_the_file(
    network: Topology, asked: dict[str, Any], cycles: int
) -> None:
    case = VctScenario(network, "min", parse_pattern("uniform(others)"))
    config = VctConfig(warmup_cycles=0, measured_cycles=200_000, **asked)
    # Both nodes' links, and the phits behind the header.
    alone = cycles + 2 * 1 + 16 - 1
    assert alone <= case.run(0.0005, config).latency_mean < alone + 0.1
    known = case.resolved(config)
    assert case.resolved(known) == known
    # What nothing is said of is told.
    assert any("links take 1 cycle" in one for one in case.warnings(known)) is (cycles == 2)


@pytest.mark.parametrize(("latency", "buffer"), [(100, 64), (20, 32), (20, 64), (4096, 64)])
def test_one_vc_carries_a_buffer_per_credit_round_trip(latency: int, buffer: int) -> None:
    case = scenario("hyperx(1,2)", "min", "dshift(1)")
    config = VctConfig(20_000, 40_000, "any", 1, local_latency=latency, input_buffer_phits=buffer)
    # The first phit there, its credit back, and the others behind it.
    round_trip = 2 * latency + 16 - 1
    carried = case.run(1.0, config).accepted
    warnings = case.warnings(config)
    if buffer < round_trip:
        assert carried == pytest.approx(buffer / round_trip, rel=0.05)
        assert f"one VC carries at most {buffer / round_trip:.3f} phits/cycle" in warnings[0]
    else:
        assert carried > 0.98
        assert warnings == ()


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (
            {"global_latency": 5},
            r"global_latency = 5: hyperx\(2,3,3\) has x and y links only, and link_latencies sets "
            "those that it names, such as x=5,y=5",
        ),
        (
            {"local_latency": 5, "link_latencies": "y=2,x=3"},
            r"local_latency = 5: hyperx\(2,3,3\) has x and y links only",
        ),
        ({"link_latencies": "z=3"}, r"link_latencies z=3: .* has no z links, but x and y"),
        ({"link_latencies": "x=3,x=4"}, "link_latencies 'x=3,x=4' names x twice"),
        ({"link_latencies": "x=0"}, r"link_latencies x 0 is out of range: 1\.\.4096"),
        ({"link_latencies": "x:3"}, r"link_latencies 'x:3' is malformed: expected KIND=CYCLES,"),
    ],
)
@pytest.mark.parametrize("config", [VctConfig, SimulationConfig])
def test_latencies_are_of_links_that_the_network_has(
    config: Callable[..., VctConfig | SimulationConfig], asked: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidInput, match=problem):
        config(**asked).on(parse_topology("hyperx(2,3,3)"))
