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
        if self.neighbours is None:
            senders = np.flatnonzero(topology.switch_nodes)
            order = KeyedStream(own_seed, "switch-permutation").derangement(len(senders))
            target = np.arange(topology.num_switches)
            target[senders] = senders[np.array(order)]
        elif (target := _to_neighbours(topology, own_seed)) is None:
            raise InvalidInput(
                f"{self}: no permutation of the switches of {topology} with nodes sends all of "
                "them to neighbours"
            )
        return self.to_switches(topology, target)


def to_neighbours(topology: Topology, seed: int) -> SwitchPermutation | None:
    """Return the permutation of neighbours of a seed; None where the network has none."""
    if _to_neighbours(topology, seed) is None:
        return None
    return SwitchPermutation(neighbours="neighbours", seed=seed)


@lru_cache(maxsize=8)
def _to_neighbours(topology: Topology, seed: int) -> NDArray[np.int64] | None:
    """Return a neighbour with nodes for every switch with nodes, all different, if there are.

    The matching of least weight, of links weighted by their place in a random order.
    """
    has_nodes = topology.switch_nodes > 0
    leave, enter = topology.network.link_source, topology.network.link_target
    joins = has_nodes[leave] & has_nodes[enter]
    size = topology.num_switches
    pairs = np.unique(leave[joins].astype(np.int64) * size + enter[joins])
    source, end = np.divmod(pairs, size)
    place = np.cumsum(has_nodes) - 1
    order = KeyedStream(seed, "switch-permutation-neighbours").permutation(len(source))
    weight = np.array(order, dtype=np.float64) + 1
    senders = topology.num_senders
    graph = scipy.sparse.csr_array((weight, (place[source], place[end])), shape=(senders, senders))
    try:
        rows, columns = scipy.sparse.csgraph.min_weight_full_bipartite_matching(graph)
    except ValueError:
        return None
    target = np.arange(size)
    chosen = np.flatnonzero(has_nodes)
    target[chosen[rows]] = chosen[columns]
    target.flags.writeable = False
    return target


PATTERN = SwitchPermutation
