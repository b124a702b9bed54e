"""Stored tables that requests name by their ids: T-VLB tables as path sets, and others."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim_bridge import FollowedTable, Split
from sim_bridge.routing import draws_split
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding
from tvlb.paths import PathRows, PathSet, Switches, parse_expression
from tvlb.requests.kind import Context, Examination, RequestKind
from tvlb.requests.limits import RequestLimits
from tvlb.requests.request import Question, network_in
from tvlb.requests.texts import is_table_id
from tvlb.table import (
    FORWARDING,
    SPLIT,
    StoredTable,
    forwarding_of,
    path_set_of,
    split_of,
)
from tvlb.topology import Topology, shown_topology

_Question = TypeVar("_Question", bound=Question)

ReadPaths = Callable[[str, Topology, int], PathSet]
"""Makes a path set of its text, for a network and with a seed."""

ReadTable = Callable[[str, Topology, str], FollowedTable | Split]
"""Makes what packets go by of the text of a table, for a network and a routing."""

NAMING: Mapping[str, str] = {"vlb": RequestKind.tables, "table": FORWARDING.name}
"""Fields that may name a stored table, and of which kind it has to be; see `needed`."""

_SHOWN = 12


@dataclass(frozen=True, eq=False)
class _UnreadTable(PathSet):
    """The paths of a table while nobody asks for them, as estimates do."""

    topology: Topology
    table: str

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        raise AssertionError(f"table {self.table} was not read")

    def __str__(self) -> str:
        return self.table


@dataclass(frozen=True)
class _UnreadSplit:
    """The paths of a split while nobody asks for them."""

    topology: Topology
    table: str

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        raise AssertionError(f"table {self.table} was not read")

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        raise AssertionError(f"table {self.table} was not read")

    def __str__(self) -> str:
        return self.table


def unread_paths(text: str, topology: Topology, seed: int) -> PathSet:
    """Parse the path set of a request, as a `ReadPaths` that reads no table."""
    if is_table_id(text):
        return _UnreadTable(topology, text)
    try:
        return parse_expression(text, topology, seed)
    except InvalidInput as error:
        raise InvalidInput(f"{error}, or the id of a table, of which 8 digits will do") from error


def unread_table(text: str, topology: Topology, routing: str) -> FollowedTable | Split:
    """Return a table without entries, as a `ReadTable` that reads none."""
    if draws_split(routing):
        return _UnreadSplit(topology, text)
    shape = (topology.num_nodes, topology.num_switches)
    ports, layers = (np.broadcast_to(np.uint8(one), shape) for one in (NO_PORT, 0))
    return FollowedTable(Forwarding(topology, ports, layers), text)


def table_of(context: Context) -> ReadTable:
    """Return what reads the tables that packets go by and requests name."""

    def read(text: str, topology: Topology, routing: str) -> FollowedTable | Split:
        found = context.table(text).read_table()
        return gone_by(found, f"table {text[:_SHOWN]}", topology, routing)

    return read


def gone_by(
    table: StoredTable, name: str, topology: Topology, routing: str
) -> FollowedTable | Split:
    """Return what packets go by; `name` is what messages call it.

    Raises
    ------
    InvalidInput : the routing takes a table of another kind; or it is of another network, or
        damaged.
    """
    if draws_split(routing):
        return split_of(table, name, topology)
    return FollowedTable(forwarding_of(table, name, topology), name)


def paths_of(context: Context) -> ReadPaths:
    """Return what makes path sets of the texts of requests and reads tables."""

    def read(text: str, topology: Topology, seed: int) -> PathSet:
        if not is_table_id(text):
            return parse_expression(text, topology, seed)
        name = f"table {text[:_SHOWN]}"
        return path_set_of(context.table(text).read_table(), name, topology)

    return read


def examine_with_tables(
    body: Question, limits: RequestLimits | None, context: Context
) -> Examination:
    """Resolve a request that may name tables by some digits of their ids, and estimate its cost.

    A request without a network is about that of its table.

    Raises
    ------
    InvalidInput : as `Question.examined`; there is no such table, it is of another network, or of
        another kind than is needed.
    """
    named = [(option, text, context.table(text)) for option, text in _named(body)]
    for option, text, found in named:
        if found.tables != (kind := needed(option, getattr(body, "routing", None))):
            raise InvalidInput(
                f"{option} {found.name} is a {found.tables}, where a {kind} is needed"
            )
        told = _with_id(getattr(body, option), text, str(found.table_id))
        body = body.model_copy(update={option: told})
        if getattr(body, "topology", None) is None:
            body = about(body, network_in(found.request))
    resolved, cost = body.examined(limits)
    asked: dict[str, Any] = resolved.model_dump(mode="json", include={"topology"})
    for option, _, found in named:
        here, there = (shown_topology(network_in(one)) for one in (asked, found.request))
        if here != there:
            raise InvalidInput(f"{option} {found.name}: the table is of {there}, not of {here}")
    return Examination(resolved, cost)


def needed(option: str, routing: object) -> str:
    """Return of which kind a table has to be that a field of a request names."""
    if option == "table" and routing is not None and draws_split(str(routing)):
        return SPLIT.name
    return NAMING[option]


def _named(body: Question) -> Iterator[tuple[str, str]]:
    for option in NAMING:
        given: str | tuple[str, ...] | None = getattr(body, option, None)
        texts = [given] if isinstance(given, str) else given or ()
        yield from ((option, text) for text in texts if is_table_id(text))


def _with_id(given: str | tuple[str, ...], text: str, table_id: str) -> str | tuple[str, ...]:
    """Return what an option is given with the whole id of a table in place of its text."""
    if isinstance(given, str):
        return table_id
    return tuple(table_id if one == text else one for one in given)


def about(body: _Question, network: Any) -> _Question:
    """Return the request about a network, as requests describe it in JSON."""
    given = body.model_dump(mode="json") | {"topology": network}
    return type(body).model_validate_json(json.dumps(given))
