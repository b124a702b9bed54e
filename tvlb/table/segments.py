"""Segment lists of SRv6 with compressed identifiers (NEXT-CSID, RFC 9800): made, read, followed.

An address is a block, then identifiers up to the first that is 0. The switch whose identifier
stands first shifts the others over it (RFC 9800, 4.1) and sends the packet on; behind the last one
comes the next address of the segment routing header, and behind the last address the switch removes
the outer header (RFC 8986, 4.16.3). Local identifiers, the upper eighth as the RFC recommends, are
of cables (End.X) and of the function of a switch (End.DT46), and mean something there alone.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv6Address, IPv6Network, NetmaskValueError
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from tvlb.documents import parse_unique_json, read_file
from tvlb.errors import InvalidInput
from tvlb.table.kinds import Finding, Header, TableReport, validated
from tvlb.topology import Failures, Topology, links_left, read_failures, without
from tvlb.traffic import Assignments

MARK = "srv6"
DECAPSULATIONS = ("usd", "dt46")
# Reserved, with unspecified, loopback and mapped addresses; of one link; multicast (RFC 4291, 2.4).
_NOT_ROUTED = tuple(map(IPv6Network, ("::/8", "fe80::/10", "ff00::/8")))
_ADDRESS_BITS = 128
_LOCAL_SHARE = 3  # of the bits; a local identifier has them all set
_TOLERANCE = 1e-9
_SHOWN = 40
_MOST_TEXT = 4096
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")
# Rounding of the floor, which adds up shares in another order.
_FLOOR_TOLERANCE = 1e-6
_DOWN = "a cable that is down"
_LOOKED_AT = 1024  # bytes
# Of this file with its keys in their order, or by the alphabet.
_BEGIN = re.compile(rb'\s*\{\s*"(srv6|adjacencies)"\s*:')


@dataclass(frozen=True)
class Cut:
    """How an address is cut.

    Attributes
    ----------
    block : prefix of all addresses.
    bits : of an identifier.
    """

    block: IPv6Network
    bits: int

    @classmethod
    def of(cls, block: str, bits: int) -> "Cut":
        """Make it; raise InvalidInput if there is no such prefix, or no room behind it."""
        try:
            prefix = IPv6Network("" if "%" in block else block)
        except (AddressValueError, NetmaskValueError, ValueError) as error:
            raise InvalidInput(
                f"locator_block {block!r}: expected an IPv6 prefix, such as 5f00::/32"
            ) from error
        if any(map(prefix.overlaps, _NOT_ROUTED)):
            raise InvalidInput(
                f"locator_block {block}: expected a prefix of addresses that routers forward"
            )
        if prefix.prefixlen + bits > _ADDRESS_BITS:
            raise InvalidInput(
                f"locator_block {block} and identifier_bits {bits} are "
                f"{prefix.prefixlen + bits} bits of the {_ADDRESS_BITS} of an address"
            )
        return cls(prefix, bits)

    @property
    def free(self) -> int:
        """Bits behind the block."""
        return _ADDRESS_BITS - self.block.prefixlen

    @property
    def room(self) -> int:
        """Identifiers in an address."""
        return self.free // self.bits

    @property
    def first_local(self) -> int:
        """The first identifier that means something at a switch alone."""
        return (1 << self.bits) - (1 << self.bits - _LOCAL_SHARE)

    def addresses(self, identifiers: Sequence[int]) -> tuple[int, ...]:
        """Return the addresses that hold identifiers, in the order of travel."""
        found: list[int] = []
        for begin in range(0, len(identifiers), self.room):
            address, shift = int(self.block.network_address), self.free
            for one in identifiers[begin : begin + self.room]:
                shift -= self.bits
                address |= one << shift
            found.append(address)
        return tuple(found)

    def holds(self, address: int) -> bool:
        """Whether an address is in the block."""
        return (address ^ int(self.block.network_address)) >> self.free == 0

    def first(self, address: int) -> int:
        """Return the first identifier."""
        return (address >> self.free - self.bits) & ((1 << self.bits) - 1)

    def shifted(self, address: int) -> int:
        """Return the address without its first identifier; 0 if there is no other."""
        rest = (address & ((1 << self.free) - 1)) << self.bits & ((1 << self.free) - 1)
        return int(self.block.network_address) | rest if rest else 0


@dataclass(frozen=True, eq=False)
class Identifiers:
    """What identifiers mean.

    Attributes
    ----------
    node : of every switch.
    adjacency : of links, the identifier at their switch; only of parallel ones.
    function : of every switch, where a function removes the outer header; else empty.
    """

    node: Sequence[int]
    adjacency: Mapping[int, int]
    function: Sequence[int]

    @classmethod
    def of(cls, topology: Topology, cut: Cut, decapsulation: str) -> "Identifiers":
        """Give switches and parallel cables their identifiers.

        Raises
        ------
        InvalidInput : there are more than there are identifiers.
        """
        switches, most = topology.num_switches, cut.first_local - 1
        if switches > most:
            raise InvalidInput(
                f"identifier_bits {cut.bits} name at most {most:,} switches, and {topology} has "
                f"{switches:,}"
            )
        network = topology.network
        ends = network.link_source.astype(np.int64) * switches + network.link_target
        _, which, counts = np.unique(ends, return_inverse=True, return_counts=True)
        parallel = np.flatnonzero(counts[which] > 1)
        used: dict[int, int] = defaultdict(int)
        adjacency: dict[int, int] = {}
        for link in parallel.tolist():
            switch = int(network.link_source[link])
            adjacency[link] = cut.first_local + used[switch]
            used[switch] += 1
        last = (1 << cut.bits) - 1
        has_function = decapsulation == "dt46"
        local = last - has_function - cut.first_local + 1
        if used and max(used.values()) > local:
            switch = max(used, key=lambda one: used[one])
            raise InvalidInput(
                f"identifier_bits {cut.bits} name at most {local:,} parallel cables of a switch, "
                f"and switch {topology.called(switch)} has {used[switch]:,}"
            )
        return cls(range(1, switches + 1), adjacency, [last] * switches if has_function else [])

    def of_path(self, links: Sequence[int], targets: Sequence[int]) -> list[int]:
        """Return the identifiers of a path: its links, and the switches that these lead to."""
        found = [
            self.adjacency.get(link, 0) or self.node[to]
            for link, to in zip(links, targets, strict=True)
        ]
        if self.function:
            return [*found, self.function[targets[-1]]]
        # An adjacency that comes last would uncover the packet in front of the cable.
        return [*found, self.node[targets[-1]]] if links[-1] in self.adjacency else found


@dataclass(frozen=True)
class Entry:
    """A segment list.

    Attributes
    ----------
    weight : slots of its destination that it has.
    share : of the traffic that was asked for, before there were slots.
    switches : that it visits, from the source.
    addresses : in the order of travel; the first is the destination, the others are in a header.
    """

    weight: int
    share: float
    switches: tuple[int, ...]
    addresses: tuple[int, ...]


class SegmentHeader(Header):
    """What the header of a file says.

    Attributes
    ----------
    paths, min_share, loop_free : see `tvlb.table.Routes`; what the lists were made of.
    locator_block, identifier_bits : see `Cut`.
    decapsulation : how the last switch removes the outer header, by USD or a function.
    slots : of a destination.
    """

    paths: str = Field(min_length=1, max_length=_MOST_TEXT)
    min_share: float | None = Field(ge=0, le=1)
    loop_free: bool
    locator_block: str
    identifier_bits: int = Field(ge=_LOCAL_SHARE + 1, le=32)
    decapsulation: str
    slots: int = Field(ge=1)


class Told(BaseModel):
    """What a file says of its lists.

    Attributes
    ----------
    moved_mean, moved_most : share of the traffic of a pair that slots give to other paths than
        was asked, over all pairs.
    second_address : lists that need a segment routing header.
    second_address_share : of the traffic, mean over the pairs.
    unlisted : of the traffic that was asked for, what has no slot and so no list, sum over the
        pairs.
    floor_asked, floor : what the shares sustain under every admissible traffic, as asked and by
        slots; None for large networks.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    moved_mean: float
    moved_most: float
    second_address: int
    second_address_share: float
    unlisted: float
    floor_asked: float | None
    floor: float | None


