"""The output of ibnetdiscover: a block for each switch and adapter of an InfiniBand fabric.

The order of the blocks changes from run to run, so that switches are numbered by their GUIDs.
"""

import re

from tvlb.documents import lines_of
from tvlb.errors import InvalidInput
from tvlb.topology.cabling import Cabling, DeviceLine, parse_line
from tvlb.topology.fabric import Fabric
from tvlb.topology.formats import NetworkFormat, network_reader

_LOOKED_AT = 1 << 16
_RECOGNISED = re.compile(rb"^(?:switch|ca)guid=0x[0-9a-fA-F]", re.MULTILINE)
_GUID = re.compile(
    r"(?:switch|ca)guid=0x([0-9a-fA-F]{1,16})(?:\(([0-9a-fA-F]{1,16})\))?\s*+", re.ASCII
)
_SKIPPED = ("#", "vendid=", "devid=", "sysimgguid=")
_ID = re.compile(r"[SH]-([0-9a-fA-F]{16})", re.ASCII)
_SWITCH_LID = re.compile(r"\s*+(?:base|enhanced) port 0 lid ([0-9]{1,9}) lmc [0-9]{1,9}", re.ASCII)
_PORT_LID = re.compile(r"#\s*+lid ([0-9]{1,9}) lmc ([0-9]{1,9})", re.ASCII)


class _Reader:
    """Takes the lines of a file."""

    def __init__(self) -> None:
        self.found = Cabling()
        # Of the block that begins: the GUIDs of the device and, of a switch, of its port 0.
        self._guids: tuple[int, int] | None = None
        self._is_switch = False

    def line(self, text: str) -> None:
        """Take a line."""
        if not text or text.startswith(_SKIPPED):
            return
        if match := _GUID.fullmatch(text):
            guid = int(match[1], 16)
            self._guids = guid, guid if match[2] is None else int(match[2], 16)
            return
        line = parse_line(text)
        if isinstance(line, DeviceLine):
            self._device(line)
        elif self._is_switch:
            self.found.port(line)
        elif (match := _PORT_LID.match(line.rest)) is None or line.guid is None:
            raise InvalidInput("the line of an adapter's port has no GUID or no LID")
        else:
            self.found.port(line, int(match[1]), int(match[2]))

    def _device(self, line: DeviceLine) -> None:
        name, tail = _description(line.rest)
        match = _ID.fullmatch(line.id)
        if self._guids is None or match is None or int(match[1], 16) != self._guids[0]:
            raise InvalidInput(f"{line.id[:80]!r} is not the GUID of the line before it")
        lid = _SWITCH_LID.match(tail)
        if line.is_switch and lid is None:
            raise InvalidInput(f"the line of the switch {name[:80]!r} has no LID")
        self.found.device(
            line,
            name,
            self._guids if line.is_switch else (None, None),
            int(lid[1]) if line.is_switch and lid else 0,
        )
        self._guids, self._is_switch = None, line.is_switch


def _description(comment: str) -> tuple[str, str]:
    """Return the description in a comment, which may hold quotes itself, and what is behind it."""
    first, last = comment.find('"'), comment.rfind('"')
    if first == last:
        raise InvalidInput("the line of a switch or adapter has no description in quotes")
    return comment[first + 1 : last], comment[last + 1 :]


def _fabric(content: bytes) -> Fabric:
    reader = _Reader()
    for number, line in enumerate(lines_of(content), 1):
        try:
            reader.line(line.strip())
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return reader.found.fabric(by_guid=True)


FORMAT = NetworkFormat(
    name="ibnetdiscover",
    suffixes=(),
    read=network_reader(_fabric),
    recognise=lambda content: _RECOGNISED.search(content, 0, _LOOKED_AT) is not None,
    read_fabric=_fabric,
)
