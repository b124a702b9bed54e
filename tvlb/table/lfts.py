"""Forwarding tables as OpenSM dumps and reads them: a block of LIDs and ports for every switch.

OpenSM empties the table of a switch where its block begins, so that every block lists every LID; a
port GUID behind a LID tells whose it is, whatever LID that port has when the file is read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tvlb.documents import explained
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding, Ports, graph_of
from tvlb.table.audit import ForwardingReport, audit
from tvlb.table.files import read_any_table
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.table.kinds import Finding
from tvlb.topology import LAST_LID, Fabric, read_fabric

_LONGEST_LINE = 1000
_LOOKED_AT = 1 << 16
_BLOCK = re.compile(rb"Unicast lids .{1,200}? guid 0x([0-9a-fA-F]{1,16})\b")
_ENTRY = re.compile(rb"0x([0-9a-fA-F]{1,8})\s++([0-9]{1,6}|UNREACHABLE)(\s.*)?", re.DOTALL)
_OWNER = re.compile(rb"portguid 0x([0-9a-fA-F]{1,16})(?=[:\s]|\Z)")
_END = re.compile(rb"[0-9]{1,9} (?:valid )?lids dumped")
_MISSING = -1
_ANY_PORT = 256
_FAULTS = {
    "missing": "LIDs without an entry",
    "unroutable": "LIDs without a route",
    "astray": "routes by a port that leads to no switch or to another node",
}
_HEADINGS = (b"#", b"Lid  Out", b"Port     Info")


def is_dump(path: Path | str) -> bool:
    """Whether a file looks like a dump of forwarding tables."""
    try:
        with Path(path).open("rb") as stream:
            return any(map(_BLOCK.match, stream.read(_LOOKED_AT).splitlines()))
    except OSError:
        return False


@dataclass(frozen=True, eq=False)
class Dump:
    """Forwarding tables that a file holds.

    Attributes
    ----------
    forwarding : routes to the nodes, on the network of the fabric; none where there are problems.
    findings : what is wrong with the file, on which packets are lost.
    remarks : what is left out of `forwarding`, a line each.
    """

    forwarding: Forwarding
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]


def read_dump(path: Path | str, fabric: Fabric) -> Dump:
    """Read the dump of a fabric, of OpenSM (`--dump_files_dir`) or of dump_fts.

    Raises
    ------
    InvalidInput : it cannot be read, a line is none of a dump, a switch is not of the fabric or has
        no such port, or a LID is beyond the last one of a subnet.
    """
    fabric.check_guids()
    reader = _Reader(fabric)
    with explained("cannot read dump", path), Path(path).open("rb") as stream:
        number = 0
        try:
            while line := stream.readline(_LONGEST_LINE + 1):
                number += 1
                reader.line(line)
            return reader.dump()
        except InvalidInput as error:
            raise InvalidInput(f"dump {path}: line {number}: {error}") from error


def audited_file(path: str, fabric: str | None, against: str | None) -> ForwardingReport:
    """Audit a file of a forwarding table, or a dump.

    Parameters
    ----------
    fabric : path of the file of the fabric; dumps need one.
    against : path of the table, or of the dump, that is in use.

    Raises
    ------
    InvalidInput : a file cannot be read, or is none of those; or as `audit`.
    """
    known = None if fabric is None else read_fabric(fabric)
    other = None if against is None else _loaded(against, known, fabric)[0]
    table, findings, remarks = _loaded(path, known, fabric)
    if known is not None:
        known.check_is(table.topology)
    return audit(table, known, other, findings=findings, remarks=remarks)


def _loaded(
    path: str, known: Fabric | None, fabric: str | None
) -> tuple[ForwardingTable, Sequence[Finding], Sequence[str]]:
    """Return a table with what its file tells of faults, and more that is none."""
    if is_dump(path):
        dump = read_dump(path, _known(path, fabric) if known is None else known)
        return ForwardingTable.of(dump.forwarding, "opensm"), dump.findings, dump.remarks
    loaded = read_any_table(path)
    if not isinstance(loaded, ForwardingTable):
        raise InvalidInput(f"{path} is a {loaded.kind.name}, not a forwarding table")
    return loaded, (), ()


def _known(path: Path | str, fabric: str | None) -> Fabric:
    if fabric is None:
        raise InvalidInput(
            f"{path} is a dump of forwarding tables: give the output of ibnetdiscover with --fabric"
        )
    return read_fabric(fabric)


def read_dumped_table(path: Path | str, fabric: str | None) -> tuple[ForwardingTable, list[str]]:
    """Return the forwarding table that a dump holds, and what has to be said about it, a line each.

    Parameters
    ----------
    fabric : path of the file of the fabric, what ibnetdiscover printed.

    Raises
    ------
    InvalidInput : there is no fabric; or as `read_dump` and `read_fabric`.
    """
    dump = read_dump(path, _known(path, fabric))
    said = [*(one.text for one in dump.findings), *dump.remarks]
    return ForwardingTable.of(dump.forwarding, "opensm"), said


@dataclass
class _Sort:
    """Entries of a sort: how many there are, and which is the first."""

    count: int = 0
    first: str = ""

    def add(self, count: int, first: str) -> None:
        self.first = self.first or first
        self.count += count


class _Reader:
    """Takes the lines of a dump.

    Owners of LIDs are numbered: nodes by id, then switches.
    """

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric
        topology = fabric.topology
        self._owners = (*fabric.nodes, *fabric.switches)
        self._nodes = topology.num_nodes
        self._node_switch = topology.network.node_switch
        self._node_port = np.array([one.switch_port for one in fabric.nodes])
        self._by_guid = {
            guid: number
            for number, one in enumerate(self._owners)
            for guid in (one.guid, one.port_guid)
        }
        self._by_lid = {lid: number for number, one in enumerate(self._owners) for lid in one.lids}
        self._entries = _entries_by_port(fabric)
        self._switch = -1
        self._seen = np.zeros(topology.num_switches, dtype=bool)
        # Of the block: the port for every owner, -1 where none was read, and the LIDs.
        self._block = np.full(len(self._owners), _MISSING, dtype=np.int16)
        self._lids = set[int]()
        self._expected = np.array([max(1, len(one.lids)) for one in self._owners])
        self._counts = np.zeros(len(self._owners), dtype=np.int16)
        self._ports = np.full((self._nodes, topology.num_switches), NO_PORT, dtype=np.uint8)
        self._sorts = {name: _Sort() for name in ("missing", "unroutable", "astray")}
        self._unknown, self._others = _Sort(), _Sort()

    def line(self, line: bytes) -> None:
        """Take a line."""
        if len(line) > _LONGEST_LINE:
            raise InvalidInput(f"more than {_LONGEST_LINE:,} characters")
        text = line.strip()
        if match := _ENTRY.fullmatch(text):
            self._take(int(match[1], 16), match[2], match[3] or b"")
        elif match := _BLOCK.match(text):
            self._end()
            self._begin(int(match[1], 16))
        elif text and not text.startswith(_HEADINGS) and _END.fullmatch(text) is None:
            shown = text[:80].decode(errors="replace")
            raise InvalidInput(f"expected a LID and a port, not {shown!r}")

    def _begin(self, guid: int) -> None:
        number = self._by_guid.get(guid, -1)
        if number < self._nodes:
            raise InvalidInput(f"{self._fabric} has no switch with the GUID 0x{guid:016x}")
        self._switch = number - self._nodes
        if self._seen[self._switch]:
            raise InvalidInput(f"a second block of the switch {self._name!r}")
        self._seen[self._switch] = True

    @property
    def _name(self) -> str:
        return self._fabric.switches[self._switch].name[:80]

    def _take(self, lid: int, port: bytes, rest: bytes) -> None:
        if self._switch < 0:
            raise InvalidInput("an entry before the first switch")
        if not 1 <= lid <= LAST_LID:
            raise InvalidInput(f"LID {lid:,} is out of range: 1..{LAST_LID:,}")
        if lid in self._lids:
            raise InvalidInput(f"a second entry for LID {lid} of the switch {self._name!r}")
        self._lids.add(lid)
        number = NO_PORT if port == b"UNREACHABLE" else int(port)
        most = self._fabric.switches[self._switch].ports
        if number > most and number != NO_PORT:
            raise InvalidInput(f"port {number} of {self._name!r}, which has ports 0..{most}")
        if (told := _OWNER.search(rest)) is None and b"portguid" in rest:
            raise InvalidInput(f"the GUID of the port with LID {lid} is none")
        owner = self._by_lid.get(lid) if told is None else self._by_guid.get(int(told[1], 16))
        if owner is None:
            self._unknown.add(1, f"LID {lid} at {self._name}")
            return
        self._counts[owner] += 1
        if self._block[owner] == _MISSING:
            self._block[owner] = number
        elif self._block[owner] != number:
            self._take_further(owner, lid, number)

    def _take_further(self, owner: int, lid: int, port: int) -> None:
        """Take another route to a further LID of a port, of which the first counts."""
        switch, called = (
            self._switch,
            f"LID {lid} at {self._name} for {self._owners[owner].name[:80]}",
        )
        if owner == self._nodes + switch:
            leads_on = port == 0
        elif owner < self._nodes and self._node_switch[owner] == switch:
            leads_on = port == self._node_port[owner]
        else:
            leads_on = self._entries[switch][port] != NO_PORT
        if port == NO_PORT:
            self._sorts["unroutable"].add(1, called)
        elif not leads_on:
            self._sorts["astray"].add(1, f"{called} by port {port}")
        else:
            self._others.add(1, f"LID {lid} at {self._name}")

    def _end(self) -> None:
        """Keep the entries of the block that ends."""
        if self._switch < 0:
            return
        port, switch = self._block, self._switch
        entry = self._entries[switch][port]
        wrong = entry == NO_PORT
        own = np.flatnonzero(self._node_switch == switch)
        wrong[own] = port[own] != self._node_port[own]
        wrong[self._nodes + switch] = port[self._nodes + switch] != 0
        entry[own] = NO_PORT
        self._ports[:, switch] = entry[: self._nodes]
        missing, unroutable = self._counts < self._expected, port == NO_PORT
        for name, which in (
            ("missing", missing),
            ("unroutable", unroutable),
            ("astray", wrong & ~missing & ~unroutable),
        ):
            if which.any():
                first = int(which.argmax())
                called = f"at {self._name} for {self._owners[first].name[:80]}"
                by = f" by port {port[first]}" if name == "astray" else ""
                self._sorts[name].add(int(which.sum()), called + by)
        self._block[:], self._counts[:] = _MISSING, 0
        self._lids.clear()

    def dump(self) -> Dump:
        """Return what was read."""
        self._end()
        if not self._seen.any():
            raise InvalidInput("there is no block of a switch in it")
        unseen = np.flatnonzero(~self._seen)
        found: list[Finding] = []
        if len(unseen):
            name = self._fabric.switches[int(unseen[0])].name[:80]
            found.append(
                Finding(len(unseen), f"switches without a block: {len(unseen):,}, first {name}")
            )
        for name, text in _FAULTS.items():
            if (one := self._sorts[name]).count:
                found.append(
                    Finding(one.count, f"{text}: {one.count:,} entries, first {one.first}")
                )
        remarks = [
            f"{text}: {one.count:,} entries, first {one.first}"
            for text, one in (
                ("LIDs that no port of the fabric has", self._unknown),
                ("other routes to further LIDs of a port, of which the first counts", self._others),
            )
            if one.count
        ]
        forwarding = Forwarding.of(self._fabric.topology, self._ports)
        return Dump(forwarding, tuple(found), tuple(remarks))


def _entries_by_port(fabric: Fabric) -> Ports:
    """Return what `Forwarding` calls each port of each switch, uint8 (switches, 256)."""
    links = graph_of(fabric.topology).links()
    found = np.full((len(links), _ANY_PORT), NO_PORT, dtype=np.uint8)
    switch, entry = np.nonzero(links >= 0)
    found[switch, fabric.link_port[links[switch, entry]]] = entry
    return found


def write_dump(
    forwarding: Forwarding, to_switches: Ports, fabric: Fabric, stream: BinaryIO
) -> None:
    """Write tables that OpenSM loads (`-R file -U FILE`), of nodes and of the switches themselves.

    Parameters
    ----------
    to_switches : entries by destination switch and switch, as those of `forwarding` by node.

    Raises
    ------
    InvalidInput : the fabric is another network or does not tell GUIDs, an entry is missing, or
        there are more ports than LIDs.
    """
    fabric.check_guids()
    by_entry = _ports_by_entry(forwarding, fabric)
    entries = np.concatenate([forwarding.ports, to_switches])
    lids = assigned_lids(fabric)
    begins, ends = _line_parts(fabric, lids)
    owners = np.repeat(np.arange(len(lids)), [len(one) for one in lids])
    order = np.argsort([lid for one in lids for lid in one])
    own = forwarding.topology.network.node_switch
    own_port = np.array([one.switch_port for one in fabric.nodes], dtype=np.uint8)
    most = max(one[-1] for one in lids)
    for number, switch in enumerate(fabric.switches):
        ports = by_entry[number, entries[:, number]]
        here = np.flatnonzero(own == number)
        ports[here], ports[len(own) + number] = own_port[here], 0
        if (holes := ports == NO_PORT).any():
            called = (*fabric.nodes, *fabric.switches)[int(holes.argmax())].name
            raise InvalidInput(f"switch {switch.name} has no entry for {called}")
        lid = lids[len(own) + number][0]
        head = f"Unicast lids [0-{most}] of switch Lid {lid} guid 0x{switch.guid or 0:016x}"
        stream.write(f"{head} ({switch.name!r}):\n".encode())
        listed = ports[owners[order]].tolist()
        lines = (
            f"{begins[row]}{port:03d}{ends[row]}"
            for row, port in zip(order.tolist(), listed, strict=True)
        )
        stream.write("".join(lines).encode())
        stream.write(f"{len(listed)} lids dumped\n".encode())


def _ports_by_entry(forwarding: Forwarding, fabric: Fabric) -> Ports:
    """Return the number of the port of each entry of a switch, uint8 (switches, 256)."""
    ports = np.append(fabric.ports_of(forwarding.topology), np.uint8(NO_PORT))
    links = graph_of(forwarding.topology).links()
    return np.pad(ports[links], ((0, 0), (0, 1)), constant_values=NO_PORT)


def _line_parts(fabric: Fabric, lids: Sequence[range]) -> tuple[list[str], list[str]]:
    """Return what is before and behind the ports in the lines of all LIDs, by owner."""
    owners = (*fabric.nodes, *fabric.switches)
    kinds = ["Channel Adapter"] * len(fabric.nodes) + ["Switch"] * len(fabric.switches)
    begins = [f"0x{lid:04x} " for one in lids for lid in one]
    ends = [
        f" # {kind} portguid 0x{owner.port_guid or 0:016x}: {owner.name!r}\n"
        for kind, owner, one in zip(kinds, owners, lids, strict=True)
        for _ in one
    ]
    return begins, ends


def assigned_lids(fabric: Fabric) -> list[range]:
    """Return the LIDs of all nodes, then of all switches; those that have none yet get free ones.

    OpenSM finds ports by their GUIDs, so that these may differ from what it gives out later.

    Raises
    ------
    InvalidInput : there are not enough LIDs.
    """
    owners = (*fabric.nodes, *fabric.switches)
    taken = {lid for one in owners for lid in one.lids}
    free = (lid for lid in range(1, LAST_LID + 1) if lid not in taken)
    try:
        given = ((one.lids, 0) if one.lid else (None, next(free)) for one in owners)
        return [range(lid, lid + 1) if lids is None else lids for lids, lid in given]
    except (StopIteration, RuntimeError) as error:
        raise InvalidInput(f"{fabric} has more ports than the {LAST_LID:,} LIDs") from error
