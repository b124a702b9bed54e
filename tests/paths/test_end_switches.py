"""Sets of a HyperX and a Dragonfly+ by brute force: only switches with nodes are ends and turns."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge.conversion import core_network
from sim_bridge.sampling import make_sampler
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, PathSet, all_pairs, parse_expression
from tvlb.topology import DragonflyPlus, HyperX, Topology, parse_topology

Links = tuple[int, ...]
EXPRESSIONS = [
    *("all", "<=3", "<=5", "short(all)", "short(1,2)", "short(2,3)", "short(<=5)"),
    *("shape(x.?:3, y.?)", "shape(ll.?:3, lgl.?)"),
]


class Walks:
    """MIN paths as links: by coordinates on a HyperX, all shortest ones of a graph elsewhere."""

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        network = topology.network
        self.source, self.target = network.link_source.tolist(), network.link_target.tolist()
        self.by_ends = defaultdict[tuple[int, int], list[int]](list)
        for link, ends in enumerate(zip(self.source, self.target, strict=True)):
            self.by_ends[ends].append(link)
        self.graph: nx.DiGraph[int] = nx.DiGraph(list(self.by_ends))
        self.ends = np.flatnonzero(topology.switch_nodes).tolist()
        self.minimal = lru_cache(maxsize=None)(self._minimal)

    def _minimal(self, start: int, end: int) -> list[Links]:
        if isinstance(self.topology, HyperX):
            routes = [self._in_order(self.topology, start, end)]
        else:
            routes = nx.all_shortest_paths(self.graph, start, end)
        return [
            links
            for route in routes
            for links in product(*(self.by_ends[ends] for ends in nx.utils.pairwise(route)))
        ]

    @staticmethod
    def _in_order(topology: HyperX, start: int, end: int) -> list[int]:
        place = topology.positions()
        at, route = place[start].copy(), [start]
        for axis in range(len(at)):
            at[axis] = place[end][axis]
            route.append(int(topology.switches_at(at[None])[0]))
        return list(dict.fromkeys(route))

    def detours(self, start: int, end: int) -> list[tuple[int, Links, Links]]:
        """Every path by every intermediate that is no end of it."""
        return [
            (via, first, second)
            for via in self.ends
            if via not in (start, end)
            for first, second in product(self.minimal(start, via), self.minimal(via, end))
        ]

    def is_simple(self, links: Links) -> bool:
        return len({self.source[links[0]], *(self.target[link] for link in links)}) > len(links)

    def shape(self, links: Links) -> str:
        return "".join(self.topology.kind_name(link)[0] for link in links)

    def weights(self, expression: str, start: int, end: int) -> dict[tuple[int, Links], float]:
        """The weights of the paths of a set, as intermediate and links."""
        found = defaultdict[tuple[int, Links], float](float)
        for via, first, second in self.detours(start, end):
            weight = self._weight(expression, (start, via, end), [first, second])
            if weight > 0:
                found[via, first + second] += weight
        total = sum(found.values())
        return {path: weight / total for path, weight in found.items()}

    def _weight(self, expression: str, path: tuple[int, int, int], halves: list[Links]) -> float:
        """Weight of a path of source, intermediate and target, 0 outside the set."""
        start, via, end = path
        first, second = map(len, halves)
        name, _, arguments = expression.rstrip(")").partition("(")
        if name == "short":
            drawn = 1 / len(self.minimal(start, via)) / len(self.minimal(via, end))
            if arguments.startswith("<="):
                return drawn * (first + second <= int(arguments[2:]))
            most = (first, second) if arguments == "all" else map(int, arguments.split(","))
            return drawn * all(
                one <= limit for one, limit in zip((first, second), most, strict=True)
            )
        weight = float(self.is_simple(halves[0] + halves[1]))
        if name == "shape":
            shapes = (one.split(".?") for one in arguments.split(", "))
            return weight * {half: 3 if more else 1 for half, more in shapes}.get(
                self.shape(halves[0]), 0
            )
        return weight * (name in ("all", "simple") or first + second <= int(name[2:]))


def networks() -> st.SearchStrategy[Topology]:
    sides = st.lists(st.integers(2, 3), min_size=2, max_size=3)
    lattices = sides.map(lambda each: HyperX(1, *each))
    groups = st.tuples(st.integers(2, 3), st.integers(1, 2)).flatmap(
        lambda size: st.integers(2, min(size[0] * size[1] + 1, 5)).map(
            lambda g: DragonflyPlus(1, *size, g)
        )
    )
    return lattices | groups


def listed(rows: PathRows, pair: int) -> dict[tuple[int, Links], float]:
    own = slice(rows.offset[pair], rows.offset[pair + 1])
    links = (tuple(row[row >= 0].tolist()) for row in rows.links()[own])
    return dict(
        zip(
            zip(rows.intermediate[own].tolist(), links, strict=True),
            rows.weight[own].tolist(),
            strict=True,
        )
    )


def sets_of(topology: Topology) -> Iterator[tuple[str, PathSet]]:
    for expression in EXPRESSIONS:
        # Longer than any path, or of shapes of the other family.
        with suppress(InvalidInput):
            yield expression, parse_expression(expression, topology)


@given(networks())
def test_sets_have_the_paths_of_brute_force(topology: Topology) -> None:
    walks = Walks(topology)
    ends = all_pairs(topology)
    chosen = np.sort(np.random.default_rng(0).permutation(len(ends[0]))[:40])
    source, target = (one[chosen] for one in ends)
    for expression, path_set in sets_of(topology):
        rows = path_set.rows(source, target)
        profile = path_set.profile(source, target)
        nearest = path_set.takes_nearest(source, target)
        for pair, (start, end) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
            found = listed(rows, pair)
            if not {start, end} <= set(walks.ends):
                assert not found
            elif not nearest[pair]:
                assert found == pytest.approx(walks.weights(expression, start, end)), expression
            by_hops = Counter(len(links) for _, links in found)
            assert dict(by_hops) == {
                hops: int(count) for hops, count in enumerate(profile.count[pair]) if count
            }


@pytest.mark.parametrize("text", ["hyperx(1,3,2)", "hyperx(1,2,2,2)", "dflyplus(1,2,2,3)"])
@pytest.mark.parametrize("expression", ["all", "short(all)", "simple"])
def test_the_simulator_draws_the_same_paths(text: str, expression: str) -> None:
    topology = parse_topology(text)
    walks = Walks(topology)
    start, end = walks.ends[0], walks.ends[-1]
    ends = np.array([start], dtype=np.int32), np.array([end], dtype=np.int32)
    path_set = parse_expression(expression, topology)
    rows = path_set.rows(*ends)
    names = zip(
        rows.intermediate.tolist(), rows.first_link.tolist(), rows.second_link.tolist(), strict=True
    )
    path_of = dict(zip(names, listed(rows, 0), strict=True))
    sampler = make_sampler(core_network(topology), path_set, lambda: ends)
    draws = 20_000
    names_drawn = (sampler.draw(start, end, 7, n) for n in range(draws))
    drawn = Counter(path_of[name] for name in names_drawn if name is not None)
    assert drawn.total() == draws
    wanted = walks.weights(expression, start, end)
    assert drawn.keys() == wanted.keys()
    for path, weight in wanted.items():
        # Off by at most 5 standard deviations.
        slack = 5 * np.sqrt(weight * (1 - weight) / draws)
        assert drawn[path] / draws == pytest.approx(weight, abs=slack)
