"""The traffic patterns of the T-UGAL paper, each one small class.

A pattern is a value: it prints as the text it is parsed from, and `resolve` says what it means
on a topology. References: Rahman et al., SC'19, sections 3.3.1 and 4.1.3.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.randomness import KeyedStream
from tvlb.topology import Dragonfly
from tvlb.traffic.demand import NodeTraffic

__all__ = [
    "DestinationPattern",
    "Mixed",
    "Pattern",
    "Permutation",
    "Shift",
    "TimeMixed",
    "Type2",
    "Uniform",
    "type1_set",
    "type2_set",
]


class Pattern(Protocol):
    """A traffic pattern; `str` gives the text that parses back to it."""

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """Return what every node sends; `seed` is used where the pattern has no own seed."""
        ...


class DestinationPattern(Pattern, Protocol):
    """A pattern in which every node has one fixed destination."""

    def destinations(self, topology: Dragonfly, seed: int) -> NDArray[np.int32]:
        """Return the destination node of every node, int32 (nodes,)."""
        ...


def _fixed(topology: Dragonfly, destination: NDArray[np.int32]) -> NodeTraffic:
    nodes = topology.num_nodes
    return NodeTraffic(np.ones(nodes), np.zeros(nodes), destination)


def _nodes_of_switches(topology: Dragonfly, target_switch: NDArray[np.int64]) -> NDArray[np.int32]:
    """Node k of each switch sends to node k of that switch's target."""
    per_switch = topology.nodes_per_switch
    nodes = target_switch[:, None] * per_switch + np.arange(per_switch)
    return nodes.ravel().astype(np.int32)


@dataclass(frozen=True)
class Uniform:
    """Uniform random (UR): every packet goes to a uniformly drawn node, the sender included."""

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        return NodeTraffic(np.ones(nodes), np.ones(nodes), np.full(nodes, -1, dtype=np.int32))

    def __str__(self) -> str:
        return "uniform"


@dataclass(frozen=True)
class Shift:
    """Adversarial shift: node (i, j, n) sends to ((i+groups) mod g, (j+switches) mod a, n)."""

    groups: int
    switches: int

    def destinations(self, topology: Dragonfly, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        g, a = topology.groups, topology.switches_per_group
        if not 0 <= self.groups < g:
            raise InvalidInput(
                f"{self}: group shift {self.groups} is out of range; allowed are 0..{g - 1}"
            )
        if not 0 <= self.switches < a:
            raise InvalidInput(
                f"{self}: switch shift {self.switches} is out of range; allowed are 0..{a - 1}"
            )
        switch = np.arange(topology.num_switches)
        target = (switch // a + self.groups) % g * a + (switch % a + self.switches) % a
        return _nodes_of_switches(topology, target)

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        return _fixed(topology, self.destinations(topology, seed))

    def __str__(self) -> str:
        return f"shift({self.groups},{self.switches})"


def _seed_suffix(seed: int | None) -> str:
    return "" if seed is None else f"(seed={seed})"


@dataclass(frozen=True)
class Type2:
    """Random group permutation without fixed points, then a switch permutation per group."""

    seed: int | None = None

    def destinations(self, topology: Dragonfly, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        a = topology.switches_per_group
        partners = KeyedStream(own_seed, "type2-groups").derangement(topology.groups)
        target = np.array(
            [
                partner * a + index
                for group, partner in enumerate(partners)
                for index in KeyedStream(own_seed, "type2-switches", group).permutation(a)
            ]
        )
        return _nodes_of_switches(topology, target)

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        return _fixed(topology, self.destinations(topology, seed))

    def __str__(self) -> str:
        return f"type2{_seed_suffix(self.seed)}"


@dataclass(frozen=True)
class Permutation:
    """A uniform random permutation of the nodes (fixed points allowed)."""

    seed: int | None = None

    def destinations(self, topology: Dragonfly, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        own_seed = seed if self.seed is None else self.seed
        stream = KeyedStream(own_seed, "permutation")
        return np.array(stream.permutation(topology.num_nodes), dtype=np.int32)

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        return _fixed(topology, self.destinations(topology, seed))

    def __str__(self) -> str:
        return f"permutation{_seed_suffix(self.seed)}"


def _check_shares(name: str, uniform: int, adversarial: int) -> None:
    if not (0 <= uniform <= 100 and uniform + adversarial == 100):
        raise InvalidInput(
            f"{name}({uniform},{adversarial},...): the shares must be 0..100 and add up to 100"
        )


@dataclass(frozen=True)
class Mixed:
    """MIXED(u, v): u percent of the nodes, drawn once, send UR and the others a fixed pattern."""

    uniform_percent: int
    adversarial_percent: int
    adversarial: DestinationPattern
    seed: int | None = None

    def __post_init__(self) -> None:
        _check_shares("mixed", self.uniform_percent, self.adversarial_percent)

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        order = KeyedStream(seed if self.seed is None else self.seed, "mixed").permutation(nodes)
        count = (nodes * self.uniform_percent + 50) // 100
        uniform = np.zeros(nodes)
        uniform[order[:count]] = 1.0
        destination = self.adversarial.destinations(topology, seed)
        return NodeTraffic(np.ones(nodes), uniform, destination)

    def __str__(self) -> str:
        suffix = "" if self.seed is None else f",seed={self.seed}"
        return (
            f"mixed({self.uniform_percent},{self.adversarial_percent},{self.adversarial}{suffix})"
        )


@dataclass(frozen=True)
class TimeMixed:
    """TMIXED(u, v): each packet is UR with probability u percent, else follows a fixed pattern."""

    uniform_percent: int
    adversarial_percent: int
    adversarial: DestinationPattern

    def __post_init__(self) -> None:
        _check_shares("tmixed", self.uniform_percent, self.adversarial_percent)

    def resolve(self, topology: Dragonfly, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        destination = self.adversarial.destinations(topology, seed)
        return NodeTraffic(np.ones(nodes), np.full(nodes, self.uniform_percent / 100), destination)

    def __str__(self) -> str:
        return f"tmixed({self.uniform_percent},{self.adversarial_percent},{self.adversarial})"


def type1_set(topology: Dragonfly) -> list[Shift]:
    """TYPE_1_SET: all (g-1)*a shifts, ordered by (group shift, switch shift)."""
    return [
        Shift(groups, switches)
        for groups in range(1, topology.groups)
        for switches in range(topology.switches_per_group)
    ]


def type2_set() -> list[Type2]:
    """TYPE_2_SET: the 20 random adversarial patterns with seeds 0..19."""
    return [Type2(seed) for seed in range(20)]
