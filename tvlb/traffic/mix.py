"""Traffic of which a share is uniform and the rest follows a fixed pattern."""

from dataclasses import dataclass
from typing import Annotated

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology import Topology
from tvlb.traffic.parse import PatternArgument
from tvlb.traffic.pattern import DestinationPattern, NamedPattern


@dataclass(frozen=True)
class Mix(NamedPattern):
    """A pattern with shares in percent that add up to 100.

    References
    ----------
    Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, section 4.1.3.
    """

    uniform_percent: Annotated[int, WholeArgument("U", 0, 100)]
    adversarial_percent: Annotated[int, WholeArgument("V", 0, 100)]
    adversarial: Annotated[DestinationPattern, PatternArgument("PATTERN", DestinationPattern)]

    def count_idle(self, topology: Topology, seed: int) -> int:
        """See `Pattern.count_idle`."""
        return self.adversarial.count_idle(topology, seed)

    def __post_init__(self) -> None:
        uniform, adversarial = self.uniform_percent, self.adversarial_percent
        if not (0 <= uniform <= 100 and uniform + adversarial == 100):
            raise InvalidInput(
                f"{self.name}({uniform},{adversarial},...): the shares must be 0..100 and add up "
                "to 100"
            )
