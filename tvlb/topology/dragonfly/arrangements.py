"""How the global ports of a Dragonfly are wired: one function per arrangement.

Each function returns the undirected cables as an int32 array of shape (cables, 2) of switch
ids. Adding an arrangement is adding a function and its entry in `ARRANGEMENTS`.

References: the rotating cursor of `absolute` follows Rahman et al., SC'19, section 2.1 (a minor
variation of the absolute arrangement, most of whose cables are others); `consecutive` is what
Hastings et al., CLUSTER 2015, call absolute, and Camarero et al., ACM TACO 2014, consecutive;
`palmtree` is the wiring used by the ACOR and VC-management papers; `relative` and `circulant`
follow Hastings et al. All but `absolute` are defined for one link per group pair; with k links the
pattern of offsets repeats k times over the ports, which keeps their invariance, where they have it,
under rotation of the groups.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels

Cables = NDArray[np.int32]
Ports = NDArray[np.int32]


@dataclass(frozen=True)
class ArrangementSizes:
    """The integers that an arrangement needs, with their long names."""

    switches_per_group: int
    global_ports: int
    groups: int

    @property
    def links_per_group_pair(self) -> int:
        """The number k of cables between every two groups."""
        return self.switches_per_group * self.global_ports // (self.groups - 1)


def absolute(sizes: ArrangementSizes) -> Cables:
    """Wire by the rotating cursor of the T-UGAL paper; the cursor is never reset."""
    flat = kernels.absolute_cables(sizes.switches_per_group, sizes.global_ports, sizes.groups)
    return flat.reshape(-1, 2)


def _by_offset(
    sizes: ArrangementSizes, peer: Callable[[Ports, Ports], tuple[Ports, Ports]]
) -> Cables:
    """Wire port n of every group to `peer(groups, ports)` = (group, port), each cable once."""
    used = sizes.links_per_group_pair * (sizes.groups - 1)
    group, port = (ids.ravel() for ids in np.indices((sizes.groups, used), dtype=np.int32))
    other_group, other_port = peer(group, port)
    ends = [
        groups * sizes.switches_per_group + ports // sizes.global_ports
        for groups, ports in ((group, port), (other_group, other_port))
    ]
    return np.stack(ends, axis=1)[group < other_group].astype(np.int32)


def consecutive(sizes: ArrangementSizes) -> Cables:
    """Port n of group i meets group n, or n+1 from i on: the other groups in their order."""
    others = sizes.groups - 1

    def peer(group: Ports, port: Ports) -> tuple[Ports, Ports]:
        begin, place = port - port % others, port % others
        other = place + (place >= group)
        return other, begin + group - (group > other)

    return _by_offset(sizes, peer)


def palmtree(sizes: ArrangementSizes) -> Cables:
    """Port n of group i meets group i - (n mod (g-1)) - 1, at the mirrored port."""
    others, used = sizes.groups - 1, sizes.links_per_group_pair * (sizes.groups - 1)
    return _by_offset(
        sizes, lambda group, port: ((group - port % others - 1) % sizes.groups, used - 1 - port)
    )


def relative(sizes: ArrangementSizes) -> Cables:
    """Port n of group i meets group i + (n mod (g-1)) + 1, at the mirrored port."""
    others, used = sizes.groups - 1, sizes.links_per_group_pair * (sizes.groups - 1)
    return _by_offset(
        sizes, lambda group, port: ((group + port % others + 1) % sizes.groups, used - 1 - port)
    )


def circulant(sizes: ArrangementSizes) -> Cables:
    """Ports of every group meet offsets +1, -1, +2, -2, ... in turn."""
    others = sizes.groups - 1

    def peer(group: Ports, port: Ports) -> tuple[Ports, Ports]:
        step = port % others
        offset = step // 2 + 1
        # With an even number of groups the last offset g/2 is its own opposite.
        opposite = np.where(step == others - 1, port, port + 1)
        return (
            np.where(step % 2 == 0, group + offset, group - offset) % sizes.groups,
            np.where(step % 2 == 0, opposite, port - 1),
        )

    return _by_offset(sizes, peer)


ARRANGEMENTS: dict[str, Callable[[ArrangementSizes], Cables]] = {
    "absolute": absolute,
    "palmtree": palmtree,
    "relative": relative,
    "circulant": circulant,
    "consecutive": consecutive,
}
