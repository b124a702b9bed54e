"""Dragonflies as files, requests, headers of tables and documents describe them."""

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import FailFast, Field

from tvlb.documents import WHOLE, Document
from tvlb.errors import InvalidInput
from tvlb.topology.dragonfly.arrangements import ARRANGEMENTS
from tvlb.topology.dragonfly.degraded import what_is_left
from tvlb.topology.dragonfly.sizing import SIZING
from tvlb.topology.dragonfly.topology import FROM_FILE, Dragonfly
from tvlb.topology.family import ExplicitTopology, Family, NetworkSizes, TopologyRecord, register
from tvlb.topology.topology import Topology

_MAX_LINKS = 2_000_000

# JSON has lists only, which a strict tuple refuses.
Cable = Annotated[tuple[Annotated[int, WHOLE], Annotated[int, WHOLE]], Field(strict=False)]
Count = Annotated[int, Field(ge=0)]


def dragonfly_sizes(p: int, a: int, h: int, g: int, **_: object) -> NetworkSizes:
    """Return the sizes of dfly(p, a, h, g) with all global ports in use, whatever the wiring."""
    cables = {"global": a * g * h // 2, "local": a * (a - 1) * g // 2}
    return NetworkSizes(switches=a * g, nodes=p * a * g, cables=cables)


class Wiring(ExplicitTopology):
    """A Dragonfly with an explicit list of global cables (undirected, repeats allowed)."""

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

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `ExplicitTopology.of`."""
        assert isinstance(topology, Dragonfly)
        p, a, h, g = topology.parameters
        return cls(p=p, a=a, h=h, g=g, links=_pairs(topology))

    @property
    def sizes(self) -> NetworkSizes:
        """See `Description.sizes`."""
        return dragonfly_sizes(self.p, self.a, self.h, self.g)

    def build(self, path: str | None = None) -> Dragonfly:
        """See `ExplicitTopology.build`."""
        cables = [list(pair) for pair in self.links]
        return Dragonfly.from_cables(self.p, self.a, self.h, self.g, cables, path=path)

    def canonical(self) -> Self:
        """See `ExplicitTopology.canonical`."""
        cables = sorted((min(pair), max(pair)) for pair in self.links)
        return self.model_copy(update={"links": tuple(cables)})

    @classmethod
    def shown(cls, given: Mapping[str, Any]) -> str:
        """See `ExplicitTopology.shown`."""
        sizes = ",".join(str(given[name]) for name in ("p", "a", "h", "g"))
        return f"dfly({sizes}), wired as given"

    def __str__(self) -> str:
        return f"dfly({self.p},{self.a},{self.h},{self.g},{FROM_FILE})"


class DragonflyRecord(TopologyRecord):
    """The topology of a table with its explicit wiring.

    Attributes
    ----------
    p, a, h, g : sizes of the Dragonfly.
    arrangement : name of the wiring.
    links : undirected global cables as switch pairs, sorted.
    """

    p: int
    a: int
    h: int
    g: int
    arrangement: str
    links: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `TopologyRecord.of`."""
        assert isinstance(topology, Dragonfly)
        p, a, h, g = topology.parameters
        return cls(p=p, a=a, h=h, g=g, arrangement=topology.arrangement, links=_pairs(topology))

    def build(self) -> Dragonfly:
        """See `TopologyRecord.build`."""
        if self.arrangement not in ARRANGEMENTS and self.arrangement != FROM_FILE:
            raise InvalidInput(
                f"unknown arrangement {self.arrangement!r}; known are "
                f"{', '.join([*ARRANGEMENTS, FROM_FILE])}"
            )
        return Dragonfly.from_cables(
            self.p, self.a, self.h, self.g, list(self.links), self.arrangement
        )


def _pairs(topology: Dragonfly) -> tuple[tuple[int, int], ...]:
    return tuple((int(first), int(second)) for first, second in topology.cables)


class DragonflyMetadata(Document):
    """What the wiring amounts to."""

    arrangement: str = Field(description="Name of the wiring of the global links.")
    switches: Count = Field(description="Number of switches.")
    nodes: Count = Field(description="Number of compute nodes.")
    links: Count = Field(description="Number of directed links; a cable counts twice.")
    fewest_links_per_group_pair: Count = Field(description="Fewest cables between two groups.")
    most_links_per_group_pair: Count = Field(description="Most cables between two groups.")
    unconnected_ports: Count = Field(description="Global ports that the wiring leaves unused.")


register(
    Family(
        Dragonfly,
        dragonfly_sizes,
        example="dfly(4,8,4,9,palmtree)",
        metadata=DragonflyMetadata,
        explicit=Wiring,
        record=DragonflyRecord,
        degraded=what_is_left,
        sizing=SIZING,
    )
)
