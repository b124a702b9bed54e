"""Virtual cut-through along drawn paths: phit by phit, beside input queues, and proved."""

import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sim_bridge import Scenario, SimulationConfig, _core, simulate
from sim_bridge.routers.vct import VC_POLICIES, VCT_PATH_ROUTINGS, VctConfig, VctResult, VctScenario
from tests.vct_phits import Packet, PhitSimulator
from tvlb.errors import InvalidInput
from tvlb.paths import UgalRule, parse_expression
from tvlb.topology import Topology, compiled, parse_topology
from tvlb.traffic import DestinationPattern, parse_pattern

LATENCY = 3
CONFIG = VctConfig(
    warmup_cycles=300,
    measured_cycles=1700,
    vc_count=5,
    packet_phits=4,
    input_buffer_phits=16,
    output_buffer_phits=8,
    local_latency=LATENCY,
)


def scenario(topology: str, routing: str, pattern: str, paths: str = "all") -> VctScenario:
    network = parse_topology(topology)
    path_set = parse_expression(paths, network)
    return VctScenario(network, routing, parse_pattern(pattern), 0, path_set)


def ladder(links: int, _phase: int) -> range:
    return range(links, links + 1)


def vlb_share(run: VctResult) -> float:
    assert run.vlb_share is not None
    return run.vlb_share


class Ugal(PhitSimulator):
    """UGAL-L, and with `again` PAR, on a network whose pairs have one MIN path each."""

    def __init__(self, *known: Any, queue: str, again: bool, **more: Any) -> None:
        super().__init__(*known, valiant=False, **more)
        self.queue, self.again = queue, again
        self.choices = random.Random(1)
        self.open: set[int] = set()  # packets that decide again
        self.decisions: list[bool] = []

    def walk(self, at: int, to: int) -> list[tuple[int, int]]:
        """Return switch and port of each link of the MIN path."""
        found: list[tuple[int, int]] = []
        while at != to:
            (port,) = self.ports(at, to)
            found.append((at, port))
            at = self.peer[at, port][0]
        return found

    def counted(self, link: tuple[int, int], vc: int) -> int:
        if self.queue == "port":
            return sum(self.unreturned[(*link, each)] for each in range(self.vcs))
        used = self.unreturned[(*link, vc)]
        if self.queue == "vc":
            return used
        since = self.now - 2 * LATENCY
        return used - sum(cycle > since for cycle in self.left[(*link, vc)])

    def decide(self, packet: Packet, switch: int) -> None:
        target = self.switch_of[packet.destination]
        direct = self.walk(switch, target)
        detours = [self.walk(switch, via) + self.walk(via, target) for via in self.senders]
        simple = [
            (via, links)
            for via, links in zip(self.senders, detours, strict=True)
            if via not in (switch, target)
            and len({*(at for at, _ in links), target}) == len(links) + 1
        ]
        via, detour = self.choices.choice(simple)
        least, most = (
            self.counted(links[0], packet.links) * len(links) for links in (direct, detour)
        )
        takes = least > most
        self.decisions.append(takes)
        packet.via = via if takes else None
        if self.again and packet.links == 0 and not takes and len(direct) > 1:
            self.open.add(id(packet))

    def _enter(self, packet: Packet, switch: int) -> None:
        if switch != self.switch_of[packet.destination]:
            self.decide(packet, switch)

    def _pass(self, packet: Packet, switch: int) -> None:
        if id(packet) in self.open:
            self.open.remove(id(packet))
            self.decide(packet, switch)


@pytest.mark.parametrize(
    ("routing", "queue"),
    [("ugal-l", "port"), ("ugal-l", "vc"), ("ugal-l", "waiting"), ("par", "port")],
)
def test_decisions_agree_with_phits(routing: str, queue: str) -> None:
    topology, pattern = parse_topology("hyperx(2,3,3)"), parse_pattern("dshift(1)")
    assert isinstance(pattern, DestinationPattern)
    # Two packets per VC are less than a round trip of 9 cycles carries, so that some wait.
    config = replace(CONFIG, queue=queue, input_buffer_phits=8 if queue == "waiting" else 16)
    slow = Ugal(
        topology,
        config,
        _core.MinPorts(compiled(topology)).ports,
        pattern.destinations(topology, 0).tolist(),
        ladder,
        queue=queue,
        again=routing == "par",
        load=0.5,
        seed=0,
    )
    expected = slow.run()
    case = scenario("hyperx(2,3,3)", routing, "dshift(1)")
    runs = [case.with_seed(seed).run(0.5, config) for seed in range(4)]
    assert np.mean([vlb_share(run) for run in runs]) == pytest.approx(
        np.mean(slow.decisions), abs=0.02
    )
    assert np.mean([run.hops_mean for run in runs]) == pytest.approx(expected.hops, rel=0.02)
    assert np.mean([run.latency_mean for run in runs]) == pytest.approx(expected.latency, rel=0.06)


