"""Path sets and forwarding tables of requests: expressions, and tables of a server by their ids."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim_bridge import FollowedTable
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding
from tvlb.paths import PathRows, PathSet, Switches, parse_expression
from tvlb.requests.kind import Context, Examination
from tvlb.requests.limits import RequestLimits
from tvlb.requests.request import Request, network_in
from tvlb.requests.texts import is_table_id
from tvlb.table import forwarding_of, path_set_of
from tvlb.topology import Topology, shown_topology

ReadPaths = Callable[[str, Topology, int], PathSet]
"""Makes a path set of its text, for a network and with a seed."""

ReadTable = Callable[[str, Topology], FollowedTable]
"""Makes a forwarding table of its text, for a network."""

_SHOWN = 12
# Keys of bodies that may name a table.
_KEYS = ("vlb", "table")


@dataclass(frozen=True, eq=False)
class _UnreadTable(PathSet):
    """The paths of a table while nobody asks for them, as estimates do."""

    topology: Topology
    table: str

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
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


def unread_table(text: str, topology: Topology) -> FollowedTable:
    """Return a forwarding table without entries, as a `ReadTable` that reads none."""
    shape = (topology.num_nodes, topology.num_switches)
    ports, layers = (np.broadcast_to(np.uint8(one), shape) for one in (NO_PORT, 0))
    return FollowedTable(Forwarding(topology, ports, layers), text)


def table_of(context: Context) -> ReadTable:
    """Return what reads the forwarding tables that requests name."""

    def read(text: str, topology: Topology) -> FollowedTable:
        name = f"table {text[:_SHOWN]}"
        found = context.table(text).read_table()
        return FollowedTable(forwarding_of(found, name, topology), name)

    return read


def paths_of(context: Context) -> ReadPaths:
    """Return what makes path sets of the texts of requests and reads tables."""

    def read(text: str, topology: Topology, seed: int) -> PathSet:
        if not is_table_id(text):
            return parse_expression(text, topology, seed)
        name = f"table {text[:_SHOWN]}"
        return path_set_of(context.table(text).read_table(), name, topology)

    return read


def examine_with_tables(
    body: Request, limits: RequestLimits | None, context: Context
) -> Examination:
    """Resolve a request that may name a table by some digits of its id, and estimate its cost.

    Raises
    ------
    InvalidInput : as `Question.examined`; there is no such table, or it is of another network.
    """
    given: dict[str, str | None] = {key: getattr(body, key, None) for key in _KEYS}
    tables = {key: context.table(one) for key, one in given.items() if one and is_table_id(one)}
    ids = {key: one.table_id for key, one in tables.items()}
    resolved, cost = body.model_copy(update=ids).examined(limits)
    asked: dict[str, Any] = resolved.model_dump(mode="json", include={"topology"})
    for key, table in tables.items():
        here, there = (shown_topology(network_in(one)) for one in (asked, table.request))
        if here != there:
            raise InvalidInput(f"{key} {given[key]}: the table is of {there}, not of {here}")
    return Examination(resolved, cost)
