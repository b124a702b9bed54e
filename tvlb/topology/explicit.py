"""Networks that requests and JSON files describe by more than a text, of all families together."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Annotated, Any, Self, Union, cast

from pydantic import Discriminator, Field, Tag, create_model

from tvlb.documents import WHOLE
from tvlb.errors import InvalidInput
from tvlb.topology.degraded import without
from tvlb.topology.failures import Failures
from tvlb.topology.family import (
    Description,
    ExplicitTopology,
    NetworkSizes,
    families,
    family_of,
)
from tvlb.topology.files import described_file
from tvlb.topology.formats import network_formats
from tvlb.topology.named import parse_named_topology
from tvlb.topology.switch_names import SwitchNames
from tvlb.topology.topology import Topology

_TEXT = "text"
_EXPLICIT = "wiring-"
_DEGRADED = f"{_EXPLICIT}degraded"
_LONGEST_TEXT = 1_000


class DegradedNetwork(ExplicitTopology):
    """A network of which some cables or switches are down."""

    network: str | ExplicitTopology
    without: Annotated[Failures, Field(description="What is down.")]

    @property
    def _healthy(self) -> Description:
        network = self.network
        return parse_named_topology(network) if isinstance(network, str) else network

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `ExplicitTopology.of`."""
        assert topology.origin is not None
        return cls.model_construct(
            network=described(topology.origin.network), without=topology.origin.failures
        )

    @property
    def sizes(self) -> NetworkSizes:
        """See `Description.sizes`: with all its cables and switches."""
        return self._healthy.sizes

    def build(self, path: str | None = None) -> Topology:
        """See `ExplicitTopology.build`."""
        return without(self._healthy.build(), self.without)

    def canonical(self) -> ExplicitTopology:
        """See `ExplicitTopology.canonical`."""
        network = self._healthy
        written = network.canonical() if isinstance(network, ExplicitTopology) else str(network)
        return self.model_copy(update={"network": written, "without": self._numbered.canonical()})

    @property
    def _numbered(self) -> Failures:
        """What is down by numbers; as it is given where a name is wrong, which `build` refuses."""
        labels = getattr(self._healthy, "labels", ())
        try:
            return self.without.numbered(SwitchNames(labels, str(self._healthy)))
        except InvalidInput:
            return self.without

    def __str__(self) -> str:
        return f"{self._healthy} without {self._numbered}"


class FileNetwork(ExplicitTopology):
    """A network by what a file holds, in any format that is read."""

    content: Annotated[str, Field(description="What the file holds.")]
    file: Annotated[
        str,
        Field(
            max_length=_LONGEST_TEXT,
            description="Its name, which tells the format; else the content does.",
        ),
    ] = ""
    endpoints: Annotated[
        int | None,
        Field(ge=0, le=10**6, description="Compute nodes of switches of which it does not say."),
        WHOLE,
    ] = None

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `ExplicitTopology.of`."""
        write = network_formats()["json"].write
        assert write is not None
        return cls(content=b"".join(write(topology, "").files[""]).decode())

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the switches, where the file has some."""
        return getattr(self._held, "labels", ())

    @cached_property
    def _held(self) -> ExplicitTopology:
        return described_file(self.file, self.content.encode(), self.endpoints)

    @property
    def sizes(self) -> NetworkSizes:
        """See `Description.sizes`; raises InvalidInput where the file holds no network."""
        return self._held.sizes

    def build(self, path: str | None = None) -> Topology:
        """See `ExplicitTopology.build`."""
        return self._held.build(path)

    def canonical(self) -> ExplicitTopology:
        """See `ExplicitTopology.canonical`; raises as `sizes`."""
        return self._held.canonical()

    def __str__(self) -> str:
        return self.file or "the network"


def described(topology: Topology) -> str | ExplicitTopology:
    """Return what a request says of a network: its text or, where there is none, its cables."""
    if topology.origin is not None:
        return _degraded_type().of(topology)
    explicit = family_of(topology).explicit
    return str(topology) if topology.is_named or explicit is None else explicit.of(topology)


def shown_topology(topology: str | ExplicitTopology | Mapping[str, Any]) -> str:
    """Return what lists call the network of a request, or of the JSON of one; nothing is built."""
    if isinstance(topology, str):
        return topology
    given = topology if isinstance(topology, Mapping) else dict(topology)
    if "without" in given:
        failures = Failures.model_validate(given["without"])
        return f"{shown_topology(given['network'])} without {failures}"
    known = _of_families()
    return known[_best_fit(given, known)].shown(given)


def explicit_type(text: Any = None) -> Any:
    """Return the type of networks given by their cables or failures, of any family that has such.

    Which one is meant, the keys tell; errors have its name in their location.

    Parameters
    ----------
    text : a type of texts that name a network as well.
    """
    models = {**_of_families(), _DEGRADED: _degraded_type()}
    # A file names no other.
    return _told_apart(models if text is None else {**models, **_FILE}, text)


def _of_families() -> dict[str, type[ExplicitTopology]]:
    found = {name: one.explicit for name, one in families().items()}
    return {f"{_EXPLICIT}{name}": one for name, one in found.items() if one is not None}


_FILE: Mapping[str, type[ExplicitTopology]] = {f"{_EXPLICIT}file": FileNetwork}


@cache
def _degraded_type() -> type[DegradedNetwork]:
    network: Any = Annotated[
        _told_apart({**_of_families(), **_FILE}, Annotated[str, Field(max_length=_LONGEST_TEXT)]),
        Field(description="The network with all its cables and switches."),
    ]
    return create_model(
        DegradedNetwork.__name__,
        __base__=DegradedNetwork,
        __doc__=DegradedNetwork.__doc__,
        __module__=__name__,
        network=(network, ...),
    )


def _told_apart(models: Mapping[str, type[ExplicitTopology]], text: Any) -> Any:
    # In one union: pydantic makes Python objects of JSON for every function that it asks.
    def named(value: object) -> str:
        if text is not None and isinstance(value, str):
            return _TEXT
        if isinstance(value, ExplicitTopology):
            return next(name for name, model in models.items() if isinstance(value, model))
        return _best_fit(
            cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {}), models
        )

    types = models if text is None else {_TEXT: text, **models}
    tagged = [Annotated[one, Tag(name)] for name, one in types.items()]
    return Annotated[Union[*tagged], Discriminator(named)]


def _best_fit(given: Mapping[str, Any], models: Mapping[str, type[ExplicitTopology]]) -> str:
    """Return the name of the model that has most of the keys."""
    return max(models, key=lambda name: len(given.keys() & models[name].model_fields.keys()))
