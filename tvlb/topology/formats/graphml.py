"""GraphML: a graph with a node for each switch and an edge for each cable, directed or not.

Read without networkx, which merges nodes with the same id, and edges with the same ends and id,
without a word, and which expands entities.
"""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Literal
from xml.sax.saxutils import escape

from tvlb.documents import parse_xml
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import NetworkFormat, WrittenNetwork, lost_family
from tvlb.topology.listed import ListedTopology, listed
from tvlb.topology.named_cables import NamedCables, whole_attribute
from tvlb.topology.topology import Topology

_KEYS = {
    "name": ("graph", "string"),
    "endpoints": ("node", "int"),
    "label": ("node", "string"),
    "kind": ("edge", "string"),
    "latency": ("edge", "int"),
}
# What the graph is called: a key of graphs or of all.
_TITLES = {("graph", "name"), ("all", "name")}
_Item = Literal["node", "edge"]


class _Reader:
    """Takes the elements of a file."""

    def __init__(self) -> None:
        self.found = NamedCables()
        self._root = ""
        self._graphs = 0
        # Of the keys: what they are attributes of, and their names; by both, the default.
        self._keys: dict[str, tuple[str, str]] = {}
        self._defaults: dict[tuple[str, str], str] = {}
        self._key: tuple[str, str] = ("", "")
        # Of the node or edge that is open.
        self._item: _Item | None = None
        self._attributes: Mapping[str, str] = {}
        self._data: dict[str, str] = {}
        self._edges = set[tuple[str, str, str]]()

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        if not self._root:
            self._root = name
        if self._root != "graphml":
            raise InvalidInput(f"no GraphML: the first element is {name[:80]!r}")
        if name == "graph":
            self._begin_graph()
        elif name == "hyperedge":
            raise InvalidInput("a hyperedge, which is no cable between two switches")
        elif name == "key":
            self._key = (attributes.get("for", "all"), attributes.get("attr.name", ""))
            self._keys[_given(attributes, "id", name)] = self._key
        elif name == "data":
            key = _given(attributes, "key", name)
            if key not in self._keys:
                raise InvalidInput(f"<data> of the key {key[:80]!r}, which is not declared")
            self._key = self._keys[key]
        elif name in ("node", "edge"):
            self._item, self._attributes, self._data = name, attributes, {}

    def _begin_graph(self) -> None:
        self._graphs += 1
        if self._graphs > 1:
            raise InvalidInput("a second graph; a file holds one network")

    def end(self, name: str, text: str) -> None:
        if name == "default":
            self._defaults[self._key] = text.strip()
        elif name == "data" and self._item is not None and self._key[0] in (self._item, "all"):
            self._data[self._key[1]] = text.strip()
        elif name == "data" and self._item is None and self._key in _TITLES:
            self.found.title = text.strip()
        elif name == "NodeLabel" and self._item == "node":  # as yEd writes it
            self._data.setdefault("label", text.strip())
        elif name == "node" and self._item == "node":
            self._end_node()
        elif name == "edge" and self._item == "edge":
            self._end_edge()

    def _end_node(self) -> None:
        self._item = None
        name = _given(self._attributes, "id", "node")
        self.found.switch(name, self._number("node", "endpoints"), self._text("node", "label"))

    def _end_edge(self) -> None:
        self._item = None
        first, second = (_given(self._attributes, end, "edge") for end in ("source", "target"))
        if (name := self._attributes.get("id")) is not None:
            if (edge := (first, second, name)) in self._edges:
                raise InvalidInput(f"a second edge {name[:80]!r} between the same two nodes")
            self._edges.add(edge)
        kind = self._text("edge", "kind")
        self.found.cable(first, second, kind, self._number("edge", "latency"))

    def _text(self, item: _Item, name: str) -> str | None:
        usual = self._defaults.get((item, name), self._defaults.get(("all", name)))
        return self._data.get(name, usual)

    def _number(self, item: _Item, name: str) -> int | None:
        text = self._text(item, name)
        try:
            return None if text is None else whole_attribute(text)
        except ValueError as error:
            raise InvalidInput(f"the {name} of this {item}: {error}") from error


def _given(attributes: Mapping[str, str], name: str, element: str) -> str:
    if name not in attributes:
        raise InvalidInput(f"<{element}> has no attribute {name!r}")
    return attributes[name]


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    reader = _Reader()
    parse_xml(content, reader.begin, reader.end)
    return reader.found.listing(endpoints)


def _write(topology: Topology, name: str) -> WrittenNetwork:
    return WrittenNetwork({"": _elements(listed(topology))}, lost_family(topology))


def _elements(network: ListedTopology) -> Iterator[bytes]:
    yield (
        b'<?xml version="1.0" encoding="utf-8"?>\n'
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    )
    for name, (item, kind) in _KEYS.items():
        if name == "name" and not network.title:
            continue
        yield f'<key id="{name}" for="{item}" attr.name="{name}" attr.type="{kind}"/>\n'.encode()
    yield b'<graph edgedefault="undirected">\n'
    if network.title:
        yield f"{_data('name', escape(network.title))}\n".encode()
    for switch, nodes in enumerate(network.nodes_of_switches().tolist()):
        label = _data("label", escape(network.labels[switch])) if network.labels else ""
        yield f'<node id="{switch}">{_data("endpoints", nodes)}{label}</node>\n'.encode()
    ids = count()
    for number, cables in enumerate(network.cables()):
        kind = _data("kind", network.kinds.names[number])
        data = kind + _data("latency", network.kinds.latencies[number])
        for first, second in cables.tolist():
            ends = f'source="{first}" target="{second}"'
            yield f'<edge id="{next(ids)}" {ends}>{data}</edge>\n'.encode()
    yield b"</graph>\n</graphml>\n"


def _data(key: str, value: object) -> str:
    return f'<data key="{key}">{value}</data>'


FORMAT = NetworkFormat(
    name="graphml",
    suffixes=(".graphml",),
    read=_read,
    recognise=lambda content: content.lstrip().startswith(b"<"),
    write=_write,
)
