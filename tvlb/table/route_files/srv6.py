"""SRv6: weighted lists of compressed segments for senders that spray, `tvlb.table.segments`.

Weights are slots, of which each destination switch has as many. A path has its share rounded down
or up, whichever keeps the loads of links by its pair as asked: the worst traffic is that of the
pairs which load a link most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import VERSION, files
from tvlb.languages import Names, Text, Whole, check_settings, setting
from tvlb.paths import SwitchSequences
from tvlb.table.networks import record_of
from tvlb.table.route_files import FileAudit, RouteFormat, Routes
from tvlb.table.segments import (
    DECAPSULATIONS,
    Cut,
    Entry,
    Identifiers,
    SegmentHeader,
    SplitLoads,
    Told,
    audited_segments,
    document_parts,
    is_segments,
)
from tvlb.topology import Topology

_NEAR = 1e-6  # of a slot
# Among sequences that are as good, that with the largest part of a slot.
_FOR_PART = 1e-3


@dataclass(frozen=True)
class Srv6Settings:
    """How segment lists are written; raises InvalidInput if a value is out of range."""

    entries: int = setting(
        64, "Slots of a destination switch, which segment lists share", Whole(1, 65_535)
    )
    locator_block: str = setting("5f00::/32", "Locator-Block of all addresses", Text("PREFIX"))
    identifier_bits: int = setting(16, "Bits of an identifier of a switch or cable", Whole(4, 32))
    decapsulation: str = setting(
        "usd", "What removes the outer header at the last switch", Names(DECAPSULATIONS)
    )

    def __post_init__(self) -> None:
        check_settings(self)
        Cut.of(self.locator_block, self.identifier_bits)

    def identifiers(self, topology: Topology) -> Identifiers:
        """Return those of a network; raise InvalidInput if there are too few."""
        cut = Cut.of(self.locator_block, self.identifier_bits)
        return Identifiers.of(topology, cut, self.decapsulation)


def _check(topology: Topology, settings: Srv6Settings) -> None:
    settings.identifiers(topology)


def _write(routes: Routes, path: Path, *, settings: Srv6Settings) -> Sequence[str]:
    topology = routes.topology
    identifiers = settings.identifiers(topology)
    header = SegmentHeader(
        version=VERSION,
        topology=record_of(topology),
        paths=str(routes.path_set),
        min_share=routes.min_share,
        loop_free=routes.loop_free,
        locator_block=settings.locator_block,
        identifier_bits=settings.identifier_bits,
        decapsulation=settings.decapsulation,
        slots=settings.entries,
    )
    writer = _Writer(replace(routes, by_cable=True), settings, identifiers)
    with files.atomic_file(path) as stream:
        stream.writelines(
            document_parts(header, identifiers, topology, writer.lists(), lambda: writer.told)
        )
    return [*routes.remarks(writer.lost_pairs), *writer.remarks()]


@dataclass
class _Writer:
    """Makes the lists of every source, and knows what is to be said of them."""

    routes: Routes
    settings: Srv6Settings
    identifiers: Identifiers
    lost_pairs: int = 0
    second_lists: int = 0
    moved: list[float] = field(default_factory=list[float])
    second: list[float] = field(default_factory=list[float])
    unlisted: float = 0.0

    def __post_init__(self) -> None:
        self._cut = Cut.of(self.settings.locator_block, self.settings.identifier_bits)
        self._asked, self._given = (SplitLoads(self.routes.topology) for _ in range(2))

    def lists(self) -> Iterator[tuple[int, dict[int, list[Entry]]]]:
        """Yield the lists of every switch with nodes, by destination."""
        has_nodes = self.routes.topology.switch_nodes > 0
        for source, found in enumerate(self.routes.of_sources()):
            if has_nodes[source]:
                self.lost_pairs += found.lost_pairs
                every = found.minimal.joined(found.detours, by_cable=True)
                wanted = has_nodes[every.target[every.pair_of_row]]
                yield source, self._of_source(every.select(wanted))

    def _of_source(self, every: SwitchSequences) -> dict[int, list[Entry]]:
        pair, slots = every.pair_of_row, self.settings.entries
        share = every.weight / np.bincount(pair, every.weight, len(every.target))[pair]
        weight = _slots(every, share, slots, self.routes.topology.num_links)
        ends = every.source[pair], every.target[pair]
        self._asked.add(*ends, every.links, share)
        self._given.add(*ends, every.links, weight / slots)
        more = np.bincount(pair, np.maximum(weight / slots - share, 0), len(every.target))
        self.moved += more[np.diff(every.offset) > 0].tolist()
        found: dict[int, list[Entry]] = {}
        kept = np.flatnonzero(weight)
        columns = (ends[1], weight, share, every.switches, every.links)
        for to, slot, part, switches, links in zip(
            *(one[kept].tolist() for one in columns), strict=True
        ):
            found.setdefault(to, []).append(self._entry(slot, part, switches, links))
        for entries in found.values():
            self.unlisted += max(0.0, 1 - sum(one.share for one in entries))
            second = [one.weight / slots for one in entries if len(one.addresses) > 1]
            self.second_lists += len(second)
            self.second.append(sum(second))
        return found

    def _entry(self, slots: int, share: float, switches: list[int], links: list[int]) -> Entry:
        hops = sum(link >= 0 for link in links)
        visited = switches[: hops + 1]
        named = self.identifiers.of_path(links[:hops], visited[1:])
        return Entry(slots, share, tuple(visited), self._cut.addresses(named))

    @cached_property
    def told(self) -> Told:
        """What is known once all lists have been made."""
        pairs = max(len(self.moved), 1)
        return Told(
            moved_mean=sum(self.moved) / pairs,
            moved_most=max(self.moved, default=0.0),
            second_address=self.second_lists,
            second_address_share=sum(self.second) / pairs,
            unlisted=self.unlisted,
            floor_asked=self._asked.floor(),
            floor=self._given.floor(),
        )

    def remarks(self) -> Iterator[str]:
        """Say what senders should know."""
        told, slots = self.told, self.settings.entries
        if told.moved_most > _NEAR:
            yield (
                f"{slots:,} slots move {100 * told.moved_mean:.2f}% of the traffic of a pair to "
                f"other paths than asked, at most {100 * told.moved_most:.2f}%"
            )
        if told.floor is not None and told.floor_asked is not None:
            yield (
                f"the shares sustain {told.floor_asked:.4f} under every admissible traffic, and "
                f"{told.floor:.4f} by slots"
            )
        if told.second_address:
            yield (
                f"lists that need a second address, so a segment routing header: "
                f"{told.second_address:,}, {100 * told.second_address_share:.2f}% of the traffic"
            )
        if adjacencies := len(self.identifiers.adjacency):
            yield f"parallel cables are named by adjacency: {adjacencies:,} directed links"


def _slots(
    found: SwitchSequences, share: NDArray[np.float64], slots: int, links: int
) -> NDArray[np.int64]:
    """Return how many slots of its pair each sequence has, int64 (sequences,)."""
    pair, exact = found.pair_of_row, slots * share
    exact = np.where(np.abs(exact - np.rint(exact)) < _NEAR, np.rint(exact), exact)
    weight = np.floor(exact).astype(np.int64)
    pairs = len(found.target)
    missing = slots - np.bincount(pair, weight, pairs).astype(np.int64)
    rounded = _Rounded(found, exact, weight, links)
    for step in range(int(missing.max(initial=0))):
        weight[rounded.best((step + 1) / np.maximum(missing, 1), missing > step)] += 1
    return weight


class _Rounded:
    """Loads of links by the slots of every pair, while these are given out.

    Of the sequences that would get a part of a slot, one gets a whole one at each step: that which
    leaves the loads of its pair nearest, in squares, to the same share of what is missing of each.
    """

    def __init__(
        self,
        found: SwitchSequences,
        exact: NDArray[np.float64],
        weight: NDArray[np.int64],
        links: int,
    ) -> None:
        part = exact - weight
        self._open = np.flatnonzero(part > 0)
        self._pair = found.pair_of_row[self._open]
        width, pairs = links + 1, len(found.target)
        # What is beyond the last link is a link that nothing loads.
        every = found.pair_of_row[:, np.newaxis] * width + np.where(
            found.links < 0, links, found.links
        )
        real = (found.links >= 0).ravel()

        def loads(amount: NDArray[np.float64]) -> NDArray[np.float64]:
            each = np.broadcast_to(amount[:, np.newaxis], every.shape).ravel()[real]
            return np.bincount(every.ravel()[real], each, pairs * width).astype(np.float64)

        self._missing = loads(part).reshape(pairs, width)
        self._given = np.zeros(pairs * width)
        self._links = every[self._open]
        self._real = found.links[self._open] >= 0
        hops = self._real.sum(axis=1)
        self._own = hops - _FOR_PART * part[self._open]
        self._begins = np.flatnonzero(np.diff(self._pair, prepend=-1))

    def best(self, share: NDArray[np.float64], wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Give a slot to a sequence of each wanted pair, by its number; return their positions."""
        excess = self._given - (self._missing * share[:, np.newaxis]).ravel()
        cost = self._own + 2.0 * excess[self._links].sum(axis=1)
        least = np.repeat(
            np.minimum.reduceat(cost, self._begins),
            np.diff(self._begins, append=len(cost)),
        )
        row = np.flatnonzero((cost == least) & wanted[self._pair])
        _, first = np.unique(self._pair[row], return_index=True)
        row = row[first]
        self._own[row] = np.inf
        np.add.at(self._given, self._links[row][self._real[row]], 1.0)
        return self._open[row]


FORMAT = RouteFormat(
    name="srv6",
    suffixes=(".srv6",),
    endings=("",),
    fixed_weights=True,
    write=_write,
    settings=Srv6Settings,
    check=_check,
    audit=FileAudit("segment lists", is_segments, audited_segments, ("without",)),
)
