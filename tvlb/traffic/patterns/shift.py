"""Shifts of groups and switches, the TYPE_1 patterns of the T-UGAL paper."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import Dragonfly, Topology
from tvlb.traffic.pattern import DestinationPattern


@dataclass(frozen=True)
class Shift(DestinationPattern):
    """Adversarial shift: node (i, j, n) sends to ((i+DG) mod g, (j+DS) mod a, n).

    References
    ----------
    Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, section 3.3.1.
    """

    groups: Annotated[int, WholeArgument("DG")]
    switches: Annotated[int, WholeArgument("DS")]

    name = "shift"
    example = "shift(2,0)"
    place = 1
    family = Dragonfly
    is_adversarial = True

    @classmethod
    def type1(cls, topology: Topology) -> list["Shift"]:
        """Return all (g-1)*a shifts between groups, ordered by (group shift, switch shift)."""
        assert isinstance(topology, Dragonfly)
        return [
            cls(groups, switches)
            for groups in range(1, topology.groups)
            for switches in range(topology.switches_per_group)
        ]

    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """See `DestinationPattern.destinations`."""
        topology = self.of_family(topology, Dragonfly)
        g, a = topology.groups, topology.switches_per_group
        for what, shift, size in (("group", self.groups, g), ("switch", self.switches, a)):
            if not 0 <= shift < size:
                raise InvalidInput(
                    f"{self}: {what} shift {shift} is out of range; allowed are 0..{size - 1}"
                )
        switch = np.arange(topology.num_switches)
        target = (switch // a + self.groups) % g * a + (switch % a + self.switches) % a
        return self.to_switches(topology, target)


PATTERN = Shift
