"""The header of a table file: what the rows are, without a date, a host or a duration."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SerializeAsAny, ValidationError

from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.errors import InvalidInput
from tvlb.statistics import MAX_SEED
from tvlb.topology import (
    Failures,
    Topology,
    TopologyRecord,
    families,
    family_of,
    parse_named_topology,
    without,
)

FORMAT_VERSION: Literal[1] = 1
_REMOVED = "removed"
_REMOVED_COLUMNS = 5
_LONGEST_EXPRESSION = 10_000

Removed = NDArray[np.int32]
"""Paths taken out of the rule: int32 (paths, 5) of (src, dst, intermediate, first, second)."""


TableWeights = WeightOptions | Literal["listed"]
"""Where draw weights come from that are not the rule's: balancing by weights, or elsewhere."""


class NamedRecord(TopologyRecord):
    """The topology of a table of which the parameters say all.

    Attributes
    ----------
    name : `str` of the topology.
    path_names : what the columns of links hold; see `Topology.path_names`.
    """

    name: str = Field(max_length=_LONGEST_EXPRESSION)
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
    own = [DegradedRecord, *known]
    kind = NamedRecord if "name" in keys else max(own, key=lambda one: len(keys & one.model_fields))
    # JSON mode: see `_header`.
    return kind.model_validate_json(json.dumps(value))


Record = Annotated[SerializeAsAny[TopologyRecord], BeforeValidator(_read_record)]


class DegradedRecord(TopologyRecord):
    """The topology of a table of which some cables or switches are down.

    Attributes
    ----------
    network : with all of them.
    without : what is down.
    """

    network: Record
    without: Failures

    @classmethod
    def of(cls, topology: Topology) -> Self:
        """See `TopologyRecord.of`."""
        assert topology.origin is not None
        return cls(network=record_of(topology.origin.network), without=topology.origin.failures)

    def build(self) -> Topology:
        """See `TopologyRecord.build`."""
        return without(self.network.build(), self.without)


class BalanceRecord(BaseModel):
    """The per-pair step of balancing that is part of a compact table's rule.

    Attributes
    ----------
    local_threshold, global_threshold, floor_paths, floor_share : see `BalanceOptions`.
    seed : breaks ties between paths of equal length.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    local_threshold: float
    global_threshold: float
    floor_paths: int
    floor_share: float
    seed: int = Field(ge=0, le=MAX_SEED)

    @classmethod
    def of(cls, options: BalanceOptions, seed: int) -> Self:
        """Record settings."""
        return cls(**asdict(options), seed=seed)

    def options(self) -> BalanceOptions:
        """Return the settings; raises InvalidInput if one is out of range."""
        return BalanceOptions(**self.model_dump(exclude={"seed"}))


class WeightsRecord(BaseModel):
    """The balancing by weights that gives the draw weights of a table.

    Attributes
    ----------
    rounds, step, floor : see `WeightOptions`.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    rounds: int
    step: float
    floor: float

    @classmethod
    def of(cls, options: WeightOptions) -> Self:
        """Record settings."""
        return cls(**asdict(options))

    def options(self) -> WeightOptions:
        """Return the settings; raises InvalidInput if one is out of range."""
        return WeightOptions(**self.model_dump())


class CompactRecord(BaseModel):
    """What the header of a compact table says instead of rows.

    Attributes
    ----------
    balance : the balancing that the rule includes, None without.
    sampled_pairs : number of switch pairs that `mean_vlb_hops` is of; None for all.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    balance: BalanceRecord | None
    sampled_pairs: int | None


class TableHeader(BaseModel):
    """Everything that a table file says besides its rows and the removed paths.

    Attributes
    ----------
    format : version of the file format.
    version : version of the tvlb that wrote the table.
    topology : the network that switch and link ids refer to.
    expression : the path-set expression that gives the rows, before any removal.
    seed : keys the random fractions of the expression.
    paths_by_hops : number of rows by hop count, all pairs together; in the compact form number of
        paths of the expression, before any removal.
    mean_vlb_hops : mean hops of a drawn path over the inter-group pairs, None without any path.
    compact : None in the full form.
    weights : None if the draw weights are those of the expression, renormalised after removals; the
        settings of balancing if it changed them over all pairs; "listed" if they follow from no
        rule and only the rows say them. None in the compact form.
    incomplete : where the search was interrupted that had found this table so far; None of a table
        that a search ended with.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Literal[1] = FORMAT_VERSION
    version: str
    topology: Record
    expression: str = Field(max_length=_LONGEST_EXPRESSION)
    seed: int = Field(ge=0, le=MAX_SEED)
    paths_by_hops: dict[int, int]
    mean_vlb_hops: float | None
    compact: CompactRecord | None = None
    weights: WeightsRecord | Literal["listed"] | None = None
    incomplete: str | None = Field(default=None, max_length=200)


def join(header: TableHeader, removed: Removed) -> dict[str, Any]:
    """Return the header with the removed paths as one JSON document."""
    entries = header.model_dump(mode="json")
    for optional in ("compact", "weights", "incomplete"):
        if entries[optional] is None:
            del entries[optional]
    return {**entries, _REMOVED: removed.tolist()}


def content_id(header: TableHeader, removed: Removed, columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 (hex) of header, removed paths and rows."""
    document = json.dumps(join(header, removed), sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(f"tvlb table\n{document}\n".encode())
    for name, values in columns.items():
        digest.update(f"{name} {len(values)}\n".encode())
        little_endian = values.astype(values.dtype.newbyteorder("<"), copy=False)
        digest.update(np.ascontiguousarray(little_endian).data)
    return digest.hexdigest()


def no_removed() -> Removed:
    """Return no paths."""
    return np.zeros((0, _REMOVED_COLUMNS), dtype=np.int32)


def split(document: object) -> tuple[TableHeader, Removed]:
    """Undo `join`.

    Raises
    ------
    InvalidInput : the document is no table header; names the first problem.
    """
    if not isinstance(document, dict):
        raise InvalidInput("the table header is not a JSON object")
    entries = cast("dict[str, object]", document)
    if _REMOVED not in entries:
        raise InvalidInput("the table header has no entry 'removed'")
    rest = {name: value for name, value in entries.items() if name != _REMOVED}
    return _header(rest), _removed(entries[_REMOVED])


def _header(rest: dict[str, object]) -> TableHeader:
    try:
        # JSON mode: strict, but arrays are tuples and object keys may be numbers.
        return TableHeader.model_validate_json(json.dumps(rest))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise InvalidInput(f"table header, {where or 'top level'}: {problem['msg']}") from error


def _removed(value: object) -> Removed:
    # Shape and types are told before numpy has a look, which would take lists of anything.
    rows = cast("list[list[object]]", value if isinstance(value, list) else [[]])
    shaped = all(type(row) is list and len(row) == _REMOVED_COLUMNS for row in rows)
    if not shaped or set(map(type, chain.from_iterable(rows))) - {int}:
        raise InvalidInput(
            "table header, removed: expected a list of [src, dst, intermediate, first, second]"
        )
    try:
        return np.array(rows, dtype=np.int32).reshape(-1, _REMOVED_COLUMNS)
    except OverflowError as error:
        raise InvalidInput("table header, removed: an id is out of range") from error
