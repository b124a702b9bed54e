"""Networks of several families: switches, compute nodes and directed links with stable ids.

Everything else in tvlb (paths, model, balance, simulator, tables) refers to these ids.
"""

from tvlb.topology.compiled import compiled, path_kernel
from tvlb.topology.dragonfly import ARRANGEMENTS, FROM_FILE, Dragonfly, LinkKind
from tvlb.topology.expected import ExpectedPaths, touched
from tvlb.topology.family import (
    Description,
    ExplicitTopology,
    Family,
    NamedTopology,
    NetworkSizes,
    TopologyMetadata,
    TopologyRecord,
    described,
    explicit_type,
    families,
    family_of,
    metadata_type,
    register,
)
from tvlb.topology.network import LinkKinds, Network
from tvlb.topology.parse import (
    parse_named_topology,
    parse_topology,
    parse_topology_call,
    topology_forms,
    topology_regex,
)
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.topology import Layout, Topology, Triples

__all__ = [
    "ARRANGEMENTS",
    "FROM_FILE",
    "Description",
    "Dragonfly",
    "ExpectedPaths",
    "ExplicitTopology",
    "Family",
    "Layout",
    "LinkKind",
    "LinkKinds",
    "NamedTopology",
    "Network",
    "NetworkSizes",
    "ShortestPathTopology",
    "Topology",
    "TopologyMetadata",
    "TopologyRecord",
    "Triples",
    "compiled",
    "described",
    "explicit_type",
    "families",
    "family_of",
    "metadata_type",
    "parse_named_topology",
    "parse_topology",
    "parse_topology_call",
    "path_kernel",
    "register",
    "topology_forms",
    "topology_regex",
    "touched",
]
