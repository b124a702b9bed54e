"""Dragonfly networks: switches, compute nodes and directed links with stable ids.

Everything else in tvlb (paths, model, balance, simulator, tables) refers to these ids.
"""

from tvlb.topology.compiled import compiled, path_kernel
from tvlb.topology.dragonfly import ARRANGEMENTS, FROM_FILE, Dragonfly, LinkKind
from tvlb.topology.network import LinkKinds, Network
from tvlb.topology.parse import parse_named_topology, parse_sizes, parse_topology
from tvlb.topology.topology import Topology, Triples

__all__ = [
    "ARRANGEMENTS",
    "FROM_FILE",
    "Dragonfly",
    "LinkKind",
    "LinkKinds",
    "Network",
    "Topology",
    "Triples",
    "compiled",
    "parse_named_topology",
    "parse_sizes",
    "parse_topology",
    "path_kernel",
]
