"""What a network amounts to, by hand and by networkx; what the terminal shows of it."""

import json
from typing import Any, cast

import networkx
import pytest

from sim_bridge import VctScenario
from tvlb.cli.app import main
from tvlb.requests.network import NetworkFacts, VcsNeeded
from tvlb.topology import Failures, ListedTopology, Topology, kinds_of, parse_topology, without
from tvlb.traffic import parse_pattern

# A triangle 0-1-2 and a switch 3 without nodes, by two parallel cables to 2.
LISTED = ListedTopology(
    [2, 1, 1, 0],
    [[[0, 1], [1, 2], [0, 2]], [[2, 3], [2, 3]]],
    kinds_of({"near": 5, "far": 300}),
    labels=["a", "b", "c", "d"],
)


def test_a_dragonfly() -> None:
    facts = NetworkFacts.of(parse_topology("2,4,2,9"))
    assert (facts.nodes, facts.switches, facts.groups) == (72, 36, 9)
    assert facts.radix == (2 + 3 + 2, 2 + 3 + 2)
    assert [(one.kind, one.cables) for one in facts.cables] == [("local", 9 * 6), ("global", 36)]
    # Of 35 switches 3 are in the group; of the 2 groups at the switch's own global links 1 is one
    # link away and 3 are two; of the 6 others 1 is two and 3 are three links away.
    assert facts.diameter == 3
    assert facts.min_hops_mean == pytest.approx((3 + 2 * (1 + 3 * 2) + 6 * (2 + 3 * 3)) / 35)
    # Local-global-local in either half, and PAR's local link before them.
    needed = {(one.router, one.routing, one.policy): one.vcs for one in facts.vcs_needed}
    assert needed["iq", "ugal-l", "won"] == 4
    assert needed["iq", "par", "per-hop"] == 7
    # A route of MIN is half of a detour: local, global, local.
    assert (needed["iq", "min", "won"], needed["iq", "min", "per-hop"]) == (2, 3)
    assert needed["vct", "valiant(minfirst)", "ladder"] == 6
    assert needed["vct", "min", "any"] is None


def test_a_network_by_its_cables() -> None:
    facts = NetworkFacts.of(LISTED)
    assert (facts.nodes, facts.switches, facts.switches_with_nodes) == (4, 4, 3)
    assert (facts.nodes_per_switch, facts.radix, facts.groups) == ((1, 2), (2, 5), None)
    assert [one.latency for one in facts.cables] == [5, 300]
    assert [one.latency_vct for one in facts.cables] == [5, 300]
    assert (facts.diameter, facts.min_hops_mean) == (1, 1.0)
    assert facts.labels == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    "network",
    [
        LISTED,
        parse_topology("hyperx(2,3,3)"),
        parse_topology("dflyplus(2,2,2,5)"),
        parse_topology("slimfly(3)"),
        parse_topology("kary(2,3)"),
        without(parse_topology("2,4,2,5"), Failures(links=((0, 1), (0, 2)), switches=(7,))),
    ],
    ids=str,
)
def test_the_smallest_cut(network: Topology) -> None:
    facts = NetworkFacts.of(network)
    graph = cast("Any", networkx.Graph())
    ends = zip(
        network.network.link_source.tolist(), network.network.link_target.tolist(), strict=True
    )
    for source, target in ends:
        if source < target:
            known = graph.get_edge_data(source, target, {"weight": 0})
            graph.add_edge(source, target, weight=known["weight"] + 1)
    assert facts.connectivity == networkx.stoer_wagner(graph)[0]
    degrees = dict(graph.degree(weight="weight"))
    assert facts.fewest_cables == min(degrees.values())
    for one in facts.vcs_needed:
        assert one == VcsNeeded.model_validate(one.plain())
        if one.router == "vct" and one.vcs is not None:
            case = VctScenario(network, one.routing, parse_pattern("uniform"))
            case.proof(one.policy).check(one.vcs, one.policy)


# Two switches are 1, 2, .. 34 links away, and one 35.
def test_a_network_whose_paths_are_too_long(capsys: pytest.CaptureFixture[str]) -> None:
    facts = NetworkFacts.of(parse_topology("torus(2,70)"))
    assert (facts.nodes, facts.switches, facts.diameter) == (140, 70, 35)
    assert facts.min_hops_mean == pytest.approx((34 * 35 + 35) / 69)
    assert facts.connectivity == 2
    assert facts.vcs_needed == ()
    assert facts.uncounted == "torus(2,70): a MIN path has more than 32 hops"
    assert NetworkFacts.of(parse_topology("torus(2,8)")).uncounted is None
    assert main(["show", "torus(2,70)"]) == 0
    assert f"No VCs are told, nor are paths listed: {facts.uncounted}" in capsys.readouterr().out


def test_the_terminal_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "2,4,2,9", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert NetworkFacts.model_validate(facts).plain() == facts
    assert main(["show", "2,4,2,9"]) == 0
    shown = capsys.readouterr().out
    assert "dfly(2,4,2,9): 72 nodes, 36 switches in 9 groups" in shown
    assert "Every switch has at least 5 cables; 5 have to fail to cut the network" in shown
    assert "note: absolute is the wiring of the T-UGAL paper; what others publish" in shown
    assert main(["show", "2,4,2,9", "--pair", "0,1"]) == 2
    assert capsys.readouterr().err == (
        "tvlb: error: --pair 0,1: 2,4,2,9 is a network, and tables have paths\n"
    )
