"""BookSim's anynet: a line for each router, with its nodes and its links with latencies.

A link that is named by one of its ends only has latency 1 in the other direction, and parallel
links are merged, so every cable is written from both ends and parallel ones are refused.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from tvlb.documents import lines_of, whole_number
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import NetworkFormat, WrittenNetwork, lost_family, lost_labels
from tvlb.topology.listed import ListedTopology, listed
from tvlb.topology.named_cables import NamedCables
from tvlb.topology.network import MAX_NODES, MAX_SWITCHES
from tvlb.topology.topology import Topology

_UNSAID = 1
_LONGEST_LINE = 1 << 20
_MOST_ITEMS = 500_000
_BEGINNING = re.compile(rb"\s*(router|node)\s+[0-9]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class _Reader:
    """Takes the lines of a file."""

    def __init__(self) -> None:
        self._items = 0
        self._routers = set[int]()
        self._router_of: dict[int, int] = {}
        # By direction.
        self._latency: dict[tuple[int, int], int] = {}

    def line(self, text: str) -> None:
        """Take a line: a router or node, and what is linked to it."""
        if len(text) > _LONGEST_LINE:
            raise InvalidInput(f"more than {_LONGEST_LINE:,} characters")
        words = text.split()
        if not words:
            return
        items = list(_items(words))
        self._items += len(items)
        if self._items > _MOST_ITEMS:
            raise InvalidInput(f"more than {_MOST_ITEMS:,} routers, nodes and links in all")
        (kind, number, latency), *linked = items
        if latency is not None:
            raise InvalidInput(f"a number behind {kind} {number}, where the line begins")
        for other, there, latency in linked:
            if kind == other == "node":
                raise InvalidInput(f"node {number} is linked to node {there}; nodes have a router")
            if kind == other:
                self._link(number, there, _UNSAID if latency is None else latency)
            elif latency is not None:
                raise InvalidInput(f"a number behind {other} {there}, which booksim misreads")
            else:
                self._place(*((number, there) if kind == "node" else (there, number)))
        if kind == "router":
            self._routers.add(number)

    def _link(self, first: int, second: int, latency: int) -> None:
        if (first, second) in self._latency:
            raise InvalidInput(f"a second link from router {first} to {second}")
        self._latency[first, second] = latency

    def _place(self, node: int, router: int) -> None:
        if self._router_of.setdefault(node, router) != router:
            raise InvalidInput(f"node {node} has two routers, {self._router_of[node]} and {router}")
        self._routers.add(router)

    def listing(self, endpoints: int | None) -> ExplicitTopology:
        """Return the network; kinds of links are named by their latencies."""
        routers = sorted(self._routers | {end for ends in self._latency for end in ends})
        _check_numbers("router", routers)
        _check_numbers("node", sorted(self._router_of))
        counts = np.bincount([*self._router_of.values()], minlength=len(routers)).tolist()
        found = NamedCables()
        for router in routers:
            found.switch(str(router), counts[router])
        cables = {(low, high): self._both(low, high) for low, high in self._cables()}
        kinds = _kinds([*cables.values()])
        for (low, high), latency in cables.items():
            found.cable(str(low), str(high), kinds[latency], latency)
        return found.listing(endpoints)

    def _cables(self) -> list[tuple[int, int]]:
        return sorted({(min(ends), max(ends)) for ends in self._latency})

    def _both(self, low: int, high: int) -> int:
        there, back = (self._latency.get(ends, _UNSAID) for ends in ((low, high), (high, low)))
        if there != back:
            raise InvalidInput(
                f"the link from router {low} to {high} has latency {there}, and back {back}; "
                "cables have the same in both directions"
            )
        return there


def _items(words: Sequence[str]) -> Iterator[tuple[str, int, int | None]]:
    """Yield kind, number and the number behind it, if there is one."""
    position = 0
    while position < len(words):
        kind = words[position]
        if kind not in ("router", "node"):
            raise InvalidInput(f"expected router or node, not {kind[:80]!r}")
        numbers: list[int] = []
        for word in words[position + 1 : position + 3]:
            if word in ("router", "node"):
                break
            numbers.append(_number(word))
        if not numbers:
            raise InvalidInput(f"{kind} has no number")
        yield kind, numbers[0], numbers[1] if len(numbers) > 1 else None
        position += 1 + len(numbers)


def _number(word: str) -> int:
    try:
        number = whole_number(word)
    except ValueError as error:
        raise InvalidInput(str(error)) from error
    if not 0 <= number <= MAX_NODES:
        raise InvalidInput(f"{word[:80]} is out of range: 0..{MAX_NODES:,}")
    return number


def _check_numbers(kind: str, numbers: Sequence[int]) -> None:
    if kind == "router" and len(numbers) > MAX_SWITCHES:
        raise InvalidInput(f"more than {MAX_SWITCHES:,} routers, the limit")
    for expected, number in enumerate(numbers):
        if number != expected:
            raise InvalidInput(f"{kind} {expected} is missing; they are numbered from 0 up")


def _kinds(latencies: Sequence[int]) -> dict[int, str | None]:
    """Name kinds of links by their latencies; one that is alone has no name."""
    different = sorted(set(latencies))
    if len(different) == 1:
        return {different[0]: None}
    if len(different) > len(_LETTERS):
        raise InvalidInput(f"links have {len(different)} different latencies")
    return {one: f"{letter}{one}" for letter, one in zip(_LETTERS, different, strict=False)}


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    reader = _Reader()
    for number, line in enumerate(lines_of(content), 1):
        try:
            reader.line(line)
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return reader.listing(endpoints)


def _write(topology: Topology, name: str) -> WrittenNetwork:
    network = listed(topology)
    _check(network, topology)
    kinds = network.kinds.names
    lost = (f"the names of the kinds of links ({', '.join(kinds)})",) if len(kinds) > 1 else ()
    return WrittenNetwork(
        {"": _lines(network)}, lost_family(topology) + lost + lost_labels(network)
    )


def _check(network: ListedTopology, topology: Topology) -> None:
    network.network.check_single_cables(
        str(topology), "booksim-anynet cannot hold them, since BookSim merges them"
    )
    source = network.network.link_source
    links = np.bincount(source, minlength=network.num_switches)
    if (links == 0).any():
        raise InvalidInput(
            f"switch {int(links.argmin())} of {topology} has no cable; booksim-anynet cannot hold "
            "it, since BookSim would look for a way to it"
        )


def _lines(network: ListedTopology) -> Iterator[bytes]:
    links = network.network
    latency = np.array(network.kinds.latencies)[links.link_kind]
    order = np.lexsort((links.link_target, links.link_source))
    begin = np.searchsorted(links.link_source[order], np.arange(network.num_switches + 1))
    for switch in range(network.num_switches):
        first = int(network.first_node[switch])
        nodes = range(first, first + int(network.switch_nodes[switch]))
        own = order[begin[switch] : begin[switch + 1]]
        words = [f"router {switch}", *(f"node {node}" for node in nodes)]
        words += [f"router {links.link_target[link]} {latency[link]}" for link in own]
        yield f"{' '.join(words)}\n".encode()


FORMAT = NetworkFormat(
    name="booksim-anynet",
    suffixes=(".anynet",),
    read=_read,
    recognise=lambda content: _BEGINNING.match(content) is not None,
    write=_write,
)
