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
_NAME = r"((?!#)[^\s<>{}\[\]\"',:;]{1,200})"
_CABLE = re.compile(rf"{_NAME}\s++{_NAME}(?:\s*+\{{\}})?+(?:\s++#.*)?+\s*+", re.ASCII)
_SWITCH = re.compile(r"[0-9]{1,100}")
_GLUED = re.compile(r"[0-9]+#.*")
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
    names = _names(pairs, 0 if given is None else len(given))
    if given is not None and len(given) not in (1, len(names)):
        raise InvalidInput(f"endpoints of {len(given):,} switches; the cables have {len(names):,}")
    found = NamedCables()
    counts = given * len(names) if given is not None and len(given) == 1 else given
    for position, name in enumerate(names):
        found.switch(name, None if counts is None else counts[position])
    for first, second in pairs:
        found.cable(first, second)
    return found.listing(endpoints)


def _names(pairs: list[tuple[str, str]], counts: int) -> list[str]:
    """Return the switches in their order: by number, or other names as they appear.

    Switches without cables have numbers that are left out, from 0 up, or from 1 where there are no
    more counts than the largest number.
    """
    appearing = list(dict.fromkeys(name for pair in pairs for name in pair))
    others = [name for name in appearing if _SWITCH.fullmatch(name) is None]
    if others and all(map(_GLUED.fullmatch, others)):
        raise InvalidInput(f"switch {others[0]!r}: a comment begins behind a blank")
    if others:
        return appearing
    numbers = dict[int, str]()
    for name in appearing:
        if (other := numbers.setdefault(int(name), name)) != name:
            raise InvalidInput(f"switches {other!r} and {name!r} have the same number")
    if counts <= max(1, len(numbers)) or not numbers:
        return [numbers[one] for one in sorted(numbers)]
    largest = max(numbers)
    first = int(0 not in numbers and largest == counts)
    if largest >= first + counts:
        raise InvalidInput(f"endpoints of {counts:,} switches; the cables have switch {largest}")
    return [numbers.get(one, str(one)) for one in range(first, first + counts)]


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
