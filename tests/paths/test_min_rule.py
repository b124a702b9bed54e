"""The Dragonfly's account of its paths, and that by the MIN rule of any network."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.native import kernels
from tvlb.paths import ShortSet, WeightedSet, all_pairs, parse_expression
from tvlb.topology import Dragonfly, Topology, compiled

NETWORKS = [
    Dragonfly(1, 1, 4, 5),
    Dragonfly(2, 4, 2, 5, "palmtree"),
    Dragonfly(1, 3, 2, 4, "circulant"),
    Dragonfly(1, 2, 1, 2),
]
EXPRESSIONS = (
    "all", "<=3", "<=4+37%", "<=3+(2,2)", "shape(g.?:3, lg.lg)", "shape(lgl.lgl) & <=3",
    "shape(g.?) & <=4+10%", "short(2,3)", "short(<=4)", "short(all)",
)  # fmt: skip


def rule_of(
    topology: Topology, expression: str, seed: int
) -> "kernels.ShapeRule | kernels.ShortRule":
    found = parse_expression(expression, topology, seed)
    if isinstance(found, ShortSet):
        return found.rule
    assert isinstance(found, WeightedSet)
    assert found.rule is not None
    return found.rule.native


@pytest.mark.parametrize("topology", NETWORKS, ids=str)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_dragonfly_has_the_paths_of_its_min_rule(topology: Dragonfly, expression: str) -> None:
    fast = compiled(topology).kernel()
    plain = kernels.kernel_by_min_rule(compiled(topology))
    rule, ends = rule_of(topology, expression, 5), all_pairs(topology)
    for mine, other in zip(fast.enumerate(rule, *ends), plain.enumerate(rule, *ends), strict=True):
        np.testing.assert_array_equal(mine, other)
    if isinstance(rule, kernels.ShortRule) or rule.is_compact:
        for mine, other in zip(fast.profile(rule, *ends), plain.profile(rule, *ends), strict=True):
            np.testing.assert_array_equal(mine, other)
    if isinstance(rule, kernels.ShapeRule):
        taken = plain.takes_nearest(rule, *ends)
        np.testing.assert_array_equal(fast.takes_nearest(rule, *ends), taken)


@dataclass(frozen=True)
class Graph:
    """Directed links as (kind, source, target), sorted; a link's id is its position."""

    switches: int
    links: tuple[tuple[int, int, int], ...]

    @property
    def twin(self) -> kernels.ShortestPaths:
        kind, source, target = np.array(self.links, dtype=np.int32).T.copy()
        nodes = np.arange(self.switches, dtype=np.int32)
        network = kernels.Network(self.switches, nodes, source, target, kind.astype(np.uint8))
        return kernels.ShortestPaths(network)

    def walks(self, start: int, end: int, hops: int) -> list[tuple[int, ...]]:
        """All walks of so many links, in the order of their links."""
        if hops == 0:
            return [()] if start == end else []
        return [
            (link, *rest)
            for link, (_, source, target) in enumerate(self.links)
            if source == start
            for rest in self.walks(target, end, hops - 1)
        ]

    def shortest(self, start: int, end: int) -> list[tuple[int, ...]]:
        return next(
            found for hops in range(self.switches) if (found := self.walks(start, end, hops))
        )

    def visited(self, walk: tuple[int, ...]) -> list[int]:
        return [self.links[walk[0]][1], *(self.links[link][2] for link in walk)]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Connected networks of two kinds of links; cables may be parallel."""
    switches = draw(st.integers(3, 6))
    tree = [(draw(st.integers(0, one - 1)), one) for one in range(1, switches)]
    pair = st.lists(st.integers(0, switches - 1), min_size=2, max_size=2, unique=True)
    extra = [tuple(one) for one in draw(st.lists(pair, max_size=6))]
    cables = [(draw(st.integers(0, 1)), *ends) for ends in (*tree, *extra)]
    both = [one for kind, x, y in cables for one in ((kind, x, y), (kind, y, x))]
    return Graph(switches, tuple(sorted(both)))


@given(graphs())
def test_paths_of_any_network_are_those_that_can_be_walked(graph: Graph) -> None:
    twin = graph.twin
    shapes = len(twin.halves) ** 2
    hops = [len(first) + len(second) for first, second in product(twin.halves, twin.halves)]
    everything = kernels.ShapeRule([1.0] * shapes, hops, [], 0, 0, 0)
    literal = kernels.ShortRule(99, 99, 99)
    for start, end in product(range(graph.switches), repeat=2):
        if start == end:
            continue
        found: list[tuple[int, int, int, int]] = []
        drawn: list[tuple[int, int, int, int]] = []
        for via in set(range(graph.switches)) - {start, end}:
            halves = product(
                enumerate(graph.shortest(start, via)), enumerate(graph.shortest(via, end))
            )
            for (first, out), (second, back) in halves:
                path = (via, first, second, len(out + back))
                drawn.append(path)
                stops = graph.visited(out + back)
                found += [path] if len(set(stops)) == len(stops) else []
        ends = np.array([start], dtype=np.int32), np.array([end], dtype=np.int32)
        kernel = twin.kernel()
        for rule, expected in ((everything, found), (literal, drawn)):
            _, via, first, second, length, weight = kernel.enumerate(rule, *ends)
            columns = (one.tolist() for one in (via, first, second, length))
            assert list(zip(*columns, strict=True)) == sorted(expected)
            assert weight.sum() == pytest.approx(1.0 if expected else 0.0)
            count, share, _ = kernel.profile(rule, *ends)
            assert count.tolist() == np.bincount(length, minlength=len(count)).tolist()
            by_hops = np.bincount(length, weights=weight, minlength=len(count))
            assert share == pytest.approx(by_hops)
        walks = graph.shortest(start, end)
        assert twin.min_paths(*ends).tolist() == [len(walks)]
        count, _, _, link, share = kernel.min_usage(*ends)
        assert count[len(walks[0])] == len(walks)
        taken = {one: sum(one in walk for walk in walks) / len(walks) for one in link.tolist()}
        assert dict(zip(link.tolist(), share.tolist(), strict=True)) == pytest.approx(taken)
        assert share.sum() == pytest.approx(len(walks[0]))
