"""Path sets of requests: expressions, and tables that a server has, by their ids."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, PathSet, Switches, parse_expression
from tvlb.requests.kind import (
    Context,
    Examination,
    RequestKind,
    StoredResult,
    request_kinds,
)
from tvlb.requests.limits import RequestLimits
from tvlb.requests.request import Request, network_in
from tvlb.requests.texts import is_table_id
from tvlb.table import path_set_of
from tvlb.topology import Topology, shown_topology

ReadPaths = Callable[[str, Topology, int], PathSet]
"""Makes a path set of its text, for a network and with a seed."""

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


def unread_paths(text: str, topology: Topology, seed: int) -> PathSet:
    """Parse the path set of a request, as a `ReadPaths` that reads no table."""
    if is_table_id(text):
        return _UnreadTable(topology, text)
    try:
        return parse_expression(text, topology, seed)
    except InvalidInput as error:
        raise InvalidInput(f"{error}, or the id of a table, of which 8 digits will do") from error


def paths_of(context: Context) -> ReadPaths:
    """Return what makes path sets of the texts of requests and reads tables."""

    def read(text: str, topology: Topology, seed: int) -> PathSet:
        if not is_table_id(text):
            return parse_expression(text, topology, seed)
        name = f"table {text[:_SHOWN]}"
        return path_set_of(context.table(text).read_table(), name, topology)

    return read


def check_tables(found: StoredResult, named: str, wanted: str) -> None:
    """Refuse a stored table of another kind, told by its result alone.

    Parameters
    ----------
    named : what messages call it.
    wanted : name of the kind of table that is needed.

    Raises
    ------
    InvalidInput : it is of another kind.
    """
    kind = request_kinds()[found.kind].tables
    if kind != wanted:
        raise InvalidInput(f"{named} is a {kind}, where a {wanted} is needed")


def examine_with_tables(
    body: Request, limits: RequestLimits | None, context: Context
) -> Examination:
    """Resolve a request that may name a table by some digits of its id, and estimate its cost.

    Raises
    ------
    InvalidInput : as `Question.examined`; there is no such table, or it is of another network.
    """
    text: str | None = getattr(body, "vlb", None)
    if text is None or not is_table_id(text):
        return Examination(*body.examined(limits))
    table = context.table(text)
    check_tables(table, f"vlb {text}", RequestKind.tables)
    resolved, cost = body.model_copy(update={"vlb": table.table_id}).examined(limits)
    asked: dict[str, Any] = resolved.model_dump(mode="json", include={"topology"})
    here, there = (shown_topology(network_in(one)) for one in (asked, table.request))
    if here != there:
        raise InvalidInput(f"vlb {text}: the table is of {there}, not of {here}")
    return Examination(resolved, cost)
