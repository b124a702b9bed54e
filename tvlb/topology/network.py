"""The switch-level network every other part of tvlb lives on: switches, nodes, directed links."""

import hashlib
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.native import kernels

MAX_NODES = 10_000_000
MAX_SWITCHES = 20_000
MAX_LINKS = 20_000_000
"""Directed; networks beyond these limits are not built."""
MAX_PORTS = 128
"""Of a switch of a network that parameters give."""


@dataclass(frozen=True)
class LinkKinds:
    """The kinds of links of a network, in the order of link ids.

    Attributes
    ----------
    names : of the kinds; their first letters differ.
    latencies : cycles, where nothing else is said.
    texts : what documents say of them.
    """

    names: tuple[str, ...]
    latencies: tuple[int, ...]
    texts: tuple[str, ...]

    @property
    def global_kind(self) -> int:
        """Position of the kind of links between groups, -1 where there is none."""
        return self.names.index("global") if "global" in self.names else -1


@dataclass(frozen=True, eq=False)
class Network:
    """Switches, compute nodes and directed links, as arrays.

    Attributes
    ----------
    num_switches : number of switches.
    node_switch : int32, shape (nodes,), the switch of each compute node, non-decreasing.
    link_source, link_target : int32, shape (links,), end switches of each directed link.
    link_kind : uint8, shape (links,), position among the kinds of the network.
    link_ordinal : int32, shape (links,), counts parallel links of one kind, source and target.

    Notes
    -----
    Links are sorted by (kind, source, target, ordinal); the position is the link id. A cable is
    two links, and the two have the same ordinal. Every link, and every node's injection and
    ejection port, carries 1 flit/cycle.
    """

    num_switches: int
    node_switch: NDArray[np.int32]
    link_source: NDArray[np.int32]
    link_target: NDArray[np.int32]
    link_kind: NDArray[np.uint8]
    link_ordinal: NDArray[np.int32]

    @property
    def num_nodes(self) -> int:
        """Number of compute nodes."""
        return len(self.node_switch)

    @property
    def num_links(self) -> int:
        """Number of directed network links (injection and ejection not counted)."""
        return len(self.link_source)

    def cables(self, kind: int) -> NDArray[np.int32]:
        """Cables of one kind as switch pairs, low ends first, int32 (cables, 2), sorted."""
        chosen = (self.link_kind == kind) & (self.link_source < self.link_target)
        return np.stack([self.link_source[chosen], self.link_target[chosen]], axis=1)

    def parts(self, up: NDArray[np.bool_] | None = None) -> NDArray[np.int32]:
        """Tell parts that no link joins apart by numbers, int32 (switches,).

        Parameters
        ----------
        up : bool (links,), those that join; all if not given.
        """
        size = (self.num_switches, self.num_switches)
        joining = slice(None) if up is None else up
        ends = (self.link_source[joining], self.link_target[joining])
        ones = np.ones(len(ends[0]), dtype=np.int8)
        # Taken from scipy when it is called: this part of it takes long to load, and 25 MB.
        graph = scipy.sparse.csr_array((ones, ends), shape=size)
        part: NDArray[np.int32] = scipy.sparse.csgraph.connected_components(graph, False)[1]
        return part

    def digest(self) -> str:
        """SHA-256 (hex) of the nodes and links."""
        digest = hashlib.sha256()
        for column in (self.node_switch, self.link_source, self.link_target, self.link_kind):
            digest.update(column.astype("<i4").tobytes())
        return digest.hexdigest()

    def check_single_cables(
        self, text: str, wanted: str, way_out: str = "; --merge-parallel writes one of them"
    ) -> None:
        """Refuse parallel cables.

        Parameters
        ----------
        text, wanted, way_out : what the network is called, who cannot hold them and why, and what
            is to be done about it.

        Raises
        ------
        InvalidInput : two switches are joined by several cables, of one kind or of different ones.
        """
        ends = np.stack([self.link_source, self.link_target], axis=1)
        pairs, counts = np.unique(ends, axis=0, return_counts=True)
        if (counts > 1).any():
            first, second = pairs[int((counts > 1).argmax())].tolist()
            raise InvalidInput(
                f"{text} has parallel cables, first between the switches {first} and {second}; "
                f"{wanted}{way_out}"
            )

    def compile(self) -> kernels.Network:
        """Make the twin that the compiled engines read."""
        return kernels.Network(
            self.num_switches,
            self.node_switch,
            self.link_source,
            self.link_target,
            self.link_kind,
        )


def check_ports(text: str, ports: int) -> None:
    """Raise InvalidInput if a switch of a network, of this text, has too many ports."""
    if ports > MAX_PORTS:
        raise InvalidInput(
            f"a switch of {text} has {ports} ports; at most {MAX_PORTS} are supported"
        )


def directed_links(
    *cables: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]:
    """Turn undirected cables into (source, target, kind, ordinal) by link id.

    Parameters
    ----------
    cables : of each kind of link, in the order of the kinds, shape (n, 2).

    Notes
    -----
    Parallel cables of one switch pair are interchangeable, so ordinals are simply counted.
    """
    low, high = np.concatenate(cables).T
    kinds = np.repeat(np.arange(len(cables), dtype=np.uint8), [len(one) for one in cables])
    source, target = np.concatenate([low, high]), np.concatenate([high, low])
    kind = np.concatenate([kinds, kinds])
    order = np.lexsort((target, source, kind))
    source, target, kind = source[order], target[order], kind[order]
    return source, target, kind, ordinals(source, target, kind)


def ordinals(
    source: NDArray[np.int32], target: NDArray[np.int32], kind: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """Count parallel links of one kind, source and target; links are in the order of their ids."""
    same = np.zeros(len(source), dtype=bool)
    same[1:] = (source[1:] == source[:-1]) & (target[1:] == target[:-1]) & (kind[1:] == kind[:-1])
    position = np.arange(len(source))
    run_start = np.maximum.accumulate(np.where(same, 0, position))
    return (position - run_start).astype(np.int32)
