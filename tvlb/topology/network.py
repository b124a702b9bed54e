"""The switch-level network every other part of tvlb lives on: switches, nodes, directed links."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["LinkKind", "Network", "directed_links"]


class LinkKind(IntEnum):
    """Kind of a link; the order is part of the link numbering."""

    LOCAL = 0
    GLOBAL = 1


@dataclass(frozen=True, eq=False)
class Network:
    """Switches, compute nodes and directed links, as arrays.

    Attributes
    ----------
    num_switches : number of switches.
    node_switch : int32, shape (nodes,), the switch of each compute node, non-decreasing.
    link_source, link_target : int32, shape (links,), end switches of each directed link.
    link_kind : uint8, shape (links,), a `LinkKind`.
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


def directed_links(
    local_cables: NDArray[np.int32], global_cables: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]:
    """Turn undirected cables, shape (n, 2) each, into (source, target, kind, ordinal) by link id.

    Notes
    -----
    Parallel cables of one switch pair are interchangeable, so ordinals are simply counted.
    """
    cables = np.concatenate([local_cables, global_cables])
    kinds = np.concatenate(
        [
            np.full(len(local_cables), LinkKind.LOCAL, dtype=np.uint8),
            np.full(len(global_cables), LinkKind.GLOBAL, dtype=np.uint8),
        ]
    )
    source = np.concatenate([cables[:, 0], cables[:, 1]])
    target = np.concatenate([cables[:, 1], cables[:, 0]])
    kind = np.concatenate([kinds, kinds])
    order = np.lexsort((target, source, kind))
    source, target, kind = source[order], target[order], kind[order]
    same = np.zeros(len(source), dtype=bool)
    same[1:] = (source[1:] == source[:-1]) & (target[1:] == target[:-1]) & (kind[1:] == kind[:-1])
    position = np.arange(len(source))
    run_start = np.maximum.accumulate(np.where(same, 0, position))
    return source, target, kind, (position - run_start).astype(np.int32)
