"""Shifts of groups and along dimensions, and uniform traffic to others, by their formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge import SimulationConfig, simulate
from tvlb.errors import InvalidInput
from tvlb.topology import (
    Dragonfly,
    DragonflyPlus,
    Failures,
    HyperX,
    Topology,
    parse_topology,
    without,
)
from tvlb.traffic import (
    DestinationPattern,
    parse_named_pattern,
    parse_pattern,
    switch_demand,
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
