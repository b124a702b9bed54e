"""The switch-level network every other part of tvlb lives on: switches, nodes, directed links."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb import _native

__all__ = ["MAX_LINKS", "MAX_NODES", "MAX_SWITCHES", "LinkKinds", "Network", "directed_links"]

MAX_NODES = 10_000_000
MAX_SWITCHES = 20_000
MAX_LINKS = 20_000_000
"""Directed; networks beyond these limits are not built."""


@dataclass(frozen=True)
class LinkKinds:
    """The kinds of links of a family, in the order of link ids.

    Attributes
    ----------
    names : of the kinds; their first letters differ.
    latencies : cycles, where nothing else is said.
    texts : what documents say of them.
    """

    names: tuple[str, ...]
    latencies: tuple[int, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Network:
    """Switches, compute nodes and directed links, as arrays.

    Attributes
    ----------
    num_switches : number of switches.
    node_switch : int32, shape (nodes,), the switch of each compute node, non-decreasing.
    link_source, link_target : int32, shape (links,), end switches of each directed link.
    link_kind : uint8, shape (links,), position among the kinds of the family.
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

    def compile(self) -> _native.Network:
        """Make the twin that the compiled engines read."""
        return _native.Network(
            self.num_switches,
            self.node_switch,
            self.link_source,
            self.link_target,
            self.link_kind,
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
    same = np.zeros(len(source), dtype=bool)
    same[1:] = (source[1:] == source[:-1]) & (target[1:] == target[:-1]) & (kind[1:] == kind[:-1])
    position = np.arange(len(source))
    run_start = np.maximum.accumulate(np.where(same, 0, position))
    return source, target, kind, (position - run_start).astype(np.int32)
