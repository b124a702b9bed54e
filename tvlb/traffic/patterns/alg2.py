"""The adversarial pattern of the Slim Fly literature: flows between switches that no link joins."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import SlimFly, Topology
from tvlb.traffic.pattern import DestinationPattern


@dataclass(frozen=True)
class Algorithm2(DestinationPattern):
    """Adversarial: switch u sends to (u+A) mod q^2 of subgraph 1, or from there to (u+B) mod q^2.

    Without A and B: the smallest A for which no link joins a switch and its destination, and
    B = q - A, or q^2 - A where A > q.

    References
    ----------
    Algorithm 2 and Table III of the Slim Fly paper on Valiant routing.
    """

    forth: Annotated[int | None, WholeArgument("A", 0)] = None
    back: Annotated[int | None, WholeArgument("B", 0)] = None

    name = "alg2"
    example = "alg2(2,3)"
    place = 3
    family = SlimFly
    is_adversarial = True

    def __post_init__(self) -> None:
        if (self.forth is None) != (self.back is None):
            raise InvalidInput("alg2 takes both A and B, or none")

    @classmethod
    def type1(cls, topology: Topology) -> list["Algorithm2"]:
        """Return the default, where there is one, and all shifts forth and back by as much."""
        assert isinstance(topology, SlimFly)
        size = topology.q**2
        usual = [] if _shifts(topology) is None else [cls()]
        return [*usual, *(cls(forth, -forth % size) for forth in range(size))]

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        topology = self.of_family(topology, SlimFly)
        if self.forth is not None and self.back is not None:
            shifts = self.forth, self.back
        elif (found := _shifts(topology)) is not None:
            shifts = found
        else:
            raise InvalidInput(
                f"{self}: whatever A, some switches of {topology} send to neighbours; give A, B, "
                f"0..{topology.q**2 - 1} each"
            )
        size = topology.q**2
        for name, shift in zip("AB", shifts, strict=True):
            if not 0 <= shift < size:
                raise InvalidInput(
                    f"{self}: {name} = {shift} is out of range; allowed are 0..{size - 1}"
                )
        return self.to_switches(topology, _targets(topology, *shifts))


def _targets(topology: SlimFly, forth: int, back: int) -> NDArray[np.int64]:
    size = topology.q**2
    switch = np.arange(size)
    return np.concatenate([(switch + forth) % size + size, (switch + back) % size])


@lru_cache(maxsize=8)
def _shifts(topology: SlimFly) -> tuple[int, int] | None:
    """Return the default A and B; None where every A joins some switch with its destination."""
    q, size = topology.q, topology.q**2
    network = topology.network
    ends = network.link_source < size, network.link_target >= size
    across = np.flatnonzero(ends[0] & ends[1])
    near = set(((network.link_target - network.link_source)[across] % size).tolist())
    forth = next((shift for shift in range(size) if shift not in near), None)
    if forth is None:
        return None
    return forth, q - forth if forth <= q and (forth - q) % size not in near else size - forth


PATTERN = Algorithm2
