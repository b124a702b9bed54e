"""The routings of the simulator: calls of steerings, a file each in `sim_bridge/src/steering`."""

import atexit
from collections.abc import Iterable, Mapping
from dataclasses import field, make_dataclass, replace
from enum import StrEnum
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Annotated

from sim_bridge import _core
from tvlb.errors import InvalidInput
from tvlb.languages import (
    Call,
    Choice,
    Signature,
    WholeArgument,
    from_others,
    members,
    one_of,
    parse_call,
)
from tvlb.native.virtual_channels import load_libraries
from tvlb.topology import Topology

_ENTRY_POINTS = "tvlb.routings"


@cache
def _compiled() -> dict[str, _core.Steering]:
    load_libraries()
    return {one.name: one for one in _core.steerings()}


@cache
def named_routings() -> Mapping[str, str]:
    """Return the names that other packages give routings, with the calls that these stand for.

    Entry points have the names, and name the texts of the calls. Only the calls are printed.
    """
    return from_others(_ENTRY_POINTS, str)


SETS = "sets"
"""The argument of routings that draw from the path sets that a run is given."""
SEQUENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "2la": ("shape(g.?)", "all"),
        "2lb": ("shape(g.?, gl.?)", "all"),
        "3l": ("shape(g.?)", "shape(g.?, gl.?)", "all"),
    }
)
"""Path sets of the sequences of Benito et al., JPDC 2019, table 2, by that argument."""
MOST_LEVELS = 3


# A thread or a greenlet that never ends may hold this module, and with it what is kept here.
atexit.register(_compiled.cache_clear)


def call_of(routing: str) -> Call:
    """Return the call that a routing is, or that its name stands for."""
    call = parse_call(routing)
    if call.name in named_routings() and call == Call(call.name):
        return parse_call(named_routings()[call.name])
    return call


def steering(routing: str) -> _core.Steering:
    """Return the steering that a routing is a call of; raise InvalidInput if there is none."""
    name = call_of(routing).name
    if name not in _compiled():
        raise InvalidInput(f"{routing!r} is no routing: there are {', '.join(_compiled())}")
    return _compiled()[name]


@cache
def _signature(name: str, among: tuple[str, ...]) -> Signature[object]:
    """Return what calls of a steering take: words in their order, and numbers by their keys.

    Of words those that calls of it `among` others have; any, if there are none of it.
    """
    known = _compiled()[name]
    calls = [call.arguments for call in map(parse_call, among) if call.name == name]
    has_words = (one for one in known.parameters if one.words)
    words = {
        one.key: tuple(word for word in one.words if not calls or any(c[at] == word for c in calls))
        for at, one in enumerate(has_words)
    }
    declared = [
        (
            one.key,
            Annotated[str, Choice(one.key, words[one.key])],
            field(default=one.words[0]) if one.words[0] in words[one.key] else field(),
        )
        if one.words
        else (
            one.key,
            Annotated[int, WholeArgument("N", one.low, one.high, keyword=True)],
            field(default=one.usual),
        )
        for one in known.parameters
    ]
    return Signature(known.name, make_dataclass("Arguments", declared, kw_only=True))


def _arguments(routing: str, among: Iterable[str] = ()) -> dict[str, object]:
    """Return all arguments of a call by their names, in the order of the parameters."""
    known = steering(routing)
    signature = _signature(known.name, tuple(among))
    given = signature.values(call_of(routing))
    usual = {one.key: one.words[0] if one.words else one.usual for one in known.parameters}
    found = usual | given
    words = [found[one.key] for one in known.parameters if one.words]
    for one in known.parameters:
        if one.key in given and one.only_with and not {*one.only_with} & {*words}:
            taken = [
                w for a in signature.arguments.values() if isinstance(a, Choice) for w in a.words
            ]
            calls = one_of(f"{known.name}({word})" for word in one.only_with if word in taken)
            raise InvalidInput(f"{routing!r}: {one.key} is of {calls} only")
    return found


def written_out(routing: str, among: Iterable[str] = ()) -> str:
    """Return a routing with all words, and the numbers that are not the usual ones.

    Parameters
    ----------
    routing : a call of a steering.
    among : calls with all the words that a router takes; without, any.

    Raises
    ------
    InvalidInput : see `steering`; an argument is unknown or out of range, or cannot be given with
        the others.

    Examples
    --------
    >>> written_out("valiant")
    'valiant(minfirst)'
    """
    found, parameters = _arguments(routing, among), steering(routing).parameters
    words = (str(found[one.key]) for one in parameters if one.words)
    numbers = (
        (one.key, str(found[one.key]))
        for one in parameters
        if not one.words and found[one.key] != one.usual
    )
    return str(Call(steering(routing).name, tuple(words), tuple(numbers)))


def steering_settings(routing: str) -> dict[str, object]:
    """Return what the core is told of a routing: words by their positions, and numbers."""
    known, found = steering(routing), _arguments(routing)
    told = [
        one.words.index(str(found[one.key])) if one.words else found[one.key]
        for one in known.parameters
    ]
    return {"routing": known.name, "arguments": told}


def routings(steerings: Iterable[_core.Steering]) -> tuple[str, ...]:
    """Return all calls of steerings with the usual numbers, written out."""
    return tuple(
        str(Call(one.name, words))
        for one in steerings
        for words in product(*(known.words for known in one.parameters if known.words))
    )


