"""What can be asked for, as JSON bodies: what the bodies of all kinds have in common.

The fields are the options of the command line. A resolved request has every default filled in and
every text in the form in which it prints, so that equal questions are equal requests.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    FailFast,
    Field,
    Tag,
)

from tvlb.provenance import VERSION
from tvlb.randomness import MAX_SEED
from tvlb.schemas.limits import RequestLimits
from tvlb.schemas.texts import TopologyText
from tvlb.search import MAX_CYCLES, Cost
from tvlb.topology import Dragonfly, parse_named_topology, parse_sizes

__all__ = [
    "MAX_CYCLES",
    "STRICT",
    "WHOLE",
    "Question",
    "Request",
    "Seed",
    "Wiring",
    "request_key",
]

_MAX_LINKS = 2_000_000


def _whole(value: object) -> object:
    """Take 2.0 for 2: to JSON they are the same number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE = BeforeValidator(_whole)
STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
Seed = Annotated[
    int, Field(ge=0, le=MAX_SEED, description="Seed of everything random, 0..2^63-1."), WHOLE
]
# JSON has lists only, which a strict tuple refuses.
Cable = Annotated[tuple[Annotated[int, WHOLE], Annotated[int, WHOLE]], Field(strict=False)]


class Wiring(BaseModel):
    """A Dragonfly with an explicit list of global cables (undirected, repeats allowed)."""

    model_config = STRICT

    p: Annotated[int, Field(ge=1, le=10**9, description="Nodes per switch."), WHOLE]
    a: Annotated[int, Field(ge=1, le=10**9, description="Switches per group."), WHOLE]
    h: Annotated[int, Field(ge=1, le=10**9, description="Global ports per switch."), WHOLE]
    g: Annotated[int, Field(ge=2, le=10**9, description="Groups."), WHOLE]
    links: Annotated[
        tuple[Cable, ...],
        Field(max_length=_MAX_LINKS, strict=False, description="Switch pairs."),
        # The errors of a long list would take many times its memory.
        FailFast(),
    ]


class Question(BaseModel, ABC):
    """What can be asked for, of any kind."""

    model_config = STRICT
    kind: ClassVar[str]

    @abstractmethod
    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """Return the question with defaults filled in and texts as they print, and its cost.

        Raises
        ------
        InvalidInput : it cannot be answered, or is beyond the limits; nothing was computed.
        """

    @property
    def is_light(self) -> bool:
        """Whether the answer is small, and mostly computation is what it costs."""
        return True


class Request(Question):
    """What requests about one network have in common."""

    topology: Annotated[
        Annotated[TopologyText, Tag("text")] | Annotated[Wiring, Tag("wiring")],
        Discriminator(lambda value: "text" if isinstance(value, str) else "wiring"),
        Field(description="The network, by its sizes or its cables."),
    ]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """p, a, h and g of the network."""
        if isinstance(self.topology, str):
            return parse_sizes(self.topology)
        return self.topology.p, self.topology.a, self.topology.h, self.topology.g

    def network(self, limits: RequestLimits | None = None) -> Dragonfly:
        """Build the topology.

        Raises
        ------
        InvalidInput : it is out of range, or larger than `limits` allow; found from the sizes,
            before anything is built.
        """
        if limits is not None:
            limits.check_sizes(*self.sizes)
        if isinstance(self.topology, Wiring):
            return Dragonfly.from_cables(*self.sizes, [list(pair) for pair in self.topology.links])
        return parse_named_topology(self.topology)

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`."""
        network = self.network(limits)
        resolved = self._resolved(network)
        cost = resolved._cost(network)
        if limits is not None:
            limits.check_cost(cost)
        return resolved, cost

    def resolved(self) -> Self:
        """Return the request with defaults filled in and texts as they print; see `examined`."""
        return self._resolved(self.network())

    def cost(self) -> Cost:
        """Estimate what it takes to compute it."""
        return self._cost(self.network())

    def usual(self) -> dict[str, Any]:
        """Return the value of every field, by name, where nothing is asked for."""
        return {name: field.default for name, field in type(self).model_fields.items()}

    @abstractmethod
    def _resolved(self, network: Dragonfly) -> Self: ...

    @abstractmethod
    def _cost(self, network: Dragonfly) -> Cost: ...

    def _named(self, network: Dragonfly) -> str | Wiring:
        if not isinstance(self.topology, Wiring):
            return str(network)
        pairs = tuple((int(x), int(y)) for x, y in network.cables)
        return self.topology.model_copy(update={"links": pairs})


def request_key(request: Question) -> str:
    """SHA-256 (hex) of a resolved request and of the version that answers it.

    Equal keys mean equal answers; a new version of tvlb may answer differently.
    """
    document: dict[str, Any] = {
        "kind": request.kind,
        "version": VERSION,
        "request": request.model_dump(mode="json"),
    }
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
