"""What sweeps say of Dragonflies alone: the arrangements of those given by their sizes."""

from collections.abc import Iterable
from typing import Annotated

from tvlb.requests.texts import OneOf
from tvlb.topology import ARRANGEMENTS, Dragonfly, parse_named_topology, parse_topology_call

_SIZES = 4

Arrangement = Annotated[str, OneOf(ARRANGEMENTS)]


def is_bare(topology: object) -> bool:
    """Whether a topology is a Dragonfly given by its sizes without an arrangement."""
    if not isinstance(topology, str):
        return False
    call = parse_topology_call(topology)
    return call.name == Dragonfly.name and len(call.arguments) == _SIZES


def arranged(topology: str, arrangements: Iterable[str]) -> list[str]:
    """Return a topology as it prints, a bare one in all of these arrangements."""
    bare = is_bare(topology)
    texts = [f"{topology[:-1]},{one})" for one in arrangements] if bare else [topology]
    return [str(parse_named_topology(one)) for one in texts]
