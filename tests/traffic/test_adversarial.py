"""Shifts of groups and along dimensions, and uniform traffic to others, by their formulas."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim_bridge import SimulationConfig, simulate
from tvlb.errors import InvalidInput
from tvlb.topology import (
    Dragonfly,
    DragonflyPlus,
    Failures,
    HyperX,
    ListedTopology,
    SlimFly,
    Topology,
    parse_topology,
    without,
)
from tvlb.traffic import (
    DestinationPattern,
    parse_named_pattern,
    parse_pattern,
    switch_demand,
    to_neighbours,
    type1_set,
)

# Dragonflies of 5 groups of 4 switches with 3 nodes; on the second, leaves.
GROUPED = [Dragonfly(3, 4, 2, 5), DragonflyPlus(3, 4, 2, 5)]


def destinations(text: str, topology: Topology) -> list[int]:
    pattern = parse_named_pattern(text)
    assert isinstance(pattern, DestinationPattern)
    return pattern.destinations(topology, 0).tolist()


@pytest.mark.parametrize("topology", GROUPED, ids=str)
def test_adv_keeps_the_place_in_the_group(topology: Topology) -> None:
    found = destinations("adv(2)", topology)
    for group in range(5):
        for place in range(12):
            assert found[group * 12 + place] == (group + 2) % 5 * 12 + place


@pytest.mark.parametrize("topology", GROUPED, ids=str)
def test_advr_draws_from_the_group(topology: Topology) -> None:
    traffic = parse_pattern("advr(3)").resolve(topology, 0)
    table = traffic.table
    assert table is not None
    for node in range(60):
        row = table.row_of_node[node]
        own = slice(table.offset[row], table.offset[row + 1])
        first = (node // 12 + 3) % 5 * 12
        assert table.target[own].tolist() == list(range(first, first + 12))
        assert table.probability[own] == pytest.approx(1 / 12)


@given(st.lists(st.integers(2, 4), min_size=1, max_size=4), st.integers(1, 3), st.data())
def test_dshift_moves_every_coordinate_or_one(
    sides: list[int], p: int, data: st.DataObject
) -> None:
    topology = HyperX(p, *sides)
    dimension = data.draw(st.sampled_from([None, *range(1, len(sides) + 1)]))
    longest = max(sides) if dimension is None else sides[dimension - 1]
    shift = data.draw(st.integers(0, longest - 1))
    text = f"dshift({shift})" if dimension is None else f"dshift({shift},{dimension})"
    found = destinations(text, topology)
    for switch in range(topology.num_switches):
        rest, target, unit = switch, 0, 1
        for axis, side in enumerate(sides, 1):
            moved = shift if dimension in (None, axis) else 0
            target += (rest + moved) % side * unit
            rest, unit = rest // side, unit * side
        for k in range(p):
            assert found[switch * p + k] == target * p + k


def rates_of(text: str, topology: Topology) -> NDArray[np.float64]:
    """What every node sends to every node by the words of the paper, float64 (nodes, nodes)."""
    switch = topology.network.node_switch.tolist()
    leaves = sorted({*switch})
    a, nodes = len(leaves) // topology.node_groups, len(switch)
    nodes_of = {one: [node for node in range(nodes) if switch[node] == one] for one in leaves}
    groups = [leaves[at : at + a] for at in range(0, len(leaves), a)]
    rates = np.zeros((nodes, nodes))
    for sender in range(nodes):
        own, place = divmod(leaves.index(switch[sender]), a)
        if text == "advc":
            h = topology.global_ports if isinstance(topology, Dragonfly) else 2
            for step in range(1, h + 1):
                group = groups[(own + step) % len(groups)]
                for target in (node for one in group for node in nodes_of[one]):
                    rates[sender, target] += 1 / h / (a * len(nodes_of[group[0]]))
        elif text == "advl":
            ends = nodes_of[groups[own][(place + 1) % a]]
            rates[sender, ends] += 1 / len(ends)
        else:
            hot = len(leaves) / 8
            for number, one in enumerate(leaves):
                interval = min(1.0, (number + 1) / hot) - min(1.0, number / hot)
                chosen = 0.25 * interval + 0.75 / len(leaves)
                rates[sender, nodes_of[one]] += chosen / len(nodes_of[one])
            rates[sender, sender] = 0.0
            rates[sender] /= rates[sender].sum()
    return rates


@pytest.mark.parametrize("text", ["advc", "advl", "hot"])
@pytest.mark.parametrize("topology", GROUPED, ids=str)
def test_rates_are_those_of_the_paper(topology: Topology, text: str) -> None:
    rates = rates_of(text, topology)
    assert rates.sum(axis=1) == pytest.approx(1)
    demand = switch_demand(topology, parse_pattern(text).resolve(topology, 0))
    switch = topology.network.node_switch
    between = np.zeros((topology.num_switches, topology.num_switches))
    np.add.at(between, (switch[:, None], switch[None, :]), rates)
    np.fill_diagonal(between, 0)
    found = np.zeros_like(between)
    found[demand.source, demand.target] = demand.rate
    assert found == pytest.approx(between)
    assert demand.max_ejection == pytest.approx(rates.sum(axis=0).max())


def test_hot_spots_need_a_second_node_and_take_switches_of_any_size() -> None:
    alone = ListedTopology([1, 0], [[[0, 1]]])
    with pytest.raises(InvalidInput, match=r"hot: .* has no other nodes"):
        parse_pattern("hot").resolve(alone, 0)
    # Of two switches the first is always the hot one, with 1 of the 3 nodes.
    uneven = ListedTopology([1, 2], [[[0, 1]]])
    demand = switch_demand(uneven, parse_pattern("hot").resolve(uneven, 0))
    # It is drawn by 0.25 + 0.75 / 2 = 0.625; the nodes of the other by 0.1875 each. The sender is
    # drawn anew, so node 0 sends all to the other switch, and its nodes 0.625 / 0.8125 to node 0.
    assert demand.rate == pytest.approx([1, 2 * 0.625 / 0.8125])
    assert demand.max_ejection == pytest.approx(2 * 0.625 / 0.8125)


def test_groups_are_known_until_a_switch_is_down() -> None:
    topology = GROUPED[0]
    cut = without(topology, Failures(links=((0, 1),)))
    smaller = without(topology, Failures(switches=(0,)))
    for text in ("advc", "advl"):
        pattern = parse_pattern(text)
        assert pattern.resolve(cut, 0).equals(pattern.resolve(topology, 0))
        with pytest.raises(InvalidInput, match=f"{text} is no pattern of .*: it has no groups"):
            pattern.resolve(smaller, 0)


def test_derangements_are_drawn_uniformly() -> None:
    four = HyperX(1, 4)
    found = Counter(
        tuple(destinations(f"permutation(derangement,seed={seed})", four)) for seed in range(900)
    )
    assert all(one[node] != node for one in found for node in range(4))
    # There are 9, so 100 each: 9.4 by one standard deviation.
    assert len(found) == 9
    assert all(60 < count < 140 for count in found.values())
    with pytest.raises(InvalidInput, match=r"permutation\(derangement\): .* has no other nodes"):
        destinations("permutation(derangement)", ListedTopology([1, 0], [[[0, 1]]]))


def test_uniform_to_others_never_goes_back() -> None:
    topology = DragonflyPlus(3, 2, 1, 3)
    traffic = parse_pattern("uniform(others)").resolve(topology, 0)
    demand = switch_demand(topology, traffic)
    # 18 nodes; from each of the 3 nodes of a leaf to the 3 of another, of 17 in all.
    assert len(demand.rate) == 6 * 5
    assert demand.rate == pytest.approx(3 * 3 / 17)
    assert demand.max_ejection == pytest.approx(1)
    alone = HyperX(1, 3)
    config = SimulationConfig(warmup_cycles=0, measured_cycles=3000, traced_packets=500)
    result = simulate(alone, routing="min", pattern="uniform(others)", load=0.3, config=config)
    assert len(result.traces) > 400
    ends = {(trace.source, trace.destination) for trace in result.traces}
    assert ends == {(one, other) for one in range(3) for other in range(3) if one != other}
    included = simulate(alone, routing="min", pattern="uniform", load=0.3, config=config)
    assert any(trace.source == trace.destination for trace in included.traces)


def test_permutations_of_switches_leave_spines_out() -> None:
    topology = DragonflyPlus(2, 2, 2, 5)
    for text in ("switch-permutation(seed=3)", "affine(3,1)"):
        found = destinations(text, topology)
        assert sorted(found) == list(range(topology.num_nodes))
        assert [node % 2 for node in found] == [0, 1] * 10


@pytest.mark.parametrize(
    "topology",
    [
        *(Dragonfly(2, 4, 2, 9), Dragonfly(1, 2, 2, 3), SlimFly(5), HyperX(2, 3, 4)),
        without(Dragonfly(2, 4, 2, 9), Failures(links=((0, 1),), switches=(7,))),
    ],
    ids=str,
)
def test_permutations_of_neighbours_take_one_link(topology: Topology) -> None:
    network = topology.network
    joined = set(zip(network.link_source.tolist(), network.link_target.tolist(), strict=True))
    drawn = set[tuple[int, ...]]()
    for seed in range(4):
        target = destinations(f"switch-permutation(neighbours,seed={seed})", topology)
        assert sorted(target) == list(range(topology.num_nodes))
        ends = network.node_switch, network.node_switch[np.array(target)]
        assert {*zip(*(one.tolist() for one in ends), strict=True)} <= joined
        drawn.add(tuple(target))
    assert len(drawn) > 2


def test_permutations_of_neighbours_leave_alone_who_has_none() -> None:
    text = "switch-permutation(neighbours,seed=1)"
    # Between the ends of a chain there is a switch without nodes, beside it two with nodes.
    chain = ListedTopology([1, 1, 0, 1, 1], [[[0, 1], [1, 2], [2, 3], [3, 4]]])
    assert destinations(text, chain) == [1, 0, 3, 2]
    # Of a star the hub and one other exchange packets, and on a cube without a corner six do.
    star = ListedTopology([1, 1, 1, 1, 1], [[[0, 1], [0, 2], [0, 3], [0, 4]]])
    assert sorted(destinations(text, star))[:3] == [-1, -1, -1]
    assert sum(one >= 0 for one in destinations(text, star)) == 2
    cube = without(HyperX(1, 2, 2, 2), Failures(switches=(0,)))
    assert sum(one >= 0 for one in destinations(text, cube)) == 6
    assert to_neighbours(cube, 1) is not None
    assert to_neighbours(star, 1) is None
    apart = DragonflyPlus(2, 2, 2, 5)
    assert to_neighbours(apart, 1) is None
    with pytest.raises(InvalidInput, match=r"neighbours,seed=1\): no link of dflyplus.* joins two"):
        destinations(text, apart)


def test_families_have_adversarial_patterns_of_their_own() -> None:
    assert [*map(str, type1_set(DragonflyPlus(1, 2, 1, 3)))] == ["adv(1)", "adv(2)"]
    assert [*map(str, type1_set(HyperX(1, 3, 2)))] == [
        *("dshift(1)", "dshift(2)", "dshift(1,1)", "dshift(2,1)", "dshift(1,2)")
    ]
    assert "adv(1)" not in map(str, type1_set(Dragonfly(2, 4, 2, 5)))


@pytest.mark.parametrize(
    ("network", "text", "said"),
    [
        ("hyperx(2,3,3)", "adv(1)", "adv(1) is no pattern of hyperx(2,3,3): it has no groups"),
        ("hyperx(2,3,3)", "advc", "advc is no pattern of hyperx(2,3,3): it has no groups"),
        ("dfly(2,4,4,3)", "advc", "its 3 groups are no more than the 4 next ones"),
        ("hyperx(2,3,3)", "advl", "advl is no pattern of hyperx(2,3,3): it has no groups"),
        ("dflyplus(2,1,2,3)", "advl", "its groups have one switch with nodes each"),
        ("hyperx(2,3,3)", "advr(1)", "advr(1) is no pattern of hyperx(2,3,3): it has no groups"),
        ("dflyplus(2,2,2,5)", "adv(5)", "group shift 5 is out of range; allowed are 0..4"),
        ("dflyplus(2,2,2,5)", "advr(-1)", "group shift -1 is out of range; allowed are 0..4"),
        ("dflyplus(2,2,2,5)", "dshift(1)", "dshift(1) is no pattern of dflyplus(2,2,2,5)"),
        ("hyperx(2,3,4)", "dshift(4)", "shift 4 is out of range; allowed are 0..3"),
        ("hyperx(2,3,4)", "dshift(3,1)", "shift 3 is out of range; allowed are 0..2"),
        ("hyperx(2,3,4)", "dshift(1,3)", "hyperx(2,3,4) has dimensions 1..2"),
        ("hyperx(2,3,4)", "affine(2,0)", "a divisor in common with the 12 switches"),
    ],
)
def test_patterns_that_do_not_fit_are_refused(network: str, text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_pattern(text).resolve(parse_topology(network), 0)
    assert said in str(caught.value)


# Places in a group mean nothing where some nodes of it are gone.
def test_groups_that_lost_nodes_are_none() -> None:
    left = without(Dragonfly(2, 4, 2, 9), Failures(switches=(3,)))
    with pytest.raises(InvalidInput, match="it has no groups"):
        parse_pattern("adv(1)").resolve(left, 0)
