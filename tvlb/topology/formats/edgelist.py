"""Edge list: a line `u v` for each cable; compute nodes in a comment."""

import re
from collections.abc import Iterator

from tvlb.documents import lines_of, whole_number
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import (
    NetworkFormat,
    WrittenNetwork,
    lost_family,
    lost_kinds,
    lost_labels,
)
from tvlb.topology.listed import MOST_CABLES, ListedTopology, listed
from tvlb.topology.named_cables import NamedCables
from tvlb.topology.network import MAX_SWITCHES
from tvlb.topology.topology import Topology

_ENDPOINTS = re.compile(r"#\s*+endpoints\b[\s:]*+(.*)", re.ASCII)
# Networkx writes an empty mapping behind every edge.
_NAME = r"([^\s#<>{}\[\]\"',:;]{1,200})"
_CABLE = re.compile(rf"{_NAME}\s++{_NAME}(?:\s*+\{{\}})?+\s*+(?:#.*)?+", re.ASCII)
_SWITCH = re.compile(r"[0-9]{1,9}")
_LOOKED_AT = 4096
_LONGEST_LINE = 1000
_LONGEST_COUNT = 20


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    given: list[int] | None = None
    pairs: list[tuple[str, str]] = []
    known: dict[str, str] = {}
    for number, line in enumerate(map(str.strip, lines_of(content)), 1):
        try:
            if match := _ENDPOINTS.match(line):
                if given is not None:
                    raise InvalidInput("a second line of endpoints")
                given = _counts(match[1])
            elif len(line) <= _LONGEST_LINE and (match := _CABLE.fullmatch(line)):
                if len(pairs) >= MOST_CABLES:
                    raise InvalidInput(f"more than {MOST_CABLES:,} cables, the limit")
                # Each name is kept once.
                first, second = match.groups()
                pairs.append((known.setdefault(first, first), known.setdefault(second, second)))
            elif line and not line.startswith("#"):
                raise InvalidInput(f"expected two switches, not {line[:80]!r}")
        except (InvalidInput, ValueError) as error:
            raise InvalidInput(f"line {number}: {error}") from error
    return _listing(pairs, given, endpoints)


def _counts(text: str) -> list[int]:
    if len(text) > MAX_SWITCHES * _LONGEST_COUNT:
        raise InvalidInput(f"endpoints of more than {MAX_SWITCHES:,} switches, the limit")
    return [whole_number(one) for one in text.split()]


def _listing(
    pairs: list[tuple[str, str]], given: list[int] | None, endpoints: int | None
) -> ExplicitTopology:
    names = _names(pairs, 0 if given is None or len(given) == 1 else len(given))
    if given is not None and len(given) not in (1, len(names)):
        raise InvalidInput(f"endpoints of {len(given):,} switches; the cables have {len(names):,}")
    found = NamedCables()
    counts = given * len(names) if given is not None and len(given) == 1 else given
    for position, name in enumerate(names):
        found.switch(name, None if counts is None else counts[position])
    for first, second in pairs:
        found.cable(first, second)
    return found.listing(endpoints)


def _names(pairs: list[tuple[str, str]], least: int) -> list[str]:
    """Return the switches in their order: numbers from 0 up, or other names as they appear."""
    appearing = list(dict.fromkeys(name for pair in pairs for name in pair))
    if not all(map(_SWITCH.fullmatch, appearing)):
        return appearing
    largest = max(map(int, appearing), default=-1)
    if largest >= MAX_SWITCHES:
        raise InvalidInput(f"switch {largest}; the largest that is taken is {MAX_SWITCHES - 1:,}")
    return [str(one) for one in range(max(largest + 1, min(least, MAX_SWITCHES)))]


def _recognise(content: bytes) -> bool:
    lines = map(str.strip, content[:_LOOKED_AT].decode(errors="replace").splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return _CABLE.fullmatch(first) is not None


def _write(topology: Topology, name: str) -> WrittenNetwork:
    network = listed(topology)
    lost = lost_family(topology) + lost_kinds(network) + lost_labels(network)
    return WrittenNetwork({"": _lines(network)}, lost)


def _lines(network: ListedTopology) -> Iterator[bytes]:
    counts = " ".join(map(str, network.nodes_of_switches().tolist()))
    yield f"# {network.num_switches} switches, a line for each cable\n".encode()
    yield f"# endpoints {counts}\n".encode()
    for cables in network.cables():
        for first, second in cables.tolist():
            yield f"{first} {second}\n".encode()


FORMAT = NetworkFormat(
    name="edgelist",
    suffixes=(".edgelist", ".edges"),
    read=_read,
    recognise=_recognise,
    write=_write,
)
