"""Switches, adapters and the cables between their ports, as the tools of InfiniBand list them.

Every cable is listed from both of its ends, which have to agree.
"""

import re
from array import array
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology.fabric import LAST_LID, Fabric, FabricNode, FabricSwitch
from tvlb.topology.listed import DEFAULT_KIND, MOST_CABLES, ListedKind, Listing, is_label
from tvlb.topology.network import MAX_SWITCHES

_LONGEST_LINE = 1000
LAST_PORT = 254
_MOST_LMC = 7
# A device and a port make one number; ports may be beyond the last one by 1.
_KEYS = LAST_PORT + 2
_MOST_DEVICES = LAST_LID
_EXTERNAL = r"(?:\[ext [0-9]{1,9}\])?"
_GUID = r"(?:\(([0-9a-fA-F]{1,16})\))?"
_DEVICE = re.compile(r'([A-Z][a-z]{1,9})\s++([0-9]{1,9})\s++"([^"]{1,200})"\s*+(.*)', re.ASCII)
_PORT = re.compile(
    rf'\[([0-9]{{1,9}})\]{_EXTERNAL}{_GUID}\s++"([^"]{{1,200}})"\[([0-9]{{1,9}})\]{_EXTERNAL}{_GUID}'
    r"\s*+(.*)",
    re.ASCII,
)
_KINDS = {"Switch": True, "Ca": False, "Hca": False}
_Ends = NDArray[np.int32]


@dataclass(slots=True)
class _Device:
    """A switch or an adapter.

    Attributes
    ----------
    name, ports, guid, port_guid, lid : see `FabricSwitch`.
    own : what each cabled port of an adapter has: GUID, LID and LMC.
    """

    name: str
    is_switch: bool
    ports: int
    guid: int | None
    port_guid: int | None
    lid: int
    own: dict[int, tuple[int | None, int, int]]


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """The line that begins a device: whether it is a switch, ports, id and what is behind it."""

    is_switch: bool
    ports: int
    id: str
    rest: str


@dataclass(frozen=True, slots=True)
class PortLine:
    """The line of a port: number, own GUID, id and port of the peer, and what is behind them."""

    number: int
    guid: int | None
    peer: str
    peer_port: int
    rest: str


def parse_line(text: str) -> DeviceLine | PortLine:
    """Take a line apart that is neither empty nor a comment.

    Raises
    ------
    InvalidInput : it is no line of a device or port.
    """
    if len(text) > _LONGEST_LINE:
        raise InvalidInput(f"more than {_LONGEST_LINE:,} characters")
    if match := _PORT.fullmatch(text):
        number, guid, peer, peer_port, _, rest = match.groups()
        own = None if guid is None else int(guid, 16)
        found = PortLine(int(number), own, peer, int(peer_port), rest)
    elif (match := _DEVICE.fullmatch(text)) and match[1] in _KINDS:
        found = DeviceLine(_KINDS[match[1]], int(match[2]), match[3], match[4])
    elif match:
        raise InvalidInput(f"a device of kind {match[1]}, which is no switch and no adapter")
    else:
        raise InvalidInput(f"expected a switch, an adapter or a port of it, not {text[:80]!r}")
    if found.rest and not found.rest.startswith("#"):
        raise InvalidInput(f"expected a comment, not {found.rest[:80]!r}")
    return found


