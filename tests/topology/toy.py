"""Three small families, and an independent account of their MIN paths."""

from dataclasses import dataclass
from math import prod
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import Several, WholeArgument
from tvlb.topology import (
    Family,
    LinkKinds,
    NetworkSizes,
    ShortestPathTopology,
    Topology,
)


class WalkCounts:
    """Counts shortest paths as walks: of no more links than needed, they are the same."""

    def __init__(self, topology: Topology) -> None:
        network, size = topology.network, topology.num_switches
        step = np.zeros((size, size), dtype=np.int64)
        np.add.at(step, (network.link_source, network.link_target), 1)
        self.hops = np.where(np.eye(size, dtype=bool), 0, -1)
        self.paths = np.eye(size, dtype=np.int64)
        walks = np.eye(size, dtype=np.int64)
        while (self.hops < 0).any():
            walks = walks @ step
            new = (self.hops < 0) & (walks > 0)
            self.hops[new] = self.hops.max() + 1
            self.paths[new] = walks[new]


@dataclass(frozen=True, repr=False)
class Ring(ShortestPathTopology):
    """A ring of switches."""

    switches: Annotated[int, WholeArgument("N", 3, 100_000)]
    nodes: Annotated[int, WholeArgument("P", 1, 64)] = 1

    name = "ring"
    kinds = LinkKinds(("ring",), (10,), ("Links of the ring.",))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        one = np.arange(self.switches, dtype=np.int32)
        return (np.stack([one, (one + 1) % self.switches], axis=1),)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        return np.full(self.switches, self.nodes, dtype=np.int32)


def ring_sizes(switches: int, nodes: int = 1) -> NetworkSizes:
    return NetworkSizes(switches, switches * nodes, {"ring": switches})


@dataclass(frozen=True, repr=False)
class Leaves(ShortestPathTopology):
    """Some leaves with a node each, below some spines without; spines have a ring of their own."""

    leaves: Annotated[int, WholeArgument("L", 0, 99)]
    spines: Annotated[int, WholeArgument("S", 3, 99)]
    is_joined: Annotated[int, WholeArgument("JOINED", 0, 1)] = 1

    name = "leaves"
    kinds = LinkKinds(("up", "ring"), (10, 15), ("Links up and down.", "Links of the ring."))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        leaves, spines = np.indices((self.leaves, self.spines), dtype=np.int32)
        up = np.stack([leaves.ravel(), self.leaves + spines.ravel()], axis=1)
        ring = self.leaves + np.arange(self.spines, dtype=np.int32)
        joined = np.stack([ring, np.roll(ring, -1)], axis=1)
        return (up[: len(up) * self.is_joined], joined)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        return np.repeat(np.array([1, 0], dtype=np.int32), [self.leaves, self.spines])


def leaves_sizes(leaves: int, spines: int, is_joined: int = 1) -> NetworkSizes:
    return NetworkSizes(
        leaves + spines, leaves, {"up": leaves * spines * is_joined, "ring": spines}
    )


@dataclass(frozen=True, repr=False)
class Grid(ShortestPathTopology):
    """Switches at the points of a grid, one node each; as many sides as are named."""

    sides: Annotated[tuple[int, ...], Several("K1,K2,...", WholeArgument("K", 2, 99), 1, 5)]

    name = "grid"
    kinds = LinkKinds(("step",), (10,), ("Links to the next point.",))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        points = np.arange(np.prod(self.sides), dtype=np.int32).reshape(self.sides)
        along = [np.moveaxis(points, axis, 0) for axis in range(len(self.sides))]
        steps = [np.stack([one[:-1].ravel(), one[1:].ravel()], axis=1) for one in along]
        return (np.concatenate(steps),)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        return np.ones(np.prod(self.sides), dtype=np.int32)


def grid_sizes(sides: tuple[int, ...]) -> NetworkSizes:
    switches = prod(sides)
    return NetworkSizes(
        switches, switches, {"step": sum(switches * (side - 1) // side for side in sides)}
    )


FAMILIES = (
    Family(Ring, ring_sizes, example="ring(5)"),
    Family(Leaves, leaves_sizes, example="leaves(4,3)"),
    Family(Grid, grid_sizes, example="grid(3,3)"),
)
