"""Random networks: regular, simple, joined and the same for a seed; and what is none."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.topology import RandomRegular, parse_named_topology, parse_topology


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    """Switches, ports and a seed, of which there are networks; few of the ports or most."""
    switches = draw(st.integers(3, 40))
    ports = draw(st.integers(2, switches - 1))
    return switches, ports - (switches * ports) % 2 or 2, draw(st.integers(0, 9))


@given(sizes())
def test_every_switch_has_as_many_cables_to_different_ones(size: tuple[int, int, int]) -> None:
    switches, ports, seed = size
    topology = RandomRegular(switches, 2, ports, seed)
    graph: nx.Graph[int] = nx.Graph(topology.graph)
    assert dict(graph.degree) == dict.fromkeys(range(switches), ports)
    assert topology.num_links == 2 * graph.number_of_edges() == switches * ports
    assert nx.is_connected(graph)
    assert RandomRegular(switches, 2, ports, seed) == topology


def test_seeds_are_different_networks() -> None:
    drawn = [parse_topology(f"random(20,4,4,seed={seed})") for seed in range(8)]
    assert len({one.identity for one in drawn}) == len(drawn)
    assert str(drawn[0]) == "random(20,4,4)"
    assert (drawn[0].num_nodes, drawn[0].num_links) == (80, 2 * 40)


# Of 6 switches with 2 cables each 60 networks are one ring, 10 are two triangles. A ring that is
# paired at random is as likely as any other, and two triangles become a ring.
def test_rings_are_about_equally_frequent() -> None:
    drawn = Counter(RandomRegular(6, 1, 2, seed).network.digest() for seed in range(1_200))
    assert len(drawn) == 60
    # 20 are expected of each, with a standard deviation of 4.4.
    assert max(drawn.values()) < 50


def test_large_ones_are_built_quickly_and_well_joined() -> None:
    topology = RandomRegular(1_000, 4, 8)
    degrees = np.bincount(topology.network.link_source)
    assert set(degrees.tolist()) == {8}
    # Random networks are nearly as small as 8 cables allow: 1 + 8 + 8*7 + 8*49 = 457 switches are
    # within 3 links.
    assert len(topology.longest_min_path) in (4, 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("random(6,1,6)", "ports = 6 is out of range: switches of random(6,1,6) have 2..5 cables"),
        ("random(6,1,1)", "ports = 1 is out of range: switches of random(6,1,1) have 2..5 cables"),
        ("random(5,1,3)", "random(5,1,3) has 15 ends of cables, an odd number: S or PORTS has to"),
        ("random(200,5,124)", "a switch of random(200,5,124) has 129 ports; at most 128 are"),
        ("random(20001,1,4)", "S '20001' is out of range: integers 2..20000"),
        ("random(6,1,3,seed=-1)", "seed '-1' is out of range: integers 0.."),
        ("random(6,1,3,7)", "is not random(S,P,PORTS[,seed=N])"),
    ],
)
def test_what_is_none(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_topology(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_switches_have_a_cable() -> None:
    assert RandomRegular(2, 1, 1).num_links == 2
    with pytest.raises(InvalidInput, match="odd number"):
        assert parse_named_topology("random(7,1,3)").sizes
