"""From node traffic to flows between switches: nothing is lost."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.topology import Dragonfly, ListedTopology, Topology, parse_topology
from tvlb.traffic import (
    Demand,
    Pattern,
    Shift,
    idle_warnings,
    parse_pattern,
    switch_demand,
    type1_set,
    type2_set,
)

TOPOLOGY = Dragonfly(2, 4, 2, 9)


def demand_of(pattern: Pattern, topology: Topology = TOPOLOGY) -> Demand:
    return switch_demand(topology, pattern.resolve(topology, 0))


def test_shift_is_one_full_flow_per_switch() -> None:
    demand = demand_of(Shift(2, 1))
    assert demand.source.tolist() == list(range(36))
    assert demand.target.tolist() == [(s // 4 + 2) % 9 * 4 + (s % 4 + 1) % 4 for s in range(36)]
    assert demand.rate.tolist() == [2.0] * 36  # p nodes at 1 flit/cycle
    assert (demand.max_injection, demand.max_ejection) == (1.0, 1.0)


def test_traffic_inside_a_switch_uses_no_link_but_both_ports() -> None:
    demand = demand_of(Shift(0, 0))
    assert len(demand.rate) == 0
    assert (demand.max_injection, demand.max_ejection) == (1.0, 1.0)


def test_uniform_spreads_over_all_nodes_the_sender_included() -> None:
    # p nodes send 1/36 each to every switch; the own switch's share stays inside.
    demand = demand_of(parse_pattern("uniform"))
    assert len(demand.rate) == 36 * 35
    assert demand.rate == pytest.approx(np.full(36 * 35, 2 / 36))
    assert demand.max_ejection == pytest.approx(1.0)


@pytest.mark.usefixtures("toys")
def test_uniform_goes_where_nodes_are() -> None:
    # Four leaves with a node each, three spines without.
    demand = demand_of(parse_pattern("uniform"), topology=parse_topology("leaves(4,3)"))
    assert {*demand.source.tolist(), *demand.target.tolist()} == {0, 1, 2, 3}
    assert demand.rate.tolist() == [1 / 4] * 12
    assert demand.max_ejection == pytest.approx(1.0)


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("pattern", "flows"),
    # Every leaf sends to 3 others; of 4 nodes with 4 switches, 1 - exp(-1/4) of the pairs.
    [("uniform", 12), ("tmixed(50,50,permutation)", 12), ("permutation", 12 * 0.2212)],
)
def test_flows_are_counted_between_switches_with_nodes(pattern: str, flows: float) -> None:
    topology = parse_topology("leaves(4,3)")
    assert parse_pattern(pattern).count_flows(topology) == pytest.approx(flows, rel=1e-4)


@pytest.mark.usefixtures("toys")
def test_families_without_patterns_of_their_own_have_permutations() -> None:
    topology = parse_topology("ring(5,2)")
    assert type1_set(topology) == []
    assert [str(one) for one in type2_set(topology)[:2]] == [
        "permutation(seed=0)",
        "permutation(seed=1)",
    ]


def test_time_mixed_adds_both_parts() -> None:
    demand = demand_of(parse_pattern("tmixed(25,75,shift(1,0))"))
    to_partner = (demand.source // 4 + 1) % 9 * 4 + demand.source % 4 == demand.target
    assert demand.rate[to_partner] == pytest.approx(2 * (0.75 + 0.25 / 36))
    assert demand.rate[~to_partner] == pytest.approx(2 * 0.25 / 36)


PATTERNS = [
    "uniform",
    "shift(2,0)",
    "shift(0,1)",
    "type2(seed=1)",
    "permutation(seed=3)",
    "permutation",
    "mixed(75,25,shift(1,0))",
    "mixed(30,70,permutation(seed=2),seed=5)",
    "tmixed(50,50,type2(seed=1))",
]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.sampled_from(PATTERNS), st.integers(0, 1000), st.sampled_from([3, 5, 9]))
def test_every_flit_sent_to_another_switch_is_in_one_flow(
    text: str, seed: int, groups: int
) -> None:
    topology = Dragonfly(2, 4, 2, groups)
    traffic = parse_pattern(text).resolve(topology, seed)
    demand = switch_demand(topology, traffic)
    switch = topology.network.node_switch
    # Per node: the uniform part leaves its switch with probability 1 - 1/switches; the rest
    # leaves unless the destination is on the same switch.
    leaves = np.where(switch[traffic.destination] != switch, 1.0, 0.0)
    sent = traffic.rate * (
        traffic.uniform_fraction * (1 - 1 / topology.num_switches)
        + (1 - traffic.uniform_fraction) * leaves
    )
    expected = np.bincount(switch, weights=sent)
    found = np.bincount(demand.source, weights=demand.rate, minlength=topology.num_switches)
    assert found == pytest.approx(expected)
    assert (demand.source != demand.target).all()
    order = np.lexsort((demand.target, demand.source))
    assert (order == np.arange(len(order))).all()


def test_switch_matrices_are_flows_as_written(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("# level=switch\nsrc,dst,rate\n3,5,0.5\n3,3,0.25\n7,1,2\n")
    demand = demand_of(parse_pattern(str(path)))
    flows = zip(demand.source.tolist(), demand.target.tolist(), demand.rate.tolist(), strict=True)
    assert sorted(flows) == [(3, 5, pytest.approx(0.5)), (7, 1, pytest.approx(2.0))]
    assert demand.max_injection == pytest.approx(1.0)  # 2 flits/cycle over p = 2 nodes
    assert demand.max_ejection == pytest.approx(1.0)


def test_node_matrices_are_added_up_by_switch(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("# level=node\nsrc,dst,rate\n0,9,0.25\n1,8,0.5\n1,0,0.25\n2,9,0.5\n")
    demand = demand_of(parse_pattern(str(path)))
    # Nodes 0 and 1 are on switch 0, node 2 on switch 1, nodes 8 and 9 on switch 4.
    flows = zip(demand.source.tolist(), demand.target.tolist(), demand.rate.tolist(), strict=True)
    assert sorted(flows) == [(0, 4, pytest.approx(0.75)), (1, 4, pytest.approx(0.5))]
    assert demand.max_injection == pytest.approx(0.75)  # node 1
    assert demand.max_ejection == pytest.approx(0.75)  # node 9


def test_nodes_without_a_partner_are_told() -> None:
    # Nodes 2 and 3 of switch 1 have no partner at switch 2, which has two nodes, as has switch 0.
    uneven = ListedTopology([2, 4, 2], [[[0, 1], [1, 2], [0, 2]]])
    for text in ("affine(1,1)", "mixed(50,50,affine(1,1))", "tmixed(50,50,affine(1,1))"):
        (told,) = idle_warnings([parse_pattern(text)], uneven)
        assert told.startswith(f"2 of 8 nodes do not send under {text}: ")
    everyone = [parse_pattern(one) for one in ("uniform", "permutation(seed=1)")]
    assert idle_warnings(everyone, uneven) == ()
    assert (
        parse_pattern("affine(1,1)").resolve(uneven, 0).rate.tolist() == [1] * 4 + [0] * 2 + [1] * 2
    )