class SplitLoads:
    """Adds up what a fixed split puts on links."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._place = np.cumsum(topology.switch_nodes > 0) - 1
        self._senders = int(np.count_nonzero(topology.switch_nodes))
        self._parts: list[scipy.sparse.csr_array] = []

    def add(
        self,
        source: NDArray[np.integer],
        target: NDArray[np.integer],
        links: NDArray[np.integer],
        share: NDArray[np.float64],
    ) -> None:
        """Add paths: their ends (paths,), links (paths, longest), -1 beyond, and shares."""
        at, to = self._place[source].astype(np.int64), self._place[target]
        pair = at * (self._senders - 1) + to - (to > at)
        row, _ = there = np.nonzero(links >= 0)
        entries = share[row], (pair[row], links[there])
        shape = self._senders * (self._senders - 1), self._topology.num_links
        self._parts.append(scipy.sparse.coo_array(entries, shape=shape).tocsr())

    def floor(self) -> float | None:
        """Return what the split sustains under every admissible traffic; None if too large."""
        if not self._parts or not self._topology.num_links:
            return None
        return Assignments(self._topology).floor(sum(self._parts[1:], self._parts[0]))


@dataclass(frozen=True, eq=False)
class SegmentLists:
    """What a file holds.

    Attributes
    ----------
    lists : the entries of every pair of source and destination switch.
    digest : SHA-256 (hex) of the file.
    """

    header: SegmentHeader
    topology: Topology
    identifiers: Identifiers
    lists: Mapping[tuple[int, int], Sequence[Entry]]
    told: Told
    digest: str

    @property
    def cut(self) -> Cut:
        """How addresses are cut."""
        return Cut.of(self.header.locator_block, self.header.identifier_bits)


def document_parts(
    header: SegmentHeader,
    identifiers: Identifiers,
    topology: Topology,
    lists: Iterable[tuple[int, Mapping[int, Sequence[Entry]]]],
    told: Callable[[], Told],
) -> Iterator[bytes]:
    """Yield the text of a file.

    Parameters
    ----------
    lists : by destination, of every source.
    told : called once the lists have been taken.
    """
    ends = topology.network.link_source, topology.network.link_target
    adjacencies = [
        [int(ends[0][link]), identifier, link, int(ends[1][link])]
        for link, identifier in identifiers.adjacency.items()
    ]
    known = {
        MARK: header.entries(),
        "nodes": list(identifiers.node),
        "adjacencies": adjacencies,
        "functions": list(identifiers.function),
    }
    yield (json.dumps(known)[:-1] + ',\n"lists": {').encode()
    between = ""
    for source, found in lists:
        pairs = ",\n".join(f'"{to}": {json.dumps(_plain(some))}' for to, some in found.items())
        yield f'{between}\n"{source}": {{\n{pairs}}}'.encode()
        between = ","
    yield f'}},\n"told": {json.dumps(told().model_dump())}}}\n'.encode()


def _plain(entries: Sequence[Entry]) -> list[Any]:
    return [
        [one.weight, one.share, one.switches, [str(IPv6Address(each)) for each in one.addresses]]
        for one in entries
    ]


def is_segments(path: str) -> bool:
    """Whether a file looks like one of segment lists."""
    try:
        with Path(path).open("rb") as stream:
            return _BEGIN.match(stream.read(_LOOKED_AT)) is not None
    except OSError:
        return False


def read_segments(path: Path | str) -> SegmentLists:
    """Read a file of segment lists.

    Raises
    ------
    InvalidInput : it cannot be read, or is none; one line names the first problem.
    """
    content = read_file(path, "segment lists")
    try:
        return _parsed(parse_unique_json(content), hashlib.sha256(content).hexdigest())
    except InvalidInput as error:
        raise InvalidInput(f"segment lists {path}: {error}") from error


_KEYS = (MARK, "nodes", "adjacencies", "functions", "lists", "told")


def _parsed(document: object, digest: str) -> SegmentLists:
    parts = cast("dict[str, Any]", document if isinstance(document, dict) else {})
    if set(parts) != set(_KEYS):
        raise InvalidInput(f"expected an object with {', '.join(_KEYS)}")
    header, told = validated(SegmentHeader, parts[MARK]), validated(Told, parts["told"])
    if header.decapsulation not in DECAPSULATIONS:
        expected = " or ".join(DECAPSULATIONS)
        raise InvalidInput(f"decapsulation {header.decapsulation!r}: expected {expected}")
    cut = Cut.of(header.locator_block, header.identifier_bits)
    topology = header.topology.build()
    reader = _Reader(topology, cut, header)
    return SegmentLists(
        header,
        topology,
        reader.identifiers(parts["nodes"], parts["adjacencies"], parts["functions"]),
        dict(reader.lists(parts["lists"])),
        told,
        digest,
    )


class _Reader:
    """Takes the parts of a document."""

    def __init__(self, topology: Topology, cut: Cut, header: SegmentHeader) -> None:
        self._topology, self._cut, self._header = topology, cut, header

    def _whole(self, what: str, value: object, low: int, high: int) -> int:
        if type(value) is not int or not low <= value <= high:
            raise InvalidInput(f"{what} {value!r} is out of range: {low}..{high}")
        return value

    def _switch(self, value: object) -> int:
        return self._whole("switch", value, 0, self._topology.num_switches - 1)

    def _identifier(self, value: object) -> int:
        return self._whole("identifier", value, 1, (1 << self._cut.bits) - 1)

    def _list(self, what: str, value: object, length: int | None = None) -> list[Any]:
        if not isinstance(value, list) or length not in (None, len(cast("list[Any]", value))):
            many = "" if length is None else f" of {length:,}"
            raise InvalidInput(f"{what}: expected a list{many}")
        return cast("list[Any]", value)

    def identifiers(self, nodes: object, adjacencies: object, functions: object) -> Identifiers:
        """Return what identifiers mean."""
        switches, links = self._topology.num_switches, self._topology.network
        has_function = self._header.decapsulation == "dt46"
        named: dict[int, int] = {}
        for row in self._list("adjacencies", adjacencies):
            switch, identifier, link, target = self._list("an adjacency", row, 4)
            self._whole("link", link, 0, self._topology.num_links - 1)
            ends = (int(links.link_source[link]), int(links.link_target[link]))
            if (self._switch(switch), self._switch(target)) != ends:
                raise InvalidInput(
                    f"link {link} leads from switch {ends[0]} to {ends[1]}, not from {switch} to "
                    f"{target}"
                )
            if link in named:
                raise InvalidInput(f"link {link} has two adjacencies")
            named[link] = self._identifier(identifier)
        return Identifiers(
            [*map(self._identifier, self._list("nodes", nodes, switches))],
            named,
            [
                *map(
                    self._identifier,
                    self._list("functions", functions, switches if has_function else 0),
                )
            ],
        )

    def lists(self, value: object) -> Iterator[tuple[tuple[int, int], list[Entry]]]:
        """Yield the entries of each pair."""
        for source, of_source in self._by_switch(value):
            for target, rows in self._by_switch(of_source):
                if source == target:
                    raise InvalidInput(f"lists from switch {source} to itself")
                try:
                    entries = [self._entry(row) for row in self._list("lists", rows)]
                except InvalidInput as error:
                    raise InvalidInput(f"lists {source} -> {target}: {error}") from error
                yield (source, target), entries

    def _by_switch(self, value: object) -> Iterator[tuple[int, object]]:
        if not isinstance(value, dict):
            raise InvalidInput("lists: expected an object by switch")
        for name, one in cast("dict[str, object]", value).items():
            yield self._switch(int(name) if _NUMBER.fullmatch(name) else name), one

    def _entry(self, row: object) -> Entry:
        weight, share, switches, addresses = self._list("an entry", row, 4)
        if type(share) not in (float, int) or not 0 <= share <= 1:
            raise InvalidInput(f"share {str(share)[:_SHOWN]!r} is no number of 0..1")
        return Entry(
            self._whole("weight", weight, 0, self._header.slots),
            float(share),
            tuple(self._switch(one) for one in self._list("switches", switches)),
            tuple(_address(one) for one in self._list("addresses", addresses)),
        )


def _address(value: object) -> int:
    try:
        # Without the name of an interface, which is no part of an address.
        return int(IPv6Address(value if isinstance(value, str) and "%" not in value else ""))
    except AddressValueError as error:
        raise InvalidInput(f"{value!r} is no IPv6 address") from error


@dataclass
class Followed:
    """Where a packet went.

    Attributes
    ----------
    links : that it took, in order.
    at : where it was last.
    fault : why it got no further; empty if its outer header was removed there.
    """

    links: list[int]
    at: int
    fault: str = ""


class Follower:
    """Sends packets by addresses, as switches do.

    Parameters
    ----------
    alive : bool (links,), those of the network that are up.
    """

    def __init__(self, lists: SegmentLists, alive: NDArray[np.bool_]) -> None:
        self._cut, self._topology, self._alive = lists.cut, lists.topology, alive
        self._switch = {one: at for at, one in reversed([*enumerate(lists.identifiers.node)])}
        network = lists.topology.network
        self._source, self._target = network.link_source.tolist(), network.link_target.tolist()
        self._link = {
            (self._source[link], one): link for link, one in lists.identifiers.adjacency.items()
        }
        self._function = dict(enumerate(lists.identifiers.function))
        self._local = {one for _, one in self._link} | set(self._function.values())
        self._cables: dict[tuple[int, int], list[int]] = defaultdict(list)
        for link, ends in enumerate(zip(self._source, self._target, strict=True)):
            self._cables[ends].append(link)

    def follow(self, source: int, addresses: Sequence[int]) -> Followed:
        """Send a packet from a switch."""
        packet = Followed([], source)
        waiting = [*reversed(addresses)]
        going, address = "", 0
        while address or waiting:
            address = address or waiting.pop()
            at, before = packet.at, going
            going = self._step(packet, address)
            # Only an adjacency leads to a switch whose own identifier follows.
            if going == before == "node" and packet.at == at and not packet.fault:
                packet.fault = f"the switch itself is named: {self._topology.called(at)}"
            shifted = self._cut.shifted(address)
            ends = not shifted and not waiting
            if packet.fault or (going == "function" and ends):
                return packet
            if going == "function":
                packet.fault = "identifiers behind the function of a switch"
                return packet
            if going == "adjacency" and ends:
                packet.fault = "an adjacency is the last identifier"
                return packet
            address = shifted
        if not addresses:
            packet.fault = "no address"
        return packet

    def _step(self, packet: Followed, address: int) -> str:
        """Go where the first identifier of an address leads; return what that is of."""
        at, identifier = packet.at, self._cut.first(address)
        if not self._cut.holds(address):
            packet.fault = f"an address outside {self._cut.block}: {IPv6Address(address)}"
        elif (link := self._link.get((at, identifier))) is not None:
            self._cross(packet, link)
            return "adjacency"
        elif self._function.get(at) == identifier:
            return "function"
        elif (switch := self._switch.get(identifier)) is None:
            sort = (
                "an adjacency of another switch"
                if identifier in self._local
                else "an unknown identifier"
            )
            packet.fault = f"{sort}: {identifier:#x} at switch {self._topology.called(at)}"
        elif switch != at:
            self._to_neighbour(packet, switch)
        return "node"

    def _to_neighbour(self, packet: Followed, switch: int) -> None:
        cables = self._cables.get((packet.at, switch), [])
        up = [link for link in cables if self._alive[link]]
        if len(up) == 1:
            self._cross(packet, up[0])
            return
        if not cables:
            sort = "no cable to the next switch"
        else:
            sort = "several cables, and none is named" if up else _DOWN
        packet.fault = f"{sort}: {self._ends(packet.at, switch)}"

    def _cross(self, packet: Followed, link: int) -> None:
        if self._alive[link]:
            packet.links.append(link)
            packet.at = self._target[link]
        else:
            packet.fault = f"{_DOWN}: {self._ends(self._source[link], self._target[link])}"

    def _ends(self, source: int, target: int) -> str:
        return f"{self._topology.called(source)} to {self._topology.called(target)}"


@dataclass(frozen=True)
class SegmentReport(TableReport):
    """What a check of segment lists found.

    Attributes
    ----------
    pairs : of source and destination switch.
    hops_mean : links of a packet, mean over the pairs.
    second_address, second_address_share, moved_mean, moved_most, floor : see `Told`, found again.
    """

    pairs: int
    hops_mean: float
    second_address: int
    second_address_share: float
    moved_mean: float
    moved_most: float
    floor: float | None

    @property
    def size(self) -> str:
        """See `TableReport`."""
        return f"{self.paths:,} segment lists of {self.pairs:,} pairs"

    def remarks(self) -> list[str]:
        """See `TableReport`."""
        floor = "-" if self.floor is None else f"{self.floor:.4f}"
        return [
            f"{self.hops_mean:.4f} links a packet; a second address: {self.second_address:,} "
            f"lists, {100 * self.second_address_share:.2f}% of the traffic",
            f"{100 * self.moved_mean:.2f}% of the traffic of a pair takes other paths than asked, "
            f"at most {100 * self.moved_most:.2f}%",
            f"floor under every admissible traffic: {floor}",
        ]


@dataclass
class _Findings:
    """Offences by sort."""

    first: dict[str, str] = field(default_factory=dict[str, str])
    count: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))

    def add(self, sort: str, told: str, count: int = 1) -> None:
        self.first.setdefault(sort, told)
        self.count[sort] += count

    def all(self) -> list[Finding]:
        return [
            Finding(self.count[sort], f"{sort}: {self.count[sort]:,}, first {told}")
            for sort, told in self.first.items()
        ]


def audited_segments(path: str, *, without: str | None = None) -> SegmentReport:
    """Follow the segment lists of a file over its network.

    Parameters
    ----------
    without : path of a file of what is down besides.

    Raises
    ------
    InvalidInput : a file cannot be read, or what is down is not of the network.
    """
    lists = read_segments(path)
    return _Audit(lists, None if without is None else read_failures(without)).report()


class _Audit:
    """Checks the lists of a file, over what failures leave of its network."""

    def __init__(self, lists: SegmentLists, failures: Failures | None) -> None:
        whole = lists.topology
        origin = whole if whole.origin is None else whole.origin.network
        left = whole if failures is None else without(origin, failures)
        self._is_whole = failures is None
        alive = np.ones(whole.num_links, dtype=bool)
        if failures is not None:
            alive = links_left(whole, left) >= 0
        has_cables = np.bincount(left.network.link_source, minlength=left.num_switches) > 0
        self._senders = np.flatnonzero((left.switch_nodes > 0) & has_cables).tolist()
        self._lists, self._follower = lists, Follower(lists, alive)
        self._found = _Findings()
        self._called = whole.called
        # Ends, links, and shares by slots and as asked, of all that was followed.
        self._taken: list[tuple[int, int, int, float, float]] = []
        # What was asked for and is not in the file, since it has no slot.
        self._unlisted = 0.0

    def report(self) -> SegmentReport:
        """Check everything."""
        lists, there = self._lists, set(self._senders)
        self._check_identifiers()
        self._check_pairs()
        figures = [
            self._pair(*ends, some) for ends, some in lists.lists.items() if there.issuperset(ends)
        ]
        moved, second, hops = np.array(figures).reshape(-1, 3).T
        pairs = max(len(figures), 1)
        second_lists = sum(len(one.addresses) > 1 for some in lists.lists.values() for one in some)
        told: dict[str, Any] = {
            "moved_mean": float(moved.sum() / pairs),
            "moved_most": float(moved.max(initial=0.0)),
            "second_address": second_lists,
            "second_address_share": float(second.sum() / pairs),
            "floor": self._floor(-2) if self._is_whole else None,
        }
        if self._is_whole:
            self._check_told(told)
        findings = self._found.all()
        return SegmentReport(
            table_id=lists.digest,
            paths=sum(map(len, lists.lists.values())),
            problems=tuple(one.text for one in findings),
            problem_count=sum(one.count for one in findings),
            pairs=len(figures),
            hops_mean=float(hops.sum() / pairs),
            **told,
        )

    def _check_told(self, found: Mapping[str, Any]) -> None:
        """Compare what the file says of itself."""
        told, asked = self._lists.told, self._floor(-1)
        for name, value in {**found, "unlisted": self._unlisted, "floor_asked": asked}.items():
            said = getattr(told, name)
            # What was asked for beside what is listed can only lower its floor.
            if name == "floor_asked" and self._unlisted > _TOLERANCE and None not in (said, value):
                said = max(said, value)
            if not _same(said, value, name):
                self._found.add(f"the file tells another {name}", f"{value} found")

    def _floor(self, share: int) -> float | None:
        loads = SplitLoads(self._lists.topology)
        columns = np.array(self._taken).reshape(-1, 5)
        source, target, link = columns[:, :3].T.astype(np.int64)
        loads.add(source, target, link[:, np.newaxis], columns[:, share])
        return loads.floor()

    def _check_identifiers(self) -> None:
        known = self._lists.identifiers
        seen: dict[int, int] = {}
        for switch, identifier in enumerate(known.node):
            if (other := seen.setdefault(identifier, switch)) != switch:
                told = f"{identifier:#x} of {self._called(other)} and {self._called(switch)}"
                self._found.add("two switches with one identifier", told)
            if identifier >= self._lists.cut.first_local:
                told = f"{identifier:#x} of {self._called(switch)}"
                self._found.add("a local identifier names a switch", told)
        source = self._lists.topology.network.link_source
        local = [(int(source[link]), one) for link, one in known.adjacency.items()]
        local += list(enumerate(known.function))
        if common := [each for each in local if each[1] < self._lists.cut.first_local]:
            switch, one = common[0]
            told = f"{one:#x} of {self._called(switch)}"
            self._found.add("an identifier of switches names a cable or function", told)
        if twice := [each for each, count in Counter(local).items() if count > 1]:
            switch, one = twice[0]
            told = f"{one:#x} of {self._called(switch)}"
            self._found.add("two adjacencies or functions of a switch with one identifier", told)

    def _check_pairs(self) -> None:
        """Look for pairs without lists: of switches that have nodes and, if others do, cables."""
        for source in self._senders:
            for target in self._senders:
                if source != target and not self._lists.lists.get((source, target)):
                    told = f"{self._called(source)} -> {self._called(target)}"
                    self._found.add("a pair without a list", told)
        there = set(self._senders)
        for source, target in self._lists.lists:
            if self._is_whole and not there.issuperset((source, target)):
                told = f"{self._called(source)} -> {self._called(target)}"
                self._found.add("a list of a switch without nodes", told)

    def _pair(self, source: int, target: int, entries: Sequence[Entry]) -> tuple[float, ...]:
        """Follow the lists of a pair; return what was moved, shares of second addresses, hops."""
        slots, pair = self._lists.header.slots, f"{self._called(source)} -> {self._called(target)}"
        weights = sum(one.weight for one in entries)
        if weights != slots or not all(one.weight for one in entries):
            self._found.add("weights that do not sum", f"{pair}: {weights} of {slots}")
        shares = sum(one.share for one in entries)
        self._unlisted += max(0.0, 1 - shares)
        if not shares <= 1 + _TOLERANCE or not all(one.share > 0 for one in entries):
            self._found.add("shares that are none", pair)
        if len({one.addresses for one in entries}) < len(entries):
            self._found.add("a list twice", pair)
        hops = 0.0
        for one in entries:
            packet = self._follower.follow(source, one.addresses)
            self._check(packet, source, target, one)
            share = one.weight / slots
            hops += share * len(packet.links)
            self._taken += [(source, target, link, share, one.share) for link in packet.links]
        moved = sum(max(0.0, one.weight / slots - one.share) for one in entries)
        second = sum(one.weight / slots for one in entries if len(one.addresses) > 1)
        return moved, second, hops

    def _check(self, packet: Followed, source: int, target: int, entry: Entry) -> None:
        pair = f"{self._called(source)} -> {self._called(target)}"
        if packet.fault:
            sort, _, where = packet.fault.partition(": ")
            self._found.add(sort, f"{where} of {pair}" if where else pair)
        elif packet.at != target:
            self._found.add("a packet that ends at another switch", f"{pair} at {packet.at}")
        else:
            targets = self._lists.topology.network.link_target
            visited = (source, *(int(targets[link]) for link in packet.links))
            if visited != entry.switches:
                told = f"{pair}, {' '.join(map(str, visited))} instead of "
                told += " ".join(map(str, entry.switches))
                self._found.add("a packet that takes another way", told)
            elif self._lists.header.loop_free and len(set(visited)) < len(visited):
                self._found.add("a switch visited twice, by a file without such paths", pair)


def _same(told: float | None, found: float | None, name: str) -> bool:
    if told is None or found is None:
        return told is found
    return abs(told - found) <= (_FLOOR_TOLERANCE if "floor" in name else _TOLERANCE)
