"""How long links take: what is asked for, or what the network says.

Routers of every model have the three settings of `LATENCY_SETTINGS`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tvlb.errors import InvalidInput
from tvlb.languages import Text, Whole, one_of, setting
from tvlb.topology import DEFAULT_LATENCY, ListedTopology, Topology

LATENCY = Whole(1, 4096)
USUAL_LATENCY = 1
"""Where virtual cut-through knows no other, cycles."""
_GLOBAL = "global"
_NOT_THERE = "a network without such links"
_SHOWN = 80


@dataclass(frozen=True)
class LatenciesText(Text):
    """``KIND=CYCLES,...``: kinds of links, each once."""

    pattern = r"[a-z][a-z0-9-]{0,31}=[0-9]{1,4}(,[a-z][a-z0-9-]{0,31}=[0-9]{1,4}){0,7}"

    def checked(self, name: str, value: Any) -> str:
        """See `Kind.checked`."""
        return latencies_text(_parsed(name, str(value)))


def _parsed(name: str, text: str) -> dict[str, int]:
    bare = "".join(text.split())
    if re.fullmatch(LatenciesText.pattern, bare) is None:
        raise InvalidInput(
            f"{name} {text[:_SHOWN]!r} is malformed: expected KIND=CYCLES,..., up to eight kinds "
            "of links, such as x=10,y=30"
        )
    found: dict[str, int] = {}
    for part in bare.split(","):
        kind, _, cycles = part.partition("=")
        if kind in found:
            raise InvalidInput(f"{name} {text[:_SHOWN]!r} names {kind} twice")
        found[kind] = LATENCY.checked(f"{name} {kind}", int(cycles))
    return found


def latencies_text(by_kind: Mapping[str, int]) -> str:
    """Return the text of these latencies, cycles; see `LatenciesText`."""
    return ",".join(f"{kind}={cycles}" for kind, cycles in by_kind.items())


def latency_setting(links: str, unset: str) -> Any:
    """Declare a latency of links as a setting; `unset` says where it comes from otherwise."""
    return setting(None, f"Latency of {links}, cycles", LATENCY, unset=unset, null=_NOT_THERE)


def latencies_setting(unset: str) -> Any:
    """Declare the latencies of single kinds of links as a setting; see `latency_setting`."""
    return setting(
        None,
        "Latency of links by kind, cycles, such as x=10,y=30; goes before the two others",
        LatenciesText("KIND=CYCLES,..."),
        unset=unset,
        null="a network with local and global links only",
        is_later=True,
    )


class AskedLatencies(Protocol):
    """Settings of routers, of which these are looked at; None for what the network says."""

    @property
    def local_latency(self) -> int | None:
        """Of links other than global ones, cycles."""
        ...

    @property
    def global_latency(self) -> int | None:
        """Of global links, cycles."""
        ...

    @property
    def link_latencies(self) -> str | None:
        """By kind; see `LatenciesText`."""
        ...


LATENCY_SETTINGS = ("local_latency", "global_latency", "link_latencies")


def latencies(topology: Topology, asked: AskedLatencies, usual: Sequence[int]) -> tuple[int, ...]:
    """Return the latency of the links of each kind, cycles; `usual` where nothing is asked for.

    Raises
    ------
    InvalidInput : a latency is of links that the network does not have.
    """
    names = topology.kinds.names
    by_kind = _parsed("link_latencies", asked.link_latencies) if asked.link_latencies else {}
    found = dict(zip(names, usual, strict=True))
    for setting_name, own in (
        ("local_latency", {one for one in names if one != _GLOBAL}),
        ("global_latency", {_GLOBAL} & {*names}),
    ):
        cycles: int | None = getattr(asked, setting_name)
        if cycles is None:
            continue
        if not own - by_kind.keys():
            raise _without_effect(topology, setting_name, cycles)
        found |= dict.fromkeys(own, cycles)
    if unknown := sorted(by_kind.keys() - {*names}):
        raise InvalidInput(
            f"link_latencies {asked.link_latencies}: {topology} has no {unknown[0]} links, but "
            f"{' and '.join(names)}"
        )
    return tuple((found | by_kind)[name] for name in names)


def _without_effect(topology: Topology, name: str, cycles: int) -> InvalidInput:
    kinds = topology.kinds.names
    by_kind = latencies_text(dict.fromkeys(kinds, cycles))
    return InvalidInput(
        f"{name} = {cycles}: {topology} has {' and '.join(kinds)} links only, and link_latencies "
        f"sets those that it names, such as {by_kind}"
    )


def latency_settings(topology: Topology, found: Sequence[int]) -> dict[str, Any]:
    """Return the values of `LATENCY_SETTINGS` that say these latencies of all kinds of links."""
    by_kind = dict(zip(topology.kinds.names, found, strict=True))
    known = {f"{kind}_latency": by_kind.pop(kind, None) for kind in ("local", _GLOBAL)}
    return known | {"link_latencies": latencies_text(by_kind) or None}


def latencies_in_file(topology: Topology) -> tuple[int, ...] | None:
    """Return the latency of each kind of links that a network's file says, cycles.

    None where the network is of a family, or its links all have the latency of those of which
    nothing is said.
    """
    whole = topology if topology.origin is None else topology.origin.network
    told = whole.kinds.latencies
    is_told = isinstance(whole, ListedTopology) and any(one != DEFAULT_LATENCY for one in told)
    return told if is_told else None


def unsaid_latency(topology: Topology, taken: Sequence[int]) -> tuple[str, ...]:
    """Say that links of which a file says nothing take other than the usual cycles of such links.

    Parameters
    ----------
    taken : latency of the links of each kind, cycles.
    """
    whole = topology if topology.origin is None else topology.origin.network
    is_unsaid = isinstance(whole, ListedTopology) and latencies_in_file(topology) is None
    if not is_unsaid or {*taken} != {USUAL_LATENCY}:
        return ()
    return (
        f"links take {USUAL_LATENCY} cycle: {topology} says no latency other than "
        f"{DEFAULT_LATENCY} cycles, which is that of links of which nothing is said; "
        f"{one_of(LATENCY_SETTINGS)} sets others",
    )
