"""The points of a sweep, and what became of them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from tvlb.designs import Bill
from tvlb.processes import UnitCount
from tvlb.requests import Answer, Cost, Expansion, Question, TableBody, request_key
from tvlb.requests.request import description_of
from tvlb.search import CommonTraffic
from tvlb.table import StoredTable
from tvlb.topology import ExplicitTopology, shown_topology

_TOLD_ELSEWHERE = ("topology", "table")


@dataclass(frozen=True)
class Point:
    """One table that is wanted, or what else is computed.

    Attributes
    ----------
    number : 0, 1, ... in the order of the sweep.
    body : the resolved request.
    cost : what it is expected to take.
    bill : what its network costs; None without prices.
    followers : what is asked of the table that it makes, as soon as that is there.
    """

    number: int
    body: Question
    cost: Cost
    bill: Bill | None = None
    followers: tuple[Question, ...] = ()

    @cached_property
    def key(self) -> str:
        """Key of the request, see `tvlb.requests.request_key`."""
        return request_key(self.body)

    @property
    def topology(self) -> str | ExplicitTopology:
        """The network, as requests describe it."""
        return dict(self.body)["topology"]

    @property
    def nodes(self) -> int:
        """Compute nodes of the network."""
        return description_of(self.topology).sizes.nodes

    @property
    def bodies(self) -> tuple[Question, ...]:
        """All that is asked, in the order in which it is computed."""
        return (self.body, *self.followers)

    @property
    def settings(self) -> str:
        """What is asked of it, without what is usual."""
        if isinstance(self.body, TableBody):
            seed = f" seed {self.body.seed}" if self.body.seed else ""
            return f"{self.body.routing}{seed}"
        given = ((name, value) for one in self.bodies for name, value in one.short().items())
        told = (f"{name} {_text(value)}" for name, value in given if name not in _TOLD_ELSEWHERE)
        return ", ".join(told)

    @property
    def name(self) -> str:
        """What it is called in progress and in tables: the topology, and what else tells it."""
        return f"{shown_topology(self.topology)} {self.settings}".rstrip()


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def points_of(expansion: Expansion) -> tuple[Point, ...]:
    """Return the points of a sweep, numbered."""
    parts = zip(
        expansion.points, expansion.costs, expansion.bills, expansion.followers, strict=True
    )
    return tuple(Point(number, *each) for number, each in enumerate(parts))


@dataclass(frozen=True)
class Stored:
    """A finished point in the store.

    Attributes
    ----------
    document : of the result, such as `tvlb.requests.TableDocument`.
    created_at : seconds since 1970.
    table_id : of its table; None without one.
    read_table : reads its table; raises StoreUnavailable.
    """

    document: Mapping[str, Any]
    created_at: float
    table_id: str | None = None
    read_table: Callable[[], StoredTable] | None = None


class TableStore(Protocol):
    """Where what is finished is kept, by the key of its request; called from several threads."""

    def check(self) -> None:
        """Raise StoreUnavailable if the store was deleted or replaced; takes no time."""
        ...

    def find(self, key: str) -> Stored | None:
        """Return a result; None if there is none, or one of its files is damaged."""
        ...

    def add(self, body: Question, answer: Answer) -> None:
        """Keep a result, durably; raises OSError where that is impossible."""
        ...


@dataclass(frozen=True)
class PointResult:
    """What became of a point.

    Attributes
    ----------
    point : which one.
    stored : the table; None if the point failed.
    common : what the network carries of common traffic, by the chosen and the conventional set;
        None if the point failed, or is no table.
    followed : of the followers of the point, by their order.
    error : why it failed, the same wherever that was; None if it did not.
    detail : the same in full, with hosts and the like.
    attempts : how often it was begun in this run; 0 if it was in the store.
    units : pieces of work of the last attempt, None if nothing was computed.
    seconds : wall time in this run.
    """

    point: Point
    stored: Stored | None
    common: tuple[CommonTraffic, CommonTraffic] | None = None
    followed: tuple[Mapping[str, Any], ...] = ()
    error: str | None = None
    detail: str | None = None
    attempts: int = 0
    units: UnitCount | None = None
    seconds: float = 0.0