class Cabling:
    """Gathers devices and the cables of their ports, in the order of a file."""

    def __init__(self) -> None:
        # In the order in which they are named, be it by a cable; the declared ones by number.
        self._numbers: dict[str, int] = {}
        self._devices: dict[int, _Device] = {}
        self._last = -1
        self._switches = 0
        # Device, port, device and port of the other end.
        self._ends = tuple(array("i") for _ in range(4))

    def _number(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self._numbers))
        if number >= _MOST_DEVICES:
            raise InvalidInput(f"more than {_MOST_DEVICES:,} switches and adapters, the limit")
        return number

    def device(
        self,
        line: DeviceLine,
        name: str,
        guids: tuple[int | None, int | None] = (None, None),
        lid: int = 0,
    ) -> None:
        """Begin a switch or an adapter; `name` is its description.

        Parameters
        ----------
        guids, lid : of a switch: its own and that of its port 0, and the LID of that.

        Raises
        ------
        InvalidInput : it is listed already, or a number is out of range.
        """
        number = self._number(line.id)
        if number in self._devices:
            raise InvalidInput(f"{line.id[:80]!r} is listed twice")
        if not is_label(name):
            raise InvalidInput(f"the name {name[:40]!r} is too long or has unprintable characters")
        if not 1 <= line.ports <= LAST_PORT:
            raise InvalidInput(f"{line.id[:80]!r} has {line.ports} ports; expected 1..{LAST_PORT}")
        _check_lid(lid, 0, name)
        self._switches += line.is_switch
        if self._switches > MAX_SWITCHES:
            raise InvalidInput(f"more than {MAX_SWITCHES:,} switches, the limit")
        self._devices[number] = _Device(name, line.is_switch, line.ports, *guids, lid=lid, own={})
        self._last = number

    def port(self, line: PortLine, lid: int = 0, lmc: int = 0) -> None:
        """Add a cabled port of the device that was begun last; LID and LMC are of an adapter's.

        Raises
        ------
        InvalidInput : the device has no such port, none was begun, or there are too many.
        """
        if self._last not in self._devices:
            raise InvalidInput("a port before the first switch or adapter")
        device = self._devices[self._last]
        if not 1 <= line.number <= device.ports:
            raise InvalidInput(
                f"port {line.number} of {device.name[:80]!r}, which has ports 1..{device.ports}"
            )
        if len(self._ends[0]) >= 2 * MOST_CABLES:
            raise InvalidInput(f"more than {MOST_CABLES:,} cables, the limit")
        if not device.is_switch:
            _check_lid(lid, lmc, device.name)
            device.own[line.number] = line.guid, lid, lmc
        row = self._last, line.number, self._number(line.peer), min(line.peer_port, LAST_PORT + 1)
        for column, value in zip(self._ends, row, strict=True):
            column.append(value)

    def fabric(self, *, by_guid: bool) -> Fabric:
        """Return the fabric.

        Parameters
        ----------
        by_guid : whether switches are numbered by GUID, else as they were begun.

        Raises
        ------
        InvalidInput : a port is used twice, the ends of a cable disagree, or a node has no switch.
        """
        ends = np.array(self._ends, dtype=np.int32)
        self._check(ends)
        switches = [number for number, one in self._devices.items() if one.is_switch]
        if by_guid:
            switches.sort(key=lambda number: self._devices[number].guid or 0)
        # Adapters stand behind all switches.
        place = np.full(len(self._numbers), len(switches), dtype=np.int32)
        place[switches] = np.arange(len(switches))
        adapters = ends[0].copy()
        ends[[0, 2]] = place[ends[[0, 2]]]
        nodes = self._nodes(ends, adapters, len(switches))
        counts = np.bincount([switch for switch, _ in nodes], minlength=len(switches))
        cables = _cables(ends, len(switches))
        found = Fabric(
            Listing.model_construct(
                switches=len(switches),
                endpoints=tuple(counts.tolist()),
                links=tuple((low, high) for low, high in cables[[0, 1]].T.tolist()),
                kinds=(ListedKind.model_construct(name=DEFAULT_KIND),),
                labels=_labels([self._devices[number].name for number in switches]),
            ),
            [self._switch(self._devices[number]) for number in switches],
            [node for _, node in nodes],
            _link_ports(cables),
        )
        _check_apart(found)
        return found

    @staticmethod
    def _switch(device: _Device) -> FabricSwitch:
        return FabricSwitch(device.name, device.ports, device.guid, device.lid, device.port_guid)

    def _nodes(
        self, ends: _Ends, adapters: NDArray[np.int32], switches: int
    ) -> list[tuple[int, FabricNode]]:
        """Return the nodes with their switches, by switch and its port."""
        rows = np.flatnonzero(ends[0] == switches)
        rows = rows[np.lexsort((ends[3][rows], ends[2][rows]))]
        numbers = adapters[rows].tolist()
        found: list[tuple[int, FabricNode]] = []
        for number, (_, port, switch, switch_port) in zip(
            numbers, ends[:, rows].T.tolist(), strict=True
        ):
            device = self._devices[number]
            guid, lid, lmc = device.own[port]
            found.append((switch, FabricNode(device.name, port, switch_port, guid, lid, lmc)))
        return found

    def _check(self, ends: _Ends) -> None:
        names = [*self._numbers]
        undeclared = [name for name, one in self._numbers.items() if one not in self._devices]
        if undeclared:
            raise InvalidInput(f"a cable ends at {undeclared[0][:80]!r}, which is not listed")
        self._check_ends(ends, names)
        self._check_adapters(ends, names)

    def _check_ends(self, ends: _Ends, names: list[str]) -> None:
        here: NDArray[np.int32] = ends[0] * _KEYS + ends[1]
        there: NDArray[np.int32] = ends[2] * _KEYS + ends[3]

        def called(keys: NDArray[np.int32], row: int) -> str:
            return f"{names[int(keys[row]) // _KEYS][:80]!r}[{int(keys[row]) % _KEYS}]"

        order = np.argsort(here, kind="stable")
        ports = here[order]
        if (twice := ports[1:] == ports[:-1]).any():
            raise InvalidInput(f"the port {called(ports[:-1][twice], 0)} is used twice")
        place = np.searchsorted(ports, there)
        place[place == len(ports)] = 0
        for row in np.flatnonzero(ports[place] != there)[:1].tolist():
            raise InvalidInput(
                f"{called(here, row)} is cabled to {called(there, row)}, which is cabled to nothing"
            )
        back = there[order][place]
        for row in np.flatnonzero(back != here)[:1].tolist():
            raise InvalidInput(
                f"{called(here, row)} is cabled to {called(there, row)}, and that to "
                f"{called(back, row)}"
            )

    def _check_adapters(self, ends: _Ends, names: list[str]) -> None:
        adapters = [number for number, one in self._devices.items() if not one.is_switch]
        for number in adapters:
            if not self._devices[number].own:
                raise InvalidInput(
                    f"the node {names[number][:80]!r} has no switch: it has no cable"
                )
        is_adapter = np.zeros(len(names), dtype=bool)
        is_adapter[adapters] = True
        for row in np.flatnonzero(is_adapter[ends[0]] & is_adapter[ends[2]])[:1].tolist():
            first, second = (names[int(ends[one, row])][:80] for one in (0, 2))
            raise InvalidInput(f"the node {first!r} has no switch: it is cabled to {second!r}")