@pytest.mark.parametrize("routing", VCT_PATH_ROUTINGS)
@pytest.mark.parametrize(
    ("topology", "pattern", "paths"),
    [
        ("2,4,2,9", "shift(1,0)", "short(2,3)"),
        ("hyperx(2,3,3)", "dshift(1)", "all"),
        ("slimfly(5)", "uniform", "ori"),
        ("torus(1,4,4)", "uniform", "<=4"),
    ],
)
def test_paths_are_those_of_the_other_router(
    routing: str, topology: str, pattern: str, paths: str
) -> None:
    """Packets of one phit, without much waiting, and credits that are in use for as long.

    A flit of `iq` has a credit in use for 2 * 1 + 5 cycles; a phit is seen for 2 * 4 - 1, since its
    own cycle does not count.
    """
    network = parse_topology(topology)
    mine_latencies, latencies = (
        ",".join(f"{kind}={cycles}" for kind in network.kinds.names) for cycles in (4, 1)
    )
    config = VctConfig(500, 6000, packet_phits=1, link_latencies=mine_latencies)
    case = scenario(topology, routing, pattern, paths)
    mine = case.run(0.08, config)
    other = Scenario(case.topology, routing, case.path_sets[0], case.pattern, 0)
    theirs = other.run(0.08, SimulationConfig(500, 6000, link_latencies=latencies))
    assert mine.hops_mean == pytest.approx(theirs.hops_mean, rel=0.02)
    assert vlb_share(mine) == pytest.approx(theirs.vlb_share, abs=0.01)
    # Those of the nodes have one cycle.
    assert mine.latency_mean == pytest.approx(4 * mine.hops_mean + 2, rel=0.03)


def test_drawn_paths_are_followed_to_their_ends() -> None:
    case = scenario("4,8,4,9", "vlb", "shift(2,0)", "short(2,3)")
    run = case.run(0.05, VctConfig(500, 2000, traced_packets=300))
    assert vlb_share(run) == 1.0
    source, target = case.topology.network.link_source, case.topology.network.link_target
    links = {*zip(source.tolist(), target.tolist(), strict=True)}
    for trace in run.traces:
        switches = [hop.switch for hop in trace.hops]
        assert 2 <= len(switches) - 1 <= 5
        assert all(pair in links for pair in pairwise(switches))
        assert [hop.vc for hop in trace.hops[:-1]] == [*range(len(switches) - 1)]


def vcs_needed(topology: Topology, routing: str, policy: str) -> int | None:
    case = VctScenario(topology, routing, parse_pattern("uniform"))
    try:
        return case.proof(policy).vcs_needed
    except InvalidInput:
        return None


# Longest MIN routes have 3, 2 and 2 links; PAR takes one more. `2phases` does not keep PAR's first
# link apart: three local links of a group may wait for each other.
@pytest.mark.parametrize(
    ("topology", "expected"),
    [
        (
            "dfly(2,4,2,9)",
            {
                "ladder": (6, 7),
                "reuse": (6, 7),
                "2phases": (4, None),
                "any": (None, None),
                "fixed": (4, None),
            },
        ),
        (
            "hyperx(2,3,3)",
            {"ladder": (4, 5), "reuse": (4, 5), "2phases": (2, None), "any": (None, None)},
        ),
        (
            "slimfly(5)",
            {"ladder": (4, 5), "reuse": (4, 5), "2phases": (None, None), "any": (None, None)},
        ),
    ],
)
def test_vcs_follow_from_the_proof_of_drawn_paths(
    topology: str, expected: dict[str, tuple[int | None, int | None]]
) -> None:
    network = parse_topology(topology)
    for policy, counts in expected.items():
        assert tuple(vcs_needed(network, one, policy) for one in ("ugal-l", "par")) == counts


@pytest.mark.parametrize("policy", VC_POLICIES)
@pytest.mark.parametrize("routing", ["ugal-l", "par"])
@pytest.mark.parametrize("topology", ["dfly(2,4,2,9)", "hyperx(2,3,3)"])
def test_what_is_proved_does_not_deadlock(topology: str, routing: str, policy: str) -> None:
    case = scenario(topology, routing, "permutation(seed=3)")
    if vcs_needed(case.topology, routing, policy) is None:
        return
    tight = VctConfig(0, 6000, policy, input_buffer_phits=16, output_buffer_phits=16, queue="vc")
    assert case.run(1.0, tight).accepted > 0.05


