"""Slim Flies: their graphs, their fields, and what is no Slim Fly."""

from operator import attrgetter

import numpy as np
import pytest

from tests.slimfly_reference import graph_figures, read_rows
from tests.slimfly_simulated import Case, cases_of
from tvlb.errors import InvalidInput
from tvlb.model import capacity_bound
from tvlb.paths import all_pairs, min_rows
from tvlb.topology import Failures, SlimFly, compiled, parse_topology, without
from tvlb.topology.slimfly.field import field_of, is_prime_power
from tvlb.traffic import parse_pattern, switch_demand

GRAPHS = read_rows("graph")
SIZES = [one for one in range(3, 54) if is_prime_power(one)]


@pytest.mark.parametrize("case", cases_of(GRAPHS), ids=attrgetter("name"))
def test_reference_graph(case: Case) -> None:
    figures = graph_figures(case.row.topology)
    assert case.found_in(figures) == pytest.approx(case.values, abs=1e-6)


# Larger ones take seconds.
@pytest.mark.parametrize("q", [one for one in SIZES if one <= 19])
def test_every_size_has_diameter_two(q: int) -> None:
    topology = SlimFly(q)
    degree = (3 * q - (q + 1) % 4 + 1) // 2
    assert np.all(np.bincount(topology.network.link_source) == degree)
    assert topology.metadata["degree"] == degree
    assert topology.num_nodes == 2 * q * q * ((degree + 1) // 2)
    assert len(topology.longest_min_path) == 2
    assert topology.layout.first_global_link == topology.num_links - 2 * q**3
    assert topology.coordinates(q * q + q + 1) == {"subgraph": 1, "column": 1, "row": 1}
    for steps in topology.steps:
        negative = {int(topology.field.minus[0, one]) for one in steps}
        assert negative == set(steps)


@pytest.mark.parametrize("q", [4, 5, 8, 9, 27, 49])
def test_fields_have_inverses_and_no_divisors_of_zero(q: int) -> None:
    field = field_of(q)
    nonzero = field.times[1:, 1:]
    assert np.array_equal(np.sort(nonzero, axis=1), np.tile(np.arange(1, q), (q - 1, 1)))
    assert np.array_equal(np.sort(field.minus, axis=1), np.tile(np.arange(q), (q, 1)))
    # a (b - c) = a b - a c
    a, b, c = np.indices((q, q, q))
    assert np.array_equal(
        field.times[a, field.minus[b, c]], field.minus[field.times[a, b], field.times[a, c]]
    )
    assert field.is_primitive(field.primitive_element)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slimfly(6)", "q = 6 is no size of a Slim Fly; allowed are 3, 4, 5, 7,"),
        ("slimfly(2)", "'2' is out of range: integers 3..53"),
        ("slimfly(55)", "'55' is out of range: integers 3..53"),
        ("slimfly(13,10,3)", "xi = 3 is not primitive in GF(13); allowed are 2, 6, 7, 11"),
        ("slimfly(53,60)", "p = 60 is out of range: a switch of slimfly(53) has 79 ports"),
        ("slimfly(7,min=none)", "'none' is unknown; choose one of all, single"),
    ],
)
def test_what_is_no_slim_fly(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("slimfly(7,6)", "slimfly(7)"),
        ("slimfly(19,15,2)", "slimfly(19)"),
        ("slimfly(19,15,3)", "slimfly(19,15,3)"),
        ("slimfly(5,3,min=single)", "slimfly(5,3,min=single)"),
    ],
)
def test_equal_networks_have_one_text(text: str, shown: str) -> None:
    assert str(parse_topology(text)) == shown
    assert parse_topology(text) == parse_topology(shown)


def test_for_d_1_another_primitive_element_gives_the_same_graph() -> None:
    assert SlimFly(13).network.digest() == SlimFly(13, 10, 6).network.digest()
    assert SlimFly(7).network.digest() != SlimFly(7, 6, 5).network.digest()


def test_the_single_min_path_is_that_by_the_lowest_switch() -> None:
    every, single = SlimFly(7), SlimFly(7, min="single")
    assert every != single
    assert every.identity != single.identity
    ends = all_pairs(every)
    rows, alone = min_rows(every, *ends), min_rows(single, *ends)
    middle = np.where(rows.hops == 2, every.network.link_target[rows.first_link], -1)
    lowest = np.full(len(rows.source), every.num_switches)
    np.minimum.at(lowest, rows.pair_of_row, middle)
    assert np.all(np.diff(alone.offset) == 1)
    found = np.where(alone.hops == 2, single.network.link_target[alone.first_link], -1)
    assert np.array_equal(found, lowest)


def test_min_paths_are_named_by_their_first_link() -> None:
    topology = SlimFly(7)
    rows = min_rows(topology, *all_pairs(topology))
    assert np.array_equal(rows.links()[:, 0], rows.first_link)
    assert compiled(topology).half_hops(
        np.zeros(2, np.int32), np.array([rows.first_link[0], -1], np.int32), rows.target[[0, 0]]
    ).tolist() == [rows.hops[0], -1]


def test_what_failures_leave_keeps_shortest_paths() -> None:
    topology = SlimFly(5)
    cable = (0, int(topology.network.link_target[0]))
    left = without(topology, Failures(links=(cable,)))
    assert left.num_links == topology.num_links - 2
    assert len(left.longest_min_path) >= 2


def test_where_all_flows_are_far_capacity_bounds_throughput() -> None:
    topology = SlimFly(13)
    traffic = parse_pattern("alg2")
    demand = switch_demand(topology, traffic.resolve(topology, 0))
    assert capacity_bound(topology, demand).value == pytest.approx(20 / 30)
    near = switch_demand(topology, parse_pattern("pair").resolve(topology, 0))
    assert capacity_bound(topology, near).value == 1.0
