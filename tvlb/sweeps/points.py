"""The points of a sweep, and what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from tvlb.designs import Bill
from tvlb.processes import UnitCount
from tvlb.requests import Answer, Cost, Expansion, TableBody, request_key
from tvlb.search import CommonTraffic
from tvlb.topology import shown_topology


@dataclass(frozen=True)
class Point:
    """One table that is wanted.

    Attributes
    ----------
    number : 0, 1, ... in the order of the sweep.
    body : the resolved request.
    cost : what it is expected to take.
    bill : what its network costs; None without prices.
    """

    number: int
    body: TableBody
    cost: Cost
    bill: Bill | None = None

    @cached_property
    def key(self) -> str:
        """Key of the request, see `tvlb.requests.request_key`."""
        return request_key(self.body)

    @property
    def nodes(self) -> int:
        """Compute nodes of the network."""
        return self.body.description.sizes.nodes

    @property
    def name(self) -> str:
        """What it is called in progress and in tables: the topology, and what else tells it."""
        name = shown_topology(self.body.topology)
        return f"{name} {self.body.routing}" + (f" seed {self.body.seed}" if self.body.seed else "")


def points_of(expansion: Expansion) -> tuple[Point, ...]:
    """Return the points of a sweep, numbered."""
    parts = zip(expansion.points, expansion.costs, expansion.bills, strict=True)
    return tuple(Point(number, *each) for number, each in enumerate(parts))


@dataclass(frozen=True)
class Stored:
    """A finished point in the store.

    Attributes
    ----------
    document : of the table, see `tvlb.requests.TableDocument`.
    created_at : seconds since 1970.
    """

    document: Mapping[str, Any]
    created_at: float


class TableStore(Protocol):
    """Where finished tables are kept, by the key of their request; called from several threads."""

    def check(self) -> None:
        """Raise StoreUnavailable if the store was deleted or replaced; takes no time."""
        ...

    def find(self, key: str) -> Stored | None:
        """Return a table's document; None if there is none, or one of its files is damaged."""
        ...

    def add(self, body: TableBody, answer: Answer) -> None:
        """Keep a table, durably; raises OSError where that is impossible."""
        ...


@dataclass(frozen=True)
class PointResult:
    """What became of a point.

    Attributes
    ----------
    point : which one.
    stored : the table; None if the point failed.
    common : what the network carries of common traffic, by the chosen and the conventional set;
        None if the point failed.
    error : why it failed, the same wherever that was; None if it did not.
    detail : the same in full, with hosts and the like.
    attempts : how often it was begun in this run; 0 if it was in the store.
    units : pieces of work of the last attempt, None if nothing was computed.
    seconds : wall time in this run.
    """

    point: Point
    stored: Stored | None
    common: tuple[CommonTraffic, CommonTraffic] | None = None
    error: str | None = None
    detail: str | None = None
    attempts: int = 0
    units: UnitCount | None = None
    seconds: float = 0.0
