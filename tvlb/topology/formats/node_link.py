"""Node-link JSON: lists of nodes and links, as networkx and D3 write graphs."""

from typing import Any

from tvlb.documents import parse_json
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import NetworkFormat
from tvlb.topology.named_cables import NamedCables

_EDGES = ("edges", "links")


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    # Loaded here, since it takes long and little needs it.
    import networkx as nx

    data: Any = parse_json(content)
    edges = next((key for key in _EDGES if key in data), _EDGES[0])
    try:
        given = {**data, "multigraph": True}
        graph = nx.node_link_graph(given, edges=edges)  # pyright: ignore[reportUnknownMemberType]
        lost = len(data[edges]) - graph.number_of_edges() or len(data["nodes"]) - len(graph)
    except (nx.NetworkXError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInput(
            "no node-link graph: expected lists of objects, nodes with an id, and links with those "
            "of a source and a target"
        ) from error
    if lost:
        raise InvalidInput(
            "a node or link that is listed twice, or a link to a node that is not listed"
        )
    return NamedCables.of_graph(graph).listing(endpoints)


def _recognise(content: bytes) -> bool:
    begins = content.lstrip().startswith(b"{") and b'"nodes"' in content
    return begins and any(f'"{key}"'.encode() in content for key in _EDGES)


# The suffix is that of other JSON: the keys tell.
FORMAT = NetworkFormat(name="node-link", suffixes=(), read=_read, recognise=_recognise)
