"""Random permutations of the switches with nodes, without fixed points."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Choice
from tvlb.statistics import KeyedStream
from tvlb.topology import DragonflyPlus, HyperX, SlimFly, Topology
from tvlb.traffic.pattern import DestinationPattern, OwnSeed


@dataclass(frozen=True, kw_only=True)
class SwitchPermutation(DestinationPattern):
    """A random permutation of switches, node k of each to node k; `neighbours`: over a link each.

    So the nodes of a switch fill the only link of MIN.
    """

    neighbours: Annotated[str | None, Choice("neighbours", ("neighbours",))] = None
    seed: OwnSeed = None

    name = "switch-permutation"
    example = "switch-permutation(seed=1)"
    place = 3

    @classmethod
    def type2(cls, topology: Topology, seed: int) -> "SwitchPermutation | None":
        """See `DestinationPattern.type2`."""
        is_adversary = isinstance(topology, DragonflyPlus | HyperX | SlimFly)
        return cls(seed=seed) if is_adversary else None

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        if self.neighbours is not None:
            target = _to_neighbours(topology, own_seed)
            if (target < 0).all():
                raise InvalidInput(f"{self}: no link of {topology} joins two switches with nodes")
            return self.to_switches(topology, target)
        senders = np.flatnonzero(topology.switch_nodes)
        order = KeyedStream(own_seed, "switch-permutation").derangement(len(senders))
        target = np.arange(topology.num_switches)
        target[senders] = senders[np.array(order)]
        return self.to_switches(topology, target)


def to_neighbours(topology: Topology, seed: int) -> SwitchPermutation | None:
    """Return the permutation of neighbours of a seed; None if less than half of the switches send.

    Of those with nodes; leaves of fat trees and of a Dragonfly+ have no such neighbours.
    """
    if 2 * np.count_nonzero(_to_neighbours(topology, seed) >= 0) < topology.num_senders:
        return None
    return SwitchPermutation(neighbours="neighbours", seed=seed)


@lru_cache(maxsize=8)
def _to_neighbours(topology: Topology, seed: int) -> NDArray[np.int64]:
    """Return a neighbour with nodes for every switch with nodes, all different; -1 where none is.

    The matching of least weight, of links weighted by their place in a random order. To be left
    alone weighs more than all links.
    """
    has_nodes = topology.switch_nodes > 0
    leave, enter = topology.network.link_source, topology.network.link_target
    joins = has_nodes[leave] & has_nodes[enter]
    size, senders = topology.num_switches, topology.num_senders
    pairs = np.unique(leave[joins].astype(np.int64) * size + enter[joins])
    source, end = np.divmod(pairs, size)
    order = KeyedStream(seed, "switch-permutation-neighbours").permutation(len(pairs))
    alone = np.full(senders, (len(pairs) + 1) * senders)
    weight = np.concatenate([np.array(order, dtype=np.int64) + 1, alone]).astype(np.float64)
    place, itself = np.cumsum(has_nodes) - 1, np.arange(senders)
    ends = np.concatenate([place[source], itself]), np.concatenate([place[end], itself])
    graph = scipy.sparse.csr_array((weight, ends), shape=(senders, senders))
    rows, columns = scipy.sparse.csgraph.min_weight_full_bipartite_matching(graph)
    target = np.full(size, -1)
    chosen = np.flatnonzero(has_nodes)
    target[chosen[rows]] = np.where(rows == columns, -1, chosen[columns])
    target.flags.writeable = False
    return target


PATTERN = SwitchPermutation
