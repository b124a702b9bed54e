"""What the header of a table says of its network."""

import json
from typing import Annotated, Literal, Self, cast

from pydantic import BeforeValidator, Field, SerializeAsAny

from tvlb.errors import InvalidInput
from tvlb.topology import (
    Failures,
    Topology,
    TopologyRecord,
    families,
    family_of,
    parse_named_topology,
    without,
)

_LONGEST_TEXT = 10_000


class NamedRecord(TopologyRecord):
    """The topology of a table of which the parameters say all.

    Attributes
    ----------
    name : `str` of the topology.
    path_names : what the columns of links hold; see `Topology.path_names`.
    """

    name: str = Field(max_length=_LONGEST_TEXT)
    path_names: Literal["link ids", "positions"]

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `TopologyRecord.of`."""
        return cls(name=str(topology), path_names=topology.path_names)

    def build(self) -> Topology:
        """See `TopologyRecord.build`."""
        topology = parse_named_topology(self.name).build()
        if topology.path_names != self.path_names:
            raise InvalidInput(f"paths of {topology} are named by {topology.path_names}")
        return topology


def record_of(topology: Topology) -> TopologyRecord:
    """Record a topology as its family does, one with failures as what it was without them."""
    if topology.origin is not None:
        return DegradedRecord.of(topology)
    return (family_of(topology).record or NamedRecord).of(topology)


def _read_record(value: object) -> object:
    """Read a record as the family does that has records with these keys."""
    if not isinstance(value, dict):
        return value
    keys = cast("dict[str, object]", value).keys()
    known = [one.record for one in families().values() if one.record is not None]
    own = [DegradedRecord, NamedRecord, *known]
    kind = max(own, key=lambda one: len(keys & one.model_fields))
    # JSON mode: strict, but arrays are tuples and object keys may be numbers.
    return kind.model_validate_json(json.dumps(value))


NetworkRecord = Annotated[SerializeAsAny[TopologyRecord], BeforeValidator(_read_record)]


class DegradedRecord(TopologyRecord):
    """The topology of a table of which some cables or switches are down.

    Attributes
    ----------
    network : with all of them.
    without : what is down.
    """

    network: NetworkRecord
    without: Failures

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `TopologyRecord.of`."""
        assert topology.origin is not None
        return cls(network=record_of(topology.origin.network), without=topology.origin.failures)

    @property
    def anonymous(self) -> Self:
        """See `TopologyRecord.anonymous`."""
        return self.model_copy(update={"network": self.network.anonymous})

    def build(self) -> Topology:
        """See `TopologyRecord.build`."""
        return without(self.network.build(), self.without)