def test_ugal_g_counts_along_the_path_and_its_phases() -> None:
    """Where phases have VCs of their own, those behind the intermediate are the upper half."""
    case = scenario("dfly(2,4,2,9)", "ugal-g", "shift(1,0)")
    for queue in ("port", "vc", "waiting", "port/vc"):
        run = case.run(0.3, VctConfig(1000, 3000, "2phases", queue=queue))
        assert 0.2 < vlb_share(run) < 1.0
        assert run.accepted == pytest.approx(0.3, rel=0.2)


def test_equal_arguments_give_equal_results_and_settings_act() -> None:
    case = scenario("dfly(2,4,2,9)", "ugal-l", "shift(1,0)")
    quick = VctConfig(300, 1000)
    usual = case.run(0.3, quick)
    assert usual.series.tobytes() == case.run(0.3, quick).series.tobytes()
    for change in (
        {"queue": "vc"},
        {"queue": "waiting"},
        {"queue": "hybrid", "vc_policy": "reuse"},
        {"ugal_rule": "two"},
        {"threshold": 64},
        {"vlb_factor": 2.0},
        {"candidates": 4},
    ):
        assert case.run(0.3, replace(quick, **change)).latency_mean != usual.latency_mean
    never = case.run(0.3, replace(quick, threshold=1_000_000))
    assert vlb_share(never) == 0.0


def test_a_table_brings_its_rule() -> None:
    case = scenario("dfly(2,4,2,9)", "ugal-l", "shift(1,0)")
    rule = UgalRule(queue="vc", threshold=-8)
    made_for = replace(case, path_set=case.path_sets[0].made_for(rule))
    quick = VctConfig(300, 700)
    told = made_for.run(0.3, quick)
    assert (told.config.queue, told.config.threshold) == ("vc", -8)
    same = case.run(0.3, replace(quick, queue="vc", threshold=-8))
    assert told.series.tobytes() == same.series.tobytes()
    assert made_for.run(0.3, replace(quick, queue="port")).config.queue == "port"
    # Where nothing is compared nothing is told.
    assert replace(case, routing="min").run(0.3, quick).config.queue is None


@pytest.mark.parametrize(
    ("routing", "paths", "config", "problem"),
    [
        (
            "min",
            "all",
            {"queue": "vc"},
            "queue vc is of the routings ugal-l, ugal-g or par, not of min",
        ),
        ("vlb", "all", {"candidates": 2}, "candidates 2 is of the routings"),
        ("ugal-g", "all", {"ugal_rule": "two"}, "ugal_rule two is of the routings ugal-l or par"),
        ("ugal-l", "all", {"queue": "shared"}, "queue 'shared': choose one of port, vc"),
        ("vlb", "none", {}, "routing vlb needs VLB paths; none has none"),
        ("ugal-l", "all", {"vc_policy": "any"}, "vcs any is for routing min"),
        ("par", "all", {"vc_count": 6}, "vc_count 6 is too few: ladder needs at least 7 here"),
    ],
)
def test_what_does_not_fit_is_refused(
    routing: str, paths: str, config: dict[str, Any], problem: str
) -> None:
    case = scenario("dfly(2,4,2,9)", routing, "uniform", paths)
    with pytest.raises(InvalidInput, match=problem):
        case.run(0.1, VctConfig(100, 100, **config))


def test_networks_and_sets_that_do_not_fit_are_refused() -> None:
    network, quick = parse_topology("2,4,2,5"), VctConfig(100, 100)
    both = [parse_expression(one, network) for one in ("all", "<=4")]
    with pytest.raises(InvalidInput, match=r"path_set <=4 has no meaning for routing min"):
        simulate(network, load=0.1, routing="min", path_set=both[1], config=quick)
    with pytest.raises(InvalidInput, match=r"where no paths of dflyplus.* begin"):
        scenario("dflyplus(2,2,2,5)", "par", "uniform")
    with pytest.raises(InvalidInput, match="draws from one path set, not from 2"):
        VctScenario(network, "ugal-l", parse_pattern("uniform"), 0, both)
    long = scenario("torus(1,20)", "ugal-l", "uniform")
    with pytest.raises(InvalidInput, match="take up to 20 links; the simulator follows at most 15"):
        long.run(0.1)