def _with_names(calls: Iterable[str]) -> tuple[str, ...]:
    """Return calls with the usual numbers, and names that stand for such calls, with any numbers.

    They are those of steerings whose words may be left out, and those that other packages give.
    """
    known = tuple(map(str, calls))
    short = [one.name for one in _compiled().values() if any(each.words for each in one.parameters)]
    meant = {name: parse_call(written_out(name)) for name in (*short, *named_routings())}
    return known + tuple(
        name for name, call in meant.items() if str(replace(call, keywords=())) in known
    )


MISROUTING_ROUTINGS = tuple(
    one
    for one in routings(one for one in _compiled().values() if one.takes_misrouting)
    if SETS not in parse_call(one).arguments
)
"""Those that routers with misrouting policies take: MIN, and those of `steering/misrouting`."""
MISROUTING_NAMES = _with_names(MISROUTING_ROUTINGS)
"""The same with short names."""
VCT_PORT_ROUTINGS = routings(one for one in _compiled().values() if one.takes_cut_through)
"""Those of virtual cut-through whose switches choose among the ports of MIN paths: MIN, Valiant's
with the phase of packets in brackets whose intermediate switch is their first or their last one,
and those of libraries."""
VCT_PATH_ROUTINGS = routings(
    one
    for one in _compiled().values()
    if one.takes_cut_through_paths
    and not one.takes_cut_through
    and one.detours != _core.Detours.SPLIT
)
"""Those of virtual cut-through whose packets follow paths that are drawn from path sets."""
VCT_ROUTINGS = (*VCT_PORT_ROUTINGS, *VCT_PATH_ROUTINGS)
"""Those that virtual cut-through takes without a table."""
SPLIT_ROUTINGS = routings(one for one in _compiled().values() if one.detours == _core.Detours.SPLIT)
"""Those whose packets follow paths that are drawn by the rates of a split table."""
VCT_ROUTING_NAMES = _with_names(VCT_ROUTINGS)
"""The same with short names."""


def draws_in_vct(routing: str) -> bool:
    """Whether packets of virtual cut-through follow drawn paths by a routing."""
    known = steering(routing)
    return known.takes_cut_through_paths and not known.takes_cut_through


def draws_split(routing: str) -> bool:
    """Whether packets follow paths that are drawn by the rates of a split table."""
    return steering(routing).detours == _core.Detours.SPLIT


def takes_table(routing: str) -> bool:
    """Whether packets go by a table that fixes what each of them takes."""
    return steering(routing).follows_table or draws_split(routing)


def check_takes_table(routing: str, routings: Iterable[str]) -> None:
    """Raise InvalidInput unless packets go by a table with one of the `routings` of a router."""
    known = [one for one in routings if takes_table(one)]
    if routing not in known:
        raise InvalidInput(f"table is of routing {one_of(known)}, not of {routing}")


def check_decides_again(routing: str, topology: Topology) -> None:
    """Raise InvalidInput if a routing decides again where a network has no paths."""
    if steering(routing).decides_again and not topology.decides_again:
        raise InvalidInput(
            f"routing {routing} decides again at the second switch of a MIN path, where no paths "
            f"of {topology} begin"
        )


def takes_of_rule(routing: str, name: str) -> bool:
    """Whether a setting of `UgalRule` has a meaning for a routing that draws paths."""
    known = steering(routing)
    if name == "ugal_rule":
        return known.compares_first_queues
    return known.detours == _core.Detours.ADAPTIVE


class Routing(StrEnum):
    """How a packet gets its route: a call of a steering; its members have the usual numbers."""

    vars().update(members(routings(one for one in _compiled().values() if one.takes_input_queues)))

    @classmethod
    def _missing_(cls, value: object) -> "Routing | None":
        try:
            known = steering(str(value))
        except InvalidInput:
            return None
        if not known.takes_input_queues:
            return None
        written = written_out(str(value))
        if written in cls._value2member_map_:
            return cls(written)
        made = str.__new__(cls, written)
        made._name_ = made._value_ = written
        return made

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
        """See `check_decides_again`."""
        check_decides_again(self, topology)

    @property
    def decides_each_attempt(self) -> bool:
        """Whether it decides anew wherever a head waits at the source, whatever the settings."""
        return self._compiled.attempts

    @property
    def draws_by_level(self) -> bool:
        """Whether it draws from several path sets, those of its levels."""
        return any(SETS in one.words for one in self._compiled.parameters)

    @property
    def draws_sets(self) -> bool:
        """Whether it draws from the path sets that a run is given."""
        return self.draws_vlb and not draws_split(self)

    @property
    def follows_table(self) -> bool:
        """Whether its routes are those of a forwarding table."""
        return self._compiled.follows_table

    @property
    def compares_first_queues(self) -> bool:
        """Whether it compares the queues of the first links of a MIN and a VLB path."""
        return self._compiled.compares_first_queues

    def takes_of_rule(self, name: str) -> bool:
        """See `takes_of_rule`."""
        return takes_of_rule(self, name)

    @property
    def seconds_per_packet(self) -> float:
        """Processor time of a packet: 2.4 to 5.5 hops at 6 to 13 million hops per second."""
        return self._compiled.seconds_per_packet

    @property
    def _compiled(self) -> _core.Steering:
        return steering(self.value)


ROUTING_NAMES = _with_names(Routing)
"""Those that input-queued routers take, with the usual numbers, and short names."""

PATH_ROUTINGS = tuple(one for one in Routing if not takes_table(one) and not one.draws_by_level)
"""Those whose packets take MIN paths and VLB paths of one set."""

LEVEL_ROUTINGS = tuple(
    one for one in Routing if one.draws_by_level and SETS in parse_call(one).arguments
)
"""Those whose packets take VLB paths of several sets."""
