"""Traffic matrices: CSV, read from a file or given as a text.

Format: a line ``# level=node`` or ``# level=switch``, the header ``src,dst,rate``, then one line
per entry; rates are packets/cycle at load 1. Switches may be named as their owner calls them. A
matrix that is for one network alone says so in its first line, ``network=`` and a digest.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import decimal_number, lines_of, read_file, whole_number
from tvlb.errors import InvalidInput
from tvlb.topology import Topology
from tvlb.traffic.demand import DestinationTable, NodeTraffic
from tvlb.traffic.pattern import Pattern

# What may be too much in a row, as a share: entries are rounded to some digits.
_SUM_SLACK = 1e-5
_MAX_ID = 2**31 - 1
_SHOWN = 80
_MARK = "#"
_DIGITS = 8
_MOST_WIDTH = 100
_FIRST_LINE = re.compile(rf"#level=(node|switch)(?:network=([0-9a-f]{{{2 * _DIGITS}}}))?")
_PLAIN = re.compile(r"-?(0|[1-9][0-9]{0,99})")

# A switch by its number or, as a text, by its name.
_End = int | str
_Entry = tuple[_End, _End, float]


@dataclass(frozen=True)
class MatrixPattern(Pattern):
    """A traffic matrix; `str` gives its name or, of one from a text, its hash.

    Attributes
    ----------
    name : the path of the CSV file, as the user named it, or the text of the pattern that it was
        found for; None of a matrix from a text.
    level : "node" or "switch".
    entries : (source, destination, rate) triples sorted by (source, destination).
    network : digest of the network that it is for; None of a matrix for any.
    """

    name: str | None
    level: str
    entries: tuple[_Entry, ...]
    network: str | None = None

    @classmethod
    def read(cls, path: str) -> "MatrixPattern":
        """Read a matrix file; raise InvalidInput naming the first bad line."""
        content = read_file(path, "traffic matrix")
        try:
            return cls(path, *_parsed(lines_of(content)))
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from error

    @classmethod
    def of(cls, text: str) -> "MatrixPattern":
        """Make a matrix of what such a file holds; raises as `read`."""
        try:
            return cls(None, *_parsed(lines_of(text.encode())))
        except InvalidInput as error:
            raise InvalidInput(f"traffic matrix: {error}") from error

    @classmethod
    def by_switch(cls, entries: Iterable[_Entry], name: str | None = None) -> "MatrixPattern":
        """Make a matrix between switches, by their names where they have some."""
        return cls(name, "switch", tuple(sorted(entries, key=_order)))

    @classmethod
    def between(
        cls,
        topology: Topology,
        entries: Iterable[tuple[int, int, float]],
        name: str | None = None,
    ) -> "MatrixPattern":
        """Make a matrix between switches by their numbers, of a text that can be read again."""
        names = _names(topology)
        return cls.by_switch(
            ((names[source], names[target], rate) for source, target, rate in entries), name
        )

    def only_for(self, topology: Topology) -> "MatrixPattern":
        """Return the same, to be refused for any other network."""
        return replace(self, network=_digest(topology))

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `tvlb.traffic.Pattern.resolve`; raises InvalidInput if the matrix does not fit."""
        if self.network not in (None, _digest(topology)):
            raise InvalidInput(
                f"{self}: made for another network than {topology}; without "
                f"network={self.network} in its first line it is taken for any"
            )
        by_switch = self.level == "switch"
        size = topology.num_switches if by_switch else topology.num_nodes
        source, target, rate = self._columns(topology)
        for ends in (source, target):
            if len(ends) and ends.max() >= size:
                raise InvalidInput(
                    f"{self}: {self.level} {ends.max()} is not in {topology}; "
                    f"allowed are 0..{size - 1}"
                )
        if by_switch:
            self._check_nodes(topology, np.concatenate([source[rate > 0], target[rate > 0]]))
        sums = np.bincount(source, weights=rate, minlength=size)
        limit = topology.switch_nodes if by_switch else np.ones(size, dtype=np.int64)
        if (wrong := sums > limit * (1 + _SUM_SLACK)).any():
            worst = int(np.where(wrong, sums - limit, 0.0).argmax())
            raise InvalidInput(
                f"{self}: {self.level} {worst} sends {sums[worst]:.8g} packets/cycle; a row may "
                f"sum to at most {limit[worst]}, and {_SUM_SLACK:g} of that more by rounding"
            )
        kept = rate > 0
        counts = np.bincount(source[kept], minlength=size)
        owner = topology.network.node_switch if by_switch else np.arange(topology.num_nodes)
        table = DestinationTable(
            row_of_node=np.where(counts[owner] > 0, owner, -1).astype(np.int32),
            offset=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            target=target[kept],
            probability=rate[kept] / sums[source[kept]],
            target_is_switch=by_switch,
        )
        nodes = topology.num_nodes
        return NodeTraffic(
            rate=np.minimum(sums[owner] / limit[owner], 1.0),
            uniform_fraction=np.zeros(nodes),
            destination=np.full(nodes, -1, dtype=np.int32),
            table=table,
        )

    def _columns(
        self, topology: Topology
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Return sources, destinations and rates, sorted by source and destination."""
        number = topology.switch_names.number
        # Where switches have names, a number may be one.
        named = str if self.level == "switch" and topology.labels else _as_it_is
        try:
            ends = [tuple(number(named(end)) for end in entry[:2]) for entry in self.entries]
        except InvalidInput as error:
            raise InvalidInput(f"{self}: {error}") from error
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        order = np.lexsort(pairs.T[::-1])
        rate = np.array([entry[2] for entry in self.entries], dtype=np.float64)
        source, target = pairs[order].T
        return source, target.astype(np.int32), rate[order]

    def _check_nodes(self, topology: Topology, ends: NDArray[np.integer]) -> None:
        """Refuse switches that neither send nor receive anything."""
        if (without := topology.switch_nodes[ends] == 0).any():
            raise InvalidInput(
                f"{self}: switch {ends[without.argmax()]} of {topology} has no compute nodes"
            )

    def count_flows(self, topology: Topology) -> float:
        """See `tvlb.traffic.Pattern.count_flows`."""
        return min(len(self.entries), topology.num_switches * (topology.num_switches - 1))

    @property
    def identity(self) -> str:
        """See `tvlb.traffic.Pattern.identity`; a file may change under its name."""
        content = json.dumps([self.level, self.entries])
        return f"matrix {hashlib.sha256(content.encode()).hexdigest()}"

    @property
    def text(self) -> str:
        """See `tvlb.traffic.Pattern.text`."""
        return self.asked if self.name is None else self.name

    @property
    def asked(self) -> str:
        """See `tvlb.traffic.Pattern.asked`; equal matrices give equal texts."""
        rows = "".join(f"{source},{target},{rate!r}\n" for source, target, rate in self.entries)
        network = "" if self.network is None else f" network={self.network}"
        return f"{_MARK} level={self.level}{network}\nsrc,dst,rate\n{rows}"

    def __str__(self) -> str:
        if self.name is not None:
            return self.name
        return f"matrix({hashlib.sha256(self.asked.encode()).hexdigest()[:_DIGITS]})"


def is_matrix(text: str) -> bool:
    """Whether a text is meant for what the file of a matrix holds."""
    return text.startswith(_MARK)


def _names(topology: Topology) -> Sequence[_End]:
    """Return what a matrix calls every switch: its label, or its number where that is misread."""
    switches = range(topology.num_switches)
    return [_name(topology, one) for one in switches] if topology.labels else switches


def _name(topology: Topology, switch: int) -> _End:
    # With zeros before it where another switch is called by the number; so many are not.
    padded = (f"{switch:0{width}}" for width in range(2, _MOST_WIDTH))
    names = (topology.labels[switch], switch, *padded)
    found = (_read_as(topology, switch, one) for one in names)
    return next((one for one in found if one is not None), switch)


def _read_as(topology: Topology, switch: int, name: _End) -> _End | None:
    """Return a name as it is read again, None where that is not of the switch."""
    try:
        read = _entry(1, f"{name},{name},1", "switch")[0]
        return read if topology.switch_names.number(str(read)) == switch else None
    except InvalidInput:
        return None


def _digest(topology: Topology) -> str:
    identity = json.dumps(topology.identity)
    return hashlib.sha256(identity.encode()).hexdigest()[: 2 * _DIGITS]


def _parsed(lines: list[str]) -> tuple[str, tuple[_Entry, ...], str | None]:
    level, network = _first_line(lines[0] if lines else "")
    if len(lines) < 2 or "".join(lines[1].split()) != "src,dst,rate":
        raise InvalidInput("line 2: expected the header src,dst,rate")
    entries = sorted(
        (
            _entry(number, line, level)
            for number, line in enumerate(lines[2:], start=3)
            if line.strip()
        ),
        key=_order if level == "switch" else None,
    )
    for one, following in pairwise(entries):
        if one[:2] == following[:2]:
            raise InvalidInput(f"entry {one[0]},{one[1]} appears more than once")
    return level, tuple(entries), network


def _first_line(line: str) -> tuple[str, str | None]:
    """Return the level, and the digest of the network if there is one."""
    if (words := _FIRST_LINE.fullmatch(line.replace(" ", "").lower())) is not None:
        level, network = words.groups()
        return level, network
    raise InvalidInput(
        f"line 1: expected '# level=node' or '# level=switch', got {line[:_SHOWN]!r}"
    )


def _as_it_is(end: _End) -> _End:
    return end


def _order(entry: _Entry) -> tuple[tuple[bool, _End], tuple[bool, _End]]:
    source, target, _ = entry
    return (isinstance(source, str), source), (isinstance(target, str), target)


def _end(text: str, level: str) -> _End:
    """Return a number; a switch that is not written as one is named by a text."""
    if level == "node" or _PLAIN.fullmatch(text.strip()):
        return whole_number(text)
    return text.strip()


def _entry(number: int, line: str, level: str) -> _Entry:
    try:
        ends, _, last = line.rpartition(",")
        first, second = ends.split(",")
        source, target, rate = _end(first, level), _end(second, level), decimal_number(last)
    except ValueError as error:
        raise InvalidInput(
            f"line {number}: expected src,dst,rate, got {line[:_SHOWN]!r}"
        ) from error
    in_range = all(isinstance(end, str) or 0 <= end <= _MAX_ID for end in (source, target))
    if not (in_range and math.isfinite(rate) and rate >= 0):
        raise InvalidInput(
            f"line {number}: {line[:_SHOWN]!r} is out of range; ids are 0..{_MAX_ID}, "
            "rates finite and not negative"
        )
    return source, target, rate
