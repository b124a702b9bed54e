"""What a family of networks declares, and the registry of families.

Every module of `tvlb.topology` may hold a family, which it registers. Whoever defines one in
another package names its module in an entry point of the group ``tvlb.families`` and registers it
the same way, so that every process knows it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import SimpleNamespace
from typing import Any, Self, Union

from pydantic import BaseModel, ConfigDict, Field

from tvlb.documents import Document
from tvlb.errors import InvalidInput
from tvlb.languages import Signature, from_others, import_modules
from tvlb.topology.network import MAX_LINKS, MAX_NODES, MAX_SWITCHES, Network
from tvlb.topology.sizing import Sizing
from tvlb.topology.topology import Topology


@dataclass(frozen=True)
class NetworkSizes:
    """How large a network is.

    Attributes
    ----------
    switches, nodes : their numbers.
    cables : number of cables by kind; limits are checked in this order.
    """

    switches: int
    nodes: int
    cables: Mapping[str, int]

    @property
    def links(self) -> int:
        """Directed links, two of a cable."""
        return 2 * sum(self.cables.values())

    def check(self, name: object) -> None:
        """Raise InvalidInput if a network, of this name, is too large to be built."""
        for what, value, limit in (
            ("switches", self.switches, MAX_SWITCHES),
            ("compute nodes", self.nodes, MAX_NODES),
            ("directed links", self.links, MAX_LINKS),
        ):
            if value > limit:
                raise InvalidInput(f"{name} has {value:,} {what}; the limit is {limit:,}")


class Description(ABC):
    """A network as somebody describes it; nothing is built yet."""

    @property
    @abstractmethod
    def sizes(self) -> NetworkSizes:
        """How large it would be, whether or not there is such a network."""

    @abstractmethod
    def build(self) -> Topology:
        """Return the network; raise InvalidInput if there is none."""


class ExplicitTopology(BaseModel, Description):
    """A network of which the cables are listed: what files and requests hold.

    `str` of it is that of the network it describes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    @abstractmethod
    def of(cls, topology: Topology) -> Self:
        """Describe a network; equal networks are described equally."""

    @abstractmethod
    def build(self, path: str | None = None) -> Topology:
        """See `Description.build`; `str` of the network is the path of the file, if it has one."""

    @abstractmethod
    def canonical(self) -> "ExplicitTopology":
        """Return it as its network is described; nothing is built."""

    @classmethod
    def shown(cls, given: Mapping[str, Any]) -> str:
        """Return what lists call the network of a description in JSON; nothing is built."""
        return "a network given by its cables"


class TopologyRecord(BaseModel, ABC):
    """What the header of a table says of its network."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @property
    def anonymous(self) -> Self:
        """It without what its owner calls the network, on which ids of tables do not depend."""
        return self

    @classmethod
    @abstractmethod
    def of(cls, topology: Topology) -> Self:
        """Record a network."""

    @abstractmethod
    def build(self) -> Topology:
        """Return the network; raise InvalidInput if the record describes none."""


class TopologyMetadata(Document):
    """What a network amounts to."""

    switches: int = Field(ge=0, description="Number of switches.")
    nodes: int = Field(ge=0, description="Number of compute nodes.")
    links: int = Field(ge=0, description="Number of directed links; a cable counts twice.")


@dataclass(frozen=True)
class Family:
    """A family of networks.

    Attributes
    ----------
    topology : class of the networks; its parameters are annotated as
        `tvlb.languages.Signature` says.
    sizes : from the parameters, by name; nothing is built. None if no parameters give a network, so
        that only files and requests do, by their cables.
    example : a text for help.
    metadata : model of what `Topology.metadata` returns.
    explicit : model of networks given by their cables; None if only parameters give one.
    record : model of what headers of tables say; None for `str` of the network.
    degraded : makes what failures leave of a network, from that network, the switches, nodes and
        links that are left, and `str` of the outcome; None if MIN paths are then shortest paths.
    sizing : what sweeps know of the sizes; None if ranges do not make networks of the family.
    """

    topology: type[Topology]
    sizes: Callable[..., NetworkSizes] | None = None
    example: str = ""
    metadata: type[Document] = TopologyMetadata
    explicit: type[ExplicitTopology] | None = None
    record: type[TopologyRecord] | None = None
    degraded: Callable[[Topology, Network, str], Topology] | None = None
    sizing: Sizing | None = None

    @property
    def name(self) -> str:
        """The name by which its networks are called."""
        return self.topology.name

    @cached_property
    def signature(self) -> Signature[Topology]:
        """The parameters."""
        return Signature(self.name, self.topology)


@dataclass(frozen=True)
class NamedTopology(Description):
    """A network given by parameters.

    Attributes
    ----------
    family : of the network.
    parameters : by name, without those left at their default.
    """

    family: Family
    parameters: Mapping[str, object]

    @property
    def sizes(self) -> NetworkSizes:
        """See `Description.sizes`."""
        assert self.family.sizes is not None
        return self.family.sizes(**self.parameters)

    def build(self) -> Topology:
        """See `Description.build`."""
        return self.family.signature.make(**self.parameters)

    def __str__(self) -> str:
        signature = self.family.signature
        usual = {one.key: one.default for one in signature.parameters}
        return signature.text(SimpleNamespace(**usual | dict(self.parameters)))


_REGISTERED: dict[str, Family] = {}
_ENTRY_POINTS = "tvlb.families"


def register(family: Family) -> None:
    """Add a family, or replace the one of its name."""
    _REGISTERED[family.name] = family


def families() -> dict[str, Family]:
    """Return all families by name, in the order of the names."""
    _load()
    return dict(sorted(_REGISTERED.items()))


def sized_families() -> dict[str, Family]:
    """Return those of which ranges of sizes make networks, by name."""
    return {name: one for name, one in families().items() if one.sizing is not None}


def named_families() -> dict[str, Family]:
    """Return those of which parameters give the networks, by name."""
    return {name: one for name, one in families().items() if one.sizes is not None}


@cache
def _load() -> None:
    import_modules("tvlb.topology")
    from_others(_ENTRY_POINTS, object)


def family_of(topology: Topology) -> Family:
    """Return the family of a network."""
    return families()[topology.name]


def metadata_type() -> Any:
    """Return the type of what `Topology.metadata` returns, of any family."""
    models = [one.metadata for one in families().values()]
    return Union[*models, TopologyMetadata]
