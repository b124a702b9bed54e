"""What can be asked for, as JSON bodies: what the bodies of all kinds have in common.

The fields are the options of the command line. A resolved request has every default filled in and
every text in the form in which it prints, so that equal questions are equal requests.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sim_bridge import LOAD
from tvlb.documents import VERSION, WHOLE
from tvlb.errors import InvalidInput
from tvlb.languages import Setting
from tvlb.requests.cost import Cost
from tvlb.requests.limits import RequestLimits
from tvlb.requests.problems import InWords, first_problem
from tvlb.requests.texts import TopologyText
from tvlb.statistics import MAX_SEED, check_seed
from tvlb.topology import (
    Description,
    ExplicitTopology,
    Topology,
    described,
    explicit_type,
    parse_named_topology,
    shown_topology,
)

if TYPE_CHECKING:
    AnyNetwork = str | ExplicitTopology
else:
    AnyNetwork = explicit_type(TopologyText)

# Stand for files with what no command line has room for.
TOPOLOGY_FILE = "TOPOLOGY.json"
TABLE_FILE = "TABLE.parquet"
FAILURES_FILE = "FAILURES.json"
MATRIX_FILE = "MATRIX.csv"

STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
Seed = Annotated[
    int,
    Field(ge=0, le=MAX_SEED, description="Seed of everything random, 0..2^63-1."),
    WHOLE,
    InWords(check_seed),
]

Load = Annotated[float, Field(ge=0, le=1), InWords(lambda load: LOAD.checked("load", load))]


def plural(kind: str) -> str:
    """Return what requests of a kind are called together, in routes and documents."""
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"


def result_url(kind: str, key: str) -> str:
    """Return where the service has a result."""
    return f"/v1/{plural(kind)}/{key}"


def description_of(topology: str | ExplicitTopology) -> Description:
    """Return the network of a request, not built yet."""
    return parse_named_topology(topology) if isinstance(topology, str) else topology


def network_of(topology: str | ExplicitTopology, limits: RequestLimits | None = None) -> Topology:
    """Build the network of a request.

    Raises
    ------
    InvalidInput : it is out of range, or larger than `limits` allow; found from the sizes, before
        anything is built.
    """
    description = description_of(topology)
    if limits is not None:
        limits.check_sizes(description.sizes)
    return description.build()


class Question(BaseModel, ABC):
    """What can be asked for, of any kind.

    Attributes
    ----------
    kind : name of the kind.
    declared : the settings among its fields, by name.
    """

    model_config = STRICT
    kind: ClassVar[str]
    declared: ClassVar[Mapping[str, Setting]] = {}

    def __init__(self, **asked: Any) -> None:
        """Make the question of its fields; InvalidInput says which value is wrong."""
        try:
            super().__init__(**asked)
        except ValidationError as error:
            raise InvalidInput(str(first_problem(type(self), error))) from error

    # Validation of documents is not to go through it.
    __init__.__pydantic_base_init__ = True  # pyright: ignore[reportFunctionMemberAccess]

    @abstractmethod
    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """Return the question with defaults filled in and texts as they print, and its cost.

        Raises
        ------
        InvalidInput : it cannot be answered, or is beyond the limits; nothing was computed.
        """

    def resolved_on(self, network: Topology) -> tuple[Self, Cost]:
        """Return the same of a question about a network that is built, whatever it says of it.

        Raises
        ------
        InvalidInput : it cannot be answered, or is about no network.
        """
        raise InvalidInput(f"{self.kind}: it is about no network")

    @property
    def is_light(self) -> bool:
        """Whether the answer is small, and mostly computation is what it costs."""
        return True

    @property
    def most_threads(self) -> int | None:
        """How many threads can compute its answer; None: as many as there are processors."""
        return None

    def arguments(self) -> list[str] | None:
        """Return what its command line begins with; None where it is all file.

        They stand for the fields topology, table and without.
        """
        return None

    def short(self) -> dict[str, Any]:
        """Return its JSON values without what would be taken anyway."""
        usual = self.usual()
        left_out = {name for name in usual if getattr(self, name) in (None, usual[name])}
        return self.model_dump(mode="json", exclude=left_out)

    def usual(self) -> dict[str, Any]:
        """Return the value of every field, by name, where nothing is asked for."""
        return {name: field.default for name, field in type(self).model_fields.items()}


class Request(Question):
    """What requests about one network have in common."""

    topology: Annotated[AnyNetwork, Field(description="The network, by its sizes or its cables.")]

    @property
    def description(self) -> Description:
        """The network, not built yet."""
        return description_of(self.topology)

    def arguments(self) -> list[str] | None:
        """See `Question.arguments`."""
        return [self.topology if isinstance(self.topology, str) else TOPOLOGY_FILE]

    def network(self, limits: RequestLimits | None = None) -> Topology:
        """Build the topology; raises as `network_of`."""
        return network_of(self.topology, limits)

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`."""
        resolved, cost = self.resolved_on(self.network(limits))
        if limits is not None:
            limits.check_cost(cost)
        return resolved, cost

    def resolved_on(self, network: Topology) -> tuple[Self, Cost]:
        """See `Question.resolved_on`."""
        resolved = self._resolved(network)
        return resolved, resolved._cost(network)

    def resolved(self) -> Self:
        """Return the request with defaults filled in and texts as they print; see `examined`."""
        return self._resolved(self.network())

    def cost(self) -> Cost:
        """Estimate what it takes to compute it."""
        return self._cost(self.network())

    def _resolved(self, network: Topology) -> Self:
        return self.model_copy(update={"topology": described(network)})

    @abstractmethod
    def _cost(self, network: Topology) -> Cost: ...


def network_in(request: Mapping[str, Any]) -> Any:
    """Return the network of a resolved request, in JSON, as requests describe it."""
    topology: Any = request["topology"]
    if "without" not in request:
        return topology
    # All that is down is listed at once, also what was down before.
    given: Mapping[str, Any] = {} if isinstance(topology, str) else topology
    network = given["network"] if "without" in given else topology
    return {"network": network, "without": request["without"]}


def shown_subject(request: Mapping[str, Any]) -> str:
    """Return what lists call that which a resolved request, in JSON, is about."""
    if "topology" not in request:
        return request.get("name") or "many networks"
    return shown_topology(network_in(request))


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
