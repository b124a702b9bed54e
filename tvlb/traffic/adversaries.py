"""The adversarial patterns of a network, whatever its family.

References: Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, section 3.3.1.
"""

from tvlb.topology import Topology
from tvlb.traffic.parse import named_patterns
from tvlb.traffic.pattern import DestinationPattern, NamedPattern
from tvlb.traffic.patterns.permutation import Permutation
from tvlb.traffic.patterns.uniform import Uniform

_TYPE2_PATTERNS = 20


def type1_set(topology: Topology) -> list[DestinationPattern]:
    """TYPE_1_SET: the adversarial patterns that follow a rule, such as all shifts of groups."""
    return [pattern for kind in _suited(topology) for pattern in kind.type1(topology)]


def default_pattern(topology: Topology) -> NamedPattern:
    """Return the pattern of a model that asks for no other: the first of TYPE_1_SET, or uniform."""
    return next(iter(type1_set(topology)), Uniform())


def type2_pattern(topology: Topology, seed: int) -> DestinationPattern:
    """Return the random adversarial pattern of a seed.

    A permutation of the nodes, where no pattern is made for the family.
    """
    found = (kind.type2(topology, seed) for kind in _suited(topology))
    return next((pattern for pattern in found if pattern is not None), Permutation(seed=seed))


def type2_set(topology: Topology) -> list[DestinationPattern]:
    """TYPE_2_SET: the 20 random adversarial patterns with seeds 0..19."""
    return [type2_pattern(topology, seed) for seed in range(_TYPE2_PATTERNS)]


def _suited(topology: Topology) -> list[type[DestinationPattern]]:
    return [
        kind
        for kind in named_patterns()
        if issubclass(kind, DestinationPattern) and kind.suits(topology)
    ]
