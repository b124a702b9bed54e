"""Networks of several families: switches, compute nodes and directed links with stable ids.

Everything else in tvlb (paths, model, balance, simulator, tables) refers to these ids.
"""

from tvlb.topology.compiled import compiled, path_kernel
from tvlb.topology.degraded import link_ids, links_left, without
from tvlb.topology.dragonfly import ARRANGEMENTS, FROM_FILE, Dragonfly, LinkKind
from tvlb.topology.dragonfly_plus import DragonflyPlus
from tvlb.topology.expected import ExpectedPaths, touched
from tvlb.topology.explicit import DegradedNetwork, described, explicit_type, shown_topology
from tvlb.topology.fabric import LAST_LID, Fabric, FabricNode, FabricSwitch, read_fabric
from tvlb.topology.failures import Failures, read_failures
from tvlb.topology.family import (
    Description,
    ExplicitTopology,
    Family,
    NamedTopology,
    NetworkSizes,
    TopologyMetadata,
    TopologyRecord,
    families,
    family_of,
    metadata_type,
    named_families,
    register,
    sized_families,
)
from tvlb.topology.fattree3 import FatTree3
from tvlb.topology.files import (
    describe_network_files,
    is_network_file,
    network_form,
    read_network,
    write_network,
)
from tvlb.topology.formats import NetworkFormat, WrittenNetwork, network_formats
from tvlb.topology.ft2 import FatTree2
from tvlb.topology.hypercube import Hypercube
from tvlb.topology.hyperx import HyperX
from tvlb.topology.kary import KaryTree
from tvlb.topology.listed import (
    DEFAULT_LATENCY,
    ListedTopology,
    Listing,
    kinds_of,
    listed,
    merged,
)
from tvlb.topology.named import (
    UNNAMED,
    parse_named_topology,
    parse_topology_call,
    topology_forms,
    topology_regex,
)
from tvlb.topology.network import MAX_NODES, LinkKinds, Network
from tvlb.topology.parse import as_topology, parse_topology
from tvlb.topology.random_regular import RandomRegular
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Largest, SizeColumn, SizeParameter, Sizing
from tvlb.topology.slimfly import SlimFly
from tvlb.topology.topology import Layout, Origin, Topology, Triples
from tvlb.topology.torus import Torus

__all__ = [
    "ARRANGEMENTS",
    "DEFAULT_LATENCY",
    "FROM_FILE",
    "LAST_LID",
    "MAX_NODES",
    "UNNAMED",
    "DegradedNetwork",
    "Description",
    "Dragonfly",
    "DragonflyPlus",
    "ExpectedPaths",
    "ExplicitTopology",
    "Fabric",
    "FabricNode",
    "FabricSwitch",
    "Failures",
    "Family",
    "FatTree2",
    "FatTree3",
    "HyperX",
    "Hypercube",
    "KaryTree",
    "Largest",
    "Layout",
    "LinkKind",
    "LinkKinds",
    "ListedTopology",
    "Listing",
    "NamedTopology",
    "Network",
    "NetworkFormat",
    "NetworkSizes",
    "Origin",
    "RandomRegular",
    "ShortestPathTopology",
    "SizeColumn",
    "SizeParameter",
    "Sizing",
    "SlimFly",
    "Topology",
    "TopologyMetadata",
    "TopologyRecord",
    "Torus",
    "Triples",
    "WrittenNetwork",
    "as_topology",
    "compiled",
    "describe_network_files",
    "described",
    "explicit_type",
    "families",
    "family_of",
    "is_network_file",
    "kinds_of",
    "link_ids",
    "links_left",
    "listed",
    "merged",
    "metadata_type",
    "named_families",
    "network_form",
    "network_formats",
    "parse_named_topology",
    "parse_topology",
    "parse_topology_call",
    "path_kernel",
    "read_fabric",
    "read_failures",
    "read_network",
    "register",
    "shown_topology",
    "sized_families",
    "topology_forms",
    "topology_regex",
    "touched",
    "without",
    "write_network",
]
