"""GML: a node for each switch and an edge for each cable, directed or not, as networkx reads it."""

import re

from tvlb.documents import lines_of
from tvlb.errors import InvalidInput
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import NetworkFormat
from tvlb.topology.named_cables import NamedCables

_BEGINNING = re.compile(rb"(\s*(#[^\n]*\n|Creator\s[^\n]*\n|Version\s[^\n]*\n))*\s*graph\s*\[")
_GRAPH = re.compile(r"\bgraph\s*\[")
_PARALLEL = re.compile(r"\bmultigraph\s+[01]\b")


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    # Loaded here, since it takes long and little needs it.
    import networkx as nx

    text = "\n".join(lines_of(content))
    # Many files have parallel edges, and do not say so where networkx looks for it.
    text = _GRAPH.sub("graph [ multigraph 1 ", _PARALLEL.sub("", text), count=1)
    try:
        graph = nx.parse_gml(text.split("\n"), label="id")
    except (nx.NetworkXError, RecursionError, ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"no GML: {error or type(error).__name__}") from error
    return NamedCables.of_graph(graph).listing(endpoints)


FORMAT = NetworkFormat(
    name="gml",
    suffixes=(".gml",),
    read=_read,
    recognise=lambda content: _BEGINNING.match(content) is not None,
)
