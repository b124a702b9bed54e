"""How the global ports of a Dragonfly are wired: one function per arrangement.

Each function returns the undirected cables as an int32 array of shape (cables, 2) of switch
ids. Adding an arrangement is adding a function and its entry in `ARRANGEMENTS`.

References: the rotating cursor of `absolute` follows Rahman et al., SC'19, section 2.1 (a minor
variation of the absolute arrangement); `palmtree` is the wiring used by the ACOR and
VC-management papers; `relative` and `circulant` follow Hastings et al., CLUSTER 2015. The last
three are defined for one link per group pair; with k links the pattern of offsets repeats k
times over the ports, which keeps their invariance under rotation of the groups.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ARRANGEMENTS", "Shape"]

Cables = NDArray[np.int32]


@dataclass(frozen=True)
class Shape:
    """The integers that an arrangement needs, with their long names."""

    switches_per_group: int
    global_ports: int
    groups: int

    @property
    def links_per_group_pair(self) -> int:
        """The number k of cables between every two groups."""
        return self.switches_per_group * self.global_ports // (self.groups - 1)


class _AbsoluteWiring:
    """State of the rotating-cursor walk: free ports, joined pairs and the cursor.

    `partners` are the groups that the group being filled could still be connected to: once there
    is none, a whole round of the cursor would end where it began.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.limit = shape.links_per_group_pair
        self.partners: set[int] = set()
        switches = shape.groups * shape.switches_per_group
        self.free_ports = [shape.global_ports] * switches
        self.free_in_group = [shape.switches_per_group * shape.global_ports] * shape.groups
        self.joined = [[0] * shape.groups for _ in range(shape.groups)]
        self.target_group = 1
        self.target_switch = 0
        self.cables: list[tuple[int, int]] = []

    def advance(self) -> None:
        self.target_group += 1
        if self.target_group == self.shape.groups:
            self.target_group = 0
            self.target_switch = (self.target_switch + 1) % self.shape.switches_per_group

    def begin(self, group: int) -> None:
        """Turn to a group; until the next one, only this one is connected to any."""
        self.partners = {
            other
            for other, joined in enumerate(self.joined[group])
            if other != group and joined < self.limit and self.free_in_group[other] > 0
        }

    def try_connect(self, group: int, switch: int) -> None:
        other = self.target_group
        target = other * self.shape.switches_per_group + self.target_switch
        if other not in self.partners or self.free_ports[target] == 0:
            return
        self.cables.append((switch, target))
        self.free_ports[switch] -= 1
        self.free_ports[target] -= 1
        self.free_in_group[group] -= 1
        self.free_in_group[other] -= 1
        self.joined[group][other] += 1
        self.joined[other][group] += 1
        if self.joined[group][other] == self.limit or self.free_in_group[other] == 0:
            self.partners.discard(other)

    def fill(self, group: int, switch: int) -> None:
        """Give `switch` partners until it is full or a whole round would find none."""
        while self.free_ports[switch] > 0 and self.partners:
            self.try_connect(group, switch)
            self.advance()


def absolute(shape: Shape) -> Cables:
    """Wire by the rotating cursor of the T-UGAL paper; the cursor is never reset."""
    wiring = _AbsoluteWiring(shape)
    for group in range(shape.groups):
        wiring.begin(group)
        for index in range(shape.switches_per_group):
            wiring.fill(group, group * shape.switches_per_group + index)
    return np.array(wiring.cables, dtype=np.int32).reshape(-1, 2)


def _by_offset(shape: Shape, peer: Callable[[int, int], tuple[int, int]]) -> Cables:
    """Wire port n of every group to `peer(group, n)` = (group, port), each cable once."""
    cables: list[tuple[int, int]] = []
    used_ports = shape.links_per_group_pair * (shape.groups - 1)
    for group in range(shape.groups):
        for port in range(used_ports):
            other_group, other_port = peer(group, port)
            if group < other_group:
                cables.append(
                    (
                        group * shape.switches_per_group + port // shape.global_ports,
                        other_group * shape.switches_per_group + other_port // shape.global_ports,
                    )
                )
    return np.array(cables, dtype=np.int32).reshape(-1, 2)


def palmtree(shape: Shape) -> Cables:
    """Port n of group i meets group i - (n mod (g-1)) - 1, at the mirrored port."""
    others, used = shape.groups - 1, shape.links_per_group_pair * (shape.groups - 1)
    return _by_offset(
        shape, lambda group, port: ((group - port % others - 1) % shape.groups, used - 1 - port)
    )


def relative(shape: Shape) -> Cables:
    """Port n of group i meets group i + (n mod (g-1)) + 1, at the mirrored port."""
    others, used = shape.groups - 1, shape.links_per_group_pair * (shape.groups - 1)
    return _by_offset(
        shape, lambda group, port: ((group + port % others + 1) % shape.groups, used - 1 - port)
    )


def circulant(shape: Shape) -> Cables:
    """Ports of every group meet offsets +1, -1, +2, -2, ... in turn."""
    others = shape.groups - 1

    def peer(group: int, port: int) -> tuple[int, int]:
        step = port % others
        offset = step // 2 + 1
        if step % 2 == 0:
            # With an even number of groups the last offset g/2 is its own opposite.
            opposite = port if step == others - 1 else port + 1
            return (group + offset) % shape.groups, opposite
        return (group - offset) % shape.groups, port - 1

    return _by_offset(shape, peer)


ARRANGEMENTS: dict[str, Callable[[Shape], Cables]] = {
    "absolute": absolute,
    "palmtree": palmtree,
    "relative": relative,
    "circulant": circulant,
}
