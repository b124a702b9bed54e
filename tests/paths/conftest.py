"""An independent, plain Python account of what a path is, and topologies to try it on."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pytest

from tvlb.topology import Dragonfly, LinkKind


@dataclass(frozen=True, order=True)
class PlainPath:
    """A VLB path: its identity, its links in travel order, hops and kinds of both halves."""

    intermediate: int
    first_link: int
    second_link: int
    links: tuple[int, ...] = ()
    composition: tuple[int, int] = (0, 0)
    shape: str = ""  # kinds of the links of each half, such as lg.gl

    @property
    def hops(self) -> int:
        return len(self.links)


class PlainPaths:
    """Lists paths straight from the definitions, walking over the link list of a topology."""

    def __init__(self, topology: Dragonfly) -> None:
        self.topology = topology
        network = topology.network
        self.source = network.link_source.tolist()
        self.target = network.link_target.tolist()
        self.is_global = (network.link_kind == LinkKind.GLOBAL).tolist()
        self._detours: dict[tuple[int, int], list[PlainPath]] = {}

    def group(self, switch: int) -> int:
        return switch // self.topology.switches_per_group

    @cached_property
    def local(self) -> dict[tuple[int, int], int]:
        return {
            (self.source[link], self.target[link]): link
            for link in range(len(self.source))
            if not self.is_global[link]
        }

    def minimal(self, start: int, end: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """MIN paths as (global link or -1, links)."""
        if self.group(start) == self.group(end):
            yield -1, (self.local[start, end],)
            return
        for link in range(len(self.source)):
            enter, leave = self.source[link], self.target[link]
            joins = self.group(enter) == self.group(start) and self.group(leave) == self.group(end)
            if self.is_global[link] and joins:
                before = () if enter == start else (self.local[start, enter],)
                after = () if leave == end else (self.local[leave, end],)
                yield link, (*before, link, *after)

    def detours(self, start: int, end: int) -> list[PlainPath]:
        """All VLB paths of a pair, in row order; listed once."""
        if (start, end) not in self._detours:
            self._detours[start, end] = self._list_detours(start, end)
        return self._detours[start, end]

    def kinds(self, links: tuple[int, ...]) -> str:
        return "".join("g" if self.is_global[link] else "l" for link in links)

    def _list_detours(self, start: int, end: int) -> list[PlainPath]:
        inside = self.group(start) == self.group(end)
        found: list[PlainPath] = []
        for via in range(self.topology.num_switches):
            in_ends = self.group(via) in (self.group(start), self.group(end))
            if via in (start, end) or in_ends != inside:
                continue
            for first, to_via in self.minimal(start, via):
                for second, from_via in self.minimal(via, end):
                    composition = len(to_via), len(from_via)
                    shape = f"{self.kinds(to_via)}.{self.kinds(from_via)}"
                    links = to_via + from_via
                    found.append(PlainPath(via, first, second, links, composition, shape))
        return sorted(found)


# Three cables 0-1 of which two are parallel, one 0-2, two 0-3, two 1-2, one 1-3, three 2-3.
CABLES = [
    *([0, 3], [0, 3], [1, 4], [1, 6], [2, 9], [2, 10]),
    *([4, 7], [5, 8], [5, 11], [6, 9], [7, 10], [8, 11]),
]

TOPOLOGIES = {
    "one cable per pair": Dragonfly(1, 3, 1, 4),
    "four cables per pair": Dragonfly(2, 4, 2, 3),
    "two cables per pair": Dragonfly(1, 3, 2, 4),
    "palmtree": Dragonfly(1, 3, 1, 4, "palmtree"),
    "ports left over": Dragonfly(1, 3, 2, 5),
    "no local links": Dragonfly(1, 1, 3, 4),
    "two groups": Dragonfly(1, 3, 2, 2),
    "listed, uneven and parallel": Dragonfly.from_cables(1, 3, 3, 4, CABLES),
}


@pytest.fixture(scope="session", params=TOPOLOGIES.values(), ids=list(TOPOLOGIES))
def topology(request: pytest.FixtureRequest) -> Dragonfly:
    """Every kind of small topology."""
    return request.param


@pytest.fixture(scope="session")
def plain(topology: Dragonfly) -> PlainPaths:
    """The plain account of `topology`."""
    return PlainPaths(topology)


@pytest.fixture(scope="session")
def parallel() -> Dragonfly:
    """The listed topology with uneven and parallel cables."""
    return TOPOLOGIES["listed, uneven and parallel"]
