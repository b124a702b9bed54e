"""Networks that no parameters give: switches with their compute nodes, and every cable listed.

Files and requests hold them, and what is left of a network with failures is one.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, FailFast, Field

from tvlb.documents import WHOLE
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology, Family, NetworkSizes, TopologyRecord, register
from tvlb.topology.network import MAX_NODES, MAX_SWITCHES, LinkKinds
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.topology import Topology

DEFAULT_KIND = "link"
DEFAULT_LATENCY = 10

MOST_CABLES = 1_000_000
_MOST_KINDS = 8
_MOST_LATENCY = 4096
_NAME = r"[a-z][a-z0-9-]{0,31}"
# Documents tell what the links of a kind carry beside these keys.
_RESERVED = ("paths", "removed")
_LONGEST_LABEL = 200
_DIGITS = 8

_Cables = NDArray[np.int32]


def kinds_of(latencies: Mapping[str, int]) -> LinkKinds:
    """Return kinds of links from their latencies, cycles, by name; see `ListedTopology`."""
    texts = tuple(f"Links of kind {name}." for name in latencies)
    return LinkKinds(tuple(latencies), tuple(latencies.values()), texts)


class ListedTopology(ShortestPathTopology):
    """A network given by its cables.

    Parameters
    ----------
    nodes : compute nodes of every switch, integers of shape (switches,).
    cables : of each kind, integers of shape (cables, 2): undirected switch pairs, repeats allowed.
    kinds : of the links, in the order of `cables`: up to eight names of lower-case letters, digits
        and hyphens with different first letters, by which shapes of paths know them, and latencies
        of 1 to 4,096 cycles.
    labels : what its owner calls every switch; none if there are no such names.
    title : what its owner calls it, "" without a name; `str` of the topology begins with it.
    path : the file that it came from; `str` of the topology is then this path.
    between_nodes : see `ShortestPathTopology`.

    Raises
    ------
    InvalidInput : a value is out of range, a cable leads from a switch to itself, the network is
        too large, or some switches do not reach each other. Switches without nodes and cables, such
        as those that are down, need not be reached.

    Examples
    --------
    >>> square = ListedTopology([1, 1, 1, 1], [[[0, 1], [1, 2], [2, 3], [3, 0]]])
    >>> square.num_links, square.longest_min_path, square.most_min_paths
    (8, (0, 0), 2)
    >>> str(square)
    'network(4 switches, de84c6eb)'

    Notes
    -----
    Networks are equal that have the same nodes, cables and kinds, whatever they and their switches
    are called. Instances are immutable.
    """

    name = "network"
    kinds = kinds_of({DEFAULT_KIND: DEFAULT_LATENCY})

    def __init__(
        self,
        nodes: ArrayLike,
        cables: Sequence[ArrayLike],
        kinds: LinkKinds = kinds,
        *,
        labels: Sequence[str] = (),
        title: str = "",
        path: str | None = None,
        between_nodes: bool = False,
    ) -> None:
        _check_kinds(kinds, len(cables))
        self.kinds = kinds
        self.between_nodes = between_nodes
        counts = _node_counts(nodes)
        self._labels = _checked_labels(labels, len(counts))
        (self.title,) = _checked_labels([title], 1)
        self._nodes = self._checked_nodes(counts)
        self._cables = tuple(
            self._sorted_cables(one, name) for one, name in zip(cables, kinds.names, strict=True)
        )
        self._digest = _digest(self._nodes, self._cables, kinds)
        self._path = path
        if not any(map(len, self._cables)):
            raise InvalidInput(f"{self} has no cables")
        if not self._nodes.any():
            raise InvalidInput(f"{self} has no compute nodes")
        self._build()

    def _checked_nodes(self, counts: NDArray[np.integer]) -> NDArray[np.int32]:
        if (wrong := (counts < 0) | (counts > MAX_NODES)).any():
            switch = int(wrong.argmax())
            raise InvalidInput(
                f"switch {self.called(switch)} has {counts[switch]} compute nodes; expected "
                f"0..{MAX_NODES:,}"
            )
        return counts.astype(np.int32)

    def _sorted_cables(self, cables: ArrayLike, kind: str) -> _Cables:
        pairs = np.asarray(cables)
        if pairs.size == 0:
            return np.zeros((0, 2), dtype=np.int32)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise InvalidInput(
                f"the {kind} cables are no list of [switch, switch] pairs of integers"
            )
        switches = len(self._nodes)
        if (outside := (pairs < 0) | (pairs >= switches)).any():
            found = pairs[outside][0]
            raise InvalidInput(f"the cable end {found} is no switch; expected 0..{switches - 1}")
        if (loops := pairs[:, 0] == pairs[:, 1]).any():
            switch = self.called(int(pairs[loops][0, 0]))
            raise InvalidInput(f"a cable leads from switch {switch} to itself")
        low_first = np.sort(pairs, axis=1).astype(np.int32)
        return low_first[np.lexsort((low_first[:, 1], low_first[:, 0]))]

    def cables(self) -> tuple[_Cables, ...]:
        """See `ShortestPathTopology`: low ends first, sorted."""
        return self._cables

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology`."""
        return self._nodes

    @property
    def sizes(self) -> NetworkSizes:
        """See `ShortestPathTopology`."""
        cables = dict(zip(self.kinds.names, map(len, self._cables), strict=True))
        return NetworkSizes(len(self._nodes), int(self._nodes.sum(dtype=np.int64)), cables)

    @property
    def identity(self) -> tuple[int | str, ...]:
        """See `Topology`: a hash of nodes, cables and kinds, and which switches have paths."""
        return self.name, len(self._nodes), self._digest, int(self.between_nodes)

    @property
    def is_named(self) -> bool:
        """See `Topology`."""
        return False

    @property
    def labels(self) -> tuple[str, ...]:
        """See `Topology`."""
        return self._labels

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`: its label."""
        return {"label": self.labels[switch]} if self.labels else {}

    def __str__(self) -> str:
        if self._path:
            return self._path
        told = f"{len(self._nodes)} switches, {self._digest[:_DIGITS]}"
        return f"{self.title} ({told})" if self.title else f"{self.name}({told})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListedTopology) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def listed(topology: Topology) -> ListedTopology:
    """Return a network with the switches, nodes and cables of another, whatever its family.

    Link ids stay the same; which paths are MIN paths may change.
    """
    if isinstance(topology, ListedTopology):
        return topology
    network = topology.network
    cables = [network.cables(kind) for kind in range(len(topology.kinds.names))]
    return ListedTopology(topology.switch_nodes, cables, topology.kinds)


def merged(topology: Topology) -> tuple[ListedTopology, tuple[str, ...]]:
    """Return a network with one cable where several join two switches, and what that loses.

    The one that stays is of the first kind of them.
    """
    network = listed(topology)
    seen = np.zeros((0, 2), dtype=np.int32)
    kept: list[_Cables] = []
    for cables in network.cables():
        _, first = np.unique(np.concatenate([seen, cables]), axis=0, return_index=True)
        kept.append(cables[np.sort(first[first >= len(seen)]) - len(seen)])
        seen = np.concatenate([seen, kept[-1]])
    one_each = ListedTopology(
        network.nodes_of_switches(),
        kept,
        network.kinds,
        labels=network.labels,
        title=network.title,
        path=str(topology),
        between_nodes=network.between_nodes,
    )
    less = (network.num_links - one_each.num_links) // 2
    lost = [f"{less:,} parallel cables and their bandwidth: one is left between two switches"]
    if not (isinstance(topology, ShortestPathTopology) and topology.is_told_by_cables):
        lost.append(
            f"the MIN paths of {topology}: of what is read, all shortest paths are MIN paths"
        )
    return one_each, tuple(lost) if less else ()


def _in_order(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return rows[np.lexsort(rows.T)]


def _check_kinds(kinds: LinkKinds, count: int) -> None:
    names = kinds.names
    if not 1 <= len(names) <= _MOST_KINDS:
        raise InvalidInput(f"{len(names)} kinds of links; a network has 1 to {_MOST_KINDS}")
    if len(names) != count:
        raise InvalidInput(f"{len(names)} kinds of links, and cables of {count}")
    for name in names:
        if re.fullmatch(_NAME, name) is None or name in _RESERVED:
            raise InvalidInput(
                f"the name {name[:40]!r} of a kind of links: expected a lower-case letter and up "
                f"to 31 letters, digits or hyphens, and neither {' nor '.join(_RESERVED)}"
            )
    first = dict[str, str]()
    for name in names:
        if (other := first.setdefault(name[0], name)) != name or names.count(name) > 1:
            raise InvalidInput(
                f"the kinds of links {other!r} and {name!r} begin with the same letter, by which "
                "shapes of paths tell them apart"
            )
    for name, latency in zip(names, kinds.latencies, strict=True):
        if not 1 <= latency <= _MOST_LATENCY:
            raise InvalidInput(
                f"the latency {latency} of {name} links is out of range: 1..{_MOST_LATENCY} cycles"
            )


def _node_counts(nodes: ArrayLike) -> NDArray[np.integer]:
    counts = np.asarray(nodes)
    if counts.ndim != 1 or counts.dtype.kind not in "iu":
        raise InvalidInput("the compute nodes of the switches are no list of integers")
    if len(counts) > MAX_SWITCHES:
        raise InvalidInput(
            f"the network has {len(counts):,} switches; the limit is {MAX_SWITCHES:,}"
        )
    return counts


def _checked_labels(labels: Sequence[str], switches: int) -> tuple[str, ...]:
    if labels and len(labels) != switches:
        raise InvalidInput(f"{len(labels)} labels for {switches} switches")
    for label in labels:
        if not is_label(label):
            raise InvalidInput(
                f"the label {label[:40]!r} is longer than {_LONGEST_LABEL} characters or has "
                "characters that are not printable"
            )
    return tuple(labels)


def is_label(text: str) -> bool:
    """Whether a text may name a network or a switch: every format can hold it."""
    return text.isprintable() and len(text) <= _LONGEST_LABEL


def _digest(nodes: NDArray[np.int32], cables: Sequence[_Cables], kinds: LinkKinds) -> str:
    digest = hashlib.sha256(nodes.astype("<i4").tobytes())
    for one, name, latency in zip(cables, kinds.names, kinds.latencies, strict=True):
        digest.update(f"{name} {latency} {len(one)}\n".encode())
        digest.update(one.astype("<i4").tobytes())
    return digest.hexdigest()


# JSON has lists only, which a strict tuple refuses.
_Switch = Annotated[int, Field(ge=0, lt=10**9), WHOLE]
_Cable = Annotated[tuple[_Switch, _Switch], Field(strict=False)]
_Kind = Annotated[str, Field(pattern=f"^{_NAME}$")]


class ListedKind(BaseModel):
    """A kind of links."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[_Kind, Field(description="Its first letter is that of no other kind.")]
    latency: Annotated[
        int, Field(ge=1, le=_MOST_LATENCY, description="Of its links, cycles."), WHOLE
    ] = DEFAULT_LATENCY


class Listing(ExplicitTopology, TopologyRecord):
    """A network with an explicit list of all its cables (undirected, repeats allowed)."""

    switches: Annotated[int, Field(ge=1, le=10**9, description="Number of switches."), WHOLE]
    endpoints: Annotated[
        tuple[_Switch, ...],
        Field(max_length=MOST_CABLES, strict=False, description="Compute nodes of every switch."),
        # The errors of a long list would take many times its memory.
        FailFast(),
    ]
    links: Annotated[
        tuple[_Cable, ...],
        Field(
            max_length=MOST_CABLES,
            strict=False,
            description="Switch pairs, one per cable. Where every cable is listed from either end, "
            "equally often, the two are one cable.",
        ),
        FailFast(),
    ]
    kinds: Annotated[
        tuple[ListedKind, ...],
        Field(
            max_length=_MOST_KINDS,
            strict=False,
            description="Kinds of links, in the order of link ids; without any, those of "
            f"link_kinds, or {DEFAULT_KIND!r} for all.",
        ),
    ] = ()
    link_kinds: Annotated[
        tuple[_Kind, ...],
        Field(
            max_length=MOST_CABLES,
            strict=False,
            description="Kind of every cable, in the order of links; not needed with one kind.",
        ),
        FailFast(),
    ] = ()
    labels: Annotated[
        tuple[Annotated[str, Field(max_length=_LONGEST_LABEL)], ...],
        Field(
            max_length=MOST_CABLES,
            strict=False,
            description="What the switches are called, by id; nothing depends on it.",
        ),
        FailFast(),
    ] = ()
    name: Annotated[
        str,
        Field(
            max_length=_LONGEST_LABEL,
            exclude_if=lambda name: not name,
            description="What the network is called; nothing depends on it. Of a file that does "
            "not say, the name of the file.",
        ),
    ] = ""

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `ExplicitTopology.of`."""
        assert isinstance(topology, ListedTopology)
        kinds = topology.kinds
        by_kind = topology.cables()
        names = tuple(
            name for name, one in zip(kinds.names, by_kind, strict=True) for _ in range(len(one))
        )
        return cls.model_construct(
            switches=topology.num_switches,
            endpoints=tuple(topology.nodes_of_switches().tolist()),
            links=tuple((low, high) for low, high in np.concatenate(by_kind).tolist()),
            kinds=tuple(
                ListedKind(name=name, latency=latency)
                for name, latency in zip(kinds.names, kinds.latencies, strict=True)
            ),
            link_kinds=names if len(kinds.names) > 1 else (),
            labels=topology.labels,
            name=topology.title,
        )

    @property
    def anonymous(self) -> Self:
        """See `TopologyRecord.anonymous`."""
        return self.model_copy(update={"name": ""})

    @property
    def sizes(self) -> NetworkSizes:
        """See `Description.sizes`."""
        cables, names = self._cables()
        counts = np.bincount(cables[:, 2], minlength=len(names)).tolist()
        known = dict(zip(names, counts, strict=True))
        return NetworkSizes(self.switches, sum(self.endpoints), known)

    def build(self, path: str | None = None) -> ListedTopology:
        """See `ExplicitTopology.build`."""
        self._check()
        return ListedTopology(
            self._nodes,
            self._cables_by_kind(),
            kinds_of(self._latencies),
            labels=self.labels,
            title=self.name,
            path=path,
        )

    def canonical(self) -> Self:
        """See `ExplicitTopology.canonical`."""
        try:
            return self.of(self.build())
        except InvalidInput:  # which whoever builds it will see
            return self

    @classmethod
    def shown(cls, given: Mapping[str, Any]) -> str:
        """See `ExplicitTopology.shown`."""
        switches = given["switches"]
        told = f"{switches} switch{'es' * (switches != 1)}"
        return (
            f"{name} ({told})" if (name := given.get("name")) else f"network of {told}, as listed"
        )

    @property
    def _latencies(self) -> dict[str, int]:
        """Of the kinds, by name; the same of a kind that is listed twice, which `build` refuses."""
        if self.kinds:
            return {one.name: one.latency for one in self.kinds}
        return dict.fromkeys(self.link_kinds or (DEFAULT_KIND,), DEFAULT_LATENCY)

    def _check(self) -> None:
        """Raise InvalidInput unless the lists fit each other."""
        latencies = self._latencies
        if len(self.endpoints) != self.switches:
            raise InvalidInput(
                f"endpoints has {len(self.endpoints):,} entries for {self.switches:,} switches"
            )
        if len(latencies) < len(self.kinds):
            raise InvalidInput("kinds lists a kind of links twice")
        if not self.link_kinds and len(latencies) > 1:
            raise InvalidInput(f"link_kinds is missing: there are {len(latencies)} kinds of links")
        if self.link_kinds and len(self.link_kinds) != len(self.links):
            raise InvalidInput(
                f"link_kinds has {len(self.link_kinds):,} entries for {len(self.links):,} links"
            )
        if unknown := sorted(set(self.link_kinds) - latencies.keys()):
            raise InvalidInput(
                f"link_kinds has {unknown[0]!r}, which kinds does not list: {', '.join(latencies)}"
            )

    @property
    def _nodes(self) -> NDArray[np.int64]:
        return np.array(self.endpoints, dtype=np.int64)

    def _cables(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return ends and kind of every cable, int64 (cables, 3), and the names of the kinds.

        Where every cable is listed from either end, equally often, one of both is that cable.
        """
        names = list(dict.fromkeys([*self._latencies, *self.link_kinds]))
        place = {name: position for position, name in enumerate(names)}
        cables = np.zeros((len(self.links), 3), dtype=np.int64)
        cables[:, :2] = np.array(self.links, dtype=np.int64).reshape(-1, 2)
        if len(self.link_kinds) == len(cables):
            cables[:, 2] = [place[name] for name in self.link_kinds]
        there, back = cables[cables[:, 0] < cables[:, 1]], cables[cables[:, 0] > cables[:, 1]]
        twice = 2 * len(there) == len(cables) == 2 * len(back) and np.array_equal(
            _in_order(there), _in_order(back[:, [1, 0, 2]])
        )
        return there if twice else cables, names

    def _cables_by_kind(self) -> list[NDArray[np.int64]]:
        cables, names = self._cables()
        return [cables[cables[:, 2] == kind, :2] for kind in range(len(names))]

    def __str__(self) -> str:
        # Of what is no network, nothing better can be said.
        try:
            return str(self.build())
        except InvalidInput:
            return f"{ListedTopology.name}({self.switches} switches)"


register(Family(ListedTopology, explicit=Listing, record=Listing))
