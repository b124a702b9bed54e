"""Switches and cables by name, as files list them."""

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from tvlb.documents import decimal_number, whole_number
from tvlb.errors import InvalidInput
from tvlb.topology.listed import (
    DEFAULT_KIND,
    DEFAULT_LATENCY,
    MOST_CABLES,
    ListedKind,
    Listing,
    is_label,
)
from tvlb.topology.network import MAX_NODES, MAX_SWITCHES

if TYPE_CHECKING:
    import networkx as nx


def whole_attribute(text: str) -> int:
    """Return a whole number, be it written as 2.0: some programs know only such numbers.

    Raises
    ------
    ValueError : it is none.
    """
    try:
        return whole_number(text)
    except ValueError:
        if not (value := decimal_number(text)).is_integer():
            raise
        return int(value)


def _number(attributes: Mapping[str, object], name: str, where: str) -> int | None:
    try:
        return whole_attribute(str(attributes[name])) if name in attributes else None
    except ValueError as error:
        raise InvalidInput(f"the {name} of {where}: {error}") from error


def _text(attributes: Mapping[str, object], name: str) -> str | None:
    return str(attributes[name]) if name in attributes else None


class NamedCables:
    """Gathers switches and cables, in any order, and numbers the switches as they are declared."""

    def __init__(self) -> None:
        # In the order in which they are named, be it by a cable.
        self._names: dict[str, int] = {}
        # Of the declared ones, by the number above.
        self._endpoints: dict[int, int | None] = {}
        self._labels: dict[int, str] = {}
        # Of each cable; that of kinds, and 0 where none is given.
        self._ends = (array("i"), array("i"))
        self._kind_of = array("i")
        self._kinds: dict[str | None, int] = {None: 0}
        self._latencies: dict[str, int] = {}
        # What the network is called.
        self.title = ""

    @classmethod
    def of_graph(cls, graph: "nx.Graph[Any]") -> Self:
        """Gather the nodes and edges of a graph.

        Their attributes ``endpoints``, ``label``, ``kind`` and ``latency``, and ``name`` of the
        graph, are those that GraphML has.
        """
        found = cls()
        found.title = _text(graph.graph, "name") or ""
        for node, given in graph.nodes(data=True):
            nodes = _number(given, "endpoints", f"node {str(node)[:80]!r}")
            found.switch(str(node), nodes, _text(given, "label"))
        for first, second, given in graph.edges(data=True):
            where = f"the edge from {str(first)[:80]!r} to {str(second)[:80]!r}"
            latency = _number(given, "latency", where)
            found.cable(str(first), str(second), _text(given, "kind"), latency)
        return found

    def _number(self, name: str) -> int:
        number = self._names.setdefault(name, len(self._names))
        if number >= MAX_SWITCHES:
            raise InvalidInput(f"more than {MAX_SWITCHES:,} switches, the limit")
        return number

    def switch(self, name: str, endpoints: int | None = None, label: str | None = None) -> None:
        """Declare a switch.

        Parameters
        ----------
        endpoints : its compute nodes; None if that is not said.
        label : what its owner calls it, if not by the name.

        Raises
        ------
        InvalidInput : the name is declared already, or a number is out of range.
        """
        number = self._number(name)
        if number in self._endpoints:
            raise InvalidInput(f"the switch {name[:80]!r} is listed twice")
        if endpoints is not None and not 0 <= endpoints <= MAX_NODES:
            raise InvalidInput(
                f"switch {name[:80]!r} has {endpoints} endpoints; expected 0..{MAX_NODES:,}"
            )
        self._endpoints[number] = endpoints
        self._labels[number] = name if label is None else label

    def cable(
        self, first: str, second: str, kind: str | None = None, latency: int | None = None
    ) -> None:
        """Add a cable between two switches, which may be declared later.

        Raises
        ------
        InvalidInput : another cable of this kind has another latency, or there are too many.
        """
        if len(self._kind_of) >= MOST_CABLES:
            raise InvalidInput(f"more than {MOST_CABLES:,} cables, the limit")
        for ends, name in zip(self._ends, (first, second), strict=True):
            ends.append(self._number(name))
        self._kind_of.append(self._kinds.setdefault(kind, len(self._kinds)))
        if latency is not None:
            of_kind = DEFAULT_KIND if kind is None else kind
            if (known := self._latencies.setdefault(of_kind, latency)) != latency:
                raise InvalidInput(
                    f"cables of kind {of_kind!r} have latencies of {known} and of {latency} "
                    "cycles; all of one kind have the same"
                )

    def listing(self, endpoints: int | None = None) -> Listing:
        """Return the network.

        Parameters
        ----------
        endpoints : compute nodes of the switches of which nothing is said.

        Raises
        ------
        InvalidInput : a cable ends at an undeclared switch, the kind is given of some cables only,
            or compute nodes are not said, or said twice.
        """
        undeclared = [name for name, one in self._names.items() if one not in self._endpoints]
        if undeclared:
            raise InvalidInput(f"a cable ends at {undeclared[0][:80]!r}, which is no switch of it")
        position = {number: place for place, number in enumerate(self._endpoints)}
        names = [*self._names]
        kinds, link_kinds = self._found_kinds()
        labels = tuple(self._labels[number] for number in self._endpoints)
        return Listing.model_construct(
            switches=len(position),
            endpoints=self._filled(endpoints, names),
            links=tuple(
                (position[one], position[two]) for one, two in zip(*self._ends, strict=True)
            ),
            kinds=kinds,
            link_kinds=link_kinds,
            name=self.title if is_label(self.title) else "",
            labels=() if labels == tuple(map(str, range(len(labels)))) else labels,
        )

    def _filled(self, endpoints: int | None, names: list[str]) -> tuple[int, ...]:
        if endpoints is not None and not 0 <= endpoints <= MAX_NODES:
            raise InvalidInput(f"endpoints {endpoints} is out of range: 0..{MAX_NODES:,}")
        unsaid = [number for number, said in self._endpoints.items() if said is None]
        if unsaid and endpoints is None:
            raise InvalidInput(
                f"how many endpoints switch {names[unsaid[0]][:80]!r} has is not said: say it in "
                "the file, or give a number for every such switch (--endpoints)"
            )
        if endpoints is not None and not unsaid:
            raise InvalidInput("the file says how many endpoints every switch has (--endpoints)")
        return tuple(endpoints or 0 if said is None else said for said in self._endpoints.values())

    def _found_kinds(self) -> tuple[tuple[ListedKind, ...], tuple[str, ...]]:
        kinds = [one for one in self._kinds if one is not None]
        if kinds and 0 in self._kind_of:
            place = self._kind_of.index(0)
            first, second = ([*self._names][ends[place]][:80] for ends in self._ends)
            raise InvalidInput(f"the kind of the cable from {first!r} to {second!r} is not said")
        found = tuple(
            ListedKind.model_construct(
                name=name, latency=self._latencies.get(name, DEFAULT_LATENCY)
            )
            for name in kinds or [DEFAULT_KIND]
        )
        return found, tuple(kinds[one - 1] for one in self._kind_of) if len(kinds) > 1 else ()
