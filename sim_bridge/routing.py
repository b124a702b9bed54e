"""The routings of the simulator: calls of steerings, a file each in `sim_bridge/src/steering`."""

import atexit
from collections.abc import Iterable
from dataclasses import field, make_dataclass
from enum import StrEnum
from functools import cache
from itertools import product
from typing import Annotated

from sim_bridge import _core
from tvlb.errors import InvalidInput
from tvlb.languages import Call, Choice, Signature, members, parse_call
from tvlb.topology import Topology


@cache
def _compiled() -> dict[str, _core.Steering]:
    return {one.name: one for one in _core.steerings()}


# A thread or a greenlet that never ends may hold this module, and with it what is kept here.
atexit.register(_compiled.cache_clear)


def steering(routing: str) -> _core.Steering:
    """Return the steering that a routing is a call of; raise InvalidInput if there is none."""
    name = parse_call(routing).name
    if name not in _compiled():
        raise InvalidInput(f"{routing!r} is no routing: there are {', '.join(_compiled())}")
    return _compiled()[name]


def written_out(routing: str) -> str:
    """Return a routing with all its arguments.

    Raises
    ------
    InvalidInput : see `steering`; an argument is unknown.

    Examples
    --------
    >>> written_out("valiant")
    'valiant(minfirst)'
    """
    known = steering(routing)
    declared = [
        (one.key, Annotated[str, Choice(one.key, tuple(one.words))], field(default=one.words[0]))
        for one in known.parameters
    ]
    given = Signature(known.name, make_dataclass("Words", declared)).values(parse_call(routing))
    words = (str(given.get(one.key, one.words[0])) for one in known.parameters)
    return str(Call(known.name, tuple(words)))


def steering_settings(routing: str) -> dict[str, object]:
    """Return what the core is told of a routing that is written out: words by their positions."""
    known, words = steering(routing), parse_call(routing).arguments
    pairs = zip(known.parameters, words, strict=True)
    return {"routing": known.name, "arguments": [one.words.index(word) for one, word in pairs]}


def routings(steerings: Iterable[_core.Steering]) -> tuple[str, ...]:
    """Return all calls of steerings, written out."""
    return tuple(
        str(Call(one.name, words))
        for one in steerings
        for words in product(*(parameter.words for parameter in one.parameters))
    )


VCT_ROUTINGS = routings(one for one in _compiled().values() if one.takes_cut_through)
"""Those that virtual cut-through takes: MIN, Valiant's with the phase of packets in brackets whose
intermediate switch is their first or their last one, and those of libraries."""
VCT_ROUTING_NAMES = (
    *VCT_ROUTINGS,
    *(one.name for one in _compiled().values() if one.takes_cut_through and one.parameters),
)
"""The same with short names."""


class Routing(StrEnum):
    """How a packet gets its route."""

    vars().update(members(routings(one for one in _compiled().values() if one.takes_input_queues)))

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
    def follows_table(self) -> bool:
        """Whether its routes are those of a forwarding table."""
        return self._compiled.follows_table

    @property
    def compares_first_queues(self) -> bool:
        """Whether it compares the queues of the first links of a MIN and a VLB path."""
        return self._compiled.compares_first_queues

    @property
    def seconds_per_packet(self) -> float:
        """Processor time of a packet: 2.4 to 5.5 hops at 6 to 13 million hops per second."""
        return self._compiled.seconds_per_packet

    @property
    def _compiled(self) -> _core.Steering:
        return steering(self.value)


PATH_ROUTINGS = tuple(one for one in Routing if not one.follows_table)
"""Those whose packets take MIN and VLB paths."""