def _check_lid(lid: int, lmc: int, name: str) -> None:
    if not 0 <= lmc <= _MOST_LMC:
        raise InvalidInput(f"the LMC {lmc} of {name[:80]!r} is out of range: 0..{_MOST_LMC}")
    if lid + (1 << lmc) - 1 > LAST_LID:
        raise InvalidInput(f"the LID {lid} of {name[:80]!r} is out of range: 0..{LAST_LID:,}")


def _cables(ends: _Ends, switches: int) -> _Ends:
    """Return low and high switch and the port at either, int32 (4, cables), in this order."""
    between = (ends[0] < switches) & (ends[2] < switches)
    first = (ends[0] < ends[2]) | ((ends[0] == ends[2]) & (ends[1] <= ends[3]))
    low, low_port, high, high_port = ends[:, between & first]
    found = np.stack([low, high, low_port, high_port])
    return found[:, np.lexsort(found[[2, 1, 0]])]


def _link_ports(cables: _Ends) -> NDArray[np.uint8]:
    """Return the ports by link id: links are in the order of source, target and cable."""
    low, high, low_port, high_port = cables
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((target, source))
    return np.concatenate([low_port, high_port])[order].astype(np.uint8)


def _labels(names: list[str]) -> tuple[str, ...]:
    return () if all(name == switch_name(one) for one, name in enumerate(names)) else tuple(names)


def switch_name(switch: int) -> str:
    """Return what a switch without a label is called in the files of a fabric."""
    return f"S-{switch:05d}"


def node_name(node: int) -> str:
    """Return what a node is called in the files of a fabric."""
    return f"H-{node:05d}"


def _check_apart(fabric: Fabric) -> None:
    """Refuse GUIDs and LIDs of two owners."""
    every = (*fabric.switches, *fabric.nodes)
    guids = (
        (f"GUID 0x{guid:016x}", one.name)
        for one in every
        for guid in {one.guid, one.port_guid}
        if guid is not None
    )
    lids = ((f"LID {lid}", one.name) for one in every for lid in one.lids)
    owners: dict[str, str] = {}
    for value, name in chain(guids, lids):
        if value in owners:
            raise InvalidInput(
                f"the {value} is of two ports, {owners[value][:80]!r} and {name[:80]!r}"
            )
        owners[value] = name
