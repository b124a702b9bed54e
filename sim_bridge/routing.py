"""The routings of the simulator, one file each in `sim_bridge/src/steering`."""

import atexit
from enum import StrEnum
from functools import cache

from sim_bridge import _core
from tvlb.errors import InvalidInput
from tvlb.languages import members
from tvlb.topology import Topology


@cache
def _compiled_routings() -> dict[str, _core.Routing]:
    return {one.name: one for one in _core.routings()}


# A thread or a greenlet that never ends may hold this module, and with it what is kept here.
atexit.register(_compiled_routings.cache_clear)


class Routing(StrEnum):
    """How a packet gets its route."""

    vars().update(members(_compiled_routings()))

    @property
    def draws_vlb(self) -> bool:
        """Whether it draws VLB paths."""
        return self._compiled.detours != _core.Detours.NEVER

    @property
    def prefers_vlb(self) -> bool:
        """Whether it takes VLB paths wherever a pair has one."""
        return self._compiled.detours == _core.Detours.ALWAYS

    @property
    def is_adaptive(self) -> bool:
        """Whether it chooses between MIN and VLB, so that it can use a T-VLB table."""
        return self._compiled.detours == _core.Detours.ADAPTIVE

    @property
    def decides_again(self) -> bool:
        """Whether it may decide once more, at a second switch of the source's group."""
        return self._compiled.decides_again

    def check(self, topology: Topology) -> None:
        """Raise InvalidInput if it decides again where a network has no paths."""
        if self.decides_again and not topology.decides_again:
            raise InvalidInput(
                f"routing {self} decides again at the second switch of a MIN path, where no paths "
                f"of {topology} begin"
            )

    @property
    def compares_first_queues(self) -> bool:
        """Whether it compares the queues of the first links of a MIN and a VLB path."""
        return self._compiled.compares_first_queues

    @property
    def seconds_per_packet(self) -> float:
        """Processor time of a packet: 2.4 to 5.5 hops at 6 to 13 million hops per second."""
        return self._compiled.seconds_per_packet

    @property
    def _compiled(self) -> _core.Routing:
        return _compiled_routings()[self.value]
